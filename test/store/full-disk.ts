/** Fills a store until a commit fails, then says on stdout what became of it. The caller limits the size of files. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryTable, openStore, put, StoreError } from '../../src/store/index.ts';

// The kernel's default answer to a file that grows past the limit is to end the process.
process.on('SIGXFSZ', () => undefined);
const blobs = binaryTable('blobs');
const store = openStore({ directory: mkdtempSync(join(tmpdir(), 'kerf-full-')), tables: [blobs] });
const write = (name: string, bytes: number): Promise<string> =>
  store.commit(() => ({ writes: [put(blobs, [name], new Uint8Array(bytes))], result: 'written' })).catch((error: unknown) => (error instanceof StoreError ? error.code : String(error)));

await write('small', 10);
const refused = await Promise.all([write('large', 4_000_000), write('beside it', 10)]);
// What nobody caught surfaces within a turn or two.
for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
const kept = store.get(blobs, ['small']) !== undefined;
const lost = store.get(blobs, ['large']) === undefined && store.get(blobs, ['beside it']) === undefined;
const after = await write('after', 10);
process.stdout.write(JSON.stringify({ refused, kept, lost, after }));
await store.close();
