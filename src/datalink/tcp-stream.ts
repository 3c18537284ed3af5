/**
 * A job over TCP: connect, write everything, half-close, wait for the cutter to close its side.
 *
 * Guarantee: one attempt. STREAM_NOT_STARTED means that no byte was handed to the operating system. At most one chunk
 * waits in this process, so a job of any size costs no memory beyond itself. Once broken off, by a signal, by
 * 15 minutes without progress or by the cutter, the connection is reset, so that nothing more leaves this machine.
 * A cutter that has not taken what the kernel holds is waited for like one that stands still, also after the half-close.
 * Hole: success by `linger-expired` knows only that the cutter's end took all bytes, not that it has read them; where
 * the kernel's queue cannot be read, not even that. A cutter that closes its side early without having
 * read everything, but after we wrote it, looks like one that has finished.
 */
import type { Socket } from 'node:net';
import { causeOf, nameOf, type LinkCause } from './failures.ts';
import { readUnacknowledgedBytes } from './kernel-queue.ts';
import { saysAlreadyConnected } from './replies.ts';
import { startStallWatch, stallLimitMs, type StallWatch } from './stall-watch.ts';
import { closed, connectTo, type TcpSurroundings } from './tcp-exchange.ts';
import type { Attempt, StreamOutcome, StreamRequest } from './transport.ts';

/** How long the cutter may take to close its side after our half-close; gpgl-and-data-link.md section 4.3. */
export const lingerMs = 30_000;
const chunkBytes = 8192;
/** The kernel counts a half-close that was not acknowledged yet, which may take it 40 ms, as one byte. */
const halfCloseCountsAs = 1;
/** How often, once that time is up, it is looked whether the cutter has taken everything. */
const expiryRetryMs = 1000;
/** How often a pending write is looked at more closely. */
const queueProbeMs = 20_000;
/** Unasked input during a stream is dropped; beyond this it is left unread, to cost no more work. */
const maxUnaskedBytes = 1_048_576;
/** Enough to know a refusal by its words. */
const unaskedHeadLength = 64;

export function streamOverTcp(around: TcpSurroundings, request: StreamRequest): Attempt<StreamOutcome> {
  if (request.signal?.aborted === true) {
    const failure = { code: 'STREAM_NOT_STARTED' as const, cause: 'aborted' as const, detail: 'The job was broken off before it was begun.' };
    return { result: Promise.resolve({ ok: false, failure }), released: Promise.resolve() };
  }
  const socket = connectTo(around);
  const released = closed(socket);
  return { result: send(socket, around, request), released };
}

type Phase = 'connecting' | 'writing' | 'lingering' | 'over';

