import type { JobSheet, SheetRect } from '../../jobs/index.ts';
import type { CutsFound } from './cuts.ts';
import type { Box } from './drawing.ts';

/** What the drawing stands on: a sheet, or what a command sequence alone tells of one. Page frame, y up. */
export interface Ground {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly originMm: readonly [x: number, y: number];
  readonly markRectMm: SheetRect | null;
  readonly cutAreaMm: SheetRect | null;
  readonly marksMm: readonly SheetRect[];
  readonly barsMm: readonly SheetRect[];
  readonly zones: JobSheet['zones'];
  readonly isSheet: boolean;
}

export function groundOfSheet(sheet: JobSheet): Ground {
  return {
    widthMm: sheet.width_mm, heightMm: sheet.height_mm, originMm: sheet.origin_mm, markRectMm: sheet.mark_rect_mm, cutAreaMm: sheet.cut_area_mm,
    marksMm: sheet.marks_mm, barsMm: sheet.bars_mm, zones: sheet.zones, isSheet: true,
  };
}

/** A page without a layout: there was no room for one. */
export function groundOfPage({ widthMm, heightMm }: { readonly widthMm: number; readonly heightMm: number }): Ground {
  return { ...bare, widthMm, heightMm, isSheet: true };
}

const bare: Ground = { widthMm: 100, heightMm: 100, originMm: [0, 0], markRectMm: null, cutAreaMm: null, marksMm: [], barsMm: [], zones: [], isSheet: false };

/** The marks of the sequence and everything that is cut, with some room around: how large the sheet is, the sequence does not say. */
export function groundOfCuts({ markBlock, bounds }: CutsFound): Ground {
  const feedMm = [0, markBlock?.feedDistanceMm ?? 0, bounds?.minXMm ?? 0, bounds?.maxXMm ?? 0];
  const carriageMm = [0, markBlock?.carriageDistanceMm ?? 0, bounds?.minYMm ?? 0, bounds?.maxYMm ?? 0];
  const across = Math.max(...carriageMm) - Math.min(...carriageMm);
  const along = Math.max(...feedMm) - Math.min(...feedMm);
  if (!(across + along > 0) || !Number.isFinite(across + along)) return bare;
  const room = Math.max(across, along) * 0.05;
  // Carriage counts to the left, feed upwards (sheet/frame.ts).
  const originMm = [room + Math.max(...carriageMm), room - Math.min(...feedMm)] as const;
  const marks = markBlock === null ? null : [originMm[0] - markBlock.carriageDistanceMm, originMm[1], originMm[0], originMm[1] + markBlock.feedDistanceMm] as const;
  return { ...bare, widthMm: across + 2 * room, heightMm: along + 2 * room, originMm, markRectMm: marks };
}

/** From the page frame to the picture's: y down. */
export function boxOf([x0, y0, x1, y1]: SheetRect, ground: Ground): Box {
  return { x: x0, y: ground.heightMm - y1, width: x1 - x0, height: y1 - y0 };
}

/** Points of either frame, in the picture's. */
export function placed(points: Float64Array, frame: CutsFound['frame'], { originMm: [originX, originY], heightMm }: Ground): Float64Array {
  const moved = new Float64Array(points.length);
  for (let at = 0; at + 1 < points.length; at += 2) {
    const one = points[at] ?? 0;
    const other = points[at + 1] ?? 0;
    moved[at] = frame === 'page' ? one : originX - other;
    moved[at + 1] = heightMm - (frame === 'page' ? other : originY + one);
  }
  return moved;
}
