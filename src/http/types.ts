import type { PlainAnswer, Headers } from './answer.ts';
import type { Problem, ProblemAnswer } from './problems.ts';

export type { Headers, PlainAnswer, ProblemAnswer };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Time as an argument: `now` in milliseconds since 1970, `after` runs once unless cancelled. */
export interface Clock {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

/** What is known before any byte of a body is read. */
export interface RequestHead {
  /** As sent, case kept: methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  /** The raw path, percent-encoding untouched. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names; values of a repeated header are joined by ", " (RFC 9110 section 5.3). */
  readonly headers: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
  readonly requestId: string;
}

export interface HttpRequest extends RequestHead {
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Empty unless the route takes a body. Its memory is not shared with another request. */
  readonly body: Uint8Array;
  /** Aborts when the client goes away, and when the server is closed by force. */
  readonly signal: AbortSignal;
  /** Whatever the access check of the route found out about the caller. */
  readonly principal: unknown;
}

/** An answer whose body is written as things happen (server-sent events). It lasts until one side ends it. */
export interface StreamAnswer {
  readonly status: number;
  readonly headers?: Headers;
  /** Goes out with the head, which the engine holds back without it; so it is not empty. `:\n\n` for server-sent events. */
  readonly opening: string;
  /** Called once, right after the head went out. What it returns runs when the stream is over, whoever ended it. */
  readonly stream: (writer: StreamWriter) => () => void;
}

export interface StreamWriter {
  /**
   * Hands bytes to the connection. False: they were taken, but the client is behind; wait for `onDrained`.
   * A client that is more than `maxStreamBacklogBytes` behind is cut off. After the end nothing is written.
   */
  write(chunk: string | Uint8Array): boolean;
  /** Runs each time the client has caught up. */
  onDrained(run: () => void): void;
  end(): void;
}

export type HttpAnswer = PlainAnswer | StreamAnswer | ProblemAnswer;

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export type AccessDecision =
  | { readonly ok: true; readonly principal: unknown }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Decides whether a request may go on, from its head alone: credential first, then rate. It must not wait: nothing of a
 * body is taken from the connection until it has said yes.
 */
export type AccessCheck = (head: RequestHead) => AccessDecision;
