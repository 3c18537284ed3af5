import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cutterKind, registry, type CutterContext } from '../../machines/index.ts';
import { createPoller } from '../../src/cutters/poller.ts';
import type { Outcome, QueryFailure } from '../../src/datalink/index.ts';
import { createJobLibrary, jobTables, type JobLibrary } from '../../src/jobs/index.ts';
import { createRuntime, runtimeTables } from '../../src/runtime/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { scriptedSession, type Script, type ScriptedSession } from './scripted-session.ts';

type StatusAnswer = Outcome<{ status: number }, QueryFailure>;
const is = (status: number): StatusAnswer => ({ ok: true, status });
const garbled: StatusAnswer = { ok: false, failure: { code: 'REPLY_MALFORMED', received: '\u0000', detail: 'noise' } };
const timeout: StatusAnswer = { ok: false, failure: { code: 'REPLY_TIMEOUT', detail: 'no reply within 3 s' } };
const busy: StatusAnswer = { ok: false, failure: { code: 'LINK_BUSY', detail: 'a stream' } };

interface Table extends ScriptedSession {
  readonly jobs: JobLibrary;
  readonly troubles: string[];
  readonly commits: () => number;
  readonly reads: () => number;
  /** Every commit from now on fails, or no longer does. */
  readonly failCommits: (fails: boolean) => void;
  readonly context: () => CutterContext;
  readonly isIn: (state: string) => boolean;
  /** One poll for each answer. */
  readonly poll: (...answers: StatusAnswer[]) => Promise<void>;
}

async function atTable(run: (table: Table) => Promise<void>, script: Script = {}): Promise<void> {
  const real = openStore({ directory: mkdtempSync(join(tmpdir(), 'kerf-poller-')), tables: [...runtimeTables, ...jobTables] });
  let commits = 0;
  let reads = 0;
  let fails = false;
  const store: Store = {
    ...real,
    get(table, key) {
      reads += 1;
      return real.get(table, key);
    },
    commit(decide) {
      commits += 1;
      return fails ? Promise.reject(new Error('the disk is full')) : real.commit(decide);
    },
  };
  const clock = fakeClock();
  const troubles: string[] = [];
  let ids = 0;
  const newId = (): string => `id-${ids++}`;
  const runtime = createRuntime({ store, clock, newId, kinds: registry, effects: new Map(), journalKey: new Uint8Array(32), onTrouble: (message) => troubles.push(message) });
  const jobs = createJobLibrary({ store, runtime, clock, newId, barcodePrefix: 'F', onTrouble: (message) => { throw new Error(message); } });
  let answer: StatusAnswer = is(0);
  const scripted = scriptedSession({ status: () => answer, ...script });
  const link = { name: 'left', address: '127.0.0.1:9100', session: scripted.session, progress: null };
  const poller = createPoller({ link, runtime, jobs, clock, newId, pollIntervalMs: 1000, stepsPerMm: 10, onTrouble: (message) => troubles.push(message) });
  await runtime.send(cutterKind, 'left', { type: 'BOOT', at: clock.now(), poll: true }, { createWith: { name: 'left' } });
  const view = () => {
    const found = runtime.view(cutterKind, 'left');
    assert.ok(found);
    return found;
  };
  poller.start();
  try {
    await run({
      ...scripted, jobs, troubles, commits: () => commits, reads: () => reads,
      failCommits: (value) => (fails = value),
      context: () => view().context, isIn: (state) => view().matches(state),
      async poll(...answers) {
        for (const next of answers) {
          answer = next;
          await poller.pollNow();
        }
      },
    });
  } finally {
    await poller.stop();
    await real.close();
  }
}

async function addJob(jobs: JobLibrary, name: string, stepsPerMm = 10): Promise<string> {
  const geometry = { steps_per_mm: stepsPerMm, bounds_mm: { x0: 0, y0: 0, x1: 1, y1: 1 }, segments: 1, cut_length_mm: 1, travel_length_mm: 1, estimate_seconds: 1 };
  const { id } = await jobs.register({
    name, linkInfo: 'F00000001', commandType: 0, vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, source: 'print-prepare',
    commandSequence: new TextEncoder().encode('M0,0\u0003'), commandPreview: [], geometry, cutSource: null, warnings: [],
  });
  return id;
}

