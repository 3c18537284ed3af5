import assert from 'node:assert/strict';
import net from 'node:net';
import { parseCutterAddress, type CutterAddress, type Note } from '../../src/datalink/index.ts';

export interface Peer {
  address: CutterAddress;
  port: number;
  connections: number;
  /** What each connection received, in order. */
  received: Buffer[];
  close(): Promise<void>;
}

/** A scripted TCP cutter: `serve` gets each connection, numbered from 0. Errors of its own sockets are part of the play. */
export async function startPeer(serve: (socket: net.Socket, index: number) => void): Promise<Peer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const index = peer.connections;
    peer.connections += 1;
    peer.received.push(Buffer.alloc(0));
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece: Buffer) => {
      peer.received[index] = Buffer.concat([peer.received[index] ?? Buffer.alloc(0), piece]);
    });
    serve(socket, index);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  const peer: Peer = {
    address: addressOf(`tcp://127.0.0.1:${port}`),
    port,
    connections: 0,
    received: [],
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    }),
  };
  return peer;
}

export function portOf(server: net.Server): number {
  const bound = server.address();
  assert.ok(typeof bound === 'object' && bound !== null);
  return bound.port;
}

export function addressOf(text: string): CutterAddress {
  const parsed = parseCutterAddress(text);
  assert.ok(parsed.ok, text);
  return parsed.address;
}

/** Answers every command with the next of `replies` (the last one again and again), and closes when the host has. */
export function answering(...replies: (string | Buffer)[]): (socket: net.Socket, index: number) => void {
  return (socket, index) => {
    socket.once('data', () => socket.write(replies[Math.min(index, replies.length - 1)] ?? ''));
    socket.on('end', () => socket.end());
  };
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function collectNotes(): { notes: Note[]; onNote: (note: Note) => void; kinds: () => string[] } {
  const notes: Note[] = [];
  return { notes, onNote: (note) => notes.push(note), kinds: () => notes.map((note) => note.kind) };
}

export function failureOf<F>(outcome: { ok: true } | { ok: false; failure: F }): F {
  assert.ok(!outcome.ok, `expected a failure, got ${JSON.stringify(outcome)}`);
  return outcome.failure;
}
