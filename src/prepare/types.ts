import type { BoundsMm, StepsPerMm, ToolConditions } from '../gpgl/index.ts';
import type { JobGeometry, JobSheet } from '../jobs/index.ts';
import type { OrderOptions } from '../order/index.ts';
import type { Offender, RegistrationVector, SheetChoices, SheetFailureCode } from '../sheet/index.ts';
import type { CutSource, PdfRefusalCode, PdfWarningCode } from '../pdf/index.ts';
import type { PreflightReport } from './preflight-schema.ts';
import type { RefusedPage } from './preview/sheet-record.ts';

export interface PrepareInput {
  readonly pdf: Uint8Array;
  readonly linkInfo: string;
  readonly stepsPerMm: StepsPerMm;
  /** CUT_SPOT_COLORS: names of inks that are cut, wildcards allowed. */
  readonly cutSpotColors: readonly string[];
  /** Whether the layers of the cut paths print (pdf-cut-paths.md section 5). */
  readonly cutLayers: 'hide' | 'keep';
  /** Each in its range and none against another. Default: the validated layout, one copy. */
  readonly sheet?: SheetChoices;
  /** Joins and overcut; default: those of the order room. */
  readonly order?: OrderOptions;
  /** Of the material. Default: those that the shop set up at the cutter. */
  readonly conditions?: ToolConditions;
}

export type PrepareWarningCode = PdfWarningCode | 'MARK_TYPE_NOT_VALIDATED' | 'ANNOTATIONS_DROPPED' | 'CUT_DUPLICATES_REMOVED' | 'CUT_BELOW_STEP';

export interface PrepareWarning {
  readonly code: PrepareWarningCode;
  readonly detail: string;
}

/** What the cutter is told, and what it comes to. Lengths are in the mark frame. */
export interface CutJob {
  /** GP-GL, as the cutter receives it. */
  readonly commandSequence: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the command sequence, hexadecimal. */
  readonly commandSha256: string;
  readonly boundsMm: BoundsMm;
  readonly cutLengthMm: number;
  readonly travelLengthMm: number;
  readonly estimateSeconds: number;
}

/** The sheet to print and the job to cut. */
export interface PreparedSheet extends CutJob {
  readonly linkInfo: string;
  readonly markedPdf: Uint8Array<ArrayBuffer>;
  readonly stepsPerMm: StepsPerMm;
  readonly vector: RegistrationVector;
  readonly cutSource: CutSource;
  /** Straight pieces on the sheet. */
  readonly segmentCount: number;
  readonly warnings: readonly PrepareWarning[];
  /** The sheet as it is seen. */
  readonly sheet: { readonly widthMm: number; readonly heightMm: number };
  /** For pictures of the sheet. */
  readonly layout: JobSheet;
}

export type PrepareRefusalCode = PdfRefusalCode | SheetFailureCode | 'NO_CUT_PATHS' | 'ROUND_TRIP_FAILED' | 'UNAVAILABLE';

/** ROUND_TRIP_FAILED is a bug of Kerf and UNAVAILABLE a matter of the moment; the others are about the file. */
export interface PrepareRefusal {
  readonly code: PrepareRefusalCode;
  /** A sentence a person can act on; names object and position in mm where there is one. */
  readonly detail: string;
  /** With INVALID_PARAMETER: the choice to change. */
  readonly choice?: keyof SheetChoices;
  /** What is in the wrong place. */
  readonly offenders?: readonly Offender[];
  /** For a picture of the page; given where the page could be read. */
  readonly page?: RefusedPage;
}

/** The report is null where the page could not be read to its end. */
export type PrepareResult =
  | { readonly ok: true; readonly prepared: PreparedSheet; readonly report: PreflightReport | null }
  | { readonly ok: false; readonly failure: PrepareRefusal; readonly report: PreflightReport | null };

/** A PDF that holds nothing but the cut. */
export interface CutPdf {
  readonly pdf: Uint8Array;
  readonly stepsPerMm: StepsPerMm;
  /** Inks that name a tool other than the knife's; every other stroke is a plain cut. Default none. */
  readonly cutSpotColors?: readonly string[];
  /** As for a sheet. */
  readonly order?: OrderOptions;
}

/** The job of a cut PDF, as a new job in the library wants it. */
export interface ImportedCut {
  readonly commandSequence: Uint8Array<ArrayBuffer>;
  /** The first commands, readable. */
  readonly commandPreview: readonly string[];
  readonly geometry: JobGeometry;
  /** Straight pieces found on the page. */
  readonly segmentCount: number;
  readonly warnings: readonly PrepareWarning[];
  /** The page as it is seen: the rectangle of the marks. */
  readonly page: { readonly widthMm: number; readonly heightMm: number };
}

export type CutImportResult =
  | { readonly ok: true; readonly imported: ImportedCut }
  | { readonly ok: false; readonly failure: PrepareRefusal };

/** A command sequence whose extent is asked for. */
export interface SequenceToMeasure {
  readonly bytes: Uint8Array;
  readonly stepsPerMm: StepsPerMm;
}
