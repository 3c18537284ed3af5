import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { binaryTable, openStore, prefix, put, recordTable, remove, type Store } from '../../src/store/index.ts';

const numbers = recordTable<number>('numbers');
const blobs = binaryTable('blobs');

async function withStore(run: (store: Store, directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kerf-store-'));
  const store = openStore({ directory, tables: [numbers, blobs] });
  try {
    await run(store, directory);
  } finally {
    await store.close();
  }
}

describe('the store', () => {
  it('gives back what was committed, also after it was closed and opened again', async () => {
    await withStore(async (store, directory) => {
      const result = await store.commit(() => ({ writes: [put(numbers, ['a', 1], 5), put(blobs, ['x'], new Uint8Array([0, 255, 3]))], result: 'done' }));
      assert.equal(result, 'done');
      await store.close();
      const again = openStore({ directory, tables: [numbers, blobs] });
      assert.equal(again.get(numbers, ['a', 1]), 5);
      assert.deepEqual([...(again.get(blobs, ['x']) ?? [])], [0, 255, 3]);
      await again.close();
    });
  });

  it('undoes a decision that throws, and keeps the ones beside it', async () => {
    await withStore(async (store) => {
      const kept = store.commit(() => ({ writes: [put(numbers, ['kept'], 1)], result: null }));
      const broken = store.commit(() => {
        const unwritable = { writes: [put(numbers, ['lost'], 1), put(recordTable<number>('never-opened'), ['x'], 1)], result: null };
        return unwritable;
      });
      await assert.rejects(broken, /never-opened/);
      await kept;
      assert.equal(store.get(numbers, ['kept']), 1);
      assert.equal(store.get(numbers, ['lost']), undefined);
    });
  });

  it('shows each decision the ones before it in the same turn', async () => {
    await withStore(async (store) => {
      const add = (): Promise<number> =>
        store.commit((read) => {
          const next = (read.get(numbers, ['count']) ?? 0) + 1;
          return { writes: [put(numbers, ['count'], next)], result: next };
        });
      const results = await Promise.all(Array.from({ length: 200 }, add));
      assert.deepEqual(results, Array.from({ length: 200 }, (_, i) => i + 1));
    });
  });

  it('reads ranges in key order, in reverse, by prefix and by page', async () => {
    await withStore(async (store) => {
      await store.commit(() => ({
        writes: [...Array.from({ length: 12 }, (_, i) => put(numbers, ['n', i], i)), put(numbers, ['m', 1], -1), put(numbers, ['o', 'text'], -2)],
        result: null,
      }));
      assert.deepEqual(store.range(numbers, { ...prefix('n'), limit: 3 }).map((row) => row.value), [0, 1, 2]);
      assert.deepEqual(store.range(numbers, { ...prefix('n'), reverse: true, limit: 3 }).map((row) => row.value), [11, 10, 9]);
      assert.deepEqual(store.range(numbers, { start: ['n', 3], end: ['n', 6], limit: 99 }).map((row) => row.value), [3, 4, 5]);
      assert.deepEqual(store.range(numbers, { start: ['n', 3], end: ['n', 6], reverse: true, limit: 99 }).map((row) => row.value), [5, 4, 3]);
      assert.deepEqual(store.range(numbers, { ...prefix('n'), limit: 99 }).length, 12);
      assert.deepEqual(store.range(numbers, { ...prefix('o'), limit: 99 })[0]?.key, ['o', 'text']);
    });
  });

  it('gives keys back as they were put, also those of one part', async () => {
    await withStore(async (store) => {
      const keys = [['alone'], [7], ['two', 'parts'], [7, 'x', 9]];
      await store.commit(() => ({ writes: keys.map((key) => put(numbers, key, 1)), result: null }));
      assert.deepEqual(new Set(store.range(numbers, { limit: 9 }).map((row) => JSON.stringify(row.key))), new Set(keys.map((key) => JSON.stringify(key))));
    });
  });

  it('removes rows, writes nothing for an empty plan, and copies itself while open', async () => {
    await withStore(async (store, directory) => {
      await store.commit(() => ({ writes: [put(numbers, ['a'], 1)], result: null }));
      await store.commit(() => ({ writes: [remove(numbers, ['a']), put(numbers, ['b'], 2)], result: null }));
      assert.equal(store.get(numbers, ['a']), undefined);
      await store.backup(join(directory, 'copy'));
      const copy = openStore({ directory: join(directory, 'copy'), tables: [numbers, blobs] });
      assert.equal(copy.get(numbers, ['b']), 2);
      await copy.close();
    });
  });

  it('rejects what does not fit on the disk, keeps the process and what was there, and goes on when there is room', () => {
    // A limit on the size of files stands in for a full disk: writes are cut short in the same way.
    const script = fileURLToPath(new URL('./full-disk.ts', import.meta.url));
    const run = spawnSync('bash', ['-c', 'ulimit -f 2000; exec "$0" --import tsx "$1"', process.execPath, script], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.deepEqual(JSON.parse(run.stdout), { refused: ['STORE_WRITE_FAILED', 'STORE_WRITE_FAILED'], kept: true, lost: true, after: 'written' });
  });

  it('refuses a commit after it was closed', async () => {
    await withStore(async (store) => {
      await store.close();
      await assert.rejects(store.commit(() => ({ writes: [], result: null })), { code: 'STORE_CLOSED' });
    });
  });
});
