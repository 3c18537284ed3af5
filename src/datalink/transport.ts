/**
 * What a session needs of the wire beneath it. A transport makes one attempt and says what became of it;
 * it never repeats anything. Retrying is the session's affair, because only it knows what may be repeated.
 */
import type { LinkFailure, ReplyMalformed, StreamFailure, StreamSuccess } from './failures.ts';

export interface Exchange {
  /** For details and notes, e.g. `d4`. */
  label: string;
  payload: Uint8Array;
  /** From the beginning of the attempt to the end of the reply. */
  timeoutMs: number;
}

export type ExchangeOutcome =
  | { ok: true; text: string }
  | { ok: false; failure: LinkFailure | ReplyMalformed };

/** `result` comes as early as it is known; the link is free for the next transaction only after `released`. */
export interface Attempt<T> { result: Promise<T>; released: Promise<void> }

export interface StreamRequest {
  bytes: Uint8Array;
  /** For making the connection, or opening the port. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Told how many bytes the operating system has taken. */
  onProgress: (takenBytes: number, totalBytes: number) => void;
}

export type StreamOutcome = ({ ok: true } & StreamSuccess) | { ok: false; failure: StreamFailure };

export interface Transport {
  exchange(request: Exchange): Attempt<ExchangeOutcome>;
  stream(request: StreamRequest): Attempt<StreamOutcome>;
  /** Puts a query into the running stream where the protocol allows it; null when this link cannot. */
  insert(request: Exchange): Promise<ExchangeOutcome> | null;
  close(): Promise<void>;
}
