import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createRuntime, movesOf, runtimeTables, type Projection, type Runtime } from '../../src/runtime/index.ts';
import { actors, journal, timers } from '../../src/runtime/records.ts';
import { openStore, put, recordTable, type Store } from '../../src/store/index.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { lampKind } from './lamp.ts';

const lit = recordTable<number>('lit_lamps');
const press = { type: 'PRESS' } as const;

/** Counts the lamps that are on, makes a shadow for each that is lit, and forgets lamps that go out. */
function counting(overrides: Partial<Projection> = {}): { projection: Projection; told: number[] } {
  const told: number[] = [];
  const isLit = (view: { matches(state: string): boolean } | null): number => (view?.matches('on') === true ? 1 : 0);
  return {
    told,
    projection: {
      create: (_read, entries) => entries.filter(({ kind }) => kind === 'lit').map(({ seq }) => ({ ref: { kind: 'lamp', id: `shadow-${seq}` }, input: { presses: seq }, event: { type: 'HUSH' } })),
      derive(read, moves) {
        const lamps = movesOf(lampKind, moves);
        const delta = lamps.reduce((sum, { before, after }) => sum + isLit(after) - isLit(before), 0);
        const gone = lamps.filter(({ before, after }) => isLit(before) > isLit(after));
        return { writes: [put(lit, ['count'], (read.get(lit, ['count']) ?? 0) + delta)], forget: gone.map(({ after }) => ({ kind: 'lamp', id: after.id })) };
      },
      committed: (moves) => told.push(moves.length),
      ...overrides,
    },
  };
}

async function withRuntime(projection: Projection, run: (runtime: Runtime, store: Store) => Promise<void>): Promise<void> {
  const store = openStore({ directory: mkdtempSync(join(tmpdir(), 'kerf-projection-')), tables: [...runtimeTables, lit] });
  let ids = 0;
  const runtime = createRuntime({
    store, clock: fakeClock(), journalKey: new Uint8Array(32), kinds: new Map([['lamp', lampKind]]), effects: new Map(),
    newId: () => `id-${ids++}`, onTrouble: () => undefined, projections: [projection],
  });
  try {
    await run(runtime, store);
  } finally {
    await store.close();
  }
}

describe('a projection', () => {
  it('sees every move once, together with those that were made in between, and hears of it on disk', async () => {
    const { projection, told } = counting();
    await withRuntime(projection, async (runtime, store) => {
      await Promise.all(Array.from({ length: 20 }, (_, index) => runtime.send(lampKind, `lamp-${index}`, press, { createWith: undefined })));
      assert.equal(store.get(lit, ['count']), 20);
      assert.deepEqual(told, new Array<number>(20).fill(2));
    });
  });

  it('makes actors in the transaction of the news they follow from', async () => {
    await withRuntime(counting().projection, async (runtime) => {
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      assert.equal(runtime.view(lampKind, 'shadow-1')?.context.presses, 1);
      await runtime.change(() => ({ writes: [], news: [{ subject: 'x', publication: { kind: 'lit', message: '' } }], result: null }));
      assert.equal(runtime.view(lampKind, 'shadow-2')?.context.presses, 2);
    });
  });

  it('can forget an actor that did not move, and that was looked at before', async () => {
    const tidying = counting({ create: () => [], derive: (_read, moves) => ({ writes: [], forget: moves.some(({ ref }) => ref.id === 'desk') ? [{ kind: 'lamp', id: 'hall' }] : [] }) });
    await withRuntime(tidying.projection, async (runtime) => {
      await runtime.send(lampKind, 'hall', press, { createWith: undefined });
      assert.notEqual(runtime.view(lampKind, 'hall'), undefined);
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      assert.equal(runtime.view(lampKind, 'hall'), undefined);
    });
  });

  it('can forget an actor together with its timers', async () => {
    await withRuntime(counting().projection, async (runtime, store) => {
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      assert.equal(store.range(timers, { limit: 5 }).length, 1);
      await runtime.send(lampKind, 'desk', { type: 'HUSH' });
      assert.equal(store.get(actors, ['lamp', 'desk']), undefined);
      assert.equal(store.range(timers, { limit: 5 }).length, 0);
      assert.equal(store.get(lit, ['count']), 0);
    });
  });

  it('that throws, or makes an actor that is there already, refuses the whole commit', async () => {
    const throwing = counting({ derive: () => {
      throw new Error('no');
    } });
    await withRuntime(throwing.projection, async (runtime, store) => {
      await assert.rejects(runtime.send(lampKind, 'desk', press, { createWith: undefined }), /no/);
      assert.equal(store.get(actors, ['lamp', 'desk']), undefined);
      assert.equal(store.range(journal, { limit: 1 }).length, 0);
    });
    const doubling = counting({ create: () => [{ ref: { kind: 'lamp', id: 'hall' }, input: undefined, event: { type: 'HUSH' } }] });
    await withRuntime(doubling.projection, async (runtime, store) => {
      await runtime.send(lampKind, 'desk', press, { createWith: undefined });
      await assert.rejects(runtime.send(lampKind, 'attic', press, { createWith: undefined }), /lamp\/hall is not new/);
      assert.equal(store.get(actors, ['lamp', 'attic']), undefined);
    });
  });
});
