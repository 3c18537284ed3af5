import type { Work, WorkResult } from './context.ts';

/** A file that was found, with the id of its claim: everything that names it in case the service dies. */
export type Claim = Omit<Work, 'sha256' | 'result'>;

/** What the watcher observes and the service asks. Every event carries its time in milliseconds. */
export type HotFolderEvent =
  /** First event after each start of the service; `run` says whether the folder shall be worked on. */
  | { type: 'BOOT'; at: number; run: boolean }
  | { type: 'START'; at: number }
  /** The file in hand is finished; no other is taken. */
  | { type: 'STOP'; at: number }
  | { type: 'TAKE'; at: number; claim: Claim }
  | { type: 'RETRY'; at: number; file: string }
  /** A file that was to be tried again is not there any more. */
  | { type: 'RETRY_LOST'; at: number; file: string }
  /** Time to see whether the file in hand can go on. */
  | { type: 'RESUME'; at: number }
  /** Something in the folder will not be taken, or the folder cannot be read. */
  | { type: 'NOTICED'; at: number; code: string; message: string; file: string | null };

/** All steps get the file in hand, and the folder they work for. */
export interface StepInput {
  readonly folder: string;
  readonly work: Work;
}

/** The step cannot be done for now, and may be tried again: nothing is lost. */
export interface Held {
  readonly outcome: 'held';
  readonly code: string;
  readonly detail: string;
  readonly at: number;
}

export type ClaimOutput =
  | { readonly outcome: 'claimed'; readonly sha256: string }
  /** The file is not in hand: it was gone, or another was in its place and was put back. */
  | { readonly outcome: 'not_claimed'; readonly detail: string; readonly at: number }
  | Held;

export type ProcessOutput = WorkResult | Held;

export type LeaveOutput = { readonly outcome: 'left'; readonly as: string; readonly at: number } | Held;
