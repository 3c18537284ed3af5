import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { createSession, type Session, type SessionOptions } from '../../src/datalink/index.ts';
import { createFakeClock, realClock } from './fake-clock.ts';
import { addressOf, answering, collectNotes, failureOf, freePort, startPeer, type Peer } from './peer.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const peerOf = async (...args: Parameters<typeof startPeer>): Promise<Peer> => {
  const peer = await startPeer(...args);
  cleanups.push(() => peer.close());
  return peer;
};
const sessionWith = (peer: Pick<Peer, 'address'>, options: Partial<SessionOptions> = {}): Session => createSession(peer.address, { clock: realClock, ...options });
/** More than the buffers of a loopback connection hold. */
const bigJob = Buffer.alloc(24 * 1024 * 1024, 'M100,100\x03');
const job = Buffer.from('TB99\x03M300,150\x03D700,150\x03M0,0\x03TB0\x03', 'latin1');

describe('a job over TCP', () => {
  it('ends when the cutter closes its side after our half-close', async () => {
    const events: string[] = [];
    const peer = await peerOf((socket) => {
      socket.on('end', () => {
        events.push('half-closed by the host');
        setImmediate(() => {
          events.push('closed by the cutter');
          socket.end();
        });
      });
    });
    const progress: number[] = [];
    const outcome = await sessionWith(peer).sendJob(job, { onProgress: (taken) => progress.push(taken) });
    events.push('reported');
    assert.deepEqual(outcome, { ok: true, ended: 'peer-closed', bytes: job.length });
    assert.deepEqual(events, ['half-closed by the host', 'closed by the cutter', 'reported']);
    assert.deepEqual(peer.received, [job]);
    assert.deepEqual(progress, [job.length]);
  });

  it('is not taken as sent by a cutter that says it serves another connection', async () => {
    const peer = await peerOf((socket) => {
      socket.end('Already connected\x03');
    });
    const failure = failureOf(await sessionWith(peer).sendJob(job));
    assert.ok(failure.code === 'STREAM_INTERRUPTED' || failure.code === 'STREAM_OUTCOME_UNKNOWN', failure.code);
  });

  it('is taken as sent 30 s after our half-close, and the connection is closed', async () => {
    const ended: Promise<unknown>[] = [];
    const peer = await peerOf((socket) => ended.push(once(socket, 'end')));
    const clock = createFakeClock();
    const session = sessionWith(peer, { clock });
    const outcome = session.sendJob(job);
    await clock.timerOf(30_000);
    clock.advance(29_999);
    await Promise.all(ended);
    assert.ok(clock.pendingDelays().includes(30_000));
    clock.advance(1);
    assert.deepEqual(await outcome, { ok: true, ended: 'linger-expired', bytes: job.length });
    await session.close();
    assert.deepEqual(peer.received, [job]);
  });

  it('arrives byte for byte, whatever it holds and however the cutter reads', async () => {
    await fc.assert(fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 60_000, size: 'max' }),
      fc.integer({ min: 1, max: 20_000 }),
      async (bytes, readSize) => {
        const peer = await startPeer((socket) => {
          socket.removeAllListeners('data');
          const parts: Buffer[] = [];
          socket.on('readable', () => {
            for (;;) {
              const part: unknown = socket.read(Math.min(readSize, socket.readableLength));
              if (!Buffer.isBuffer(part)) break;
              parts.push(part);
            }
          });
          socket.on('end', () => {
            peer.received[0] = Buffer.concat(parts);
            socket.end();
          });
        });
        try {
          assert.deepEqual(await sessionWith(peer).sendJob(bytes), { ok: true, ended: 'peer-closed', bytes: bytes.length });
          assert.ok(Buffer.from(bytes).equals(peer.received[0] ?? Buffer.alloc(0)));
        } finally {
          await peer.close();
        }
      },
    ), { numRuns: 25 });
  });

  it('is begun once the connection can be made, within the budget of waits', async () => {
    const port = await freePort();
    const clock = createFakeClock();
    const { kinds, onNote } = collectNotes();
    const outcome = sessionWith({ address: addressOf(`127.0.0.1:${port}`) }, { clock, onNote }).sendJob(job);
    await clock.timerOf(50);
    const received: Buffer[] = [];
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('data', (piece: Buffer) => received.push(piece));
      socket.on('end', () => socket.end());
    }).listen(port, '127.0.0.1');
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    await once(server, 'listening');
    clock.advance(50);
    assert.deepEqual(await outcome, { ok: true, ended: 'peer-closed', bytes: job.length });
    assert.ok(Buffer.concat(received).equals(job));
    assert.deepEqual(kinds(), ['retrying']);
  });

  it('that never found a connection was not started', async () => {
    const session = sessionWith({ address: addressOf(`127.0.0.1:${await freePort()}`) }, { sendRetryTotalMs: 40, sendRetryIntervalMs: 10 });
    const failure = failureOf(await session.sendJob(job));
    assert.equal(failure.code, 'STREAM_NOT_STARTED');
  });

  it('without bytes is refused', async () => {
    const session = sessionWith({ address: addressOf('127.0.0.1:9') });
    assert.equal(failureOf(await session.sendJob(new Uint8Array())).code, 'EMPTY_JOB');
  });
});

