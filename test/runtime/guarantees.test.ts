/** What the header of src/runtime/runtime.ts promises, against a store that is slow, full or gone at the wrong moment. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setup } from 'xstate';
import Type from 'typebox';
import { actorKind, durableEffect, vocabulary, type ActorKind } from '../../machines/index.ts';
import { createRuntime, runtimeTables, type Effect, type EffectRun, type Runtime } from '../../src/runtime/index.ts';
import { actors, inbox, outbox, steps } from '../../src/runtime/records.ts';
import { openStore, put, type Store } from '../../src/store/index.ts';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';
import { lampKind } from './lamp.ts';

interface Begun {
  readonly run: EffectRun;
  readonly end: (result: string) => void;
}

interface House {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly runtime: Runtime;
  readonly begun: Begun[];
  readonly troubles: string[];
  /** While held, what was committed is on disk, and nobody is told so. */
  readonly hold: () => () => void;
  /** Lets so many commits through, and refuses those behind them until it is called again. */
  readonly allow: (commits: number) => void;
  readonly close: () => Promise<void>;
}

function house(directory: string, kinds: readonly ActorKind[] = [lampKind], effects: ReadonlyMap<string, Effect['run']> = new Map()): House {
  const real = openStore({ directory, tables: runtimeTables });
  let gate: Promise<void> = Promise.resolve();
  let allowed = Infinity;
  const store: Store = {
    ...real,
    async commit(decide) {
      allowed -= 1;
      if (allowed < 0) throw new Error('the disk is full');
      const result = await real.commit(decide);
      await gate;
      return result;
    },
  };
  const clock = fakeClock();
  const begun: Begun[] = [];
  const troubles: string[] = [];
  const run: Effect['run'] = (_input, context) => new Promise((end) => begun.push({ run: context, end }));
  const effect = (effectClass: Effect['class'], name: string): [string, Effect] => [name, { class: effectClass, run: effects.get(name) ?? run }];
  const runtime = createRuntime({
    store, clock, journalKey: new Uint8Array(32), newId: () => 'id',
    kinds: new Map(kinds.map((kind) => [kind.kind, kind])), effects: new Map([effect('idempotent', 'safe'), effect('manual', 'motion')]),
    onTrouble: (message) => troubles.push(message),
  });
  return {
    store, clock, runtime, begun, troubles,
    hold() {
      let release = (): void => undefined;
      gate = new Promise((resolve) => (release = resolve));
      return release;
    },
    allow(commits) {
      allowed = commits;
    },
    close: () => real.close(),
  };
}

const temporary = (): string => mkdtempSync(join(tmpdir(), 'kerf-guarantees-'));

