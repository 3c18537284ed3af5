import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { createSession, type Session, type SessionOptions } from '../../src/datalink/index.ts';
import { createFakeClock, realClock } from './fake-clock.ts';
import { addressOf, answering, collectNotes, failureOf, freePort, portOf, startPeer, type Peer } from './peer.ts';

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

describe('a question over TCP', () => {
  it('makes a fresh connection for each command and sends exactly its bytes', async () => {
    const peer = await peerOf(answering('0\x03', 'A0200ROLL\x03', '0\x03', '1\x03', '0\x03', '0\x03', 'FC9000-140, V1.39\x03', '    1\x03', '    0\r\n\x03'));
    const session = sessionWith(peer);
    assert.deepEqual(await session.status(), { ok: true, status: 0 });
    assert.deepEqual(await session.linkInfo(), { ok: true, linkInfo: 'A0200ROLL' });
    assert.deepEqual(await session.offerJobs(['A', 'B']), { ok: true, result: 0 });
    assert.deepEqual(await session.selectedIndex(), { ok: true, index: 1 });
    assert.deepEqual(await session.setVector({ fx: 60, fy: 400, rx: 0, ry: 0 }), { ok: true, result: 0 });
    assert.deepEqual(await session.setCommandType(0), { ok: true, result: 0 });
    assert.deepEqual(await session.model(), { ok: true, model: 'FC9000-140', firmware: '1.39' });
    assert.deepEqual(await session.stepSizeMm(), { ok: true, stepSizeMm: 0.1 });
    assert.deepEqual(await session.commandSetting(), { ok: true, commandSetting: 'GP-GL' });
    assert.deepEqual(peer.received.map((bytes) => bytes.toString('latin1')), [
      '\x1b.d1:', '\x1b.d2:', '\x1b.d3\x02A\x1eB\x03', '\x1b.d4:', '\x1b.d5;0;60;400;0;0:', '\x1b.d6;0:', '\x1b.C31;9:', '\x1b.C31;16:', '\x1b.C31;24:',
    ]);
    await session.close();
  });

  it('reads a reply that comes byte by byte, and tells a pushed frame from it', async () => {
    const peer = await peerOf((socket) => {
      socket.setNoDelay(true);
      socket.once('data', () => {
        const bytes = [...Buffer.from('1,254\r    4\r\n\x03', 'latin1')];
        const next = (): void => {
          const byte = bytes.shift();
          if (byte !== undefined) socket.write(Buffer.from([byte]), () => setImmediate(next));
        };
        next();
      });
      socket.on('end', () => socket.end());
    });
    const { notes, onNote } = collectNotes();
    assert.deepEqual(await sessionWith(peer, { onNote }).status(), { ok: true, status: 4 });
    assert.deepEqual(notes.map((note) => note.kind), ['unsolicited-frame']);
    assert.match(notes[0]?.detail ?? '', /1,254/);
  });

  it('reports what follows a reply, and does not mix it into the next', async () => {
    const peer = await peerOf(answering('4\x039\x03noise', '5\x03'));
    const { kinds, onNote } = collectNotes();
    const session = sessionWith(peer, { onNote });
    assert.deepEqual(await session.status(), { ok: true, status: 4 });
    assert.deepEqual(await session.status(), { ok: true, status: 5 });
    assert.deepEqual(kinds(), ['unexpected-input']);
  });

  it('gives an empty link info and an empty selection as null', async () => {
    const peer = await peerOf(answering('\x03'));
    const session = sessionWith(peer);
    assert.deepEqual(await session.linkInfo(), { ok: true, linkInfo: null });
    assert.deepEqual(await session.selectedIndex(), { ok: true, index: null });
  });

  it('gives a negative result as a rejection with its number, and a negative status as a status', async () => {
    const peer = await peerOf(answering('-3\x03'));
    const session = sessionWith(peer);
    for (const failure of [failureOf(await session.offerJobs([])), failureOf(await session.selectedIndex()), failureOf(await session.setCommandType(0))]) {
      assert.equal(failure.code, 'REJECTED');
      assert.equal('result' in failure ? failure.result : null, -3);
    }
    assert.deepEqual(await session.status(), { ok: true, status: -3 });
    assert.equal(peer.connections, 4, 'a rejection is not retried');
  });

  it('refuses bad job names and a bad vector before anything is sent', async () => {
    const peer = await peerOf(answering('0\x03'));
    const session = sessionWith(peer);
    assert.equal(failureOf(await session.offerJobs(['ü'])).code, 'INVALID_JOB_NAME');
    assert.equal(failureOf(await session.offerJobs(Array.from({ length: 9 }, () => 'a'))).code, 'TOO_MANY_JOBS');
    assert.equal(failureOf(await session.setVector({ fx: 0.5, fy: 0, rx: 0, ry: 0 })).code, 'INVALID_VECTOR');
    assert.equal(peer.connections, 0);
  });

  it('calls a reply without ETX truncated, never empty, whether the cutter closes or falls silent', async () => {
    const closing = await peerOf((socket) => socket.once('data', () => socket.end('A0200')));
    const failure = failureOf(await sessionWith(closing).linkInfo());
    assert.equal(failure.code, 'REPLY_TRUNCATED');
    assert.equal('received' in failure ? failure.received : '', 'A0200');
    assert.equal(closing.connections, 1, 'a truncated reply is not retried');

    const silent = await peerOf((socket) => socket.once('data', () => socket.write('A02')));
    assert.equal(failureOf(await sessionWith(silent, { timeoutMs: 60 }).linkInfo()).code, 'REPLY_TRUNCATED');
  });

  it('gives up on a silent cutter after the time for its command, and does not retry', async () => {
    const peer = await peerOf(() => undefined);
    const clock = createFakeClock();
    const session = sessionWith(peer, { clock });
    for (const [ask, limitMs] of [[() => session.status(), 3000], [() => session.linkInfo(), 5000]] as const) {
      const before = peer.connections;
      const answer = ask();
      await clock.timerOf(limitMs);
      while ((peer.received[before]?.length ?? 0) === 0) await new Promise(setImmediate);
      clock.advance(limitMs - 1);
      assert.ok(clock.pendingDelays().includes(limitMs));
      clock.advance(1);
      assert.equal(failureOf(await answer).code, 'REPLY_TIMEOUT');
      assert.equal(peer.connections, before + 1);
    }
  });

  it('calls a reply of the wrong shape malformed', async () => {
    const peer = await peerOf(answering('hello\x03'));
    assert.equal(failureOf(await sessionWith(peer).status()).code, 'REPLY_MALFORMED');
    assert.equal(peer.connections, 1);
  });

  it('cuts off a cutter that floods, without keeping what it sends', async () => {
    let sent = 0;
    const peer = await peerOf((socket) => {
      const pour = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 0x30))) sent += 65_536;
      };
      socket.once('data', pour);
      socket.on('drain', pour);
    });
    const session = sessionWith(peer);
    const failure = failureOf(await session.status());
    assert.equal(failure.code, 'REPLY_MALFORMED');
    assert.equal('received' in failure ? failure.received.length : 0, 512);
    await session.close();
    assert.ok(sent < 64 * 1024 * 1024);
  });

  it('leaves a session usable that floods after a good reply', async () => {
    const peer = await peerOf((socket) => {
      const pour = (): void => { while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 0x30))); };
      socket.once('data', () => {
        socket.write('5\x03');
        pour();
      });
      socket.on('drain', pour);
    });
    const session = sessionWith(peer);
    assert.deepEqual(await session.status(), { ok: true, status: 5 });
    assert.deepEqual(await session.status(), { ok: true, status: 5 });
  });
});

