/**
 * One cutter's Data Link, as questions and answers.
 *
 * Guarantees. One transaction at a time, in the order asked. Every call ends in a value. d5, d6 and a job are never
 * repeated once their bytes may have left; a job is begun again only while its connection cannot be made.
 * A session does nothing until it is asked something, and holds no connection between questions on TCP.
 *
 * What is repeated, within one budget of waiting (gpgl-and-data-link.md section 4.3):
 *   d1                 never
 *   d2 d3 d4 C31       undelivered, or delivered and the connection ended before a reply byte (a cutter that serves
 *                      someone else resets us so); asking, and offering the same list again, changes nothing
 *   d5 d6              undelivered only
 *   job stream         not connected only
 *
 * Hole: a cutter that lies is believed, as long as its replies are well formed.
 */
import { formatCutterAddress, type CutterAddress } from './address.ts';
import { elapsedMs, sleep, type Clock } from './clock.ts';
import type { CommandFailure, JobListFailure, Outcome, QueryFailure, SessionClosed, StreamFailure, StreamSuccess, VectorFailure } from './failures.ts';
import { printable } from './failures.ts';
import { createFifoLock } from './fifo-lock.ts';
import * as frames from './frames.ts';
import type { NoteListener } from './notes.ts';
import * as replies from './replies.ts';
import { createSerialTransport } from './serial-transport.ts';
import { createTcpTransport } from './tcp-transport.ts';
import type { ExchangeOutcome, Transport } from './transport.ts';

export interface SessionOptions {
  clock: Clock;
  /** Per attempt of every command but d1, connecting included. */
  timeoutMs?: number;
  /** d1 is not repeated, so that a vanished cutter shows within 5 s. */
  statusTimeoutMs?: number;
  /** Budget of waiting over all repetitions of one command: pauses, and what failed attempts took. */
  sendRetryTotalMs?: number;
  sendRetryIntervalMs?: number;
  onNote?: NoteListener;
}

/** `refuse`: fail with LINK_BUSY at once if a job stream holds the link. Default `wait`. */
export interface CallOptions { busy?: 'wait' | 'refuse' }

export interface SendJobOptions extends CallOptions {
  signal?: AbortSignal;
  onProgress?: (takenBytes: number, totalBytes: number) => void;
}

export interface Session {
  readonly address: CutterAddress;
  /** Whether a job stream holds the link now. */
  isStreaming(): boolean;
  /** d1. On a serial line it is put into a running job stream after an ETX, if the job has one. */
  status(options?: CallOptions): Promise<Outcome<{ status: number }, QueryFailure>>;
  /** d2. Null: the cutter has left state 2 already. */
  linkInfo(options?: CallOptions): Promise<Outcome<{ linkInfo: string | null }, QueryFailure>>;
  /** d3, at most 8 names; an empty list is sent too. */
  offerJobs(names: readonly string[], options?: CallOptions): Promise<Outcome<{ result: number }, CommandFailure | JobListFailure>>;
  /** d4, index into the list as it was offered. Null: the operator chose another server's job. */
  selectedIndex(options?: CallOptions): Promise<Outcome<{ index: number | null }, CommandFailure>>;
  /** d5, once per job. */
  setVector(vector: frames.RegistrationVector, options?: CallOptions): Promise<Outcome<{ result: number }, CommandFailure | VectorFailure>>;
  /** d6, once per job. */
  setCommandType(type: frames.CommandType, options?: CallOptions): Promise<Outcome<{ result: number }, CommandFailure>>;
  /** The whole command sequence. */
  sendJob(bytes: Uint8Array, options?: SendJobOptions): Promise<Outcome<StreamSuccess, StreamFailure>>;
  model(options?: CallOptions): Promise<Outcome<replies.CutterModel, QueryFailure>>;
  stepSizeMm(options?: CallOptions): Promise<Outcome<{ stepSizeMm: replies.StepSizeMm }, QueryFailure>>;
  commandSetting(options?: CallOptions): Promise<Outcome<{ commandSetting: replies.CommandSetting }, QueryFailure>>;
  /** Lets the running transaction finish, refuses those behind it, gives the port back. A stream is broken off by its own signal. */
  close(): Promise<void>;
}

interface Query<T> {
  label: string;
  payload: Uint8Array;
  parse: replies.ReplyParser<T>;
  repeat: 'never' | 'undelivered' | 'unanswered';
}

