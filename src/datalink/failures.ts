/**
 * Every way a Data Link call can fail, as values. `code` is asserted in tests and decided upon by callers,
 * `detail` is a sentence for a person.
 */

/** What the operating system or the cutter said, where that is known. */
export type LinkCause =
  | 'refused'
  | 'reset'
  | 'closed-by-cutter'
  | 'timeout'
  | 'host-unknown'
  | 'unreachable'
  | 'already-connected'
  | 'locked'
  | 'no-such-device'
  | 'permission'
  | 'port-lost'
  | 'aborted'
  | 'other';

/** The request was not fully delivered: the cutter cannot have acted on it. The only failure of a query that is retried. */
export interface LinkUnreachable { code: 'LINK_UNREACHABLE'; cause: LinkCause; detail: string }
/** The request was delivered and the link ended before a reply byte: whether the cutter acted is not known. */
export interface LinkLost { code: 'LINK_LOST'; cause: LinkCause; detail: string }
/** The request was delivered and nothing came back in time. */
export interface ReplyTimeout { code: 'REPLY_TIMEOUT'; detail: string }
/** Something came back without its ETX. Never read as an empty reply. */
export interface ReplyTruncated { code: 'REPLY_TRUNCATED'; received: string; detail: string }
/** A complete reply that this command cannot have, or more bytes than any reply has. */
export interface ReplyMalformed { code: 'REPLY_MALFORMED'; received: string; detail: string }
/** The cutter answered with a negative result. The meaning of the numbers is not public. */
export interface Rejected { code: 'REJECTED'; result: number; detail: string }
/** A job stream holds the link, and the caller chose not to wait. */
export interface LinkBusy { code: 'LINK_BUSY'; detail: string }
/** The session was closed before this call had its turn. */
export interface SessionClosed { code: 'SESSION_CLOSED'; detail: string }

export type LinkFailure = LinkUnreachable | LinkLost | ReplyTimeout | ReplyTruncated;
export type QueryFailure = LinkFailure | ReplyMalformed | LinkBusy | SessionClosed;
export type CommandFailure = QueryFailure | Rejected;

export interface JobListFailure { code: 'INVALID_JOB_NAME' | 'TOO_MANY_JOBS'; detail: string }
export interface VectorFailure { code: 'INVALID_VECTOR'; detail: string }

/**
 * The fate of a job stream that did not succeed. Only STREAM_NOT_STARTED means that nothing can be cut;
 * `offeredBytes` is the most that the cutter can have received.
 */
export type StreamFailure =
  | { code: 'STREAM_NOT_STARTED'; cause: LinkCause; detail: string }
  | { code: 'STREAM_INTERRUPTED'; cause: LinkCause; offeredBytes: number; totalBytes: number; detail: string }
  | { code: 'STREAM_OUTCOME_UNKNOWN'; cause: LinkCause; offeredBytes: number; totalBytes: number; detail: string }
  | { code: 'UNSAFE_FOR_SERIAL'; byte: number; offset: number; detail: string }
  | { code: 'EMPTY_JOB'; detail: string }
  | LinkBusy
  | SessionClosed;

export interface StreamSuccess {
  /** How it ended: the cutter closed its side, it had not after the linger time, or the serial port had drained. */
  ended: 'peer-closed' | 'linger-expired' | 'drained';
  bytes: number;
}

export type Outcome<T, F> = ({ ok: true } & T) | { ok: false; failure: F };

const causes: ReadonlyMap<string, LinkCause> = new Map<string, LinkCause>([
  ['ECONNREFUSED', 'refused'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['ETIMEDOUT', 'timeout'],
  ['ENOTFOUND', 'host-unknown'],
  ['EAI_AGAIN', 'host-unknown'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EHOSTDOWN', 'unreachable'],
  ['ENETDOWN', 'unreachable'],
]);

/** The cause behind a socket error. */
export function causeOf(error: Error): LinkCause {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return causes.get(code) ?? 'other';
}

/** A short technical name of an error, for details and notes. */
export function nameOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code === '' ? error.message : code;
}

/** Received bytes (as Latin-1 text) made readable, and cut to a length that a log line can bear. */
export function printable(text: string, atMost = 40): string {
  const shown = text.slice(0, atMost).replace(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return text.length > atMost ? `${shown}… (${text.length} bytes)` : shown;
}