function send(socket: Socket, { address, clock, onNote }: TcpSurroundings, { bytes, timeoutMs, signal, onProgress }: StreamRequest): Promise<StreamOutcome> {
  const place = `${address.host}:${address.port}`;
  const totalBytes = bytes.length;
  let phase: Phase = 'connecting';
  let offeredBytes = 0;
  let unaskedBytes = 0;
  let unaskedHead = '';

  const brokenBy = (cause: LinkCause, how: string): StreamOutcome => {
    if (phase === 'connecting') return { ok: false, failure: { code: 'STREAM_NOT_STARTED', cause, detail: `The job was not begun, ${place} could not be reached: ${how}.` } };
    const sent = `${offeredBytes} of ${totalBytes} bytes had been handed over to ${place}`;
    return phase === 'writing'
      ? { ok: false, failure: { code: 'STREAM_INTERRUPTED', cause, offeredBytes, totalBytes, detail: `The stream broke off when ${sent}: ${how}. It is not sent again.` } }
      : { ok: false, failure: { code: 'STREAM_OUTCOME_UNKNOWN', cause, offeredBytes, totalBytes, detail: `What the cutter received is not known; ${sent}: ${how}. It is not sent again.` } };
  };

  return new Promise((resolve) => {
    let cancelProbe: () => void = () => undefined;
    const timers: (() => void)[] = [() => cancelProbe()];
    const settle = (outcome: StreamOutcome, last: 'close' | 'reset'): void => {
      if (phase === 'over') return;
      phase = 'over';
      for (const cancel of timers) cancel();
      signal?.removeEventListener('abort', abort);
      if (last === 'reset') socket.resetAndDestroy();
      else socket.destroy();
      resolve(outcome);
    };
    // A socket that is still connecting would be connected first, to be reset then.
    const abort = (): void => settle(brokenBy('aborted', 'it was broken off here'), phase === 'connecting' ? 'close' : 'reset');

    const writeNext = (stalls: StallWatch): void => {
      const chunk = bytes.subarray(offeredBytes, offeredBytes + chunkBytes);
      offeredBytes += chunk.length;
      socket.write(chunk, (error) => {
        if (error || phase !== 'writing') return; // the 'error' event tells
        stalls.progress();
        onProgress(offeredBytes, totalBytes);
        if (offeredBytes < totalBytes) {
          writeNext(stalls);
          return;
        }
        phase = 'lingering';
        socket.end();
        timers.push(clock.after(lingerMs, () => void expire()));
      });
    };

    /** The cutter's time is up, unless it has still to take what the kernel holds: then the stream waits, as one that stands still. */
    const expire = async (): Promise<void> => {
      const waiting = await readUnacknowledgedBytes(socket);
      if (phase !== 'lingering') return;
      if (waiting !== null && waiting > halfCloseCountsAs) {
        timers.push(clock.after(expiryRetryMs, () => void expire()));
        return;
      }
      settle(unaskedBytes > maxUnaskedBytes
        ? brokenBy('other', 'the cutter flooded the link, and closing over its unread bytes may have lost ours')
        : { ok: true, ended: 'linger-expired', bytes: totalBytes }, 'close');
    };

    /** A cutter that acknowledges bytes makes progress, even while the kernel has no room for our next chunk yet. */
    const probeQueue = (stalls: StallWatch, before: number | null): void => {
      cancelProbe = clock.after(queueProbeMs, () => {
        void readUnacknowledgedBytes(socket).then((now) => {
          if (phase !== 'writing' && phase !== 'lingering') return;
          if (before !== null && now !== null && now < before) stalls.progress();
          probeQueue(stalls, now);
        });
      });
    };

    const begin = (): void => {
      if (phase !== 'connecting') return;
      cancelConnect();
      phase = 'writing';
      const stalls = startStallWatch(clock, onNote, () => `${offeredBytes} of ${totalBytes} bytes handed over to ${place}`, () => {
        const failure = { code: 'STREAM_OUTCOME_UNKNOWN' as const, cause: 'timeout' as const, offeredBytes, totalBytes, detail: `${place} took nothing for ${stallLimitMs / 60_000} minutes, with ${offeredBytes} of ${totalBytes} bytes handed over; the connection was closed and the job is not sent again.` };
        settle({ ok: false, failure }, 'reset');
      });
      timers.push(() => stalls.stop());
      probeQueue(stalls, null);
      writeNext(stalls);
    };

    const cancelConnect = clock.after(timeoutMs, () => settle(brokenBy('timeout', `no connection within ${timeoutMs} ms`), 'close'));
    timers.push(cancelConnect);
    signal?.addEventListener('abort', abort, { once: true });
    // One turn of the loop between "connected" and the first byte: a cutter that accepts and at once refuses is then seen in time.
    socket.once('connect', () => setImmediate(begin));
    socket.on('data', (piece: Buffer) => {
      if (unaskedBytes === 0) onNote({ kind: 'unexpected-input', detail: `${place} sent something during a job stream; ignored.` });
      unaskedBytes += piece.length;
      unaskedHead = (unaskedHead + piece.subarray(0, unaskedHeadLength).toString('latin1')).slice(0, unaskedHeadLength);
      if (saysAlreadyConnected(unaskedHead)) {
        settle(brokenBy('already-connected', 'the cutter serves another connection'), 'reset');
        return;
      }
      if (unaskedBytes > maxUnaskedBytes) {
        onNote({ kind: 'input-flood', detail: `${place} floods the link during a job stream; it is not read any more.` });
        socket.pause();
      }
    });
    socket.once('end', () => {
      if (phase === 'lingering') settle({ ok: true, ended: 'peer-closed', bytes: totalBytes }, 'close');
      else settle(brokenBy('closed-by-cutter', 'the cutter closed its side'), 'reset');
    });
    socket.on('error', (error) => settle(brokenBy(causeOf(error), nameOf(error)), 'close'));
    socket.once('close', () => settle(brokenBy('other', 'the connection is closed'), 'close'));
  });
}
