import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createJobLibrary, jobTables, largestMarkedPdfBytes, type JobLibrary, type JobSheet, type NewJob } from '../../src/jobs/index.ts';
import { createRuntime, runtimeTables, type Runtime } from '../../src/runtime/index.ts';
import { openStore, type Store, type Table } from '../../src/store/index.ts';
import { fakeClock } from '../support/fake-clock.ts';

interface Shelf {
  readonly store: Store;
  readonly runtime: Runtime;
  /** The library of a service with this prefix; each call is a new start. */
  readonly library: (barcodePrefix?: string) => JobLibrary;
}

async function withShelf(run: (shelf: Shelf) => Promise<void>): Promise<void> {
  const store = openStore({ directory: mkdtempSync(join(tmpdir(), 'kerf-jobs-')), tables: [...runtimeTables, ...jobTables] });
  const clock = fakeClock();
  let ids = 0;
  const newId = (): string => `id-${ids++}`;
  const runtime = createRuntime({ store, clock, newId, kinds: new Map(), effects: new Map(), journalKey: new Uint8Array(32), onTrouble: (message) => assert.fail(message) });
  try {
    await run({ store, runtime, library: (barcodePrefix = 'F') => createJobLibrary({ store, runtime, clock, newId, barcodePrefix, onTrouble: (message) => assert.fail(message) }) });
  } finally {
    await store.close();
  }
}

function job(name: string, linkInfo: string, more: Partial<NewJob> = {}): NewJob {
  return {
    name, linkInfo, commandType: 0, vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, source: 'print-prepare',
    commandSequence: new TextEncoder().encode(`M0,0\u0003${name}`), commandPreview: [], geometry: null, cutSource: null, warnings: [], ...more,
  };
}

const layout: JobSheet = {
  width_mm: 210, height_mm: 297, origin_mm: [160, 35], mark_rect_mm: [50, 35, 160, 247], cut_area_mm: [51, 36, 159, 246], marks_mm: [[140, 34.65, 160.35, 35.35]],
  bars_mm: [[150, 20, 200, 29]], zones: [{ name: 'the strip of the leading edge', rect_mm: [0, 0, 210, 32] }],
};

const names = (jobs: readonly { readonly name: string }[]): string[] => jobs.map(({ name }) => name);

