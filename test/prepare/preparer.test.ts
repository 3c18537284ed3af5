import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { createPreparer, type Preparer, type PreparerClock, type PreparerOptions, type PrepareResult } from '../../src/prepare/index.ts';
import { openStore } from '../../src/store/index.ts';
import { input } from './stand-in.ts';

const realClock: PreparerClock = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** Timers that fire when the test says so. */
function handClock() {
  const timers = new Map<number, { ms: number; action: () => void }>();
  const events = new EventEmitter();
  let last = 0;
  return {
    after: (ms: number, action: () => void) => {
      const id = ++last;
      timers.set(id, { ms, action });
      events.emit('set', ms);
      return () => timers.delete(id);
    },
    pending: () => [...timers.values()].map(({ ms }) => ms),
    fire: (ms: number) => {
      for (const [id, timer] of timers) {
        if (timer.ms !== ms) continue;
        timers.delete(id);
        timer.action();
        return;
      }
      assert.fail(`no timer of ${ms} ms`);
    },
    nextSet: () => once(events, 'set'),
  };
}

const open: Preparer[] = [];

function preparer(more: Partial<PreparerOptions> = {}): Preparer {
  const made = createPreparer({ workerUrl: new URL('./workers/stand-in-worker.ts', import.meta.url), clock: realClock, residentBytes: () => 0, ...more });
  open.push(made);
  return made;
}

after(async () => {
  await Promise.all(open.map((each) => each.stop()));
});

function codeOf(result: PrepareResult): string {
  return result.ok ? 'ok' : result.failure.code;
}

function children(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1').split(' ').filter((pid) => pid !== '').map(Number);
}

function does(what: number) {
  return input({ pdf: Uint8Array.of(what) });
}

function pictureThatDoes(what: number): Parameters<Preparer['draw']>[0] {
  return {
    format: 'svg', title: '', ground: null, copiesMm: null, pdf: Uint8Array.of(what), commandSequence: new Uint8Array(0),
    cuts: { kind: 'page', cutSpotColors: [], cutPaths: 'marked' }, offenders: [], notes: [],
  };
}

