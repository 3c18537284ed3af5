/**
 * The serial port of one cutter: opened when first needed, exclusively locked, kept open, opened again after it was lost.
 *
 * Guarantee: no other program that asks for the lock shares the port. Input that nobody waits for is bounded in
 * memory, and a device that floods is not read until it is next asked something.
 * Hole: the lock is advisory (flock): a program that does not ask for it can still write. An adapter that was unplugged
 * is noticed at the next write or silence, not before: pseudo-terminals and many adapters have no modem lines.
 * `waitUntilSent` blocks a thread of Node's pool while the line is held by XOFF, whose state cannot be seen from here.
 */
import { stat } from 'node:fs/promises';
import { SerialPort } from 'serialport';
import type { SerialAddress } from './address.ts';
import type { Clock } from './clock.ts';
import { nameOf, printable, type LinkCause } from './failures.ts';
import type { NoteListener } from './notes.ts';
import { latin1 } from './reply-collector.ts';

const firstReopenMs = 50;
const lastReopenMs = 1000;
/** Idle input of which the log shows the beginning, and beyond which a device is left unread. */
const idleSampleBytes = 64;
const idleFloodBytes = 65_536;

export interface LineListener { onData(piece: Buffer): void; onLost(detail: string): void }
export type LineResult = { ok: true } | { ok: false; cause: LinkCause; detail: string };

export interface SerialLine {
  open(): Promise<LineResult>;
  /** True when the open port is a pseudo-terminal, which has neither a speed nor modem lines. */
  isPseudoTerminal(): boolean;
  /** Who gets the input; null: nobody waits for any. */
  listen(listener: LineListener | null): void;
  /** Resolves when the operating system has taken all bytes, or the port is gone. */
  write(bytes: Uint8Array): Promise<LineResult>;
  /** Drops input that arrived before a question was put, reports it, and reads on. */
  purge(): Promise<void>;
  /** Until told otherwise, purges leave what the operating system has not sent yet: it is part of a job. */
  keepUnsent(keep: boolean): void;
  /** Drops what the operating system has not sent yet, and what it has received. */
  discard(): Promise<void>;
  /** Leaves a flooding device unread until the next purge. */
  stopReading(): void;
  /** Whether the cutter lets us send; null where that cannot be seen. */
  clearToSend(): Promise<boolean | null>;
  waitUntilSent(): Promise<LineResult>;
  /** After a silence: gives the port up if its path leads elsewhere by now. */
  checkIdentity(): Promise<void>;
  /** Gives the port up; it is opened again when next needed. */
  lose(detail: string): void;
  close(): Promise<void>;
}

interface Opened { port: SerialPort; identity: string; pseudo: boolean }

const portIsGone: LineResult = { ok: false, cause: 'port-lost', detail: 'the port is closed' };