describe('the job library', () => {
  it('keeps a job with its bytes, its checksum and one entry in the journal', async () => {
    await withShelf(async ({ runtime, library }) => {
      const bytes = new Uint8Array([0, 255, 27, 3, 13, 10]);
      const registered = await library().register(job('A', 'F00000001', { commandSequence: bytes }));
      assert.deepEqual(library().get(registered.id), registered);
      assert.deepEqual([...(library().commandSequence(registered.id) ?? [])], [...bytes]);
      assert.equal(registered.command_length, 6);
      assert.equal(registered.command_sha256, '2ca22b770ac635ab8bb159707e55535248ad07b99d7d853529b4d51769a02fbd');
      assert.deepEqual(runtime.journal({ subject: `job/${registered.id}`, limit: 9 }).map(({ kind }) => kind), ['job_added']);
    });
  });

  it('finds jobs newest first, by age and by code, a page at a time', async () => {
    await withShelf(async ({ library }) => {
      const shelf = library();
      for (let i = 1; i <= 12; i += 1) await shelf.register(job(`J${i}`, i % 2 === 0 ? 'F0000000A' : 'F0000000B'));
      assert.deepEqual(names(shelf.list({ limit: 3 })), ['J12', 'J11', 'J10']);
      assert.deepEqual(names(shelf.list({ limit: 3, before: 10 })), ['J9', 'J8', 'J7']);
      assert.deepEqual(names(shelf.list({ linkInfo: 'F0000000A', limit: 2 })), ['J12', 'J10']);
      assert.deepEqual(names(shelf.list({ linkInfo: 'F0000000A', limit: 9, before: 6 })), ['J4', 'J2']);
      assert.deepEqual(names(shelf.list({ limit: 9, before: 1 })), []);
      assert.deepEqual(names(shelf.list({ linkInfo: 'F0000000C', limit: 9 })), []);
      assert.deepEqual(names(shelf.list({ linkInfo: 'F0000000', limit: 9 })), [], 'a code is found whole, not by its beginning');
    });
  });

  it('offers the newest jobs of a code, the same after every change as after a new start', async () => {
    const act = fc.record({ what: fc.constantFrom('register', 'register', 'remove', 'restart'), code: fc.constantFrom('F0000000A', 'F0000000B', 'F0000000C'), key: fc.constantFrom(undefined, 'k1', 'k2'), which: fc.nat() });
    await fc.assert(fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      await withShelf(async ({ library }) => {
        let shelf = library();
        shelf.start();
        for (const { what, code, key, which } of acts) {
          const known = shelf.list({ limit: 99 });
          if (what === 'register') await shelf.register(job(`J${known.length}`, code, key === undefined ? {} : { key }));
          else if (what === 'restart') {
            shelf = library();
            if (which % 2 === 0) shelf.start();
            if (which % 3 === 0) await shelf.stop();
          }
          else await shelf.remove(known[which % Math.max(1, known.length)]?.id ?? 'none');
          for (const each of ['F0000000A', 'F0000000B', 'F0000000C']) {
            const listed = shelf.list({ linkInfo: each, limit: 2 }).map(({ id, name }) => ({ id, name }));
            assert.deepEqual(shelf.matching(each, 2), listed);
          }
        }
      });
    }), { numRuns: 10 });
  });

  it('goes on asking the disk, and says so, where the index cannot be brought into memory', async () => {
    await withShelf(async ({ store, runtime, library }) => {
      await library().register(job('A', 'F00000001'));
      const troubles: string[] = [];
      const range: Store['range'] = (table, wanted) => {
        if (wanted.start?.length === 0) throw new Error('a row is damaged');
        return store.range(table, wanted);
      };
      const shelf = createJobLibrary({ store: { ...store, range }, runtime, clock: fakeClock(), newId: () => 'x', barcodePrefix: 'F', onTrouble: (message) => troubles.push(message) });
      shelf.start();
      await shelf.stop();
      assert.deepEqual(names(shelf.matching('F00000001', 8)), ['A']);
      assert.deepEqual(troubles, ['what codes are offered stays on the disk: a row is damaged']);
    });
  });

  it('leaves nothing of a removed job but the journal', async () => {
    await withShelf(async ({ store, runtime, library }) => {
      const shelf = library();
      const kept = await shelf.register(job('kept', 'F00000001'));
      const gone = await shelf.register(job('gone', 'F00000001', { key: 'once', sheet: { layout, markedPdf: new Uint8Array([1]) } }));
      assert.equal(await shelf.remove(gone.id), true);
      assert.equal(await shelf.remove(gone.id), false);
      assert.equal(shelf.get(gone.id), undefined);
      assert.equal(shelf.commandSequence(gone.id), undefined);
      assert.equal(shelf.sheet(gone.id), undefined);
      assert.equal(shelf.byKey('once'), undefined);
      assert.deepEqual(names(shelf.list({ linkInfo: 'F00000001', limit: 9 })), ['kept']);
      for (const { name, encoding } of jobTables.filter(({ name }) => name !== 'job_counters')) {
        const table: Table<unknown> = { name, encoding };
        const left = JSON.stringify(store.range(table, { limit: 99 }));
        assert.ok(!left.includes(gone.id), `${table.name} still holds the removed job`);
      }
      assert.ok(shelf.get(kept.id));
      assert.deepEqual(runtime.journal({ subject: `job/${gone.id}`, limit: 9 }).map(({ kind }) => kind), ['job_added', 'job_removed']);
    });
  });

  it('keeps the sheet of a job and its marked PDF byte for byte, and a large one without the PDF', async () => {
    await withShelf(async ({ library }) => {
      const shelf = library();
      const markedPdf = new Uint8Array([37, 80, 68, 70, 0, 255]);
      const kept = await shelf.register(job('kept', 'F00000001', { sheet: { layout, markedPdf } }));
      const large = await shelf.register(job('large', 'F00000002', { sheet: { layout, markedPdf: new Uint8Array(largestMarkedPdfBytes + 1) } }));
      const plain = await shelf.register(job('plain', 'F00000003'));
      const sheet = shelf.sheet(kept.id);
      assert.deepEqual(sheet?.layout, layout);
      assert.deepEqual([...(sheet.markedPdf ?? [])], [...markedPdf]);
      assert.deepEqual(shelf.sheet(large.id), { layout, markedPdf: null });
      assert.equal(shelf.sheet(plain.id), undefined);
    });
  });

  it('registers a job once for its key, also when it is asked twice at once', async () => {
    await withShelf(async ({ library }) => {
      const shelf = library();
      const [first, second] = await Promise.all([shelf.register(job('A', 'F00000001', { key: 'k' })), shelf.register(job('B', 'F00000002', { key: 'k' }))]);
      assert.equal(second.id, first.id);
      assert.equal(shelf.byKey('k')?.name, 'A');
      assert.equal(shelf.list({ limit: 9 }).length, 1);
    });
  });

  it('tells the last that became of a job, and of which cutter', async () => {
    await withShelf(async ({ runtime, library }) => {
      const { id } = await library().register(job('A', 'F00000001'));
      const say = (kind: string): Promise<null> =>
        runtime.change(() => ({ writes: [], result: null, news: [{ subject: 'cutter/left', publication: { kind, message: kind, data: { job_id: id } } }] }));
      assert.equal(library().lastHandOff(id), null);
      await say('selected');
      assert.equal(library().lastHandOff(id)?.outcome, 'sending');
      await say('sent');
      await say('unknown_outcome');
      await say('warning');
      assert.deepEqual([library().lastHandOff(id)?.outcome, library().lastHandOff(id)?.cutter], ['unknown_outcome', 'left']);
    });
  });
});

