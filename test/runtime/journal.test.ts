/** Paging, indexes and sweeping: what only shows with more rows than one page. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createRuntime, runtimeTables, verifyJournal, type Runtime } from '../../src/runtime/index.ts';
import { actors, inbox, inboxAges, steps } from '../../src/runtime/records.ts';
import { openStore, put, type Store } from '../../src/store/index.ts';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';
import { lampKind } from './lamp.ts';

const journalKey = new Uint8Array(32);

async function withRuntime(run: (parts: { runtime: Runtime; store: Store; clock: FakeClock }) => Promise<void>): Promise<void> {
  const store = openStore({ directory: mkdtempSync(join(tmpdir(), 'kerf-journal-')), tables: runtimeTables });
  const clock = fakeClock();
  const runtime = createRuntime({
    store, clock, journalKey, newId: () => 'id', kinds: new Map([['lamp', lampKind]]),
    effects: new Map([['motion', { class: 'manual', run: () => Promise.reject(new Error('this must not run')) }]]),
    onTrouble: (message) => assert.fail(message),
  });
  try {
    await run({ runtime, store, clock });
  } finally {
    await store.close();
  }
}

const say = (runtime: Runtime, subject: string, message: string, data: Record<string, unknown> = {}): Promise<null> =>
  runtime.change(() => ({ writes: [], result: null, news: [{ subject, publication: { kind: 'said', message, data } }] }));

describe('the journal', () => {
  it('is read a page at a time, the newest first page, each oldest first', async () => {
    await withRuntime(async ({ runtime }) => {
      await Promise.all(Array.from({ length: 10 }, (_, i) => say(runtime, i % 2 === 0 ? 'a' : 'b', `m${i + 1}`)));
      const page = (options: Parameters<Runtime['journal']>[0]): number[] => runtime.journal(options).map(({ seq }) => seq);
      assert.deepEqual(page({ limit: 3 }), [8, 9, 10]);
      assert.deepEqual(page({ limit: 3, before: 8 }), [5, 6, 7]);
      assert.deepEqual(page({ subject: 'a', limit: 2 }), [7, 9]);
      assert.deepEqual(page({ subject: 'a', limit: 9, before: 7 }), [1, 3, 5]);
      assert.deepEqual(page({ subject: 'a', limit: 9, before: 1 }), []);
      assert.deepEqual(page({ subject: 'c', limit: 9 }), []);
    });
  });

  it('finds an entry under its subject and under the job it speaks of', async () => {
    await withRuntime(async ({ runtime }) => {
      await say(runtime, 'cutter/left', 'sent', { job_id: '7' });
      await say(runtime, 'cutter/left', 'status');
      assert.equal(runtime.journal({ subject: 'cutter/left', limit: 9 }).length, 2);
      assert.deepEqual(runtime.journal({ subject: 'job/7', limit: 9 }).map(({ message }) => message), ['sent']);
    });
  });

  it('verifies whatever text it was given, past a page of entries', async () => {
    await withRuntime(async ({ runtime, store }) => {
      await say(runtime, 'a', 'half a pair \ud83d', { name: 'x\udc00', list: ['\ud800', undefined, Infinity], 'z\ud800': 1 });
      await runtime.change(() => ({ writes: [], result: null, news: Array.from({ length: 1000 }, (_, i) => ({ subject: 'b', publication: { kind: 'said', message: `${i} 🦊` } })) }));
      assert.deepEqual(verifyJournal(store, journalKey), { ok: true, entries: 1001 });
    });
  });
});

describe('rows by the page', () => {
  it('takes up every orphaned step, also past the first page', async () => {
    await withRuntime(async ({ runtime, store }) => {
      const count = 1203;
      const record = { version: 2, rev: 1, value: 'motion', context: { presses: 0, results: [], heard: 0 }, status: 'active' as const, steps: { burn: 'burn:1' }, timers: {} };
      await store.commit(() => ({
        writes: Array.from({ length: count }, (_, i) => [
          put(actors, ['lamp', `l${i}`], record),
          put(steps, ['lamp', `l${i}`, 'burn:1'], { child: 'burn', src: 'motion', input: {}, attempts: 1, boot: 'earlier' }),
        ]).flat(),
        result: null,
      }));
      await runtime.start();
      assert.equal(store.range(steps, { limit: 1 }).length, 0);
      const results = store.range(actors, { limit: count + 1 }).map(({ value }) => (value.context as { results: string[] }).results.length);
      assert.deepEqual(new Set(results), new Set([1]), 'each is told once');
    });
  });

  it('forgets messages after a week, two for each that comes in, and none before', async () => {
    await withRuntime(async ({ runtime, store, clock }) => {
      const send = (messageId: string): Promise<unknown> => runtime.send(lampKind, 'desk', { type: 'HELLO' }, { createWith: undefined, messageId });
      for (const id of ['a', 'b', 'c']) await send(id);
      clock.jumpTo(clock.now() + 7 * 24 * 3600 * 1000 - 1);
      await send('d');
      assert.equal(store.range(inbox, { limit: 9 }).length, 4);
      clock.jumpTo(clock.now() + 2);
      await send('e');
      assert.deepEqual(store.range(inbox, { limit: 9 }).map(({ key }) => key[1]), ['c', 'd', 'e']);
      assert.equal(store.range(inboxAges, { limit: 9 }).length, 3);
    });
  });
});
