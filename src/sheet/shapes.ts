import type { SheetChoices } from './options.ts';

/** Lengths in millimetres, page frame: the page as it is seen, its bottom edge the leading edge, origin at its
 * bottom left corner, x to the right, y up. The shapes equal those of the PDF room, which this room may not import. */

export interface PointMm {
  readonly xMm: number;
  readonly yMm: number;
}

export interface RectMm {
  readonly x0Mm: number;
  readonly y0Mm: number;
  readonly x1Mm: number;
  readonly y1Mm: number;
}

export interface TextMm {
  readonly text: string;
  /** Left end of the base line. */
  readonly xMm: number;
  readonly yMm: number;
  /** The font size. */
  readonly heightMm: number;
}

/** Filled in 100 % K over the page. */
export interface SheetOverlay {
  readonly rectsMm: readonly RectMm[];
  readonly texts: readonly TextMm[];
}

export type SheetFailureCode = 'PAGE_TOO_SMALL' | 'INVALID_PARAMETER' | 'INVALID_BARCODE' | 'CUT_OUTSIDE_MARKS' | 'ARTWORK_IN_KEEP_CLEAR_ZONE';

/** What is in the wrong place, for a picture of the page. */
export interface Offender {
  /** `cut-content`: marked as a cut, and no path. */
  readonly kind: 'cut-path' | 'cut-content' | 'artwork' | 'ink';
  /** For people: "Cut path 3 of 12 (cut)". */
  readonly description: string;
  readonly boxMm: RectMm;
}

export interface SheetFailure {
  readonly code: SheetFailureCode;
  /** A sentence a person can act on. */
  readonly detail: string;
  /** With INVALID_PARAMETER: the choice to change. */
  readonly choice?: keyof SheetChoices;
  /** The first of them, where the failure is one of places. */
  readonly offenders?: readonly Offender[];
}

export function rect(x0Mm: number, y0Mm: number, x1Mm: number, y1Mm: number): RectMm {
  return { x0Mm, y0Mm, x1Mm, y1Mm };
}

/** A length for people: "12.3". */
export function shownMm(lengthMm: number): string {
  return String(Math.round(lengthMm * 100) / 100 + 0);
}
