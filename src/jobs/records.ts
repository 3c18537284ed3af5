import { binaryTable, recordTable } from '../store/index.ts';

/** Where a job came from. */
export type JobSource = 'print-prepare' | 'import-json' | 'import-pdf' | 'cut-folder';

/** Where mark 1 lies from the barcode's Start Mark, in 0.1 mm whatever the step size (gpgl-and-data-link.md section 3). */
export interface RegistrationVector {
  readonly fx: number;
  readonly fy: number;
  readonly rx: number;
  readonly ry: number;
}

/** What is known of the geometry of a job; lengths in the mark frame. */
export interface JobGeometry {
  readonly steps_per_mm: number;
  readonly bounds_mm: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
  readonly segments: number;
  readonly cut_length_mm: number;
  readonly travel_length_mm: number;
  readonly estimate_seconds: number;
}

export interface JobRecord {
  readonly id: string;
  /** Order of registration. "Newest" means this, never the clock. */
  readonly seq: number;
  readonly name: string;
  readonly barcode_link_info: string;
  /** 0 GP-GL, 1 HP-GL. */
  readonly command_type: number;
  readonly vector: RegistrationVector;
  readonly source: JobSource;
  readonly command_length: number;
  /** SHA-256 of the command sequence, hexadecimal. */
  readonly command_sha256: string;
  /** The first commands, readable. */
  readonly command_preview: readonly string[];
  readonly geometry: JobGeometry | null;
  /** `processing-steps`, `spot-color` or `mixed`; null when the job did not come from a print PDF. */
  readonly cut_source: string | null;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
  /** Milliseconds since 1970. */
  readonly created_at: number;
  /** The key it was registered with, if any. */
  readonly key?: string;
}

/** Left, bottom, right, top. */
export type SheetRect = readonly [x0: number, y0: number, x1: number, y1: number];

/** The printed sheet of a job, as it is seen: what a picture of it needs beside the marked PDF. Millimetres from its bottom left corner. */
export interface JobSheet {
  readonly width_mm: number;
  readonly height_mm: number;
  /** Mark 1, where the cutter counts from. */
  readonly origin_mm: readonly [x: number, y: number];
  /** The centre lines of the four marks. */
  readonly mark_rect_mm: SheetRect;
  /** Where cutting is allowed. */
  readonly cut_area_mm: SheetRect;
  readonly marks_mm: readonly SheetRect[];
  /** The Start Mark, then the bars. */
  readonly bars_mm: readonly SheetRect[];
  readonly zones: readonly { readonly name: string; readonly rect_mm: SheetRect }[];
}

export interface NamedJob {
  readonly id: string;
  readonly name: string;
}

export const jobs = recordTable<JobRecord>('jobs');
export const jobSequences = binaryTable('job_sequences');
/** Jobs that were made with their sheet. */
export const jobSheets = recordTable<JobSheet>('job_sheets');
/** The marked PDF, for pictures; not kept where it is large. */
export const jobMarkedPdfs = binaryTable('job_marked_pdfs');
export const jobsInOrder = recordTable<string>('jobs_in_order');
/** What a cutter is offered, with all that an offer needs of a job. */
export const jobsByLinkInfo = recordTable<NamedJob>('jobs_by_link_info');
/** Registration key → job id. */
export const jobsByKey = recordTable<string>('jobs_by_key');
/** `job`: the last registered seq. `link_info` and a prefix: the last minted counter of that prefix. */
export const jobCounters = recordTable<number>('job_counters');

export const jobTables = [jobs, jobSequences, jobSheets, jobMarkedPdfs, jobsInOrder, jobsByLinkInfo, jobsByKey, jobCounters];
