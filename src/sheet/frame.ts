import type { ToolPaths } from '../gpgl/index.ts';
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
export function toMarkFrame(paths: ToolPaths, { originMm: { xMm, yMm } }: Pick<SheetLayout, 'originMm'>): ToolPaths {
  const from = paths.pointsMm;
  const pointsMm = new Float64Array(from.length);
  for (let at = 0; at + 1 < from.length; at += 2) {
    pointsMm[at] = (from[at + 1] ?? 0) - yMm;
    pointsMm[at + 1] = xMm - (from[at] ?? 0);
  }
  return { ...paths, pointsMm };
}
