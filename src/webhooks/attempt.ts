/**
 * One HTTP request that brings a message to its receiver.
 *
 * Guarantee: only checked addresses are dialled (guard.ts), a redirect is never followed, nothing takes longer than
 * 15 s, and no more than 64 KiB of the answer is read. Never rejects.
 */
import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction, TcpNetConnectOpts } from 'node:net';
import type { Clock } from '../runtime/index.ts';
import { hostOf, type Guard, type GuardFailure } from './guard.ts';

export type AttemptCode =
  | 'DELIVERED'
  | GuardFailure['code']
  | 'CONNECTION_FAILED'
  | 'TIMED_OUT'
  | 'REDIRECTED'
  /** 410: the receiver wants no more. */
  | 'GONE'
  | 'ANSWER_REFUSED';

export interface AttemptReport {
  readonly code: AttemptCode;
  readonly detail: string;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
}

export interface AttemptOptions {
  readonly guard: Guard;
  readonly clock: Clock;
  /** Breaks the request off; the report is null then. */
  readonly signal: AbortSignal;
}

const timeoutMs = 15_000;
const longestAnswerBytes = 64 * 1024;
/** Before the next address of a name is tried; Node's own 250 ms is too short for a slow line. */
const eachAddressMs = 3000;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

export function attempt(url: URL, headers: Readonly<Record<string, string>>, body: string, { guard, clock, signal }: AttemptOptions): Promise<AttemptReport | null> {
  return new Promise((resolve) => {
    const hasEnded = new AbortController();
    let answer: Answer | null = null;
    const end = (report: AttemptReport | null): void => {
      cancelTimeout();
      signal.removeEventListener('abort', breakOff);
      resolve(report);
      hasEnded.abort();
    };
    const judged = (otherwise: AttemptReport): void => {
      end(answer === null ? otherwise : judge(answer, clock.now()));
    };
    const breakOff = (): void => end(null);
    const cancelTimeout = clock.after(timeoutMs, () => judged(failed('TIMED_OUT', `${url.host} did not answer within ${timeoutMs / 1000} s.`)));
    if (signal.aborted) {
      end(null);
      return;
    }
    signal.addEventListener('abort', breakOff, { once: true });

    void guard.check(url).then((checked) => {
      if (hasEnded.signal.aborted) return;
      if (!checked.ok) {
        end(failed(checked.failure.code, checked.failure.detail));
        return;
      }
      request({ url, headers, body, addresses: checked.addresses, ended: hasEnded.signal,
        onAnswer: (given) => {
          answer = given;
        },
        onEnd: (error) => judged(failed('CONNECTION_FAILED', `${url.host} could not be reached: ${reasonOf(error)}.`)),
      });
    });
  });
}

/** When several addresses were tried, the error's own message is empty. */
const reasonOf = (error: NodeJS.ErrnoException | null): string => {
  if (error === null) return 'the connection ended without an answer';
  return error.message === '' ? (error.code ?? error.name) : error.message;
};

const failed = (code: AttemptCode, detail: string): AttemptReport => ({ code, detail, status: null, retryAfterMs: null });

interface RequestOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly addresses: readonly LookupAddress[];
  readonly ended: AbortSignal;
  readonly onAnswer: (answer: Answer) => void;
  /** The exchange is over, one way or the other; may be called more than once. */
  readonly onEnd: (error: NodeJS.ErrnoException | null) => void;
}

function request({ url, headers, body, addresses, ended, onAnswer, onEnd }: RequestOptions): void {
  const bytes = Buffer.from(body, 'utf8');
  const options: http.RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'> = {
    method: 'POST', host: hostOf(url), port: url.port === '' ? undefined : Number(url.port), path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, 'content-length': bytes.byteLength, connection: 'close' },
    // A connection of its own for each attempt: none is kept that was checked under another answer of the name server.
    agent: false, lookup: lookupOf(addresses), autoSelectFamily: true, autoSelectFamilyAttemptTimeout: eachAddressMs,
  };
  const sent = (url.protocol === 'https:' ? https : http).request(options);
  ended.addEventListener('abort', () => sent.destroy(), { once: true });
  sent.on('response', (response) => {
    onAnswer({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
    drain(response, () => onEnd(null));
  });
  sent.on('error', (error) => onEnd(error));
  sent.on('close', () => onEnd(null));
  sent.end(bytes);
}

/** Answers with what was checked, whatever is asked: the name is not looked up a second time. */
function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first === undefined) callback(new Error(`${host} has no address`), '');
    else callback(null, first.address, first.family);
  };
}

function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > longestAnswerBytes) done();
  });
  response.on('end', done);
  response.on('error', done);
}

function judge({ status, retryAfter }: Answer, nowMs: number): AttemptReport {
  const text = `${status}${http.STATUS_CODES[status] === undefined ? '' : ` ${http.STATUS_CODES[status]}`}`;
  const retryAfterMs = readRetryAfter(retryAfter, nowMs);
  const report = (code: AttemptCode, detail: string): AttemptReport => ({ code, detail, status, retryAfterMs });
  if (status >= 200 && status < 300) return report('DELIVERED', '');
  if (status >= 300 && status < 400) return report('REDIRECTED', `The receiver answered ${text}; redirects are not followed.`);
  if (status === 410) return report('GONE', `The receiver answered ${text}: it wants no more webhooks.`);
  return report('ANSWER_REFUSED', `The receiver answered ${text}.`);
}

/** Seconds, or an HTTP date (RFC 9110 section 10.2.3). Anything else is as good as none. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const at = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
