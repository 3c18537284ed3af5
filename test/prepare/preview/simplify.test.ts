import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { simplified } from '../../../src/prepare/preview/simplify.ts';

function distanceToPiece(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square));
  return Math.hypot(x - ax - part * dx, y - ay - part * dy);
}

function distanceToLine(x: number, y: number, line: Float64Array): number {
  let least = Infinity;
  for (let at = 0; at + 3 < line.length; at += 2) least = Math.min(least, distanceToPiece(x, y, line[at] ?? 0, line[at + 1] ?? 0, line[at + 2] ?? 0, line[at + 3] ?? 0));
  return least;
}

const coordinate = fc.oneof(fc.double({ min: -20, max: 20, noNaN: true }), fc.integer({ min: -3, max: 3 }));
const walk = fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 60 });

describe('a simplified line', () => {
  it('passes every point that it leaves out within the tolerance, and keeps both ends', () => {
    fc.assert(fc.property(walk, fc.double({ min: 0.01, max: 4, noNaN: true }), (steps, tolerance) => {
      const points = Float64Array.from(steps.flat());
      const simple = simplified(points, tolerance);
      assert.deepEqual([...simple.slice(0, 2), ...simple.slice(-2)], [...points.slice(0, 2), ...points.slice(-2)]);
      for (let at = 0; at < points.length; at += 2) assert.ok(distanceToLine(points[at] ?? 0, points[at + 1] ?? 0, simple) <= tolerance + 1e-9);
    }), { numRuns: 500 });
  });

  it('has points of the line only, in their order', () => {
    fc.assert(fc.property(walk, (steps) => {
      const points = steps.map(([x, y]) => `${x} ${y}`);
      const simple = simplified(Float64Array.from(steps.flat()), 0.5);
      let from = 0;
      for (let at = 0; at < simple.length; at += 2) {
        const found = points.indexOf(`${simple[at] ?? 0} ${simple[at + 1] ?? 0}`, from);
        assert.ok(found >= 0);
        from = found;
      }
    }));
  });

  it('of a circle with a hundred thousand points has as many as its tolerance needs', () => {
    const circle = Float64Array.from(Array.from({ length: 100_001 }, (_, n) => [100 * Math.cos(n * Math.PI / 50_000), 100 * Math.sin(n * Math.PI / 50_000)]).flat());
    const count = simplified(circle, 0.05).length / 2;
    assert.ok(count > 50 && count < 250, `${count} points`);
  });
});