describe('the poll loop', () => {
  it('writes nothing while nothing changes', async () => {
    await atTable(async ({ poll, commits, asked }) => {
      await poll(is(0));
      const before = commits();
      await poll(is(0), is(0), is(0), is(0));
      assert.equal(commits(), before);
      assert.equal(asked.filter((name) => name === 'status').length, 5);
      assert.equal(asked.filter((name) => name === 'model').length, 1);
    });
  });

  it('does not even read the store while nothing changes: a read dirties its lock file', async () => {
    await atTable(async ({ poll, reads }) => {
      await poll(is(0), is(0));
      const before = reads();
      await poll(is(0), is(0), is(0));
      assert.equal(reads(), before);
      await poll(is(1), is(1));
      assert.notEqual(reads(), before, 'what moved is read again');
    });
  });

  it('offers nothing to a cutter that awaits a list when it is first heard: its scan was not seen', async () => {
    await atTable(async ({ poll, asked, isIn }) => {
      await poll(is(2), is(2));
      assert.ok(isIn('polling.standby'));
      assert.ok(!asked.includes('linkInfo') && !asked.includes('offerJobs'), asked.join());
      await poll(is(1), is(2));
      assert.ok(asked.includes('offerJobs'), 'the next scan is served');
    });
  });

  it('bears one reply that cannot be used, and takes two in a row for silence', async () => {
    await atTable(async ({ poll, context }) => {
      await poll(is(0), garbled, is(0), garbled);
      assert.equal(context().status, 0);
      await poll(garbled);
      assert.equal(context().status, -999);
    });
  });

  it('takes one missing reply for silence, and a line in use for neither', async () => {
    await atTable(async ({ poll, context }) => {
      await poll(is(0), busy, busy, busy);
      assert.equal(context().status, 0);
      await poll(timeout);
      assert.equal(context().status, -999);
    });
  });

  it('asks a machine again who it is when it was silent', async () => {
    await atTable(async ({ poll, asked }) => {
      await poll(is(0), timeout, is(0));
      assert.equal(asked.filter((name) => name === 'model').length, 2);
    });
  });

  it('offers the newest eight of the matching jobs, newest first, and an empty list when none matches', async () => {
    await atTable(async ({ poll, jobs, lists, context }) => {
      await poll(is(0), is(1), is(2));
      for (let i = 1; i <= 10; i += 1) await addJob(jobs, `J${i}`);
      await poll(is(0), is(1), is(2));
      assert.deepEqual(lists, [[], ['J10', 'J9', 'J8', 'J7', 'J6', 'J5', 'J4', 'J3']]);
      assert.deepEqual(context().offered.map(({ name }) => name), lists[1]);
    });
  });

  it('hands over the job that the index meant when the list was sent', async () => {
    await atTable(async ({ poll, jobs, context }) => {
      await addJob(jobs, 'older');
      await addJob(jobs, 'newer');
      await poll(is(0), is(1), is(2), is(3));
      await addJob(jobs, 'too late');
      await poll(is(4));
      assert.equal(context().hand_off?.job_name, 'older');
    }, { selectedIndex: () => ({ ok: true, index: 1 }) });
  });

  const refusals: readonly [string, Script, number, string][] = [
    ['another server was chosen', { selectedIndex: () => ({ ok: true, index: null }) }, 10, 'OTHER_SERVER'],
    ['the index is outside the list', { selectedIndex: () => ({ ok: true, index: 1 }) }, 10, 'SELECTION_OUT_OF_RANGE'],
    ['the job is of another scale', {}, 40, 'STEP_SIZE_MISMATCH'],
    ['the cutter does not say what was chosen', { selectedIndex: () => ({ ok: false, failure: { code: 'REJECTED', result: -1, detail: 'no' } }) }, 10, 'REJECTED'],
  ];
  for (const [why, script, stepsPerMm, code] of refusals) {
    it(`hands nothing over and stands by when ${why}`, async () => {
      await atTable(async ({ poll, jobs, context, isIn, asked }) => {
        await addJob(jobs, 'A', stepsPerMm);
        await poll(is(0), is(1), is(2), is(4), is(4));
        assert.equal(context().last_error?.code, code);
        assert.equal(context().hand_off, null);
        assert.ok(isIn('polling.standby'));
        assert.ok(!asked.includes('setVector'));
      }, script);
    });
  }

  it('hands nothing over that was removed after it was offered', async () => {
    await atTable(async ({ poll, jobs, context }) => {
      const id = await addJob(jobs, 'A');
      await poll(is(0), is(1), is(2), is(3));
      await jobs.remove(id);
      await poll(is(4));
      assert.equal(context().last_error?.code, 'JOB_REMOVED');
      assert.equal(context().hand_off, null);
    });
  });

  it('outlives a disk that is full in the middle of a cycle, and goes on when there is room', async () => {
    const waiting: (() => void)[] = [];
    await atTable(async ({ poll, troubles, failCommits, isIn }) => {
      await poll(is(0), is(1));
      failCommits(true);
      // The write fails while the list is still being worked out on the line: nobody waits for it yet.
      const polled = poll(is(2));
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      waiting.splice(0).forEach((answer) => answer());
      await polled;
      assert.match(troubles.join(), /the disk is full/);
      failCommits(false);
      const again = poll(is(2));
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      waiting.splice(0).forEach((answer) => answer());
      await again;
      assert.ok(isIn('polling.listing'));
    }, { linkInfo: () => new Promise((resolve) => waiting.push(() => resolve({ ok: true, linkInfo: 'F00000001' }))) });
  });
});
