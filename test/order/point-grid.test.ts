import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Neighbours } from '../../src/order/neighbours.ts';
import { PointGrid } from '../../src/order/point-grid.ts';

const coordinate = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ min: -1e6, max: 1e6, noNaN: true }));

describe('the grid of points', () => {
  it('finds what a search through all of them finds, while they come and go', () => {
    const change = fc.record({ x: coordinate, y: coordinate, remove: fc.boolean() });
    fc.assert(fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const grid = new PointGrid(Float64Array.from(changes, ({ x }) => x), Float64Array.from(changes, ({ y }) => y));
      const live = new Set<number>();
      assert.equal(grid.nearest(0, 0), -1);
      changes.forEach(({ x, y, remove }, point) => {
        grid.add(point);
        live.add(point);
        const squareOf = (each: number) => ((changes[each]?.x ?? NaN) - y) ** 2 + ((changes[each]?.y ?? NaN) - x) ** 2;
        const found = grid.nearest(y, x);
        assert.ok(live.has(found));
        assert.equal(squareOf(found), Math.min(...[...live].map(squareOf)));
        if (remove) {
          grid.remove(found);
          live.delete(found);
        }
      });
      for (const point of live) grid.remove(point);
      assert.equal(grid.nearest(0, 0), -1);
    }));
  });

  it('can hold all its points from the start', () => {
    fc.assert(fc.property(fc.array(fc.tuple(coordinate, coordinate), { maxLength: 60 }), coordinate, coordinate, (points, x, y) => {
      const grid = new PointGrid(Float64Array.from(points, (point) => point[0]), Float64Array.from(points, (point) => point[1]), true);
      const left = points.map((point) => (point[0] - x) ** 2 + (point[1] - y) ** 2);
      for (const square of left.toSorted((one, other) => one - other)) {
        const found = grid.nearest(x, y);
        assert.equal(left[found], square);
        grid.remove(found);
      }
      assert.equal(grid.nearest(x, y), -1);
    }));
  });

  it('knows the nearest neighbours of every point, nearest first, of other owners only, as far as they were asked for, and then further', () => {
    const point = fc.record({ x: coordinate, y: coordinate, owner: fc.integer({ min: -1, max: 30 }) });
    const reach = fc.oneof(fc.double({ min: 0, max: 60, noNaN: true }), fc.constant(Infinity));
    fc.assert(fc.property(fc.array(point, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), fc.array(reach, { minLength: 1, maxLength: 4 }), (points, perPoint, reaches) => {
      const neighbours = new Neighbours(Float64Array.from(points, ({ x }) => x), Float64Array.from(points, ({ y }) => y), Int32Array.from(points, ({ owner }) => owner), perPoint);
      for (const reachMm of reaches) {
        points.forEach((from, index) => {
          if (from.owner === -1) return;
          const squareTo = (each: number) => ((points[each]?.x ?? NaN) - from.x) ** 2 + ((points[each]?.y ?? NaN) - from.y) ** 2;
          const others = points.flatMap(({ owner }, each) => (owner !== -1 && owner !== from.owner ? [each] : []));
          const nearest = others.map(squareTo).sort((one, other) => one - other).slice(0, perPoint);
          const first = neighbours.nearerThan(index, reachMm);
          const all = [...neighbours.of.subarray(first, first + perPoint)];
          const found = all.includes(-1) ? all.slice(0, all.indexOf(-1)) : all;
          assert.ok(found.every((each) => others.includes(each)));
          // What is further away may be there too, and then not all of it.
          const squares = found.map(squareTo);
          assert.deepEqual(squares, [...squares].sort((one, other) => one - other));
          const isWithin = (square: number): boolean => square < reachMm * reachMm;
          assert.deepEqual(squares.filter(isWithin), nearest.filter(isWithin));
        });
      }
    }));
  });
});