describe('the worker that prepares', () => {
  it('prepares one file after the other, in order, and leaves the caller its bytes', async () => {
    const room = preparer();
    const files = ['A00000001', 'A00000002', 'A00000003'].map((linkInfo) => input({ linkInfo }));
    const results = await Promise.all(files.map((file) => room.prepare(file)));
    assert.deepEqual(results.map((result) => result.ok ? result.prepared.linkInfo : result.failure), files.map(({ linkInfo }) => linkInfo));
    assert.ok(files.every(({ pdf }) => pdf.length === 8));
  });

  it('is killed at its time limit while it loops, and the next file works', async () => {
    const room = preparer({ timeLimitMs: 300 });
    assert.ok((await room.prepare(does(0))).ok);
    const [looped, next] = await Promise.all([room.prepare(does(1)), room.prepare(does(0))]);
    assert.ok(!looped.ok);
    assert.equal(looped.failure.code, 'PDF_TOO_COMPLEX');
    assert.match(looped.failure.detail, /0\.3 s/);
    assert.equal(codeOf(next), 'ok');
    assert.deepEqual(room.status(), { isWorking: false, waitingCount: 0, isWarm: true, preparedCount: 2, refusedCount: 1 });
  });

  it('that leaves or throws refuses its file, tells the log, and the next file works', async () => {
    const deaths: string[] = [];
    const room = preparer({ onWorkerDeath: (error) => deaths.push(error) });
    const results = await Promise.all([room.prepare(does(2)), room.prepare(does(3)), room.prepare(does(0))]);
    assert.deepEqual(results.map(codeOf), ['PDF_UNREADABLE', 'PDF_UNREADABLE', 'ok']);
    assert.equal(deaths.length, 2);
    assert.match(deaths[0] ?? '', /it left with code 3/);
    assert.match(deaths[1] ?? '', /a defect/);
  });

  it('that runs out of heap refuses its file, naming the limit, and the next file works', async () => {
    const room = preparer({ heapLimitMb: 24 });
    const [greedy, next] = await Promise.all([room.prepare(does(4)), room.prepare(does(0))]);
    assert.ok(!greedy.ok);
    assert.equal(greedy.failure.code, 'PDF_TOO_COMPLEX');
    assert.match(greedy.failure.detail, /24 MB/);
    assert.equal(codeOf(next), 'ok');
  });

  it('that drives the process beyond its memory is ended, naming the limit, and the next file works', async () => {
    let residentMb = 700;
    const room = preparer({ processLimitMb: 600, residentBytes: () => residentMb * 2 ** 20 });
    const greedy = await room.prepare(does(1));
    assert.ok(!greedy.ok);
    assert.equal(greedy.failure.code, 'PDF_TOO_COMPLEX');
    assert.match(greedy.failure.detail, /600 MB/);
    residentMb = 100;
    assert.equal(codeOf(await room.prepare(does(0))), 'ok');
  });

  it('that has worked before is given up for a fresh one before a file is refused for its memory', async () => {
    let residentMb = 100;
    const room = preparer({ processLimitMb: 600, residentBytes: () => residentMb * 2 ** 20 });
    assert.equal(codeOf(await room.prepare(does(0))), 'ok');
    residentMb = 700;
    const refusal = room.prepare(does(1));
    const next = room.prepare(does(0));
    assert.equal(codeOf(await refusal), 'PDF_TOO_COMPLEX');
    residentMb = 100;
    assert.equal(codeOf(await next), 'ok');
  });

  it('that leaves the process large is not kept, and what waits gets a new one', async () => {
    let residentMb = 400;
    const room = preparer({ processLimitMb: 600, keptLimitMb: 300, residentBytes: () => residentMb * 2 ** 20 });
    assert.deepEqual((await Promise.all([room.prepare(does(0)), room.prepare(does(0))])).map(codeOf), ['ok', 'ok']);
    assert.equal(room.status().isWarm, false);
    residentMb = 200;
    assert.equal(codeOf(await room.prepare(does(0))), 'ok');
    assert.equal(room.status().isWarm, true);
  });

  it('that cannot start answers UNAVAILABLE to every file', async () => {
    const room = preparer({ workerUrl: new URL('./workers/dead-worker.ts', import.meta.url) });
    assert.deepEqual((await Promise.all([room.prepare(does(0)), room.prepare(does(0))])).map(codeOf), ['UNAVAILABLE', 'UNAVAILABLE']);
  });

  for (const [what, program] of [['is not there', '/nowhere/node'], ['cannot be asked for', 'node\0']] as const) {
    it(`whose program ${what} answers UNAVAILABLE to every file, and starts when it can`, async (context) => {
      const { execPath } = process;
      context.after(() => {
        process.execPath = execPath;
      });
      const deaths: string[] = [];
      const room = preparer({ onWorkerDeath: (detail) => deaths.push(detail) });
      process.execPath = program;
      assert.deepEqual((await Promise.all([room.prepare(does(0)), room.prepare(does(0))])).map(codeOf), ['UNAVAILABLE', 'UNAVAILABLE']);
      assert.equal(deaths.length, 2);
      process.execPath = execPath;
      assert.equal(codeOf(await room.prepare(does(0))), 'ok');
    });
  }

  it('for which there are no file descriptors answers UNAVAILABLE, and the service goes on', async () => {
    const script = new URL('./workers/without-descriptors.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -n 256; exec "$0" --import tsx "$1"', process.execPath, script]);
    assert.deepEqual(stdout.trim().split('\n'), ['PDF_UNREADABLE', 'UNAVAILABLE', 'UNAVAILABLE', 'ok']);
  });

  it('that was killed while it was idle leaves the next file to a fresh one', async () => {
    const deaths: string[] = [];
    const room = preparer({ onWorkerDeath: (detail) => deaths.push(detail) });
    const others = new Set(children());
    assert.equal(codeOf(await room.prepare(does(0))), 'ok');
    for (const pid of children()) if (!others.has(pid)) process.kill(pid, 'SIGKILL');
    assert.equal(codeOf(await room.prepare(does(0))), 'ok');
    assert.equal(deaths.length, 1);
    assert.match(deaths[0] ?? '', /SIGKILL/);
  });

  it('does not have the database open, which the service has', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-prepare-'));
    const store = openStore({ directory, tables: [] });
    try {
      assert.equal(codeOf(await preparer().prepare(does(7))), 'ok');
    } finally {
      await store.close();
      await rm(directory, { recursive: true });
    }
  });

  it('finishes its file when a signal comes that is meant for the service', async () => {
    const deaths: string[] = [];
    const room = preparer({ onWorkerDeath: (detail) => deaths.push(detail) });
    assert.deepEqual((await Promise.all([room.prepare(does(5)), room.prepare(does(0))])).map(codeOf), ['ok', 'ok']);
    assert.deepEqual(deaths, []);
  });

  it('that says what is no message is ended, not the service, and the next file works', async () => {
    const room = preparer();
    const [garbled, next] = await Promise.all([room.prepare(does(6)), room.prepare(does(0))]);
    assert.ok(!garbled.ok);
    assert.equal(codeOf(next), 'ok');
  });

  it('refuses a file beyond the queue at once', async () => {
    const room = preparer({ waitingLimit: 1 });
    const first = room.prepare(does(0));
    assert.equal(codeOf(await room.prepare(does(0))), 'UNAVAILABLE');
    assert.equal(codeOf(await first), 'ok');
  });

  it('refuses a file that would hold too much memory while it waits, but lets one wait however large it is', async () => {
    const room = preparer({ waitingBytesLimit: 100 });
    const results = await Promise.all([input({ pdf: new Uint8Array(200) }), does(0), does(0)].map((file) => room.prepare(file)));
    assert.deepEqual(results.map(codeOf), ['ok', 'UNAVAILABLE', 'UNAVAILABLE']);
  });

  it('is sent only the bytes of the file, not the memory around them', async () => {
    const around = new Uint8Array(1000);
    assert.equal(codeOf(await preparer().prepare(input({ pdf: around.subarray(10, 20) }))), 'ok');
    assert.equal(around.length, 1000);
  });

  it('is ended when it is idle, and started again for the next file', async () => {
    const clock = handClock();
    const room = preparer({ clock, idleLimitMs: 5000, timeLimitMs: 20_000, startLimitMs: 30_000 });
    assert.deepEqual(clock.pending(), []);
    const first = room.prepare(does(0));
    assert.deepEqual(clock.pending(), [28_000, 30_000]);
    assert.equal(codeOf(await first), 'ok');
    assert.deepEqual(clock.pending(), [5000]);
    clock.fire(5000);
    assert.deepEqual(clock.pending(), []);
    const second = room.prepare(does(0));
    while (!clock.pending().includes(30_000)) await clock.nextSet();
    assert.equal(codeOf(await second), 'ok');
  });

  it('answers within its limit, waiting included, and goes on with what waits behind', async () => {
    const clock = handClock();
    const room = preparer({ clock });
    const looping = room.prepare(does(1));
    while (!clock.pending().includes(20_000)) await clock.nextSet();
    const picture = room.draw(pictureThatDoes(0));
    const behind = room.prepare(does(0));
    assert.deepEqual([room.status().waitingCount, clock.pending().filter((ms) => ms >= 14_000)], [2, [28_000, 20_000, 14_000, 28_000]]);
    clock.fire(14_000);
    const undrawn = await picture;
    assert.ok(!undrawn.ok);
    assert.equal(undrawn.failure.code, 'UNAVAILABLE');
    assert.match(undrawn.failure.detail, /within 14 s/);
    assert.equal(room.status().waitingCount, 1);
    clock.fire(28_000);
    assert.deepEqual([codeOf(await looping), codeOf(await behind)], ['UNAVAILABLE', 'ok']);
    assert.deepEqual(clock.pending(), [300_000]);
  });

  it('gives a picture up sooner than a file, so that it can be drawn without its page', async () => {
    const clock = handClock();
    const picture = preparer({ clock }).draw(pictureThatDoes(1));
    while (!clock.pending().includes(10_000)) await clock.nextSet();
    clock.fire(10_000);
    const undrawn = await picture;
    assert.ok(!undrawn.ok);
    assert.equal(undrawn.failure.code, 'PDF_TOO_COMPLEX');
  });

  it('stops while it works: what runs, what waits and what comes later is answered', async () => {
    const clock = handClock();
    const room = preparer({ clock });
    const running = room.prepare(does(1));
    while (!clock.pending().includes(20_000)) await clock.nextSet();
    const waiting = room.prepare(does(0));
    await room.stop();
    assert.deepEqual((await Promise.all([running, waiting, room.prepare(does(0))])).map(codeOf), ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
    assert.deepEqual(clock.pending(), []);
  });

  it('also starts from a bundle', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-prepare-'));
    try {
      const outfile = join(directory, 'worker.mjs');
      await build({
        entryPoints: [new URL('./workers/stand-in-worker.ts', import.meta.url).pathname], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error',
      });
      assert.equal(codeOf(await preparer({ workerUrl: pathToFileURL(outfile) }).prepare(does(0))), 'ok');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
