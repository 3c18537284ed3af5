import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cuttingOrder } from '../../src/order/index.ts';
import { withOvercut } from '../../src/order/overcut.ts';
import { toolPathsOf, type ToolPath } from '../../src/gpgl/index.ts';
import { cutPath } from '../prepare/stand-in.ts';
import { listOf } from '../support/paths.ts';

const square = [0, 0, 10, 0, 10, 10, 0, 10];

function overcut(path: ToolPath, overcutMm: number): ToolPath {
  const [cut, ...more] = listOf(withOvercut(toolPathsOf([path]), overcutMm));
  assert.ok(cut !== undefined && more.length === 0);
  return cut;
}

describe('the overcut', () => {
  it('goes on over the beginning of the contour, around corners', () => {
    assert.deepEqual([...overcut(cutPath(square), 0.5).pointsMm], [...square, 0, 0, 0.5, 0]);
    const small = cutPath([0, 0, 0.4, 0, 0.4, 10, 0, 10]);
    assert.deepEqual([...overcut(small, 0.5).pointsMm].slice(8, 12), [0, 0, 0.4, 0]);
    assert.equal(overcut(small, 0.5).pointsMm.at(-1)?.toFixed(9), '0.100000000');
  });

  it('covers at most a quarter of a small contour', () => {
    assert.deepEqual([...overcut(cutPath([0, 0, 0.1, 0, 0.1, 0.1, 0, 0.1]), 0.5).pointsMm].slice(-4), [0, 0, 0.1, 0]);
  });

  it('is for contours that are cut or half cut: not for open paths, creases, perforations', () => {
    assert.equal(overcut(cutPath(square, { tool: 'kiss-cut' }), 0.5).closed, false);
    for (const path of [cutPath(square, { closed: false }), cutPath(square, { tool: 'crease' }), cutPath(square, { tool: 'perforation' })]) {
      assert.deepEqual(overcut(path, 0.5), path);
    }
    assert.equal(listOf(cuttingOrder(toolPathsOf([cutPath(square)]), { joinToleranceMm: 0, overcutMm: 0 }).paths)[0]?.closed, true);
  });

  it('lies on its contour, is as long as asked for, and changes nothing else, whatever the contour', () => {
    const coordinate = fc.double({ min: 0, max: 100, noNaN: true });
    const contour = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 12 }).map((points) => cutPath(points.flat()));
    fc.assert(fc.property(contour, fc.double({ min: 0.05, max: 5, noNaN: true }), (path, overcutMm) => {
      const around = lengthMm([...path.pointsMm, path.pointsMm[0] ?? 0, path.pointsMm[1] ?? 0]);
      fc.pre(around > 0.01);
      const cut = [...overcut(path, overcutMm).pointsMm];
      assert.deepEqual(cut.slice(0, path.pointsMm.length + 2), [...path.pointsMm, path.pointsMm[0], path.pointsMm[1]]);
      const over = cut.slice(path.pointsMm.length);
      assert.ok(Math.abs(lengthMm(over) - Math.min(overcutMm, around / 4)) < 1e-9);
      for (let at = 0; at < over.length; at += 2) assert.ok(distanceTo(path, over[at] ?? 0, over[at + 1] ?? 0) < 1e-9);
    }));
  });
});

function lengthMm(points: readonly number[]): number {
  let total = 0;
  for (let at = 2; at < points.length; at += 2) total += Math.hypot((points[at] ?? 0) - (points[at - 2] ?? 0), (points[at + 1] ?? 0) - (points[at - 1] ?? 0));
  return total;
}

function distanceTo({ pointsMm }: ToolPath, x: number, y: number): number {
  let nearest = Infinity;
  for (let at = 0; at < pointsMm.length; at += 2) {
    const to = at + 2 === pointsMm.length ? 0 : at + 2;
    const [ax = 0, ay = 0, bx = 0, by = 0] = [pointsMm[at], pointsMm[at + 1], pointsMm[to], pointsMm[to + 1]];
    const square = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / square));
    nearest = Math.min(nearest, Math.hypot(ax + share * (bx - ax) - x, ay + share * (by - ay) - y));
  }
  return nearest;
}
