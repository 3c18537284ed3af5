import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { createSession, type CutterAddress, type Session, type SessionOptions } from '../../src/datalink/index.ts';
import { createFakeClock, realClock } from './fake-clock.ts';
import { addressOf, collectNotes, failureOf } from './peer.ts';
import { openPty, type Pty } from './pty.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ptyOf = async (): Promise<Pty> => {
  const pty = await openPty();
  cleanups.push(() => pty.vanish());
  return pty;
};
const sessionWith = (address: CutterAddress, options: Partial<SessionOptions> = {}): Session => {
  const session = createSession(address, { clock: realClock, ...options });
  cleanups.push(() => session.close());
  return session;
};
/** Answers each complete frame `ESC . … :` (or d3 … ETX) by a function of its text. */
function answerFrames(pty: Pty, reply: (frame: string) => string | null): void {
  let buffer = '';
  pty.onData((piece) => {
    buffer += piece.toString('latin1');
    for (;;) {
      const match = /\x1b\.(d3[^\x03]*\x03|[^:\x1b]*:)/.exec(buffer);
      if (match === null) return;
      buffer = buffer.slice(match.index + match[0].length);
      const text = reply(match[1] ?? '');
      if (text !== null) pty.send(text);
    }
  });
}
const job = Buffer.from('TB99\x03M300,150\x03D700,150\x03M0,0\x03TB0\x03', 'latin1');

