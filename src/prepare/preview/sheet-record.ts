import type { CutSelection } from '../../pdf/index.ts';
import type { JobSheet, SheetRect } from '../../jobs/index.ts';
import type { PointMm, RectMm, SheetLayout, SheetSize } from '../../sheet/index.ts';

/** A page that was refused, as far as it was known: what a picture of it needs beside the file. Millimetres, page frame of the sheet. */
export interface RefusedPage {
  /** One copy of the page. */
  readonly page_mm: readonly [width: number, height: number];
  /** Lower left corners of the copies on the sheet; one at the origin where the page is the sheet. */
  readonly copies_mm: readonly (readonly [x: number, y: number])[];
  /** Null: there was no layout, as on a page that is too small for one. */
  readonly sheet: JobSheet | null;
  /** What of the page counts as a cut: what is marked as one, or every stroke. */
  readonly cut_paths: CutSelection;
}

export function sheetRecord(layout: SheetLayout): JobSheet {
  const { markRectMm, originMm } = layout;
  const inset = layout.options.cutInsideMarksMm;
  return {
    width_mm: layout.widthMm, height_mm: layout.heightMm, origin_mm: [originMm.xMm, originMm.yMm],
    mark_rect_mm: sheetRect(markRectMm),
    cut_area_mm: [markRectMm.x0Mm + inset, markRectMm.y0Mm + inset, markRectMm.x1Mm - inset, markRectMm.y1Mm - inset],
    marks_mm: layout.markArmsMm.map(sheetRect),
    bars_mm: [layout.startMarkMm, ...layout.barsMm].map(sheetRect),
    zones: layout.keepClearZones.map(({ name, rectMm }) => ({ name, rect_mm: sheetRect(rectMm) })),
  };
}

export function refusedPage({ widthMm, heightMm }: SheetSize, layout: SheetLayout | null, copiesMm: readonly PointMm[] = [{ xMm: 0, yMm: 0 }]): RefusedPage {
  return { page_mm: [widthMm, heightMm], copies_mm: copiesMm.map(({ xMm, yMm }) => [xMm, yMm] as const), sheet: layout === null ? null : sheetRecord(layout), cut_paths: 'marked' };
}

function sheetRect({ x0Mm, y0Mm, x1Mm, y1Mm }: RectMm): SheetRect {
  return [x0Mm, y0Mm, x1Mm, y1Mm];
}