describe('a cutter that cannot be reached', () => {
  it('is asked d1 once only', async () => {
    const { kinds, onNote } = collectNotes();
    const session = sessionWith({ address: addressOf(`127.0.0.1:${await freePort()}`) }, { onNote });
    const failure = failureOf(await session.status());
    assert.equal(failure.code, 'LINK_UNREACHABLE');
    assert.equal('cause' in failure ? failure.cause : '', 'refused');
    assert.deepEqual(kinds(), []);
  });

  it('is tried every 50 ms until the waits add up to 3000 ms', async () => {
    const clock = createFakeClock();
    const session = sessionWith({ address: addressOf(`127.0.0.1:${await freePort()}`) }, { clock });
    let waits = 0;
    let over = false;
    const answer = session.linkInfo().finally(() => { over = true; });
    while (!over) {
      await Promise.race([clock.timerOf(50), answer]);
      if (clock.pendingDelays().includes(50)) {
        clock.advance(50);
        waits += 1;
      }
      await new Promise(setImmediate);
    }
    assert.equal(failureOf(await answer).code, 'LINK_UNREACHABLE');
    assert.equal(waits, 60);
  });

  it('is found when it comes back within the budget', async () => {
    const port = await freePort();
    const clock = createFakeClock();
    const session = sessionWith({ address: addressOf(`127.0.0.1:${port}`) }, { clock });
    const answer = session.setCommandType(0);
    await clock.timerOf(50);
    const server = net.createServer(answeringOnce).listen(port, '127.0.0.1');
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    await once(server, 'listening');
    clock.advance(50);
    assert.deepEqual(await answer, { ok: true, result: 0 });
  });

  it('whose name is unknown says so', async () => {
    const session = sessionWith({ address: addressOf('no-such-cutter.invalid') });
    const failure = failureOf(await session.status());
    assert.equal(failure.code, 'LINK_UNREACHABLE');
    assert.match('cause' in failure ? failure.cause : '', /host-unknown|timeout/);
  });
});

