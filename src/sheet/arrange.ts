import { PathsWriter, type ToolPaths } from '../gpgl/index.ts';
import { frontMarksMm, smallestSheet, type SheetSize } from './layout.ts';
import type { SheetChoices, SheetOptions } from './options.ts';
import { shownMm, type PointMm, type SheetFailure } from './shapes.ts';

/** Copies of a page on a sheet of their own, to scale and upright. */
export interface Arrangement extends SheetSize {
  /** The lower left corner of each copy: row by row from the leading edge, each row from left to right. */
  readonly copiesMm: readonly PointMm[];
}

export type ArrangeResult =
  | { readonly ok: true; readonly arrangement: Arrangement }
  | { readonly ok: false; readonly failure: SheetFailure };

/** 14,400 points (ISO 32000-1 annex C): the longest side that every viewer takes. */
const longestSideMm = 14_400 * 25.4 / 72;

/** One copy: the page is the sheet, as it is. */
export function isSingle({ copiesX = 1, copiesY = 1 }: SheetChoices): boolean {
  return copiesX === 1 && copiesY === 1;
}

/**
 * The sheet for copies of a page by step and repeat, marks around the whole. It is as small as can be; where marks and barcode
 * need more, the copies stand in the middle of the marks.
 *
 * Along the feed the copies stand between the squares of the marks, across it beside the lines of the marks. Copies
 * are clipped to their page, so no artwork reaches a keep-clear zone, however the page is painted.
 */
export function arrangeCopies(page: SheetSize, choices: SheetChoices, options: SheetOptions): ArrangeResult {
  const { copiesX = 1, copiesY = 1, gapXMm = 0, gapYMm = 0 } = choices;
  const blockWidthMm = copiesX * page.widthMm + (copiesX - 1) * gapXMm;
  const blockHeightMm = copiesY * page.heightMm + (copiesY - 1) * gapYMm;
  const least = smallestSheet(options);
  const frontMm = frontMarksMm(options);
  const besideMm = Math.max(options.clearBeyondArmMm, options.cutInsideMarksMm);
  const widthMm = Math.max(least.widthMm, 2 * (options.marksFromSideMm + besideMm) + blockWidthMm);
  const heightMm = Math.max(least.heightMm, frontMm + options.marksFromRearMm + 2 * (options.armMm + options.clearBeyondArmMm) + blockHeightMm);
  if (!(Math.max(widthMm, heightMm) <= longestSideMm)) {
    const across = widthMm > longestSideMm;
    const detail = `${copiesX} × ${copiesY} copies of a page of ${shownMm(page.widthMm)} × ${shownMm(page.heightMm)} mm need a sheet of ${shownMm(widthMm)} × ${shownMm(heightMm)} mm; `
      + `a page of a PDF is at most ${shownMm(longestSideMm)} mm long and wide. Ask for fewer copies ${across ? 'across' : 'along the feed'}.`;
    return { ok: false, failure: { code: 'INVALID_PARAMETER', detail, choice: across ? 'copiesX' : 'copiesY' } };
  }
  const leftMm = (widthMm - blockWidthMm) / 2;
  const bottomMm = frontMm + (heightMm - frontMm - options.marksFromRearMm - blockHeightMm) / 2;
  const copiesMm: PointMm[] = [];
  for (let row = 0; row < copiesY; row++) {
    for (let column = 0; column < copiesX; column++) {
      copiesMm.push({ xMm: leftMm + column * (page.widthMm + gapXMm), yMm: bottomMm + row * (page.heightMm + gapYMm) });
    }
  }
  return { ok: true, arrangement: { widthMm, heightMm, copiesMm } };
}

/** A cut on the edge of its page is not beyond it: boxes are in points with few decimals. */
const edgeToleranceMm = 0.02;

/** Whether copies would cut into each other: a cut may leave its page as far as the middle of the gap. Null: they do not. */
export function checkCopiesApart(paths: ToolPaths, page: SheetSize, { gapXMm = 0, gapYMm = 0 }: SheetChoices): SheetFailure | null {
  const { pointsMm, first, count, tools } = paths;
  for (let path = 0; path < count; path++) {
    for (let point = first[path] ?? 0; point < (first[path + 1] ?? 0); point++) {
      const xMm = pointsMm[point * 2] ?? 0;
      const yMm = pointsMm[point * 2 + 1] ?? 0;
      const acrossMm = Math.max(-xMm, xMm - page.widthMm);
      const alongMm = Math.max(-yMm, yMm - page.heightMm);
      if (acrossMm <= gapXMm / 2 + edgeToleranceMm && alongMm <= gapYMm / 2 + edgeToleranceMm) continue;
      const detail = `Cut path ${path + 1} of ${count} (${tools[path] ?? 'cut'}) leaves the page at x ${shownMm(xMm)}, y ${shownMm(yMm)} mm, beyond the middle of the gap between copies: `
        + `they would cut into each other. The gaps are ${shownMm(gapXMm)} mm across and ${shownMm(gapYMm)} mm along the feed.`;
      return { code: 'CUT_OUTSIDE_MARKS', detail };
    }
  }
  return null;
}

/** The most that a job may hold (pdf-cut-paths.md section 3). */
const mostCutPoints = 2_000_000;

/** Why the copies would make too large a job, or null. */
export function checkCopiedPoints(paths: ToolPaths, copies: number): SheetFailure | null {
  const points = paths.pointsMm.length / 2;
  if (points * copies <= mostCutPoints) return null;
  const detail = `${copies} copies of ${points} cut points are ${points * copies}; a job holds at most ${mostCutPoints}. Ask for fewer copies.`;
  return { code: 'INVALID_PARAMETER', detail, choice: 'copiesX' };
}

/** The cut paths of all copies, copy by copy. */
export function repeatPaths(paths: ToolPaths, copiesMm: readonly PointMm[]): ToolPaths {
  const { count, first, pointsMm, tools, closed } = paths;
  const writer = new PathsWriter(count * copiesMm.length, (pointsMm.length / 2) * copiesMm.length);
  for (const { xMm, yMm } of copiesMm) {
    for (let path = 0; path < count; path++) {
      for (let point = first[path] ?? 0; point < (first[path + 1] ?? 0); point++) writer.point((pointsMm[point * 2] ?? 0) + xMm, (pointsMm[point * 2 + 1] ?? 0) + yMm);
      writer.end(tools[path] ?? 'cut', closed[path] === 1);
    }
  }
  return writer.take();
}
