/** What the reading of one page yields. Lengths in millimetres, in the page frame: the page as it is seen
 * (crop box, after Rotate and UserUnit), origin at its bottom left corner, x to the right, y up. */

export type Tool = 'cut' | 'kiss-cut' | 'perforation' | 'crease';

/** In columns: as objects, a million short paths would take ten times the memory of their points. */
export interface CutPaths {
  readonly count: number;
  readonly tools: readonly Tool[];
  /** 1: the path returns to its first point; the first point is then not repeated at the end. */
  readonly closed: Uint8Array;
  /** The points of path k are `first[k]` to `first[k + 1] − 1`; at least two. */
  readonly first: Int32Array;
  /** x0, y0, x1, y1, … of all paths. */
  readonly pointsMm: Float64Array;
}

export interface RectMm {
  readonly x0Mm: number;
  readonly y0Mm: number;
  readonly x1Mm: number;
  readonly y1Mm: number;
}

export type PaintedKind = 'path' | 'text' | 'image' | 'shading' | 'form' | 'annotation';

/** Something the page prints (cut paths are not in this list). The box is after clipping. */
export interface PaintedObject {
  readonly kind: PaintedKind;
  readonly boxMm: RectMm;
  /** For people: "fill in DeviceCMYK", "text in /F1", "image /Im3". */
  readonly description: string;
}

export type PdfWarningCode =
  | 'SPOT_COLOR_LEGACY'
  | 'SPOT_COLOR_NON_CANONICAL'
  | 'CUT_LAYER_HIDDEN'
  | 'STROKE_HIDDEN'
  | 'CUT_LEAVES_CLIP'
  | 'CUT_NOT_STROKED'
  | 'CUT_TINT_BELOW_FULL'
  | 'CUT_MIXED_INKS'
  | 'CUT_IN_PATTERN'
  | 'CUT_AS_TEXT'
  | 'CUT_AS_IMAGE'
  | 'STEP_NOT_CUT'
  | 'STEP_UNKNOWN'
  | 'MEMBERSHIP_NOT'
  | 'ANNOTATIONS_IGNORED'
  | 'PAGE_SIZE_ASSUMED'
  | 'PAGE_BOX_IGNORED'
  | 'PAGE_ROTATION_IGNORED'
  | 'PDF_REPAIRED'
  | 'UNKNOWN_OPERATOR';

export interface PdfWarning {
  readonly code: PdfWarningCode;
  readonly detail: string;
}

/** An ink or a layer the reader saw, and what became of it. */
export interface SeenMarking {
  readonly kind: 'ink' | 'layer';
  readonly name: string;
  readonly taken: boolean;
  readonly tool: Tool | null;
  /** Paths cut because of it. */
  readonly cutPaths: number;
  /** Other painted things in it or on it, as far as the page itself and its forms show them. */
  readonly otherObjects: number;
  /** Of an ink whose paths are cut: whether all of them overprint. One that does not leaves a white line in what is below it,
   * on devices that separate it. Null for all others. */
  readonly overprints: boolean | null;
  readonly reason: string;
}

export type CutSource = 'processing-steps' | 'spot-color' | 'mixed';

/** What the file says of itself and its page. */
export interface PageFacts {
  /** Of the header, or of the catalogue where that is later. */
  readonly pdfVersion: string;
  /** As stated or inherited, UserUnit applied, Rotate not; null where there is none that can be used. */
  readonly boxesMm: Readonly<Record<PageBox, RectMm | null>>;
  readonly rotate: 0 | 90 | 180 | 270;
  readonly userUnit: number;
  /** Its objects had to be found by searching, since the cross-reference is damaged. */
  readonly isRepaired: boolean;
  /** Opened with an empty password. */
  readonly isEncrypted: boolean;
}

export type PageBox = 'media' | 'crop' | 'bleed' | 'trim' | 'art';

export interface PageReading {
  readonly facts: PageFacts;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly paths: CutPaths;
  /** How the paths are marked; null when none is, which of marked paths alone means that there are none. */
  readonly cutSource: CutSource | null;
  /** Straight pieces after flattening, over all paths. */
  readonly segmentCount: number;
  readonly painted: readonly PaintedObject[];
  readonly seen: readonly SeenMarking[];
  readonly warnings: readonly PdfWarning[];
}

export type PdfRefusalCode =
  | 'NOT_A_PDF'
  | 'PDF_ENCRYPTED'
  | 'PDF_UNREADABLE'
  | 'PDF_TOO_COMPLEX'
  | 'UNSUPPORTED_CUT_CONTENT'
  | 'MULTIPLE_PAGES';

export interface PdfRefusal {
  readonly code: PdfRefusalCode;
  /** A sentence a person can act on. */
  readonly detail: string;
  /** What it is about, where that has a place on the page: the first of them. */
  readonly objects?: readonly PaintedObject[];
}

/** What is laid over the page: filled 100 % K rectangles and short lines of text, page frame. */
export interface Overlay {
  readonly rectsMm: readonly RectMm[];
  readonly texts: readonly OverlayText[];
}

export interface OverlayText {
  readonly text: string;
  /** Left end of the base line. */
  readonly xMm: number;
  readonly yMm: number;
  readonly heightMm: number;
}