describe('minted codes', () => {
  it('are never equal, whatever is registered, given back, removed or started again in between', async () => {
    const act = fc.constantFrom('reserve', 'register', 'release', 'remove', 'take', 'restart');
    await fc.assert(fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      await withShelf(async ({ library }) => {
        let shelf = library();
        let open: { linkInfo: string; counter: number }[] = [];
        const printed = new Set<string>();
        for (const what of acts) {
          const minted = open[0];
          if (what === 'reserve') {
            const next = shelf.reserveLinkInfo();
            assert.ok(next);
            assert.ok(!open.some(({ linkInfo }) => linkInfo === next.linkInfo), `${next.linkInfo} is reserved twice`);
            assert.ok(!printed.has(next.linkInfo), `${next.linkInfo} is on a sheet already`);
            assert.match(next.linkInfo, /^F[0-9A-Z]{8}$/);
            open.push(next);
          } else if (what === 'register' && minted !== undefined) {
            await shelf.register(job('minted', minted.linkInfo, { minted }));
            printed.add(minted.linkInfo);
            open = open.slice(1);
          } else if (what === 'release' && minted !== undefined) {
            shelf.releaseLinkInfo(minted);
            open = open.slice(1);
          } else if (what === 'remove') {
            const [newest] = shelf.list({ limit: 1 });
            if (newest !== undefined) await shelf.remove(newest.id);
          } else if (what === 'take') {
            // A code that somebody chose, just where the counter will come by.
            const chosen = `F0000000${1 + printed.size + open.length}`.slice(0, 9);
            if (!open.some(({ linkInfo }) => linkInfo === chosen) && !printed.has(chosen)) {
              await shelf.register(job('chosen', chosen));
            }
          } else if (what === 'restart') {
            shelf = library();
            open = [];
          }
        }
      });
    }), { numRuns: 10 });
  });

  it('count in base 36 from the prefix on, and end with it', async () => {
    await withShelf(({ library }) => {
      const shelf = library('ABCDEFGH');
      const minted = Array.from({ length: 35 }, () => shelf.reserveLinkInfo()?.linkInfo);
      assert.deepEqual([minted[0], minted[9], minted[34]], ['ABCDEFGH1', 'ABCDEFGHA', 'ABCDEFGHZ']);
      assert.equal(shelf.reserveLinkInfo(), null);
      shelf.releaseLinkInfo({ linkInfo: 'ABCDEFGH7', counter: 7 });
      assert.equal(shelf.reserveLinkInfo()?.linkInfo, 'ABCDEFGH7');
      return Promise.resolve();
    });
  });

  it('count for each prefix by itself', async () => {
    await withShelf(async ({ library }) => {
      const many = library('F');
      for (let i = 0; i < 40; i += 1) {
        const minted = many.reserveLinkInfo();
        assert.ok(minted);
        await many.register(job('A', minted.linkInfo, { minted }));
      }
      assert.equal(library('ABCDEFGH').reserveLinkInfo()?.linkInfo, 'ABCDEFGH1');
      assert.equal(library('F').reserveLinkInfo()?.linkInfo, 'F00000015');
    });
  });
});