describe('a job stream that breaks', () => {
  const interruptions: [string, (socket: net.Socket) => void][] = [
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['a close of the cutter', (socket) => socket.destroy()],
    ['a half-close of the cutter', (socket) => socket.end()],
  ];
  for (const [name, interrupt] of interruptions) {
    it(`by ${name} is interrupted, says how much was offered, and is never sent again`, async () => {
      const peer = await peerOf((socket) => {
        socket.removeAllListeners('data');
        socket.once('data', () => {
          socket.pause();
          interrupt(socket);
        });
      });
      const session = sessionWith(peer, { sendRetryIntervalMs: 1 });
      const failure = failureOf(await session.sendJob(bigJob));
      assert.equal(failure.code, 'STREAM_INTERRUPTED');
      assert.ok('offeredBytes' in failure && failure.offeredBytes > 0 && failure.offeredBytes < bigJob.length);
      await session.close();
      assert.equal(peer.connections, 1);
    });
  }

  it('by a signal is reset at once: nothing more leaves this machine', async () => {
    const controller = new AbortController();
    const peer = await peerOf((socket) => {
      socket.removeAllListeners('data');
      socket.pause();
    });
    const session = sessionWith(peer);
    const outcome = session.sendJob(bigJob, {
      signal: controller.signal,
      onProgress: (taken) => {
        if (taken >= 65_536) controller.abort();
      },
    });
    const failure = failureOf(await outcome);
    assert.equal(failure.code, 'STREAM_INTERRUPTED');
    assert.equal('cause' in failure ? failure.cause : '', 'aborted');
    await session.close();
    assert.equal(peer.connections, 1);
  });

  it('before its first byte, by a signal, was not started and connects no more', async () => {
    const controller = new AbortController();
    controller.abort();
    const peer = await peerOf(() => undefined);
    const session = sessionWith(peer);
    assert.equal(failureOf(await session.sendJob(job, { signal: controller.signal })).code, 'STREAM_NOT_STARTED');
    await session.close();
    assert.equal(Buffer.concat(peer.received).length, 0);
  });

  it('by a reset after everything was written has an unknown outcome', async () => {
    const peer = await peerOf((socket) => socket.on('end', () => socket.resetAndDestroy()));
    const failure = failureOf(await sessionWith(peer).sendJob(job));
    assert.equal(failure.code, 'STREAM_OUTCOME_UNKNOWN');
    assert.equal(peer.connections, 1);
  });

  it('by standing still is noted after 60 s, and has an unknown outcome after 15 min, the connection closed, nothing restarted', async () => {
    const sockets: net.Socket[] = [];
    const peer = await peerOf((socket) => {
      sockets.push(socket);
      socket.removeAllListeners('data');
      socket.pause();
    });
    const clock = createFakeClock();
    const { notes, onNote } = collectNotes();
    const session = sessionWith(peer, { clock, onNote });
    let taken = 0;
    const outcome = session.sendJob(bigJob, { onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    clock.advance(59_999);
    assert.equal(notes.length, 0);
    clock.advance(1);
    assert.deepEqual(notes.map((note) => note.kind), ['stream-stalled']);
    clock.advance(15 * 60_000 - 60_001);
    assert.deepEqual(notes.map((note) => note.kind), ['stream-stalled'], 'one note for one stall');
    clock.advance(1);
    const failure = failureOf(await outcome);
    assert.equal(failure.code, 'STREAM_OUTCOME_UNKNOWN');
    await session.close();
    const [socket] = sockets;
    assert.ok(socket);
    let arrived = 0;
    socket.on('data', (piece: Buffer) => { arrived += piece.length; });
    const ended = Promise.race([once(socket, 'end'), once(socket, 'error')]);
    socket.resume();
    await ended;
    assert.ok(arrived < taken, 'what this machine had not sent yet is not sent later');
    assert.equal(peer.connections, 1);
  });

  it('but goes on after a stall is finished, byte for byte', async () => {
    const sockets: net.Socket[] = [];
    const peer = await peerOf((socket) => {
      sockets.push(socket);
      socket.removeAllListeners('data');
      socket.pause();
      socket.on('end', () => socket.end());
    });
    const clock = createFakeClock();
    const { kinds, onNote } = collectNotes();
    let taken = 0;
    const outcome = sessionWith(peer, { clock, onNote }).sendJob(bigJob, { onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    clock.advance(14 * 60_000);
    let arrived = 0;
    sockets[0]?.on('data', (piece: Buffer) => { arrived += piece.length; });
    sockets[0]?.resume();
    assert.deepEqual(await outcome, { ok: true, ended: 'peer-closed', bytes: bigJob.length });
    assert.equal(arrived, bigJob.length);
    assert.deepEqual(kinds(), ['stream-stalled', 'stream-resumed']);
  });

  it('that the kernel holds to its last byte still waits for the cutter, beyond 30 s, with a note after 60 s', async () => {
    const sockets: net.Socket[] = [];
    const peer = await peerOf((socket) => {
      sockets.push(socket);
      socket.removeAllListeners('data');
      socket.pause();
      socket.on('end', () => socket.end());
    });
    // The whole job leaves this process before the cutter's window is full, if it is but little larger than that window.
    const held = Buffer.alloc(200_000, 'M100,100\x03');
    const clock = createFakeClock();
    const { kinds, onNote } = collectNotes();
    const outcome = sessionWith(peer, { clock, onNote }).sendJob(held);
    await clock.timerOf(30_000);
    clock.advance(30_000);
    await clock.timerOf(1000);
    clock.advance(30_000);
    assert.deepEqual(kinds(), ['stream-stalled']);
    let arrived = 0;
    sockets[0]?.on('data', (piece: Buffer) => { arrived += piece.length; });
    sockets[0]?.resume();
    assert.deepEqual(await outcome, { ok: true, ended: 'peer-closed', bytes: held.length });
    assert.equal(arrived, held.length);
  });

  it('does not stand still for a cutter that reads slowly, even while the kernel has no room for more', async () => {
    const sockets: net.Socket[] = [];
    const peer = await peerOf((socket) => {
      sockets.push(socket);
      socket.removeAllListeners('data');
      socket.pause();
    });
    const clock = createFakeClock();
    const { kinds, onNote } = collectNotes();
    const controller = new AbortController();
    let taken = 0;
    const outcome = sessionWith(peer, { clock, onNote }).sendJob(bigJob, { signal: controller.signal, onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    const [socket] = sockets;
    assert.ok(socket);
    const nextProbe = async (): Promise<void> => {
      clock.advance(20_000);
      await clock.timerOf(20_000);
    };
    await nextProbe();
    for (let read = 0; read < 2_000_000;) {
      const piece: unknown = socket.read();
      if (Buffer.isBuffer(piece)) read += piece.length;
      else await new Promise(setImmediate);
    }
    // 60 s since the beginning, 40 s since the cutter read: whether the progress was seen in the queue or as a chunk
    // taken, there is nothing to note.
    await nextProbe();
    await nextProbe();
    assert.deepEqual(kinds(), []);
    controller.abort();
    assert.equal(failureOf(await outcome).code, 'STREAM_INTERRUPTED');
  });

  it('does not keep the job in the socket', async () => {
    const peer = await peerOf((socket) => {
      socket.removeAllListeners('data');
      socket.pause();
    });
    const controller = new AbortController();
    let taken = 0;
    const before = process.memoryUsage().arrayBuffers;
    const outcome = sessionWith(peer).sendJob(bigJob, { signal: controller.signal, onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    assert.ok(process.memoryUsage().arrayBuffers - before < 2 * 1024 * 1024);
    controller.abort();
    const failure = failureOf(await outcome);
    assert.ok('offeredBytes' in failure && failure.offeredBytes - taken <= 8192);
  });
});

describe('a question behind a job stream', () => {
  it('is told that the link is busy, or waits for its turn, as its caller chooses', async () => {
    const sockets: net.Socket[] = [];
    const peer = await peerOf((socket, index) => {
      if (index > 0) {
        answering('5\x03')(socket, 0);
        return;
      }
      sockets.push(socket);
      socket.removeAllListeners('data');
      socket.pause();
      socket.on('end', () => socket.end());
    });
    const session = sessionWith(peer);
    let taken = 0;
    const sending = session.sendJob(bigJob, { onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    assert.ok(session.isStreaming());
    assert.equal(failureOf(await session.status({ busy: 'refuse' })).code, 'LINK_BUSY');
    assert.equal(failureOf(await session.model({ busy: 'refuse' })).code, 'LINK_BUSY');
    assert.equal(failureOf(await session.sendJob(job, { busy: 'refuse' })).code, 'LINK_BUSY');
    const waiting = session.status();
    sockets[0]?.resume();
    assert.ok((await sending).ok);
    assert.deepEqual(await waiting, { ok: true, status: 5 });
    assert.ok(!session.isStreaming());
    assert.equal(peer.connections, 2);
  });
});

/** Resolves when a counter has begun to move and has stopped: the buffers between the two ends are full. */
async function standingStill(read: () => number): Promise<void> {
  let last = -1;
  let same = 0;
  while (same < 200 || last <= 0) {
    await new Promise(setImmediate);
    same = read() === last ? same + 1 : 0;
    last = read();
  }
}