type Answer<T> = Outcome<{ value: T }, QueryFailure>;

export function createSession(address: CutterAddress, options: SessionOptions): Session {
  const { clock, timeoutMs = 5000, statusTimeoutMs = 3000, sendRetryTotalMs = 3000, sendRetryIntervalMs = 50, onNote = () => undefined } = options;
  const place = formatCutterAddress(address);
  const lock = createFifoLock();
  const transport: Transport = address.transport === 'tcp' ? createTcpTransport({ address, clock, onNote }) : createSerialTransport({ address, clock, onNote });
  let streaming = false;
  let closing: Promise<void> | null = null;

  const sessionClosed = (): { ok: false; failure: SessionClosed } => ({ ok: false, failure: { code: 'SESSION_CLOSED', detail: `The link to ${place} was closed.` } });
  const linkBusy = (): { ok: false; failure: { code: 'LINK_BUSY'; detail: string } } => ({ ok: false, failure: { code: 'LINK_BUSY', detail: `A job is being sent to ${place}.` } });

  const interpret = <T>(query: Query<T>, outcome: ExchangeOutcome): Answer<T> => {
    if (!outcome.ok) return outcome;
    const { parsed, unsolicited } = replies.readReply(outcome.text, query.parse);
    for (const text of unsolicited) onNote({ kind: 'unsolicited-frame', detail: `${place} sent "${printable(text)}" unasked before its reply to ${query.label}.` });
    if (parsed.ok) return { ok: true, value: parsed.value };
    return { ok: false, failure: { code: 'REPLY_MALFORMED', received: outcome.text, detail: `The reply of ${place} to ${query.label} cannot be used: ${parsed.detail}.` } };
  };

  const mayRepeat = (query: Query<unknown>, outcome: ExchangeOutcome): boolean => {
    if (outcome.ok || query.repeat === 'never') return false;
    return outcome.failure.code === 'LINK_UNREACHABLE' || (query.repeat === 'unanswered' && outcome.failure.code === 'LINK_LOST');
  };

  /** Runs `attempt` until it succeeds, may not be repeated, or the budget of waiting is used up. */
  const withinBudget = async <T>(label: string, attempt: () => Promise<{ outcome: T; again: boolean }>, isOff: () => boolean): Promise<T> => {
    let waitedMs = 0;
    for (let attempts = 1; ; attempts += 1) {
      const startedAt = clock.now();
      const { outcome, again } = await attempt();
      waitedMs += elapsedMs(startedAt, clock.now(), timeoutMs) + sendRetryIntervalMs;
      if (!again || waitedMs > sendRetryTotalMs || isOff()) return outcome;
      if (attempts === 1) onNote({ kind: 'retrying', detail: `${label} did not get through to ${place}; it is tried again for up to ${sendRetryTotalMs} ms.` });
      await sleep(clock, sendRetryIntervalMs);
      if (isOff()) return outcome;
    }
  };

  const ask = async <T>(query: Query<T>, { busy = 'wait' }: CallOptions = {}): Promise<Answer<T>> => {
    if (closing !== null) return sessionClosed();
    const isStatus = query.repeat === 'never';
    const request = { label: query.label, payload: query.payload, timeoutMs: isStatus ? statusTimeoutMs : timeoutMs };
    if (streaming) {
      const inserted = isStatus ? transport.insert(request) : null;
      if (inserted !== null) return interpret(query, await inserted);
      if (busy === 'refuse') return linkBusy();
    }
    return new Promise((resolve, reject) => {
      const work = async (): Promise<void> => {
        if (closing !== null) {
          resolve(sessionClosed());
          return;
        }
        let released: Promise<void> = Promise.resolve();
        const outcome = await withinBudget(query.label, async () => {
          await released;
          const attempt = transport.exchange(request);
          released = attempt.released;
          const attempted = await attempt.result;
          return { outcome: attempted, again: mayRepeat(query, attempted) };
        }, () => closing !== null);
        resolve(interpret(query, outcome));
        await released;
      };
      lock.run(work).catch(reject);
    });
  };

  const command = async (query: Query<number>, callOptions?: CallOptions): Promise<Outcome<{ result: number }, CommandFailure>> => {
    const answer = await ask(query, callOptions);
    if (!answer.ok) return answer;
    return answer.value >= 0 ? { ok: true, result: answer.value } : rejected(query.label, answer.value);
  };
  const rejected = (label: string, result: number): { ok: false; failure: CommandFailure } =>
    ({ ok: false, failure: { code: 'REJECTED', result, detail: `${place} rejected ${label} with ${result}.` } });

  const sendJob = async (bytes: Uint8Array, { signal, onProgress = () => undefined, busy = 'wait' }: SendJobOptions = {}): Promise<Outcome<StreamSuccess, StreamFailure>> => {
    if (closing !== null) return sessionClosed();
    if (bytes.length === 0) return { ok: false, failure: { code: 'EMPTY_JOB', detail: 'The job has no bytes.' } };
    const unsafe = address.transport === 'serial' ? frames.findByteUnsafeForSerial(bytes) : null;
    if (unsafe !== null) {
      return { ok: false, failure: { code: 'UNSAFE_FOR_SERIAL', ...unsafe, detail: `The job holds the byte 0x${unsafe.byte.toString(16).padStart(2, '0')} at ${unsafe.offset}, which a serial line would take for the protocol's own; it can be handed over by TCP only.` } };
    }
    if (streaming && busy === 'refuse') return linkBusy();
    return new Promise((resolve, reject) => {
      const work = async (): Promise<void> => {
        if (closing !== null) {
          resolve(sessionClosed());
          return;
        }
        streaming = true;
        try {
          let released: Promise<void> = Promise.resolve();
          const outcome = await withinBudget('The job', async () => {
            await released;
            const attempt = transport.stream({ bytes, timeoutMs, signal, onProgress });
            released = attempt.released;
            const attempted = await attempt.result;
            return { outcome: attempted, again: !attempted.ok && attempted.failure.code === 'STREAM_NOT_STARTED' };
          }, () => closing !== null || signal?.aborted === true);
          resolve(outcome);
          await released;
        } finally {
          streaming = false;
        }
      };
      lock.run(work).catch(reject);
    });
  };

  const query = <T>(label: string, payload: Uint8Array, parse: replies.ReplyParser<T>, repeat: Query<T>['repeat'] = 'unanswered'): Query<T> => ({ label, payload, parse, repeat });

  return {
    address,
    isStreaming: () => streaming,
    async status(callOptions) {
      const answer = await ask(query('d1', frames.encodeStatusQuery(), replies.parseStatus, 'never'), callOptions);
      return answer.ok ? { ok: true, status: answer.value } : answer;
    },
    async linkInfo(callOptions) {
      const answer = await ask(query('d2', frames.encodeLinkInfoQuery(), replies.parseLinkInfo), callOptions);
      return answer.ok ? { ok: true, linkInfo: answer.value } : answer;
    },
    async offerJobs(names, callOptions) {
      const encoded = frames.encodeJobList(names);
      return encoded.ok ? command(query('d3', encoded.bytes, replies.parseResult), callOptions) : encoded;
    },
    async selectedIndex(callOptions) {
      const answer = await ask(query('d4', frames.encodeSelectionQuery(), replies.parseSelection), callOptions);
      if (!answer.ok) return answer;
      return answer.value === null || answer.value >= 0 ? { ok: true, index: answer.value } : rejected('d4', answer.value);
    },
    async setVector(vector, callOptions) {
      const encoded = frames.encodeVector(vector);
      return encoded.ok ? command(query('d5', encoded.bytes, replies.parseResult, 'undelivered'), callOptions) : encoded;
    },
    setCommandType: (type, callOptions) => command(query('d6', frames.encodeCommandType(type), replies.parseResult, 'undelivered'), callOptions),
    sendJob,
    async model(callOptions) {
      const answer = await ask(query('C31;9', frames.encodeModelQuery(), replies.parseModel), callOptions);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    async stepSizeMm(callOptions) {
      const answer = await ask(query('C31;16', frames.encodeStepSizeQuery(), replies.parseStepSize), callOptions);
      return answer.ok ? { ok: true, stepSizeMm: answer.value } : answer;
    },
    async commandSetting(callOptions) {
      const answer = await ask(query('C31;24', frames.encodeCommandSettingQuery(), replies.parseCommandSetting), callOptions);
      return answer.ok ? { ok: true, commandSetting: answer.value } : answer;
    },
    close() {
      closing ??= lock.idle().then(() => transport.close());
      return closing;
    },
  };
}
