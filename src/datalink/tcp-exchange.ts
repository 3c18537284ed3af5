/**
 * One question over a fresh TCP connection: connect, write, read until ETX, close.
 *
 * Guarantee: one attempt, never repeated here. At most 512 reply bytes are kept. `released` comes after our side is
 * closed and the cutter has closed its own (or had 500 ms for it), so that a cutter which serves one connection at a
 * time does not refuse the next one.
 * Hole: "delivered" means that this machine's kernel took the bytes. A connection reset before any reply byte may
 * be a cutter that refused us without reading, or one that acted and died; LINK_LOST says no more than that.
 */
import net, { type LookupFunction } from 'node:net';
import type { TcpAddress } from './address.ts';
import type { Clock } from './clock.ts';
import { causeOf, nameOf, printable, type LinkCause, type LinkFailure } from './failures.ts';
import type { NoteListener } from './notes.ts';
import { createReplyCollector } from './reply-collector.ts';
import { saysAlreadyConnected } from './replies.ts';
import type { Attempt, Exchange, ExchangeOutcome } from './transport.ts';

/** How long the cutter may take to close its side after we have closed ours. */
export const closeWaitMs = 500;

export interface TcpSurroundings { address: TcpAddress; clock: Clock; onNote: NoteListener; lookup: LookupFunction }

export function connectTo({ address, lookup }: TcpSurroundings): net.Socket {
  return net.connect({ host: address.host, port: address.port, noDelay: true, allowHalfOpen: true, lookup });
}

/** Resolves when the socket is closed for good. */
export function closed(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

export function exchangeOverTcp(around: TcpSurroundings, request: Exchange): Attempt<ExchangeOutcome> {
  const socket = connectTo(around);
  const released = closed(socket);
  return { result: converse(socket, around, request), released };
}

type Progress = 'connecting' | 'writing' | 'delivered';

function converse(socket: net.Socket, { address, clock, onNote }: TcpSurroundings, { label, payload, timeoutMs }: Exchange): Promise<ExchangeOutcome> {
  const place = `${address.host}:${address.port}`;
  const collector = createReplyCollector();
  let progress: Progress = 'connecting';

  /** What an end without an ETX means depends on how far we had come. */
  const endedBy = (cause: LinkCause, how: string): ExchangeOutcome => {
    const received = collector.received();
    if (progress !== 'delivered') return failed({ code: 'LINK_UNREACHABLE', cause, detail: `${label} could not be delivered to ${place}: ${how}.` });
    if (saysAlreadyConnected(received)) {
      onNote({ kind: 'refused-by-cutter', detail: `${place} answered "${printable(received)}": another server is connected to it.` });
      return failed({ code: 'LINK_LOST', cause: 'already-connected', detail: `${place} serves another connection and did not answer ${label}.` });
    }
    if (received !== '') return failed({ code: 'REPLY_TRUNCATED', received, detail: `The reply of ${place} to ${label} ended after "${printable(received)}", without ETX: ${how}.` });
    if (cause === 'timeout') return failed({ code: 'REPLY_TIMEOUT', detail: `${place} did not answer ${label} within ${timeoutMs} ms.` });
    return failed({ code: 'LINK_LOST', cause, detail: `${place} ended the connection before it answered ${label}: ${how}.` });
  };

  return new Promise((resolve) => {
    let settled = false;
    const settle = (outcome: ExchangeOutcome): void => {
      if (settled) return;
      settled = true;
      cancelTimeout();
      if (outcome.ok) closeGently(socket, clock);
      else socket.destroy();
      resolve(outcome);
    };
    const cancelTimeout = clock.after(timeoutMs, () => settle(endedBy('timeout', `no end of it within ${timeoutMs} ms`)));
    socket.once('connect', () => {
      progress = 'writing';
      socket.write(payload, (error) => {
        if (!error) progress = 'delivered';
      });
    });
    socket.on('data', (piece: Buffer) => {
      if (settled) return;
      progress = 'delivered';
      const collected = collector.feed(piece);
      if (collected.state === 'flood') {
        settle({ ok: false, failure: { code: 'REPLY_MALFORMED', received: collector.received(), detail: `${place} sent more than any reply has, without ETX, when asked ${label}.` } });
      } else if (collected.state === 'complete') {
        if (collected.trailingBytes > 0) onNote({ kind: 'unexpected-input', detail: `${place} sent ${collected.trailingBytes} bytes after its reply to ${label}; ignored.` });
        settle({ ok: true, text: collected.text });
      }
    });
    socket.once('end', () => settle(endedBy('closed-by-cutter', 'the cutter closed its side')));
    socket.on('error', (error) => settle(endedBy(causeOf(error), nameOf(error))));
    socket.once('close', () => settle(endedBy('other', 'the connection is closed')));
  });
}

function failed(failure: LinkFailure): ExchangeOutcome {
  return { ok: false, failure };
}

/** Our FIN, then the cutter's. Input that still comes is read and dropped, since closing over unread bytes sends a reset. */
function closeGently(socket: net.Socket, clock: Clock): void {
  let dropped = 0;
  socket.on('data', (piece: Buffer) => {
    dropped += piece.length;
    if (dropped > 65_536) socket.destroy();
  });
  const cancel = clock.after(closeWaitMs, () => socket.destroy());
  socket.once('close', cancel);
  socket.end();
}