describe('a serial line', () => {
  it('carries every command and its reply, on a pseudo-terminal with the default flow control too', async () => {
    const pty = await ptyOf();
    const replies = new Map([['d1:', '4\x03'], ['d2:', 'A0200ROLL\r\n\x03'], ['d4:', '\x03'], ['d5;0;60;400;0;0:', '    0\x03'], ['d6;0:', '-1\x03'], ['C31;9:', 'CE6000-60, V2.70\x03']]);
    answerFrames(pty, (frame) => replies.get(frame) ?? '0\x03');
    const { kinds, onNote } = collectNotes();
    const session = sessionWith(pty.address(), { onNote });
    assert.deepEqual(await session.status(), { ok: true, status: 4 });
    assert.deepEqual(await session.linkInfo(), { ok: true, linkInfo: 'A0200ROLL' });
    assert.deepEqual(await session.offerJobs(['A', 'B']), { ok: true, result: 0 });
    assert.deepEqual(await session.selectedIndex(), { ok: true, index: null });
    assert.deepEqual(await session.setVector({ fx: 60, fy: 400, rx: 0, ry: 0 }), { ok: true, result: 0 });
    assert.equal(failureOf(await session.setCommandType(0)).code, 'REJECTED');
    assert.deepEqual(await session.model(), { ok: true, model: 'CE6000-60', firmware: '2.70' });
    assert.deepEqual(kinds(), ['port-opened'], 'opened once, kept open, nothing purged');
  });

  it('works with rtscts=false as well', async () => {
    const pty = await ptyOf();
    answerFrames(pty, () => '0\x03');
    assert.ok((await sessionWith(pty.address('?rtscts=false&baudRate=115200')).status()).ok);
  });

  it('takes a reply that comes byte by byte, after a pushed frame', async () => {
    const pty = await ptyOf();
    const { kinds, onNote } = collectNotes();
    pty.onData(() => {
        const bytes = Array.from('1,254\r    5\r\n\x03');
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) return;
        pty.send(byte);
        setImmediate(next);
      };
      next();
    });
    assert.deepEqual(await sessionWith(pty.address(), { onNote }).status(), { ok: true, status: 5 });
    assert.deepEqual(kinds(), ['port-opened', 'unsolicited-frame']);
  });

  it('purges and reports stale input before a question', async () => {
    const pty = await ptyOf();
    answerFrames(pty, () => '4\x03');
    const { notes, onNote } = collectNotes();
    const session = sessionWith(pty.address(), { onNote });
    await session.status();
    const isReported = (): boolean => notes.some(({ kind, detail }) => kind === 'stale-input-purged' && detail.includes('7\\x03'));
    // What the terminal delivers between two questions is reported; what it still holds at the question is dropped unseen, and what a busy
    // kernel delivers only after it passes for the answer.
    for (let n = 0; n < 100 && !isReported(); n += 1) {
      pty.send('7\x03');
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      const answer = await session.status();
      if (isReported()) assert.deepEqual(answer, { ok: true, status: 4 });
    }
    assert.ok(isReported());
  });

  it('is locked: a second session on the same port is refused until the first is closed', async () => {
    const pty = await ptyOf();
    answerFrames(pty, () => '0\x03');
    const first = sessionWith(pty.address());
    assert.ok((await first.status()).ok);
    const second = sessionWith(pty.address());
    const failure = failureOf(await second.status());
    assert.equal(failure.code, 'LINK_UNREACHABLE');
    assert.equal('cause' in failure ? failure.cause : '', 'locked');
    await first.close();
    assert.deepEqual(await untilAnswered(second), { ok: true, status: 0 });
  });

  it('names a device that is missing, and a file that is no serial port', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-datalink-'));
    cleanups.push(() => rm(directory, { recursive: true }));
    const missing = failureOf(await sessionWith(addressOf(`serial://${directory}/none`)).status());
    assert.equal('cause' in missing ? missing.cause : '', 'no-such-device');
    await writeFile(join(directory, 'file'), '');
    assert.equal(failureOf(await sessionWith(addressOf(`serial://${directory}/file`)).status()).code, 'LINK_UNREACHABLE');
  });

  it('calls silence a timeout and half a reply truncated', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address(), { statusTimeoutMs: 40, timeoutMs: 40 });
    assert.equal(failureOf(await session.status()).code, 'REPLY_TIMEOUT');
    answerFrames(pty, (frame) => (frame === 'C31;9:' ? null : 'A02'));
    const failure = failureOf(await session.linkInfo());
    assert.equal(failure.code, 'REPLY_TRUNCATED');
  });

  it('does not take a late reply for the answer to another question', async () => {
    const pty = await ptyOf();
    let owed = '';
    answerFrames(pty, (frame) => {
      if (frame === 'd1:') {
        owed = '2\x03';
        return null;
      }
      const late = owed;
      owed = '';
      return late + (frame === 'C31;9:' ? 'FC9000-140, V1.39\x03' : frame === 'd4:' ? '0\x03' : '-1\x03');
    });
    const { kinds, onNote } = collectNotes();
    const session = sessionWith(pty.address(), { statusTimeoutMs: 30, onNote });
    assert.equal(failureOf(await session.status()).code, 'REPLY_TIMEOUT');
    assert.deepEqual(await session.selectedIndex(), { ok: true, index: 0 });
    assert.ok(kinds().includes('resynchronised'));
  });

  it('bounds what a flooding cutter can cost, and answers again when the flood is over', async () => {
    const pty = await ptyOf();
    let flooding = true;
    pty.onData(() => pty.send(flooding ? '0'.repeat(3000) : '0\x03'));
    const session = sessionWith(pty.address(), { statusTimeoutMs: 500 });
    assert.equal(failureOf(await session.status()).code, 'REPLY_MALFORMED');
    flooding = false;
    assert.deepEqual(await untilAnswered(session), { ok: true, status: 0 });
  });

  it('notices a cutter that vanished, and finds it again by its path', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-datalink-'));
    cleanups.push(() => rm(directory, { recursive: true }));
    const link = join(directory, 'cutter');
    const before = await openPty();
    answerFrames(before, () => '0\x03');
    await symlink(before.path, link);
    const { kinds, onNote } = collectNotes();
    const session = sessionWith(addressOf(`serial://${link}`), { statusTimeoutMs: 200, onNote });
    assert.ok((await session.status()).ok);
    const after = await ptyOf();
    answerFrames(after, () => '1\x03');
    await before.vanish();
    await unlink(link);
    assert.ok(['LINK_UNREACHABLE', 'LINK_LOST', 'REPLY_TIMEOUT'].includes(failureOf(await session.status()).code));
    await symlink(after.path, link);
    assert.deepEqual(await untilAnswered(session), { ok: true, status: 1 });
    assert.deepEqual(kinds().filter((kind) => kind.startsWith('port')), ['port-opened', 'port-lost', 'port-opened']);
  });

  it('notices that its path leads to another device after a silence', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-datalink-'));
    cleanups.push(() => rm(directory, { recursive: true }));
    const link = join(directory, 'cutter');
    const [silent, answering] = [await ptyOf(), await ptyOf()];
    answerFrames(answering, () => '1\x03');
    await symlink(silent.path, link);
    const session = sessionWith(addressOf(`serial://${link}`), { statusTimeoutMs: 50 });
    assert.equal(failureOf(await session.status()).code, 'REPLY_TIMEOUT');
    await unlink(link);
    await symlink(answering.path, link);
    assert.equal(failureOf(await session.status()).code, 'REPLY_TIMEOUT');
    assert.deepEqual(await session.status(), { ok: true, status: 1 });
  });
});

