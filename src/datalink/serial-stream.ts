/**
 * A job over the serial line, in chunks that keep it full, with d1 put in after an ETX on request.
 *
 * Guarantee: one attempt; the bytes in order, each once; STREAM_NOT_STARTED means that no byte was offered. Broken off,
 * what the operating system still holds is discarded, so that the cutter sees the end within the line's own buffer.
 * Hole: `drained` means that the bytes have left this machine, not that the cutter has read them. On a pseudo-terminal
 * it means only that the terminal's buffer took them.
 */
import { sleep, type Clock } from './clock.ts';
import type { LinkCause } from './failures.ts';
import { createFrameReader } from './frame-reader.ts';
import { ETX } from './frames.ts';
import { createInsertedQueries, type InsertedQueries } from './inserted-queries.ts';
import type { LinePace } from './line-pace.ts';
import type { NoteListener } from './notes.ts';
import type { SerialLine } from './serial-line.ts';
import { startStallWatch, stallLimitMs, type StallWatch } from './stall-watch.ts';
import type { Exchange, ExchangeOutcome, StreamOutcome, StreamRequest } from './transport.ts';

/** A question waits at most this long for the next ETX of the stream to come by. */
const maxWaitForEtxMs = 1000;
/** On a line without a known speed, the same in bytes. */
const maxBytesToEtx = 65_536;
const clearToSendPollMs = 250;
/** How long a chunk that was waiting for room may take to be accepted, and discarded, when a stream is broken off. */
const breakOffMs = 200;

export interface SerialStream {
  run(): Promise<StreamOutcome>;
  insert(request: Exchange): Promise<ExchangeOutcome> | null;
  /** Resolves when every question put in has its answer, or was given up. */
  settled(): Promise<void>;
  /** Whether a question that was put in went unanswered: its reply may still come. */
  leftUnanswered(): boolean;
}

export interface SerialStreamSurroundings { line: SerialLine; pace: LinePace; clock: Clock; onNote: NoteListener; path: string }

type Break = { kind: 'aborted' } | { kind: 'stalled' } | { kind: 'lost'; detail: string };

