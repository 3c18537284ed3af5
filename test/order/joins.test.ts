import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as joins from '../../src/order/joins.ts';
import { toolPathsOf, type ToolPath } from '../../src/gpgl/index.ts';
import { cutPath } from '../prepare/stand-in.ts';
import { listOf } from '../support/paths.ts';

const line = (...numbers: number[]): ToolPath => cutPath(numbers, { closed: false });
const joined = (paths: readonly ToolPath[], toleranceMm: number) => listOf(joins.joined(toolPathsOf(paths), toleranceMm));
const shown = (paths: readonly ToolPath[]) => paths.map(({ closed, pointsMm }) => `${closed ? 'closed ' : ''}${[...pointsMm].join(' ')}`);

describe('joining open paths', () => {
  it('makes one path of those whose ends touch, whichever way they were drawn', () => {
    assert.deepEqual(shown(joined([line(0, 0, 10, 0), line(20, 5, 10, 0), line(20, 5, 30, 5)], 0.02)), ['0 0 10 0 20 5 30 5']);
  });

  it('closes a chain that comes back to its beginning', () => {
    const [path, ...more] = joined([line(0, 0, 10, 0), line(10, 10, 10, 0), line(10, 10, 0, 10), line(0, 10, 0, 0)], 0.02);
    assert.deepEqual(more, []);
    assert.equal(path?.closed, true);
    assert.equal(path.pointsMm.length, 8);
  });

  it('closes a path that ends where it began, and no line that is merely short', () => {
    assert.deepEqual(shown(joined([line(0, 0, 10, 0, 10, 10, 0, 0.01)], 0.02)), ['closed 0 0 10 0 10 10 0 0.01']);
    assert.deepEqual(shown(joined([line(0, 0, 0.01, 0), line(5, 5, 5.01, 5, 5.01, 5.01)], 0.02)), ['0 0 0.01 0', '5 5 5.01 5 5.01 5.01']);
  });

  it('bridges a gap within the tolerance without moving a point, and leaves a wider one', () => {
    assert.deepEqual(shown(joined([line(0, 0, 10, 0), line(10.02, 0, 20, 0)], 0.02)), ['0 0 10 0 10.02 0 20 0']);
    assert.equal(joined([line(0, 0, 10, 0), line(10.021, 0, 20, 0)], 0.02).length, 2);
    assert.equal(joined([line(0, 0, 10, 0), line(10.01, 0, 20, 0)], 0).length, 2);
    assert.equal(joined([line(0, 0, 10, 0), line(10, 0, 20, 0)], 0).length, 1);
  });

  it('takes the nearest of several ends', () => {
    assert.deepEqual(shown(joined([line(0, 0, 10, 0), line(10.015, 0, 20, 9), line(10.005, 0, 20, 0)], 0.02)), ['0 0 10 0 10.005 0 20 0', '10.015 0 20 9']);
  });

  it('never joins different tools, and never a closed path', () => {
    const paths = [line(0, 0, 10, 0), cutPath([10, 0, 20, 0], { closed: false, tool: 'crease' }), cutPath([10, 0, 20, 0, 20, 5])];
    assert.deepEqual(joined(paths, 0.02), paths);
  });

  it('pairs the ends where many meet, and leaves the last one alone', () => {
    const star = Array.from({ length: 5 }, (_, ray) => line(0, 0, Math.cos(ray) * 10, Math.sin(ray) * 10));
    assert.equal(joined(star, 0.02).length, 3);
  });

  it('joins 100,000 lines that meet in one point without looking at each pair', () => {
    const star = Array.from({ length: 100_000 }, (_, ray) => line(0, 0, Math.cos(ray) * 1000, Math.sin(ray) * 1000));
    const before = process.cpuUsage();
    assert.equal(joined(star, 0.02).length, 50_000);
    assert.ok(process.cpuUsage(before).user < 3e6);
  });

  it('joins short lines end to end however many of their ends are within the tolerance', () => {
    for (const [side, each, toleranceMm] of [[2, 0.2, 1], [30, 0.1, 0.5], [4, 0.02, 0.1]] as const) {
      const perSide = Math.round(side / each);
      const corner = (at: number): readonly [number, number] => {
        const along = (at % perSide) * each;
        return ([[along, 0], [side, along], [side - along, side], [0, side - along]] as const)[Math.floor(at / perSide) % 4] ?? [0, 0];
      };
      const drawn = Array.from({ length: 4 * perSide }, (_, at) => line(...corner(at), ...corner((at + 1) % (4 * perSide))));
      assert.deepEqual(joined(drawn, toleranceMm).map(({ closed, pointsMm }) => [closed, pointsMm.length / 2]), [[true, 4 * perSide]], `${each} mm, tolerance ${toleranceMm} mm`);
    }
  });

  it('keeps every straight piece, once, and adds none longer than the tolerance, whatever is drawn', () => {
    const place = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }));
    const drawn = fc.uniqueArray(fc.tuple(place, place, fc.constantFrom('cut' as const, 'crease' as const)).filter(([a, b]) => String(a) !== String(b)), { maxLength: 25, selector: String });
    fc.assert(fc.property(drawn, (lines) => {
      const paths = lines.map(([a, b, tool]) => cutPath([...a, ...b], { closed: false, tool }));
      const whole = joined(paths, 0.02);
      assert.deepEqual(whole.flatMap(piecesOf).sort(), paths.flatMap(piecesOf).sort());
      // What could still be joined is: at most one end of a tool is left at any place.
      const loose = whole.filter(({ closed }) => !closed).flatMap(({ tool, pointsMm }) => [`${tool} ${pointsMm[0]},${pointsMm[1]}`, `${tool} ${pointsMm.at(-2)},${pointsMm.at(-1)}`]);
      assert.equal(new Set(loose).size, loose.length);
    }), { numRuns: 300 });
  });
});

/** Without direction. */
function piecesOf({ tool, closed, pointsMm }: ToolPath): string[] {
  const points = Array.from({ length: pointsMm.length / 2 }, (_, at) => `${pointsMm[at * 2]},${pointsMm[at * 2 + 1]}`);
  if (closed) points.push(points[0] ?? '');
  return points.slice(1).map((point, at) => `${tool} ${[points[at] ?? '', point].sort().join(' ')}`);
}