describe('a job over a serial line', () => {
  it('arrives byte for byte and ends when the port has drained', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address());
    assert.deepEqual(await session.sendJob(job), { ok: true, ended: 'drained', bytes: job.length });
    assert.deepEqual(await pty.until((bytes) => bytes.length >= job.length), job);
  });

  it('keeps its tail when polls begin before a slow cutter has read all of it from the pseudo-terminal', async () => {
    const pty = await ptyOf();
    const long = Buffer.concat([Buffer.alloc(9_000, 'M100,100\x03'), Buffer.from('TB0\x03')]);
    const session = sessionWith(pty.address(), { statusTimeoutMs: 30 });
    pty.pause();
    assert.deepEqual(await session.sendJob(long), { ok: true, ended: 'drained', bytes: long.length });
    assert.equal(failureOf(await session.status()).code, 'REPLY_TIMEOUT');
    assert.equal(failureOf(await session.status()).code, 'REPLY_TIMEOUT');
    pty.resume();
    const received = await pty.until((bytes) => bytes.length >= long.length + 10);
    assert.ok(received.equals(Buffer.concat([long, Buffer.from('\x1b.d1:\x1b.d1:')])));
  });

  it('arrives byte for byte whatever it holds, but for the five bytes that it must not hold', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address());
    let expected = Buffer.alloc(0);
    await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 30_000, size: 'max' }), async (random) => {
      const bytes = random.filter((byte) => ![0x1b, 0x02, 0x1e, 0x11, 0x13].includes(byte));
      if (bytes.length === 0) return;
      assert.ok((await session.sendJob(bytes)).ok);
      expected = Buffer.concat([expected, bytes]);
      assert.ok((await pty.until((received) => received.length >= expected.length)).equals(expected));
    }), { numRuns: 20 });
  });

  it('that holds ESC, STX, RS, XON or XOFF is refused before anything is sent', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address());
    for (const byte of [0x1b, 0x02, 0x1e, 0x11, 0x13]) {
      const failure = failureOf(await session.sendJob(Buffer.concat([job, Buffer.from([byte]), job])));
      assert.deepEqual(failure.code === 'UNSAFE_FOR_SERIAL' ? [failure.byte, failure.offset] : failure, [byte, job.length]);
    }
    assert.ok((await session.sendJob(job)).ok);
    assert.deepEqual(await pty.until((bytes) => bytes.length >= job.length), job);
  });

  it('whose port cannot be opened was not started, after the budget of waits', async () => {
    const session = sessionWith(addressOf('serial:///dev/kerf-no-such-port'), { sendRetryTotalMs: 60, sendRetryIntervalMs: 20 });
    const failure = failureOf(await session.sendJob(job));
    assert.equal(failure.code, 'STREAM_NOT_STARTED');
    assert.equal('cause' in failure ? failure.cause : '', 'no-such-device');
  });

  it('takes a status question only directly after an ETX, and goes on without waiting for the answer', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address('?baudRate=115200'));
    const long = Buffer.from(Array.from({ length: 800 }, (_, n) => `D${n},100,${n},200\x03`).join(''), 'latin1');
    answerFrames(pty, () => '5\x03');
    const statuses: unknown[] = [];
    const asked: Promise<void>[] = [];
    const outcome = await session.sendJob(long, {
      onProgress: (taken, total) => {
        if (taken < total * 0.8) asked.push(session.status().then((status) => { statuses.push(status); }));
      },
    });
    assert.ok(outcome.ok);
    await Promise.all(asked);
    assert.ok(statuses.length > 3);
    assert.ok(statuses.every((status) => JSON.stringify(status) === '{"ok":true,"status":5}'), JSON.stringify(statuses));
    const received = (await pty.until((bytes) => bytes.length >= long.length + 5 * statuses.length)).toString('latin1');
    for (let at = received.indexOf('\x1b.d1:'); at >= 0; at = received.indexOf('\x1b.d1:', at + 1)) assert.match(received[at - 1] ?? '', /[\x03:]/);
    assert.equal(received.replaceAll('\x1b.d1:', ''), long.toString('latin1'));
  });

  it('without an ETX near takes no question: the caller is told that the link is busy', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address('?baudRate=9600'));
    const controller = new AbortController();
    const hpgl = Buffer.alloc(20_000, 'PD100,100;');
    let busy: unknown = null;
    const outcome = await session.sendJob(hpgl, {
      signal: controller.signal,
      onProgress: () => {
        if (busy === null) {
          busy = 'asked';
          void session.status({ busy: 'refuse' }).then((answer) => {
            busy = answer.ok ? 'answered' : answer.failure.code;
            controller.abort();
          });
        }
      },
    });
    assert.equal(busy, 'LINK_BUSY');
    assert.equal(failureOf(outcome).code, 'STREAM_INTERRUPTED');
  });

  it('is broken off by a signal at once, with what was offered as the upper bound', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address('?baudRate=9600'));
    const controller = new AbortController();
    const startedAt = performance.now();
    const failure = failureOf(await session.sendJob(Buffer.alloc(100_000, 'M1,1\x03'), { signal: controller.signal, onProgress: (taken) => { if (taken > 200) controller.abort(); } }));
    assert.equal(failure.code, 'STREAM_INTERRUPTED');
    assert.ok(performance.now() - startedAt < 1000);
    assert.ok('offeredBytes' in failure && failure.offeredBytes < 1000);
    answerFrames(pty, () => '6\x03');
    assert.deepEqual(await session.status(), { ok: true, status: 6 }, 'the session goes on');
    assert.ok('offeredBytes' in failure && pty.received().length <= failure.offeredBytes + 5);
  });

  it('is broken off also while the cutter takes nothing', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address());
    pty.pause();
    const controller = new AbortController();
    let taken = 0;
    const sending = session.sendJob(Buffer.alloc(1_000_000, 'M1,1\x03'), { signal: controller.signal, onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    controller.abort();
    const failure = failureOf(await sending);
    assert.equal(failure.code, 'STREAM_INTERRUPTED');
    pty.resume();
    answerFrames(pty, () => '0\x03');
    assert.ok((await session.status()).ok);
  });

  it('that stands still is noted after 60 s, and has an unknown outcome after 15 min', async () => {
    const pty = await ptyOf();
    const clock = createFakeClock();
    const { kinds, onNote } = collectNotes();
    const session = sessionWith(pty.address(), { clock, onNote });
    pty.pause();
    let taken = 0;
    const sending = session.sendJob(Buffer.alloc(1_000_000, 'M1,1\x03'), { onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    clock.advance(60_000);
    assert.deepEqual(kinds(), ['port-opened', 'stream-stalled']);
    clock.advance(14 * 60_000);
    await clock.timerOf(200).then(() => clock.advance(200));
    const failure = failureOf(await sending);
    assert.equal(failure.code, 'STREAM_OUTCOME_UNKNOWN');
    assert.deepEqual(kinds(), ['port-opened', 'stream-stalled', 'port-lost']);
  });

  it('is interrupted when the cutter vanishes', async () => {
    const pty = await openPty();
    const session = sessionWith(pty.address());
    pty.pause();
    let taken = 0;
    const sending = session.sendJob(Buffer.alloc(1_000_000, 'M1,1\x03'), { onProgress: (bytes) => { taken = bytes; } });
    await standingStill(() => taken);
    await pty.vanish();
    const failure = failureOf(await sending);
    assert.equal(failure.code, 'STREAM_INTERRUPTED');
    assert.equal('cause' in failure ? failure.cause : '', 'port-lost');
  });

  it('uses at least 98 % of a line of 115,200 baud', async () => {
    const pty = await ptyOf();
    const session = sessionWith(pty.address('?baudRate=115200'));
    assert.ok((await session.sendJob(job)).ok);
    const bytes = Buffer.alloc(23_040, 'M100,100\x03');
    const startedAt = performance.now();
    assert.ok((await session.sendJob(bytes)).ok);
    const lineMs = bytes.length / 11.52;
    const share = lineMs / (performance.now() - startedAt);
    assert.ok(share >= 0.98 && share <= 1.01, `share ${share}`);
  });
});

/** Polls, as the service does, until there is an answer. */
async function untilAnswered(session: Session): Promise<unknown> {
  for (const giveUpAt = performance.now() + 5000; performance.now() < giveUpAt;) {
    const answer = await session.status();
    if (answer.ok) return answer;
    await new Promise((resolve) => realClock.after(10, () => resolve(null)));
  }
  return 'no answer within 5 s';
}

/** Resolves when a counter has begun to move and has stood still for a tenth of a second: the terminal's buffer is full. */
async function standingStill(read: () => number): Promise<void> {
  let last = -1;
  let since = performance.now();
  while (last <= 0 || performance.now() - since < 100) {
    await new Promise(setImmediate);
    if (read() !== last) since = performance.now();
    last = read();
  }
}
