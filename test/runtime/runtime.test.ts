import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Type from 'typebox';
import type { ActorKind } from '../../machines/index.ts';
import { createRuntime, defineEffect, runtimeTables, verifyJournal, type Effect, type Runtime } from '../../src/runtime/index.ts';
import { actors, journal, outbox, poison, quarantine, steps, timers } from '../../src/runtime/records.ts';
import { openStore, put, remove, type Store } from '../../src/store/index.ts';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';
import { lampKind } from './lamp.ts';

const journalKey = new TextEncoder().encode('a test key');
const Input = Type.Object({ presses: Type.Integer() });

interface Bench {
  store: Store;
  clock: FakeClock;
  runtime: Runtime;
  troubles: string[];
  begun: string[];
  /** Lets running effects come back. */
  release: (result: string) => void;
  /** What a SIGKILL leaves: the store as it is, and nobody who knows of it. */
  crash: () => Promise<void>;
  stop: () => Promise<void>;
}

function bench(directory: string, clock: FakeClock, kind: ActorKind = lampKind): Bench {
  const store = openStore({ directory, tables: runtimeTables });
  const begun: string[] = [];
  const troubles: string[] = [];
  const waiting: ((result: string) => void)[] = [];
  const effect = (effectClass: 'idempotent' | 'manual'): Effect =>
    defineEffect(effectClass, Input, (_input, run) => {
      begun.push(`${run.key}#${run.attempt}`);
      return new Promise((resolve) => {
        waiting.push(resolve);
        run.signal.addEventListener('abort', () => resolve('aborted'));
      });
    });
  let ids = 0;
  const runtime = createRuntime({
    store, clock, journalKey, kinds: new Map([['lamp', kind]]),
    effects: new Map([['safe', effect('idempotent')], ['motion', effect('manual')]]),
    newId: () => `id-${clock.now()}-${ids++}`,
    onTrouble: (message) => troubles.push(message),
  });
  const release = (result: string): void => waiting.splice(0).forEach((resolve) => resolve(result));
  let crashed = false;
  return {
    store, clock, runtime, troubles, begun, release,
    async crash() {
      crashed = true;
      await store.close();
    },
    async stop() {
      if (crashed) return;
      release('end');
      const stopped = runtime.stop(0);
      await clock.advance(1);
      await stopped;
      await store.close();
    },
  };
}

