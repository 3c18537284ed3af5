import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cuttingOrder, nearestFirstOrder, travelMm } from '../../src/order/index.ts';
import { toolPathsOf, type Tool, type ToolPath } from '../../src/gpgl/index.ts';
import { cutPath } from '../prepare/stand-in.ts';
import { listOf } from '../support/paths.ts';

function square(x: number, y: number, side: number, tool: Tool = 'cut'): ToolPath {
  return cutPath([x, y, x + side, y, x + side, y + side, x, y + side], { tool });
}

function line(...numbers: number[]): ToolPath {
  return cutPath(numbers, { closed: false });
}

function sideOf({ pointsMm }: ToolPath): number {
  return Math.max(...pointsMm) - Math.min(...pointsMm);
}

function ordered(drawn: readonly ToolPath[]): ToolPath[] {
  return listOf(cuttingOrder(toolPathsOf(drawn)).paths);
}

function duplicates(drawn: readonly ToolPath[]): number {
  return cuttingOrder(toolPathsOf(drawn)).duplicatesRemoved;
}

describe('the order of cutting', () => {
  it('takes the tools in the order crease, perforation, kiss-cut, cut', () => {
    const tools: Tool[] = ['cut', 'kiss-cut', 'perforation', 'crease'];
    assert.deepEqual(ordered(tools.map((tool, index) => square(index * 20, 0, 10, tool))).map(({ tool }) => tool), [...tools].reverse());
  });

  it('cuts what lies within a contour before the contour, at every depth', () => {
    const nested = [50, 40, 30, 20, 10].map((half) => square(100 - half, 100 - half, half * 2));
    assert.deepEqual(ordered(nested).map(sideOf), [20, 40, 60, 80, 100]);
  });

  it('cuts first what lies within a contour and shares edges with it', () => {
    for (const inner of [square(10, 10, 30), square(30, 10, 80), square(50, 80, 30), cutPath([110, 110, 110, 10, 60, 10])]) {
      assert.equal(ordered([square(10, 10, 100), inner]).map(sideOf).at(-1), 100);
    }
  });

  it('cuts an open path within a contour first, though the contour is nearer', () => {
    const paths = ordered([square(10, 10, 100), line(50, 50, 60, 60)]);
    assert.deepEqual(paths.map(({ closed }) => closed), [false, true]);
  });

  it('does not mistake a neighbour within a concave contour\'s box for a part of it', () => {
    const horseshoe = cutPath([0, 0, 100, 0, 100, 10, 10, 10, 10, 90, 100, 90, 100, 100, 0, 100]);
    const paths = ordered([horseshoe, square(40, 40, 20)]);
    assert.equal(paths[0]?.pointsMm.length, 16);
  });

  it('takes an open path from the end that is nearer, and a closed one from its nearest point', () => {
    const paths = ordered([line(30, 0, 10, 0), square(30, 5, 10)]);
    assert.deepEqual([...paths[0]?.pointsMm ?? []], [10, 0, 30, 0]);
    assert.deepEqual([...paths[1]?.pointsMm ?? []], [30, 5, 40, 5, 40, 15, 30, 15]);
    const turned = ordered([line(0, 0, 50, 22), square(30, 5, 15)])[1];
    assert.deepEqual([...turned?.pointsMm ?? []], [45, 20, 30, 20, 30, 5, 45, 5]);
  });

  it('cuts once what lies twice: repeated, backwards, from another start; but not with another tool', () => {
    const once = cutPath([0, 0, 10, 0, 10, 5]);
    const again = [cutPath([0, 0, 10, 0, 10, 5]), cutPath([10, 5, 10, 0, 0, 0]), cutPath([10, 0, 10, 5, 0, 0.0000001])];
    assert.equal(duplicates([once, ...again]), 3);
    assert.equal(duplicates([line(0, 0, 1, 1), line(1, 1, 0, 0)]), 1);
    assert.equal(duplicates([once, cutPath([0, 0, 10, 0, 10, 5], { tool: 'crease' }), line(0, 0, 10, 0, 10, 5)]), 0);
  });

  it('loses no path and puts no contour before its contents, whatever the page', () => {
    const side = fc.integer({ min: 1, max: 60 });
    const corner = fc.integer({ min: 0, max: 100 });
    fc.assert(fc.property(fc.uniqueArray(fc.tuple(corner, corner, side), { maxLength: 40, selector: String }), (squares) => {
      const { paths, duplicatesRemoved } = cuttingOrder(toolPathsOf(squares.map(([x, y, length]) => square(x, y, length))));
      assert.equal(duplicatesRemoved, 0);
      const boxes = listOf(paths).map(({ pointsMm }) => {
        const xs = pointsMm.filter((_, index) => index % 2 === 0);
        const ys = pointsMm.filter((_, index) => index % 2 === 1);
        return { x: Math.min(...xs), y: Math.min(...ys), side: Math.max(...xs) - Math.min(...xs) };
      });
      assert.deepEqual(boxes.map(({ x, y, side: length }) => `${x},${y},${length}`).sort(), squares.map(String).sort());
      boxes.forEach((outer, place) => {
        const late = boxes.slice(place + 1).find((inner) => inner.x > outer.x && inner.y > outer.y
          && inner.x + inner.side < outer.x + outer.side && inner.y + inner.side < outer.y + outer.side);
        assert.equal(late, undefined);
      });
    }));
  });

  it('orders 30,000 paths in seconds, close to the best tour there is', () => {
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const count = 30_000;
    const paths = toolPathsOf(Array.from({ length: count }, () => {
      const x = random() * 1000;
      const y = random() * 1000;
      return line(x, y, x + 0.01, y);
    }));
    const before = process.cpuUsage();
    const travelled = travelMm(cuttingOrder(paths).paths);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 4e6, `${user / 1000} ms`);
    const yardstick = 0.7124 * Math.sqrt(count * 1000 * 1000);
    assert.ok(travelled < yardstick * 1.15, `${travelled} of ${yardstick}`);
  });

  it('shortens what nearest first alone leaves, among contours within contours too', () => {
    const sheet = toolPathsOf(Array.from({ length: 200 }, (_, index) => ({ x: (index * 7919) % 1000, y: (index * 104729) % 700 }))
      .flatMap(({ x, y }) => [square(x, y, 20), square(x + 3, y + 3, 4), square(x + 12, y + 12, 5)]));
    assert.ok(travelMm(cuttingOrder(sheet).paths) < travelMm(nearestFirstOrder(sheet)) * 0.9);
  });

  it('orders 4,000 contours within each other in seconds', () => {
    const nested = Array.from({ length: 4000 }, (_, index) => square(index * 0.05, index * 0.05, 1001 - index * 0.1));
    const before = process.cpuUsage();
    const paths = ordered(nested);
    assert.ok(process.cpuUsage(before).user < 5e6);
    assert.ok(paths.every((path, index) => index === 0 || sideOf(path) > sideOf(paths[index - 1] ?? path)));
  });
});
