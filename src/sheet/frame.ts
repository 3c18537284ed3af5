import type { ToolPath } from '../gpgl/index.ts';
import type { SheetLayout } from './layout.ts';
import type { PointMm } from './shapes.ts';

/** A point as the cutter counts it: X along the feed, Y along the carriage, origin mark 1. */
export interface MarkFramePoint {
  readonly feedMm: number;
  readonly carriageMm: number;
}

/** X = y − y(mark 1), Y = x(mark 1) − x (gpgl-and-data-link.md section 2): swapped or mirrored, the cut is beside the print. */
export function pageToMark(point: PointMm, layout: SheetLayout): MarkFramePoint {
  return { feedMm: point.yMm - layout.originMm.yMm, carriageMm: layout.originMm.xMm - point.xMm };
}

export function markToPage(point: MarkFramePoint, layout: SheetLayout): PointMm {
  return { xMm: layout.originMm.xMm - point.carriageMm, yMm: point.feedMm + layout.originMm.yMm };
}

/** The same paths with each pair as (feed, carriage). */
export function toMarkFrame(paths: readonly ToolPath[], { originMm: { xMm, yMm } }: Pick<SheetLayout, 'originMm'>): ToolPath[] {
  // One buffer for all: a million short paths with a buffer each would take several times the memory.
  const points = new Float64Array(paths.reduce((count, { pointsMm }) => count + pointsMm.length, 0));
  let end = 0;
  return paths.map(({ tool, closed, pointsMm }) => {
    const start = end;
    for (let at = 0; at + 1 < pointsMm.length; at += 2) {
      points[end] = (pointsMm[at + 1] ?? 0) - yMm;
      points[end + 1] = xMm - (pointsMm[at] ?? 0);
      end += 2;
    }
    return { tool, closed, pointsMm: points.subarray(start, end) };
  });
}
