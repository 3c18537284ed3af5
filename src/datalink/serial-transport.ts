/**
 * The serial profile of gpgl-and-data-link.md section 4.4: one port, kept open, one transaction at a time.
 *
 * Guarantee: after a reply that did not come, no late reply is taken for the answer to d2–d6: the model is asked first,
 * whose reply cannot be mistaken, and everything before it is passed over.
 * Hole: d1 is asked without that, so a status may be one question old after a silence. A cutter that does not answer
 * the model question is trusted again after it was silent for the whole reply time.
 */
import type { SerialAddress } from './address.ts';
import type { Clock } from './clock.ts';
import { encodeModelQuery } from './frames.ts';
import { createLinePace } from './line-pace.ts';
import type { NoteListener } from './notes.ts';
import { parseModel, readReply } from './replies.ts';
import { exchangeOverSerial } from './serial-exchange.ts';
import { createSerialLine } from './serial-line.ts';
import { createSerialStream, type SerialStream } from './serial-stream.ts';
import type { Exchange, ExchangeOutcome, StreamOutcome, StreamRequest, Transport } from './transport.ts';

export interface SerialSurroundings { address: SerialAddress; clock: Clock; onNote: NoteListener }

export function createSerialTransport({ address, clock, onNote }: SerialSurroundings): Transport {
  const { path } = address;
  const line = createSerialLine(address, clock, onNote);
  let replyOutstanding = false;
  let stream: SerialStream | null = null;

  const resynchronise = async (timeoutMs: number): Promise<void> => {
    const isModel = (text: string): boolean => readReply(text, parseModel).parsed.ok;
    const outcome = await exchangeOverSerial(line, clock, path, { label: 'C31;9', payload: encodeModelQuery(), timeoutMs }, isModel);
    if (!outcome.ok && outcome.failure.code !== 'REPLY_TIMEOUT') return;
    replyOutstanding = false;
    onNote({ kind: 'resynchronised', detail: `${path}: ${outcome.ok ? 'replies and questions match again' : 'no late reply is expected any more'}.` });
  };

  const exchange = async (request: Exchange): Promise<ExchangeOutcome> => {
    if (replyOutstanding && request.label !== 'd1') await resynchronise(request.timeoutMs);
    const outcome = await exchangeOverSerial(line, clock, path, request);
    if (outcome.ok) line.keepUnsent(false);
    if (!outcome.ok && (outcome.failure.code === 'REPLY_TIMEOUT' || outcome.failure.code === 'REPLY_TRUNCATED')) {
      replyOutstanding = true;
      await line.checkIdentity();
    }
    return outcome;
  };

  const send = async (request: StreamRequest): Promise<StreamOutcome> => {
    const opened = await line.open();
    if (!opened.ok) return { ok: false, failure: { code: 'STREAM_NOT_STARTED', cause: opened.cause, detail: `The job was not begun: ${opened.detail}.` } };
    await line.purge();
    stream = createSerialStream({ line, pace: createLinePace(clock, address, line.isPseudoTerminal()), clock, onNote, path }, request);
    const outcome = await stream.run();
    // A pseudo-terminal counts as drained while its other end has still to read: a purge would take the job's tail away.
    // The first answer afterwards shows that it was read.
    line.keepUnsent(outcome.ok && line.isPseudoTerminal());
    return outcome;
  };

  return {
    exchange(request) {
      const result = exchange(request);
      return { result, released: result.then(() => undefined, () => undefined) };
    },
    stream(request) {
      const result = send(request);
      const released = result.catch(() => undefined).then(async () => {
        await stream?.settled();
        if (stream?.leftUnanswered() === true) replyOutstanding = true;
        stream = null;
        line.listen(null);
      });
      return { result, released };
    },
    insert: (request) => stream?.insert(request) ?? null,
    close: () => line.close(),
  };
}