export function createSerialStream({ line, pace, clock, onNote, path }: SerialStreamSurroundings, { bytes, signal, onProgress }: StreamRequest): SerialStream {
  const totalBytes = bytes.length;
  let offeredBytes = 0;
  let allTaken = false;
  let broken: Break | null = null;
  let wake: () => void = () => undefined;
  const interrupted = new Promise<void>((resolve) => { wake = resolve; });
  const queries: InsertedQueries = createInsertedQueries(clock, path);

  const breakOff = (reason: Break): void => {
    broken ??= reason;
    wake();
  };
  const isBroken = (): boolean => broken !== null;
  const orBroken = async (work: Promise<unknown>): Promise<void> => {
    await Promise.race([work, interrupted]);
  };

  /** Writes, and waits until the operating system has taken it or the stream is broken off. */
  const write = async (piece: Uint8Array): Promise<void> => {
    pace.offered(piece.length);
    const taken = line.write(piece).then((result) => {
      if (!result.ok) breakOff({ kind: 'lost', detail: result.detail });
    });
    await orBroken(taken);
    if (broken?.kind === 'aborted' || broken?.kind === 'stalled') await abandon(line, clock, taken);
  };

  const nextEtx = (): number => bytes.indexOf(ETX, offeredBytes);

  const sendAll = async (stalls: StallWatch): Promise<void> => {
    while (offeredBytes < totalBytes && !isBroken()) {
      const delayMs = pace.delayBefore(pace.chunkBytes);
      if (delayMs > 0) {
        await orBroken(sleep(clock, delayMs));
        continue;
      }
      const query = bytes[offeredBytes - 1] === ETX ? queries.next() : null;
      if (query !== null) {
        await write(query);
        continue;
      }
      const etx = queries.areWaiting() ? nextEtx() : -1;
      const end = Math.min(offeredBytes + pace.chunkBytes, etx < 0 ? totalBytes : etx + 1, totalBytes);
      const chunk = bytes.subarray(offeredBytes, end);
      offeredBytes = end;
      await write(chunk);
      if (isBroken()) return;
      stalls.progress();
      onProgress(offeredBytes, totalBytes);
    }
  };

  const drain = async (): Promise<void> => {
    allTaken = true;
    const delayMs = pace.delayUntilEmpty();
    if (delayMs > 0) await orBroken(sleep(clock, delayMs));
    // Waiting for a line that the cutter holds back would block a thread for as long; its CTS tells first.
    while (!isBroken() && (await line.clearToSend()) === false) await orBroken(sleep(clock, clearToSendPollMs));
    if (isBroken()) return;
    await orBroken(line.waitUntilSent().then((result) => {
      if (!result.ok) breakOff({ kind: 'lost', detail: result.detail });
    }));
  };

  const outcomeOf = (reason: Break): StreamOutcome => {
    const sent = `${offeredBytes} of ${totalBytes} bytes had been handed over to ${path}`;
    const of = (code: 'STREAM_INTERRUPTED' | 'STREAM_OUTCOME_UNKNOWN', cause: LinkCause, how: string): StreamOutcome =>
      ({ ok: false, failure: { code, cause, offeredBytes, totalBytes, detail: `The stream ended when ${sent}: ${how}. It is not sent again.` } });
    if (reason.kind === 'aborted') return of('STREAM_INTERRUPTED', 'aborted', 'it was broken off here');
    if (reason.kind === 'stalled') return of('STREAM_OUTCOME_UNKNOWN', 'timeout', `the cutter took nothing for ${stallLimitMs / 60_000} minutes`);
    return of(allTaken ? 'STREAM_OUTCOME_UNKNOWN' : 'STREAM_INTERRUPTED', 'port-lost', reason.detail);
  };

  const run = async (): Promise<StreamOutcome> => {
    const abort = (): void => breakOff({ kind: 'aborted' });
    const reader = createFrameReader(
      (text) => {
        if (!queries.answer(text)) onNote({ kind: 'unexpected-input', detail: `${path} sent a reply during a job stream that nobody had asked for; ignored.` });
      },
      () => line.stopReading(),
    );
    line.listen({ onData: (piece) => reader.feed(piece), onLost: (detail) => breakOff({ kind: 'lost', detail }) });
    const stalls = startStallWatch(clock, onNote, () => `${offeredBytes} of ${totalBytes} bytes handed over to ${path}`, () => breakOff({ kind: 'stalled' }));
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    try {
      await sendAll(stalls);
      if (!isBroken()) await drain();
    } finally {
      stalls.stop();
      signal?.removeEventListener('abort', abort);
    }
    queries.finish();
    if (broken === null) return { ok: true, ended: 'drained', bytes: totalBytes };
    if (offeredBytes === 0) return { ok: false, failure: { code: 'STREAM_NOT_STARTED', cause: 'aborted', detail: 'The job was broken off before its first byte.' } };
    await line.discard();
    if (isStalled(broken)) line.lose('a job stream stalled');
    return outcomeOf(broken);
  };

  return {
    run,
    insert(request) {
      const etx = nextEtx();
      const reach = Number.isFinite(pace.bytesPerSecond) ? pace.bytesPerSecond * maxWaitForEtxMs / 1000 : maxBytesToEtx;
      return broken !== null || allTaken || etx < 0 || etx - offeredBytes > reach ? null : queries.add(request);
    },
    settled: () => queries.settled(),
    leftUnanswered: () => queries.leftUnanswered(),
  };
}

const isStalled = (reason: Break): boolean => reason.kind === 'stalled';

/** A chunk that waits for room gets it by the first discard, and must be discarded in its turn. */
async function abandon(line: SerialLine, clock: Clock, taken: Promise<void>): Promise<void> {
  await line.discard();
  await Promise.race([taken, sleep(clock, breakOffMs)]);
}
