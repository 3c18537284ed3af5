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

export interface NamedJob {
  readonly id: string;
  readonly name: string;
}

export const jobs = recordTable<JobRecord>('jobs');
export const jobSequences = binaryTable('job_sequences');
export const jobsInOrder = recordTable<string>('jobs_in_order');
/** What a cutter is offered, so that an offer reads eight neighbouring rows and no job. */
export const jobsByLinkInfo = recordTable<NamedJob>('jobs_by_link_info');
/** Registration key → job id. */
export const jobsByKey = recordTable<string>('jobs_by_key');
/** `job`: the last registered seq. `link_info` and a prefix: the last minted counter of that prefix. */
export const jobCounters = recordTable<number>('job_counters');

export const jobTables = [jobs, jobSequences, jobsInOrder, jobsByLinkInfo, jobsByKey, jobCounters];