const answeringOnce = (socket: net.Socket): void => {
  socket.once('data', () => socket.write('0\x03'));
};

describe('a connection that ends before a reply byte', () => {
  const resetOnce = (socket: net.Socket, index: number): void => {
    if (index === 0) socket.once('data', () => socket.resetAndDestroy());
    else answering('0\x03')(socket, index);
  };

  it('is tried again for the questions that change nothing', async () => {
    for (const ask of [(s: Session) => s.offerJobs(['A']), (s: Session) => s.selectedIndex(), (s: Session) => s.commandSetting()]) {
      const peer = await peerOf(resetOnce);
      assert.ok((await ask(sessionWith(peer, { sendRetryIntervalMs: 1 }))).ok);
      assert.equal(peer.connections, 2);
    }
  });

  it('is never tried again for d5 and d6, whose bytes may have arrived', async () => {
    for (const ask of [(s: Session) => s.setVector({ fx: 60, fy: 400, rx: 0, ry: 0 }), (s: Session) => s.setCommandType(0)]) {
      for (const end of [(socket: net.Socket) => socket.resetAndDestroy(), (socket: net.Socket) => socket.end()]) {
        const peer = await peerOf((socket) => socket.once('data', () => end(socket)));
        assert.equal(failureOf(await ask(sessionWith(peer, { sendRetryIntervalMs: 1 }))).code, 'LINK_LOST');
        assert.equal(peer.connections, 1);
      }
    }
  });

  it('is not tried again for d1', async () => {
    const peer = await peerOf(resetOnce);
    assert.equal(failureOf(await sessionWith(peer).status()).code, 'LINK_LOST');
    assert.equal(peer.connections, 1);
  });

  it('in words, "Already connected", is recognised as another server', async () => {
    const peer = await peerOf((socket) => socket.once('data', () => socket.end('Already connected')));
    const { kinds, onNote } = collectNotes();
    const failure = failureOf(await sessionWith(peer, { onNote }).status());
    assert.equal(failure.code, 'LINK_LOST');
    assert.equal('cause' in failure ? failure.cause : '', 'already-connected');
    assert.deepEqual(kinds(), ['refused-by-cutter']);
  });
});

describe('one transaction at a time', () => {
  it('waits until the connection before is closed on both sides, so that a cutter with one connection never refuses', async () => {
    let open = 0;
    let most = 0;
    const order: string[] = [];
    const peer = await peerOf((socket) => {
      open += 1;
      most = Math.max(most, open);
      if (open > 1) socket.resetAndDestroy();
      socket.once('data', (piece: Buffer) => {
        order.push(piece.toString('latin1').slice(2, 4));
        socket.write('0\x03');
      });
      // This cutter notices our close late.
      socket.on('end', () => setTimeout(() => socket.end(), 15));
      socket.on('close', () => { open -= 1; });
    });
    const session = sessionWith(peer);
    const answers = await Promise.all([session.status(), session.selectedIndex(), session.setCommandType(1), session.status(), session.offerJobs([])]);
    assert.ok(answers.every((answer) => answer.ok));
    assert.equal(most, 1);
    assert.deepEqual(order, ['d1', 'd4', 'd6', 'd1', 'd3']);
  });

  it('does not wait for ever for a cutter that never closes its side', async () => {
    const peer = await peerOf((socket) => socket.once('data', () => socket.write('0\x03')));
    const clock = createFakeClock();
    const session = sessionWith(peer, { clock });
    assert.ok((await session.status()).ok, 'the answer itself does not wait');
    const second = session.status();
    await clock.timerOf(500);
    assert.equal(peer.connections, 1);
    clock.advance(500);
    assert.ok((await second).ok);
  });

  it('closing lets the running question finish and refuses those behind it', async () => {
    const peer = await peerOf(answering('0\x03'));
    const session = sessionWith(peer);
    const first = session.status();
    const second = session.status();
    await new Promise(setImmediate);
    await session.close();
    assert.ok((await first).ok);
    assert.equal(failureOf(await second).code, 'SESSION_CLOSED');
    assert.equal(failureOf(await session.status()).code, 'SESSION_CLOSED');
    await session.close();
  });

  it('a refused second connection on a busy cutter is repeated until the first is gone', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      if (busy) socket.resetAndDestroy();
      else answering('0\x03')(socket, 0);
    }).listen(0, '127.0.0.1');
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    await once(server, 'listening');
    let busy = true;
    let refusals = 0;
    server.on('connection', () => {
      refusals += 1;
      if (refusals === 3) busy = false;
    });
    const session = sessionWith({ address: addressOf(`127.0.0.1:${portOf(server)}`) }, { sendRetryIntervalMs: 5 });
    assert.deepEqual(await session.offerJobs(['A']), { ok: true, result: 0 });
    assert.ok(refusals >= 4);
  });
});
