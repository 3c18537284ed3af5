import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, lstatSync, openSync, readSync, readlinkSync, symlinkSync, unlinkSync, writeSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import * as nodePty from '@lydell/node-pty';
import { done, refused, type Outcome } from './failure.ts';
import { Link } from './link.ts';
import type { LinkParts } from './tcp.ts';

declare module '@lydell/node-pty' {
  /** A bare pair without a child process; the package exports it, but its types do not say so. */
  function open(options: { readonly encoding: null }): {
    readonly master: Duplex;
    readonly slave: Duplex;
    readonly fd: number;
    readonly ptsName: string;
  };
}

// The serial line as a pseudo-terminal. The slave stays open here, so that the master lives on while clients come and go,
// and with it the raw mode: no echo, no translation of CR and LF. Reading and writing the master is non-blocking.
// Hole: a pty has no modem lines, so RTS/CTS is a full kernel buffer (some 4 to 12 kB), and DTR is not seen.

/** One start bit, eight data bits, one stop bit. */
const BITS_PER_BYTE = 10;
const TURN_MS = 20;
/** A turn that comes late makes up for this much at most. */
const LATE_TURN_MS = 200;

export interface PtyOptions {
  readonly path: string;
  /** Paces reading as the line would carry it. Undefined: as fast as the pty gives. */
  readonly baudRate: number | undefined;
}

type Pair = ReturnType<typeof nodePty.open>;

export class PtyPort {
  readonly #options: PtyOptions;
  readonly #parts: LinkParts;
  #pair: Pair | undefined;
  #slaveFd: number | undefined;
  #link: Link | undefined;
  #cancelTurn: (() => void) | undefined;
  #linked = false;
  #allowance = 0;
  #lastTurnMs = 0;

  constructor(options: PtyOptions, parts: LinkParts) {
    this.#options = options;
    this.#parts = parts;
  }

  get devicePath(): string {
    return this.#pair?.ptsName ?? '';
  }

  get path(): string {
    return this.#options.path;
  }

  async start(): Promise<Outcome<string>> {
    const { path } = this.#options;
    const inTheWay = replaceableLink(path);
    if (inTheWay !== undefined) return refused('PTY_UNAVAILABLE', inTheWay);
    const pair = nodePty.open({ encoding: null });
    this.#pair = pair;
    pair.master.on('error', (error: Error) => this.#parts.log.add('info', 'pty', `master: ${error.message}`));
    pair.slave.on('error', () => { /* closed below, never read */ });
    this.#slaveFd = openSync(pair.ptsName, constants.O_RDWR | constants.O_NOCTTY);
    pair.slave.destroy();
    const failure = await makeRaw(pair.ptsName);
    if (failure !== undefined) return refused('PTY_UNAVAILABLE', `cannot make ${pair.ptsName} raw: ${failure}`);
    await this.#read(pair);
    try {
      symlinkSync(pair.ptsName, path);
    } catch (error) {
      return refused('PTY_UNAVAILABLE', `cannot link ${path} to ${pair.ptsName}: ${messageOf(error)}`);
    }
    this.#linked = true;
    return done(pair.ptsName);
  }

  stop(): void {
    this.removeLink();
    this.#cancelTurn?.();
    this.#link?.close('stopped');
    this.#pair?.master.destroy();
    if (this.#slaveFd !== undefined) closeSync(this.#slaveFd);
    this.#slaveFd = undefined;
  }

  /** Synchronous, for the last moment of a process. A link that points elsewhere by now is somebody else's. */
  removeLink(): void {
    if (!this.#linked) return;
    this.#linked = false;
    try {
      if (readlinkSync(this.#options.path) === this.devicePath) unlinkSync(this.#options.path);
    } catch {
      // Already gone.
    }
  }

  /** Done when bytes of a client will be heard: before that, nobody may find the line. */
  async #read(pair: Pair): Promise<void> {
    const { baudRate } = this.#options;
    const paced = baudRate !== undefined;
    const link = new Link({
      ...this.#parts,
      kind: 'pty',
      port: {
        write: (bytes) => this.#write(pair, bytes),
        drop: () => { /* the link loses the rest of the stream by itself */ },
        pause: () => { if (!paced) pair.master.pause(); },
        resume: () => { if (!paced && pair.master.isPaused()) pair.master.resume(); },
      },
      onFinished: () => { /* a serial line has no end */ },
    });
    this.#link = link;
    if (baudRate === undefined) {
      pair.master.on('data', (bytes: Buffer) => link.push(bytes));
      return;
    }
    // Paced: the stream must not read ahead. A byte of our own fills its buffer of size 0, and it stops for good;
    // a client's byte that came with it would be lost there.
    pair.master.pause();
    if (this.#slaveFd !== undefined) writeSync(this.#slaveFd, Buffer.from([0]));
    await once(pair.master, 'readable');
    this.#lastTurnMs = this.#parts.clock.now();
    this.#turn(pair, link, baudRate / BITS_PER_BYTE);
  }

  /** Every 20 ms as many bytes as the line would have carried since the last time; a line that was idle saves nothing up. */
  #turn(pair: Pair, link: Link, bytesPerSecond: number): void {
    const now = this.#parts.clock.now();
    const passedMs = Math.min(now - this.#lastTurnMs, LATE_TURN_MS);
    this.#lastTurnMs = now;
    this.#allowance = link.held ? 0 : this.#allowance + (bytesPerSecond * passedMs) / 1000;
    const size = Math.floor(this.#allowance);
    if (size > 0) {
      const buffer = Buffer.alloc(size);
      const count = readNow(pair.fd, buffer);
      this.#allowance = count < size ? 0 : this.#allowance - count;
      if (count > 0) link.push(buffer.subarray(0, count));
    }
    this.#cancelTurn = this.#parts.clock.after(TURN_MS, () => this.#turn(pair, link, bytesPerSecond));
  }

  /** When nobody reads the line, its buffer fills and replies are lost, as on a line without handshake. */
  #write(pair: Pair, bytes: Buffer): void {
    try {
      const count = writeSync(pair.fd, bytes);
      if (count < bytes.length) this.#parts.log.add('info', 'pty', `${bytes.length - count} bytes of a reply were lost: nobody reads`);
    } catch (error) {
      this.#parts.log.add('info', 'pty', `a reply was lost: ${messageOf(error)}`);
    }
  }
}

function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch {
    return 0; // EAGAIN: nothing there
  }
}

function makeRaw(device: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('stty', ['-F', device, 'raw', '-echo', '-hupcl', 'clocal'], (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr.trim() || error.message);
    });
  });
}

/** Removes an old symbolic link. Answers a sentence when something else stands at the path. */
function replaceableLink(path: string): string | undefined {
  try {
    if (!lstatSync(path).isSymbolicLink()) return `${path} exists and is not a symbolic link`;
    unlinkSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return `cannot replace ${path}: ${messageOf(error)}`;
  }
  return undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
