/**
 * One question over the serial line: purge what is stale, write, read until ETX.
 * Guarantee: one attempt, bounded in time and memory, the line left without a listener afterwards.
 * Hole: a reply to an earlier, given-up question that arrives after the purge would be taken for this one's;
 * serial-transport.ts closes that hole for every command but d1.
 */
import type { Clock } from './clock.ts';
import { printable } from './failures.ts';
import { createFrameReader } from './frame-reader.ts';
import type { SerialLine } from './serial-line.ts';
import type { Exchange, ExchangeOutcome } from './transport.ts';

/** `isReply`: frames that are not are passed over, as long as the time lasts. */
export async function exchangeOverSerial(line: SerialLine, clock: Clock, path: string, request: Exchange, isReply: (text: string) => boolean = () => true): Promise<ExchangeOutcome> {
  const { label, payload, timeoutMs } = request;
  let delivered = false;
  let partial = (): string => '';

  const timedOut = (): ExchangeOutcome => {
    const received = partial();
    if (!delivered) return { ok: false, failure: { code: 'LINK_UNREACHABLE', cause: 'timeout', detail: `${label} could not be written to ${path} within ${timeoutMs} ms.` } };
    if (received !== '') return { ok: false, failure: { code: 'REPLY_TRUNCATED', received, detail: `The reply on ${path} to ${label} stopped after "${printable(received)}", without ETX.` } };
    return { ok: false, failure: { code: 'REPLY_TIMEOUT', detail: `The cutter at ${path} did not answer ${label} within ${timeoutMs} ms.` } };
  };

  const converse = async (settle: (outcome: ExchangeOutcome) => void, isOver: () => boolean): Promise<void> => {
    const opened = await line.open();
    if (!opened.ok) {
      settle({ ok: false, failure: { code: 'LINK_UNREACHABLE', cause: opened.cause, detail: `${label} could not be sent: ${opened.detail}.` } });
      return;
    }
    await line.purge();
    if (isOver()) return;
    const reader = createFrameReader(
      (text) => { if (isReply(text)) settle({ ok: true, text }); },
      () => {
        line.stopReading();
        settle({ ok: false, failure: { code: 'REPLY_MALFORMED', received: reader.partial(), detail: `${path} sent more than any reply has, without ETX, when asked ${label}.` } });
      },
    );
    partial = () => reader.partial();
    line.listen({
      onData: (piece) => reader.feed(piece),
      onLost: (detail) => settle(delivered
        ? { ok: false, failure: { code: 'LINK_LOST', cause: 'port-lost', detail: `${path} was lost before ${label} was answered: ${detail}.` } }
        : { ok: false, failure: { code: 'LINK_UNREACHABLE', cause: 'port-lost', detail: `${label} could not be written to ${path}: ${detail}.` } }),
    });
    const written = await line.write(payload);
    if (written.ok) delivered = true;
    else settle({ ok: false, failure: { code: 'LINK_UNREACHABLE', cause: written.cause, detail: `${label} could not be written to ${path}: ${written.detail}.` } });
  };

  return new Promise((resolve, reject) => {
    let over = false;
    const settle = (outcome: ExchangeOutcome): void => {
      if (over) return;
      over = true;
      cancel();
      line.listen(null);
      resolve(outcome);
    };
    const cancel = clock.after(timeoutMs, () => settle(timedOut()));
    converse(settle, () => over).catch(reject);
  });
}
