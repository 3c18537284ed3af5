import assert from 'node:assert/strict';
import { spawn } from '@lydell/node-pty';
import { addressOf } from './peer.ts';
import type { CutterAddress } from '../../src/datalink/index.ts';

export interface Pty {
  path: string;
  address(query?: string): CutterAddress;
  /** Everything the controller has written. */
  received(): Buffer;
  /** Resolves when `enough` holds of what was received. */
  until(enough: (received: Buffer) => boolean): Promise<Buffer>;
  onData(listener: (piece: Buffer) => void): void;
  send(text: string): void;
  pause(): void;
  resume(): void;
  /** The cutter's side disappears. */
  vanish(): Promise<void>;
}

/** A raw pseudo-terminal. A child process holds the slave side open and reads nothing; this process plays the cutter on the master. */
export async function openPty(): Promise<Pty> {
  const terminal = spawn('/bin/sh', ['-c', 'stty raw -echo; tty; exec sleep 600'], { encoding: null, name: 'dumb' });
  let received = Buffer.alloc(0);
  let watchers: { enough: (received: Buffer) => boolean; resolve: (received: Buffer) => void }[] = [];
  const listeners: ((piece: Buffer) => void)[] = [];
  terminal.onData((data: string | Buffer) => {
    const piece = Buffer.from(data);
    received = Buffer.concat([received, piece]);
    for (const listener of listeners) listener(piece);
    for (const watcher of watchers.filter((one) => one.enough(received))) {
      watchers = watchers.filter((one) => one !== watcher);
      watcher.resolve(received);
    }
  });
  const gone = new Promise<void>((resolve) => {
    terminal.onExit(() => resolve());
  });
  const until: Pty['until'] = (enough) => (enough(received) ? Promise.resolve(received) : new Promise((resolve) => watchers.push({ enough, resolve })));
  const path = (await until((bytes) => bytes.includes('\n'))).toString('latin1').trim();
  assert.match(path, /^\/dev\/pts\/\d+$/);
  received = Buffer.alloc(0);
  return {
    path,
    address: (query = '') => addressOf(`serial://${path}${query}`),
    received: () => received,
    until,
    onData: (listener) => listeners.push(listener),
    send: (text) => terminal.write(text),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    async vanish() {
      terminal.kill('SIGKILL');
      await gone;
    },
  };
}
