import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jobTables, type JobRecord } from '../../src/jobs/index.ts';
import { Offers } from '../../src/jobs/offers.ts';
import { jobsByLinkInfo } from '../../src/jobs/records.ts';
import { openStore, prefix, put, remove } from '../../src/store/index.ts';

const codes = ['F0000000A', 'F0000000B', 'F0000000C'] as const;

function jobOf(linkInfo: string, seq: number): JobRecord {
  return {
    id: `id-${seq}`, seq, name: `J${seq}`, barcode_link_info: linkInfo, command_type: 0, vector: { fx: 0, fy: 0, rx: 0, ry: 0 }, source: 'import-json', command_length: 0,
    command_sha256: '', command_preview: [], geometry: null, cut_source: null, warnings: [], created_at: 0,
  };
}

describe('what codes are offered', () => {
  it('is what the index says, before, while and after it is loaded, whatever is registered and removed meanwhile', async () => {
    // `early`: rows are loaded between a commit and the word of it.
    const act = fc.record({ what: fc.constantFrom('register', 'register', 'remove', 'load'), code: fc.constantFrom(...codes), early: fc.boolean(), which: fc.nat() });
    await fc.assert(fc.asyncProperty(fc.array(act, { maxLength: 12 }), fc.array(act, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (before, after, rowsAtOnce) => {
      const store = openStore({ directory: mkdtempSync(join(tmpdir(), 'kerf-offers-')), tables: jobTables });
      const known: JobRecord[] = [];
      let offers = new Offers(store, rowsAtOnce);
      for (const [place, { what, code, early, which }] of [...before, ...after].entries()) {
        if (place === before.length) offers = new Offers(store, rowsAtOnce);
        if (what === 'register') {
          const job = jobOf(code, place + 1);
          await store.commit(() => ({ writes: [put(jobsByLinkInfo, [code, job.seq], { id: job.id, name: job.name })], result: null }));
          known.push(job);
          if (early) offers.loadSome();
          offers.add(job);
        } else if (what === 'remove') {
          const [job] = known.splice(which % Math.max(1, known.length), 1);
          if (job === undefined) continue;
          await store.commit(() => ({ writes: [remove(jobsByLinkInfo, [job.barcode_link_info, job.seq])], result: null }));
          if (early) offers.loadSome();
          offers.remove(job);
        } else offers.loadSome();
        for (const each of codes) assert.deepEqual(offers.of(each, 3), store.range(jobsByLinkInfo, { ...prefix(each), reverse: true, limit: 3 }).map(({ value }) => value));
      }
      while (offers.loadSome());
      await store.close();
      // From memory alone: the store is closed.
      for (const each of codes) assert.deepEqual(offers.of(each, 99).map(({ id }) => id), known.filter((job) => job.barcode_link_info === each).map(({ id }) => id).reverse());
    }), { numRuns: 25 });
  });
});