async function withBench(run: (bench: Bench, directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kerf-runtime-'));
  const made = bench(directory, fakeClock());
  await made.runtime.start();
  try {
    await run(made, directory);
  } finally {
    await made.stop();
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('the condition never came true');
}

const press = { type: 'PRESS' } as const;

describe('the runtime', () => {
  it('makes an actor, changes it, and finds it again after a restart', async () => {
    await withBench(async (made, directory) => {
      const sent = await made.runtime.send(lampKind, 'desk', press, { createWith: { presses: 4 } });
      assert.ok(sent.ok && sent.view.context.presses === 5 && sent.view.matches('on'));
      await made.crash();
      const again = bench(directory, made.clock);
      assert.equal(again.runtime.view(lampKind, 'desk')?.context.presses, 5);
      await again.stop();
    });
  });

  it('answers for an actor that is not there, and changes nothing', async () => {
    await withBench(async ({ runtime, store }) => {
      const sent = await runtime.send(lampKind, 'nowhere', press);
      assert.ok(!sent.ok && sent.failure.code === 'ACTOR_NOT_FOUND');
      assert.equal(store.get(actors, ['lamp', 'nowhere']), undefined);
    });
  });

  it('writes nothing when the machine throws, and goes on with the next event', async () => {
    await withBench(async ({ runtime, store }) => {
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      const before = store.get(actors, ['lamp', 'desk']);
      const broken = await runtime.send(lampKind, 'desk', { type: 'BREAK' });
      assert.ok(!broken.ok && broken.failure.code === 'EVENT_POISONED');
      assert.deepEqual(store.get(actors, ['lamp', 'desk']), before);
      assert.ok((await runtime.send(lampKind, 'desk', { type: 'HUSH' })).ok);
    });
  });

  it('refuses an event that would leave a context it could not load again', async () => {
    await withBench(async ({ runtime, store }) => {
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      const before = store.get(actors, ['lamp', 'desk']);
      const spoilt = await runtime.send(lampKind, 'desk', { type: 'HALVE' });
      assert.ok(!spoilt.ok && spoilt.failure.code === 'EVENT_POISONED');
      assert.deepEqual(store.get(actors, ['lamp', 'desk']), before);
      const unmade = await runtime.send(lampKind, 'hall', press, { createWith: { presses: 0.5 } });
      assert.ok(!unmade.ok && unmade.failure.code === 'EVENT_POISONED');
    });
  });

  it('shows an actor as the last commit left it, whether it was looked at before or not', async () => {
    await withBench(async ({ runtime, store }) => {
      assert.equal(runtime.view(lampKind, 'desk'), undefined);
      for (let presses = 1; presses <= 3; presses += 1) {
        const sent = await runtime.send(lampKind, 'desk', press, { createWith: undefined });
        assert.ok(sent.ok);
        assert.deepEqual(runtime.view(lampKind, 'desk')?.context, sent.view.context);
        assert.deepEqual(store.get(actors, ['lamp', 'desk'])?.context, sent.view.context);
      }
    });
  });

  it('lets no actor of a kind it does not know hold up the timers, messages and steps of others', async () => {
    await withBench(async (made, directory) => {
      const due = made.clock.now();
      const ghost = { version: 1, rev: 1, value: 'x', context: {}, status: 'active' as const, steps: { burn: 'burn:1' }, timers: { t: due } };
      await made.store.commit(() => ({
        writes: [
          put(actors, ['ghost', 'g'], ghost),
          put(timers, [due, 'ghost', 'g', 't'], { event: { type: 'T' } }),
          put(steps, ['ghost', 'g', 'burn:1'], { child: 'burn', src: 'motion', input: {}, attempts: 1, boot: 'earlier' }),
          put(outbox, ['ghost/g', 1, 1], { to: { kind: 'ghost', id: 'h' }, event: { type: 'T' }, message_id: 'ghost/g:1:1' }),
        ],
        result: null,
      }));
      await made.runtime.send(lampKind, 'hall', { type: 'HELLO' }, { createWith: undefined });
      await made.runtime.send(lampKind, 'desk', press, { createWith: undefined });
      await made.crash();
      const clock = fakeClock(due);
      const again = bench(directory, clock);
      await again.runtime.start();
      await clock.advance(1);
      await until(() => again.store.range(poison, { limit: 9 }).length === 3);
      await clock.advance(61_000);
      await until(() => again.runtime.view(lampKind, 'desk')?.matches('off') === true);
      await again.runtime.send(lampKind, 'desk', { type: 'GREET', whom: 'hall' });
      await until(() => again.runtime.view(lampKind, 'hall')?.context.heard === 2);
      await again.stop();
    });
  });

  it('takes an event that a machine raises to itself in the same transaction', async () => {
    await withBench(async ({ runtime }) => {
      const sent = await runtime.send(lampKind, 'desk', { type: 'ECHO' }, { createWith: undefined });
      assert.ok(sent.ok && sent.view.context.heard === 1);
    });
  });

  it('takes a message once, whatever its sender repeats', async () => {
    await withBench(async ({ runtime }) => {
      const options = { createWith: undefined, messageId: 'm-1' };
      await runtime.send(lampKind, 'desk', press, options);
      const repeated = await runtime.send(lampKind, 'desk', press, options);
      assert.ok(repeated.ok && repeated.duplicate && repeated.view.context.presses === 1);
    });
  });

  it('keeps the step of a running effect until its result is stored', async () => {
    await withBench(async ({ runtime, store, begun, release }) => {
      await runtime.send(lampKind, 'desk', { type: 'BURN', src: 'motion' }, { createWith: undefined });
      assert.deepEqual(begun, ['lamp/desk/burn:1#1']);
      assert.equal(store.get(steps, ['lamp', 'desk', 'burn:1'])?.attempts, 1);
      release('burnt');
      await until(() => runtime.view(lampKind, 'desk')?.context.results.length === 1);
      assert.deepEqual(runtime.view(lampKind, 'desk')?.context.results, ['burnt']);
      assert.equal(store.get(steps, ['lamp', 'desk', 'burn:1']), undefined);
    });
  });

  it('runs an idempotent effect again after a crash, with the same key', async () => {
    await withBench(async (made, directory) => {
      await made.runtime.send(lampKind, 'desk', { type: 'BURN', src: 'safe' }, { createWith: undefined });
      await made.crash();
      const again = bench(directory, made.clock);
      await again.runtime.start();
      assert.deepEqual(again.begun, ['lamp/desk/burn:1#2']);
      again.release('second');
      await until(() => again.runtime.view(lampKind, 'desk')?.context.results[0] === 'second');
      await again.stop();
    });
  });

  it('never runs a manual effect again: its outcome is unknown', async () => {
    await withBench(async (made, directory) => {
      await made.runtime.send(lampKind, 'desk', { type: 'BURN', src: 'motion' }, { createWith: undefined });
      await made.crash();
      const again = bench(directory, made.clock);
      await again.runtime.start();
      assert.deepEqual(again.begun, []);
      assert.match(again.runtime.view(lampKind, 'desk')?.context.results[0] ?? '', /OUTCOME_UNKNOWN/);
      await again.stop();
    });
  });

  it('drops the result of a step that its actor no longer waits for, and aborts its effect', async () => {
    await withBench(async ({ runtime, store }) => {
      await runtime.send(lampKind, 'desk', { type: 'BURN', src: 'safe' }, { createWith: undefined });
      await runtime.send(lampKind, 'desk', { type: 'HUSH' });
      await until(() => store.range(steps, { limit: 1 }).length === 0);
      assert.deepEqual(runtime.view(lampKind, 'desk')?.context.results, []);
    });
  });

  it('fires a timer when it is due, once, and also when it fell due while the service was away', async () => {
    await withBench(async (made, directory) => {
      const { runtime, clock, store } = made;
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      await clock.advance(59_000);
      assert.ok(runtime.view(lampKind, 'desk')?.matches('on'));
      await clock.advance(2_000);
      await until(() => runtime.view(lampKind, 'desk')?.matches('off') === true);
      assert.equal(store.range(timers, { limit: 1 }).length, 0);
      await runtime.send(lampKind, 'desk', press);
      await made.crash();
      clock.jumpTo(clock.now() + 3_600_000);
      const again = bench(directory, clock);
      await again.runtime.start();
      await clock.advance(1);
      await until(() => again.runtime.view(lampKind, 'desk')?.matches('off') === true);
      assert.equal(again.runtime.journal({ limit: 10 }).filter((entry) => entry.kind === 'out').length, 2);
      await again.stop();
    });
  });

  it('cancels a timer with the state that set it, and bears a clock that jumps back', async () => {
    await withBench(async ({ runtime, clock, store }) => {
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      await runtime.send(lampKind, 'desk', { type: 'HUSH' });
      assert.equal(store.range(timers, { limit: 1 }).length, 0);
      await runtime.send(lampKind, 'desk', press);
      clock.jumpTo(clock.now() - 30_000);
      await clock.advance(120_000);
      await until(() => runtime.view(lampKind, 'desk')?.matches('off') === true);
    });
  });

  it('delivers a message between actors exactly once, also after a crash', async () => {
    await withBench(async (made, directory) => {
      await made.runtime.send(lampKind, 'hall', { type: 'HELLO' }, { createWith: undefined });
      await made.runtime.send(lampKind, 'desk', { type: 'GREET', whom: 'hall' }, { createWith: undefined });
      await until(() => made.runtime.view(lampKind, 'hall')?.context.heard === 2);
      await made.crash();
      const again = bench(directory, made.clock);
      await again.runtime.start();
      assert.equal(again.runtime.view(lampKind, 'hall')?.context.heard, 2);
      assert.equal(again.store.range(outbox, { limit: 1 }).length, 0);
      await again.stop();
    });
  });

  it('sets a message aside that nobody can take, and delivers the next', async () => {
    await withBench(async ({ runtime, store, troubles }) => {
      await runtime.send(lampKind, 'desk', { type: 'GREET', whom: 'nobody' }, { createWith: undefined });
      await until(() => store.range(poison, { limit: 1 }).length === 1);
      assert.match(troubles[0] ?? '', /there is no lamp\/nobody/);
      assert.equal(store.range(outbox, { limit: 1 }).length, 0);
    });
  });

  it('tells listeners only what is on disk, in order', async () => {
    await withBench(async ({ runtime, store }) => {
      const heard: number[] = [];
      runtime.subscribe((entries) => {
        for (const entry of entries) {
          assert.equal(store.get(journal, [entry.seq])?.id, entry.id);
          heard.push(entry.seq);
        }
      });
      await Promise.all(Array.from({ length: 20 }, (_, i) => runtime.send(lampKind, `lamp-${i}`, press, { createWith: undefined })));
      assert.deepEqual(heard, Array.from({ length: 20 }, (_, i) => i + 1));
    });
  });

  it('brings an old record up to date, and keeps one it cannot load untouched', async () => {
    await withBench(async (made, directory) => {
      await made.runtime.send(lampKind, 'desk', press, { createWith: undefined });
      const stored = made.store.get(actors, ['lamp', 'desk']);
      assert.ok(stored);
      const older = { ...stored, version: 1, context: { clicks: 7 } };
      const newer = { ...stored, version: 3 };
      const odd = { ...stored, value: 'glowing' };
      await made.store.commit(() => ({ writes: [put(actors, ['lamp', 'old'], older), put(actors, ['lamp', 'new'], newer), put(actors, ['lamp', 'odd'], odd)], result: null }));
      await made.crash();
      const upgraded: ActorKind = { ...lampKind, migrations: { 1: (record) => ({ value: record.value, context: { presses: 7, results: [], heard: 0 } }) } };
      const again = bench(directory, made.clock, upgraded);
      const old = await again.runtime.send({ ...lampKind, migrations: upgraded.migrations }, 'old', { type: 'HUSH' });
      assert.ok(old.ok && old.view.context.presses === 7);
      for (const id of ['new', 'odd']) {
        const refused = await again.runtime.send(lampKind, id, { type: 'HUSH' });
        assert.ok(!refused.ok && refused.failure.code === 'ACTOR_QUARANTINED', id);
        assert.ok(again.store.get(quarantine, ['lamp', id]), id);
      }
      assert.deepEqual(again.store.get(actors, ['lamp', 'new']), newer);
      await again.stop();
    });
  });

  it('finds a journal entry that was changed, removed or cut off', async () => {
    await withBench(async ({ runtime, store }) => {
      for (let i = 0; i < 5; i += 1) await runtime.send(lampKind, `lamp-${i}`, press, { createWith: undefined });
      assert.deepEqual(verifyJournal(store, journalKey), { ok: true, entries: 5 });
      const third = store.get(journal, [3]);
      assert.ok(third);
      const tamper = (write: ReturnType<typeof put>) => store.commit(() => ({ writes: [write], result: null }));
      await tamper(put(journal, [3], { ...third, message: 'Nothing happened.' }));
      assert.equal(verifyJournal(store, journalKey).ok, false);
      await tamper(put(journal, [3], third));
      assert.equal(verifyJournal(store, journalKey).ok, true);
      await tamper(remove(journal, [5]));
      assert.equal(verifyJournal(store, journalKey).ok, false);
      assert.equal(verifyJournal(store, new TextEncoder().encode('another key')).ok, false);
    });
  });
});