export function createSerialLine(address: SerialAddress, clock: Clock, onNote: NoteListener): SerialLine {
  const { path } = address;
  let opened: Opened | null = null;
  let opening: Promise<LineResult> | null = null;
  let lastRefusal: LineResult = portIsGone;
  let cancelPause: (() => void) | null = null;
  let reopenMs = firstReopenMs;
  let listener: LineListener | null = null;
  let idle = { bytes: 0, sample: '' };
  let keepsUnsent = false;

  const drop = (port: SerialPort, detail: string): void => {
    if (opened?.port !== port) return;
    opened = null;
    onNote({ kind: 'port-lost', detail: `${path}: ${detail}.` });
    if (port.isOpen) port.close(() => undefined);
    listener?.onLost(detail);
  };

  const receive = (port: SerialPort, piece: Buffer): void => {
    if (listener !== null) {
      listener.onData(piece);
      return;
    }
    idle.bytes += piece.length;
    if (idle.sample.length < idleSampleBytes) idle.sample += latin1(piece.subarray(0, idleSampleBytes));
    if (idle.bytes > idleFloodBytes && !port.isPaused()) {
      onNote({ kind: 'input-flood', detail: `${path} sends without being asked; it is not read until the next question.` });
      port.pause();
    }
  };

  const pauseBeforeNext = (): void => {
    cancelPause?.();
    cancelPause = clock.after(reopenMs, () => { cancelPause = null; });
    reopenMs = Math.min(reopenMs * 2, lastReopenMs);
  };

  const tryOpening = async (): Promise<LineResult> => {
    const result = await openPort(address);
    if (!result.ok) {
      lastRefusal = result;
      pauseBeforeNext();
      return result;
    }
    const { port } = result;
    reopenMs = firstReopenMs;
    idle = { bytes: 0, sample: '' };
    opened = result;
    port.on('data', (piece: Buffer) => receive(port, piece));
    port.on('error', (error: Error) => drop(port, nameOf(error)));
    // The stream itself also emits this event, without an argument, when a failed write destroys it.
    port.on('close', (error?: Error | null) => drop(port, error ? `the port was lost (${nameOf(error)})` : 'the port was closed'));
    onNote({ kind: 'port-opened', detail: `${path} is open${result.pseudo ? ', a pseudo-terminal' : ` at ${address.baudRate} baud`}.` });
    return { ok: true };
  };

  const withPort = (use: (port: SerialPort, done: (error: Error | null | undefined) => void) => void): Promise<LineResult> => {
    const port = opened?.port;
    if (port?.isOpen !== true) return Promise.resolve(portIsGone);
    return new Promise((resolve) => {
      const gone = (): void => resolve(portIsGone);
      port.once('close', gone);
      use(port, (error) => {
        port.off('close', gone);
        if (error) drop(port, nameOf(error));
        resolve(error ? { ok: false, cause: 'port-lost', detail: nameOf(error) } : { ok: true });
      });
    });
  };

  const discard = async (): Promise<void> => {
    await withPort((port, done) => port.flush(done));
  };

  return {
    open() {
      if (opened !== null) return Promise.resolve({ ok: true });
      if (cancelPause !== null) return Promise.resolve(lastRefusal);
      opening ??= tryOpening().finally(() => { opening = null; });
      return opening;
    },
    isPseudoTerminal: () => opened?.pseudo === true,
    listen(next) {
      listener = next;
    },
    write: (bytes) => withPort((port, done) => port.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), done)),
    async purge() {
      // One turn of the loop lets input that is already here be seen, and reported, before the rest is dropped unseen.
      await new Promise((resolve) => setImmediate(resolve));
      // The system can only drop both ways at once (TCIOFLUSH).
      if (!keepsUnsent) await discard();
      if (idle.bytes > 0) onNote({ kind: 'stale-input-purged', detail: `${path}: ${idle.bytes} bytes had come unasked, "${printable(idle.sample)}".` });
      idle = { bytes: 0, sample: '' };
      opened?.port.resume();
    },
    keepUnsent(keep) {
      keepsUnsent = keep;
    },
    discard,
    stopReading() {
      onNote({ kind: 'input-flood', detail: `${path} sent more than any reply has; it is not read until the next question.` });
      opened?.port.pause();
    },
    clearToSend() {
      const port = opened?.port;
      if (port === undefined || !address.rtscts || opened?.pseudo === true) return Promise.resolve(null);
      return new Promise((resolve) => {
        port.get((error, lines) => resolve(error === null && lines !== undefined ? lines.cts : null));
      });
    },
    waitUntilSent: () => withPort((port, done) => port.drain(done)),
    async checkIdentity() {
      const held = opened;
      if (held === null) return;
      const now = await identify(path);
      if (now.identity !== held.identity) drop(held.port, 'the path leads to another device, or to none');
    },
    lose(detail) {
      if (opened !== null) drop(opened.port, detail);
    },
    async close() {
      cancelPause?.();
      await opening;
      const port = opened?.port;
      opened = null;
      if (port?.isOpen === true) await new Promise<void>((resolve) => port.close(() => resolve()));
    },
  };
}

function openPort(address: SerialAddress): Promise<({ ok: true } & Opened) | { ok: false; cause: LinkCause; detail: string }> {
  const { path, baudRate, dataBits, parity, stopBits, rtscts, xonxoff } = address;
  const port = new SerialPort({ path, baudRate, dataBits, parity, stopBits, rtscts, xon: xonxoff, xoff: xonxoff, lock: true, autoOpen: false });
  return new Promise((resolve) => {
    port.open((error) => {
      if (error === null) void identify(path).then((about) => resolve({ ok: true, port, ...about }));
      else resolve({ ok: false, ...explain(path, error.message) });
    });
  });
}

/** The bindings give a sentence only; its beginning is the system's own text. */
function explain(path: string, message: string): { cause: LinkCause; detail: string } {
  if (message.includes('Cannot lock port')) return { cause: 'locked', detail: `${path} is in use by another program` };
  if (message.includes('No such file') || message.includes('No such device')) return { cause: 'no-such-device', detail: `there is no device at ${path}` };
  if (message.includes('Permission denied')) return { cause: 'permission', detail: `this account may not open ${path}` };
  return { cause: 'other', detail: message };
}

/** Major numbers of the slave side of pseudo-terminals; Linux, Documentation/admin-guide/devices.txt. */
const isPtyMajor = (major: number): boolean => (major >= 136 && major <= 143) || major === 3;

async function identify(path: string): Promise<{ identity: string; pseudo: boolean }> {
  try {
    const { dev, ino, rdev } = await stat(path);
    // The kernel's 32-bit encoding of a device number: twelve bits of major above eight of minor.
    return { identity: `${dev}:${ino}:${rdev}`, pseudo: isPtyMajor((rdev >>> 8) & 0xfff) };
  } catch {
    return { identity: 'gone', pseudo: false };
  }
}
