/**
 * Questions put into a running job stream: they wait for an ETX to come by, then for their reply.
 * Guarantee: replies go to the questions in the order in which those were written; each question ends within its time.
 * Hole: when a question was given up after it was written, a late reply is taken for the next question's. Only d1 is put
 * in, so a status is then one question old; `leftUnanswered` says so to whoever asks something else afterwards.
 */
import type { Clock } from './clock.ts';
import type { Exchange, ExchangeOutcome } from './transport.ts';

export interface InsertedQueries {
  add(request: Exchange): Promise<ExchangeOutcome>;
  /** The next question to write now, null when there is none. */
  next(): Uint8Array | null;
  areWaiting(): boolean;
  /** Hands a frame to the oldest question that was written; false if there is none. */
  answer(text: string): boolean;
  /** No further question will be written. */
  finish(): void;
  settled(): Promise<void>;
  leftUnanswered(): boolean;
}

interface Pending { request: Exchange; settle: (outcome: ExchangeOutcome) => void }

export function createInsertedQueries(clock: Clock, path: string): InsertedQueries {
  let waiting: Pending[] = [];
  let asked: Pending[] = [];
  const all: Promise<ExchangeOutcome>[] = [];
  let unanswered = false;

  const unreachable = (label: string, how: string): ExchangeOutcome =>
    ({ ok: false, failure: { code: 'LINK_UNREACHABLE', cause: 'timeout', detail: `${label} could not be put into the job stream to ${path}: ${how}.` } });

  return {
    add(request) {
      const outcome = new Promise<ExchangeOutcome>((resolve) => {
        const pending: Pending = {
          request,
          settle(result) {
            cancel();
            waiting = waiting.filter((other) => other !== pending);
            asked = asked.filter((other) => other !== pending);
            resolve(result);
          },
        };
        const cancel = clock.after(request.timeoutMs, () => {
          if (!asked.includes(pending)) {
            pending.settle(unreachable(request.label, `the cutter takes no data, or no ETX came by within ${request.timeoutMs} ms`));
            return;
          }
          unanswered = true;
          pending.settle({ ok: false, failure: { code: 'REPLY_TIMEOUT', detail: `The cutter at ${path} did not answer ${request.label} within ${request.timeoutMs} ms, during a job stream.` } });
        });
        waiting.push(pending);
      });
      all.push(outcome);
      return outcome;
    },
    next() {
      const pending = waiting.shift();
      if (pending === undefined) return null;
      asked.push(pending);
      return pending.request.payload;
    },
    areWaiting: () => waiting.length > 0,
    answer(text) {
      const pending = asked[0];
      pending?.settle({ ok: true, text });
      return pending !== undefined;
    },
    finish() {
      for (const pending of waiting) pending.settle(unreachable(pending.request.label, 'the stream has ended'));
    },
    async settled() {
      await Promise.all(all);
    },
    leftUnanswered: () => unanswered,
  };
}
