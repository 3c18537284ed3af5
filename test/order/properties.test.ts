import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cuttingOrder, nearestFirstOrder, travelMm } from '../../src/order/index.ts';
import { toolPathsOf, type Tool, type ToolPath } from '../../src/gpgl/index.ts';
import { cutPath } from '../prepare/stand-in.ts';
import { listOf } from '../support/paths.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const corner = fc.integer({ min: 0, max: 60 });
const side = fc.integer({ min: 1, max: 60 });
const tool = fc.constantFrom<Tool>('cut', 'cut', 'cut', 'kiss-cut', 'crease');
const box = fc.record({ x: corner, y: corner, width: side, height: side });
const line = fc.tuple(corner, corner, corner, corner).filter(([ax, ay, bx, by]) => ax !== bx || ay !== by);

function ofBox({ x, y, width, height }: Box, boxTool: Tool): ToolPath {
  return cutPath([x, y, x + width, y, x + width, y + height, x, y + height], { tool: boxTool });
}

const boxPath = fc.tuple(box, tool).map(([each, boxTool]) => ofBox(each, boxTool));
const linePath = fc.tuple(line, tool).map(([numbers, lineTool]) => cutPath(numbers, { closed: false, tool: lineTool }));
/** Few lines touch: the joins have tests of their own. */
const page = fc.array(fc.oneof({ weight: 3, arbitrary: boxPath }, linePath), { maxLength: 60 });

function ordered(paths: readonly ToolPath[]): ToolPath[] {
  return listOf(cuttingOrder(toolPathsOf(paths)).paths);
}

describe('the order of cutting, whatever the page', () => {
  it('cuts what lies within a contour before the contour', () => {
    fc.assert(fc.property(page, (paths) => {
      const cut = ordered(paths);
      cut.forEach((outer, place) => {
        if (!outer.closed) return;
        const frame = extentOf(outer);
        const late = cut.slice(place + 1).find((inner) => inner.tool === outer.tool && liesStrictlyWithin(extentOf(inner), frame));
        assert.equal(late, undefined);
      });
    }), { numRuns: 400 });
  });

  it('cuts each straight piece of every path as often as it is drawn, duplicates once', () => {
    fc.assert(fc.property(page, (paths) => {
      const distinct = new Map(paths.map((path) => [`${path.closed} ${piecesOf(path).sort().join()}`, path]));
      assert.deepEqual(ordered(paths).flatMap(piecesOf).sort(), [...distinct.values()].flatMap(piecesOf).sort());
    }), { numRuns: 200 });
  });

  it('takes the tools one after the other', () => {
    fc.assert(fc.property(page, (paths) => {
      const tools = ordered(paths).map((path) => ['crease', 'perforation', 'kiss-cut', 'cut'].indexOf(path.tool));
      assert.deepEqual(tools, [...tools].sort((one, other) => one - other));
    }));
  });

  it('never travels further than nearest first alone', () => {
    fc.assert(fc.property(page.map(toolPathsOf), (paths) => {
      const { paths: cut, duplicatesRemoved, joined } = cuttingOrder(paths);
      fc.pre(duplicatesRemoved === 0 && joined === 0);
      assert.ok(travelMm(cut) <= travelMm(nearestFirstOrder(paths)) + 1e-6);
    }), { numRuns: 300 });
  });

  it('is the same for the same page', () => {
    fc.assert(fc.property(page, (paths) => {
      assert.deepEqual(ordered(paths), ordered(paths));
    }));
  });

  it('leaves the paths it was given as they are', () => {
    fc.assert(fc.property(page.map(toolPathsOf), (paths) => {
      const before = structuredClone(paths);
      cuttingOrder(paths, { joinToleranceMm: 0.02, overcutMm: 0.5 });
      assert.deepEqual(paths, before);
    }));
  });
});

function extentOf({ pointsMm }: ToolPath): Box {
  const xs = [...pointsMm].filter((_, at) => at % 2 === 0);
  const ys = [...pointsMm].filter((_, at) => at % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

function liesStrictlyWithin(inner: Box, outer: Box): boolean {
  return inner.x > outer.x && inner.y > outer.y && inner.x + inner.width < outer.x + outer.width && inner.y + inner.height < outer.y + outer.height;
}

/** Without direction. */
function piecesOf({ tool: pathTool, closed, pointsMm }: ToolPath): string[] {
  const points = Array.from({ length: pointsMm.length / 2 }, (_, at) => `${pointsMm[at * 2]},${pointsMm[at * 2 + 1]}`);
  if (closed) points.push(points[0] ?? '');
  return points.slice(1).map((point, at) => `${pathTool} ${[points[at] ?? '', point].sort().join(' ')}`);
}
