import type { MachineInfo, OfferedJob, Vector } from './context.ts';

/** The job the operator chose, as it stands in the library at that moment. */
export interface ChosenJob extends OfferedJob {
  readonly link_info: string;
  readonly command_type: number;
  readonly vector: Vector;
  readonly bytes_total: number;
}

/** What the poll loop observes and the service asks. Every event carries its time in milliseconds. */
export type CutterEvent =
  /** First event after each start of the service; `poll` says whether polling shall run. */
  | { type: 'BOOT'; at: number; poll: boolean }
  | { type: 'START'; at: number }
  | { type: 'STOP'; at: number }
  /** A status other than the one before, or the first after a silence. */
  | { type: 'STATUS'; at: number; code: number; detail?: string }
  /** The machine answered who it is, or did not (nulls). */
  | { type: 'IDENTIFIED'; at: number; machine: MachineInfo; warnings: CutterWarning[] }
  /** The job list is on the wire, also when it was empty. */
  | { type: 'OFFERED'; at: number; link_info: string; jobs: OfferedJob[] }
  /** The operator chose `job`; the hand-off's id comes from outside. */
  | { type: 'CHOSEN'; at: number; hand_off_id: string; job: ChosenJob }
  /** The cycle cannot go on: a query failed, the cutter refused, the job is gone, another server's job was chosen. */
  | { type: 'BROKEN_OFF'; at: number; kind: 'warning' | 'rejected' | 'standby'; code: string; message: string }
  /** The job stream has stood still; nothing is done about it but to say so. */
  | { type: 'STALLED'; at: number; seconds: number };

export interface CutterWarning {
  code: string;
  message: string;
}

export interface HandOverInput {
  readonly cutter: string;
  readonly hand_off_id: string;
  readonly job_id: string;
  readonly command_type: number;
  readonly vector: Vector;
}

/** How a hand-over ended. `rejected` is the only one after which nothing can have moved. */
export interface HandOverOutput {
  readonly outcome: 'sent' | 'rejected' | 'interrupted' | 'unknown_outcome';
  readonly at: number;
  readonly bytes_sent: number | null;
  readonly code: string;
  readonly detail: string;
}