async function inHouse(run: (rooms: House) => Promise<void>, kinds?: readonly ActorKind[], effects?: ReadonlyMap<string, Effect['run']>): Promise<void> {
  const rooms = house(temporary(), kinds, effects);
  await rooms.runtime.start();
  try {
    await run(rooms);
  } finally {
    rooms.allow(Infinity);
    for (const { end } of rooms.begun) end('end');
    const stopped = rooms.runtime.stop(0);
    await rooms.clock.advance(1);
    await stopped;
    await rooms.close();
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('the condition never came true');
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => (settled = true));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

const burn = (src: 'safe' | 'motion') => ({ type: 'BURN', src }) as const;
const fresh = { createWith: undefined };

describe('what the runtime promises', () => {
  it('begins no effect, tells no listener and answers nobody before the disk has acknowledged', async () => {
    await inHouse(async ({ runtime, store, begun, hold }) => {
      const heard: string[] = [];
      runtime.subscribe((entries) => heard.push(...entries.map(({ kind }) => kind)));
      const release = hold();
      const sending = Promise.all([runtime.send(lampKind, 'desk', burn('motion'), fresh), runtime.send(lampKind, 'hall', { type: 'PRESS' }, fresh)]);
      await until(() => store.get(steps, ['lamp', 'desk', 'burn:1']) !== undefined && store.get(actors, ['lamp', 'hall']) !== undefined);
      assert.equal(await isSettled(sending), false);
      assert.equal(begun.length, 0);
      assert.deepEqual(heard, []);
      release();
      await sending;
      assert.equal(begun.length, 1);
      assert.deepEqual(heard, ['lit']);
    });
  });

  it('keeps the result of an effect until it is on disk, and begins the effect once', async () => {
    await inHouse(async ({ runtime, clock, begun, troubles, allow }) => {
      await runtime.send(lampKind, 'desk', burn('motion'), fresh);
      allow(0);
      begun[0]?.end('burnt');
      await until(() => troubles.length === 1);
      allow(Infinity);
      await clock.advance(1000);
      await until(() => runtime.view(lampKind, 'desk')?.context.results[0] === 'burnt');
      assert.equal(begun.length, 1);
    });
  });

  it('keeps a change that a listener throws at, and tells the next listener', async () => {
    await inHouse(async ({ runtime, troubles }) => {
      const heard: string[] = [];
      runtime.subscribe(() => {
        throw new Error('this listener is broken');
      });
      runtime.subscribe((entries) => heard.push(...entries.map(({ kind }) => kind)));
      assert.ok((await runtime.send(lampKind, 'desk', { type: 'PRESS' }, fresh)).ok);
      assert.deepEqual(heard, ['lit']);
      assert.match(troubles[0] ?? '', /this listener is broken/);
    });
  });

  it('turns an effect that throws before it waits for anything into a failed step', async () => {
    const throws: Effect['run'] = () => {
      throw new Error('no such port');
    };
    await inHouse(async ({ runtime }) => {
      await runtime.send(lampKind, 'desk', burn('safe'), fresh);
      await until(() => runtime.view(lampKind, 'desk')?.context.results.length === 1);
      assert.match(runtime.view(lampKind, 'desk')?.context.results[0] ?? '', /EFFECT_FAILED.*no such port/);
    }, [lampKind], new Map([['safe', throws]]));
  });

  it('delivers messages that could not be stored at first, without another message to remind it', async () => {
    await inHouse(async ({ runtime, clock, troubles, allow }) => {
      await runtime.send(lampKind, 'hall', { type: 'HELLO' }, fresh);
      allow(1);
      await runtime.send(lampKind, 'desk', { type: 'GREET', whom: 'hall' }, fresh);
      await until(() => troubles.length === 1);
      allow(Infinity);
      await clock.advance(1000);
      await until(() => runtime.view(lampKind, 'hall')?.context.heard === 2);
    });
  });

  it('keeps the messages of one actor in order, past the ninth and when the clock jumps back', async () => {
    const rooms = house(temporary());
    const revisions: number[] = [];
    for (let i = 1; i <= 12; i += 1) {
      rooms.clock.jumpTo(1_000_000 - i * 1000);
      await rooms.runtime.send(lampKind, 'desk', { type: 'GREET', whom: 'hall' }, fresh);
      revisions.push(i);
    }
    assert.deepEqual(rooms.store.range(outbox, { limit: 99 }).map(({ value }) => Number(value.message_id.split(':')[1])), revisions);
    await rooms.close();
  });

  it('begins nothing that is asked for while it stops, and takes it up in the next run', async () => {
    const directory = temporary();
    const rooms = house(directory);
    await rooms.runtime.start();
    await rooms.runtime.stop(0);
    assert.ok((await rooms.runtime.send(lampKind, 'desk', burn('safe'), fresh)).ok);
    assert.equal(rooms.begun.length, 0);
    await rooms.close();
    const next = house(directory);
    await next.runtime.start();
    assert.deepEqual(next.begun.map(({ run }) => run.key), ['lamp/desk/burn:1']);
    await next.close();
  });

  it('waits at its stop for motion however long it takes, unless it is forced, and for the rest until the grace is over', async () => {
    const rooms = house(temporary());
    await rooms.runtime.start();
    await rooms.runtime.send(lampKind, 'desk', burn('motion'), fresh);
    await rooms.runtime.send(lampKind, 'hall', burn('safe'), fresh);
    const [motion, safe] = rooms.begun;
    assert.ok(motion && safe);
    motion.run.signal.addEventListener('abort', () => motion.end('broken off'));
    const force = new AbortController();
    const stopping = rooms.runtime.stop(10_000, force.signal);
    await rooms.clock.advance(60_000);
    assert.equal(await isSettled(stopping), false);
    assert.equal(motion.run.signal.aborted, false);
    force.abort();
    await until(() => rooms.runtime.view(lampKind, 'desk')?.context.results[0] === 'broken off');
    await rooms.clock.advance(9_000);
    assert.equal(safe.run.signal.aborted, false);
    await rooms.clock.advance(1_000);
    await stopping;
    assert.equal(safe.run.signal.aborted, true);
    await rooms.close();
  });

  it('knows a repeated message also when the actor was written by an older version', async () => {
    const migrations = { 1: () => ({ value: 'off', context: { presses: 7, results: [], heard: 0 } }) };
    const upgraded = { ...lampKind, migrations };
    await inHouse(async ({ runtime, store }) => {
      const older = { version: 1, rev: 1, value: 'off', context: { clicks: 7 }, status: 'active' as const, steps: {}, timers: {} };
      await store.commit(() => ({ writes: [put(actors, ['lamp', 'old'], older), put(inbox, ['lamp/old', 'm'], { at: 1 })], result: null }));
      const sent = await runtime.send(upgraded, 'old', { type: 'PRESS' }, { messageId: 'm' });
      assert.ok(sent.ok && sent.duplicate && sent.view.context.presses === 7);
    }, [upgraded]);
  });

  it('does not begin again what its actor gave up while other orphans were taken up', async () => {
    const directory = temporary();
    const before = house(directory, [pairKind]);
    await before.runtime.start();
    await before.runtime.send(pairKind, 'p', { type: 'GO' }, fresh);
    assert.equal(before.begun.length, 2);
    await before.close();
    const after = house(directory, [pairKind]);
    await after.runtime.start();
    assert.equal(after.runtime.view(pairKind, 'p')?.matches('idle'), true);
    assert.equal(after.begun.length, 0);
    assert.equal(after.store.range(steps, { limit: 9 }).length, 0);
    await after.close();
  });
});

/** Two effects at once; when the motion fails, nobody waits for the other any more. */
const PairContext = Type.Object({});
const pairKind = actorKind<typeof PairContext, { type: 'GO' }>({
  kind: 'pair', version: 1, context: PairContext, migrations: {},
  machine: setup({
    actors: { safe: durableEffect<string, undefined>(), motion: durableEffect<string, undefined>() },
    actions: { ...vocabulary },
  }).createMachine({
    context: {},
    initial: 'idle',
    states: {
      idle: { on: { GO: 'both' } },
      both: { invoke: [{ id: 'a-motion', src: 'motion', onError: 'idle' }, { id: 'b-safe', src: 'safe' }] },
    },
  }),
});
