import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { createPreparer } from '../../src/prepare/index.ts';
import { pt } from '../pdf/builder.ts';
import { broken } from '../pdf/fuzz.ts';
import { cutPage } from '../pdf/shapes.ts';
import { input } from './stand-in.ts';

const deaths: unknown[] = [];
const preparer = createPreparer({
  workerUrl: new URL('../../src/prepare/worker.ts', import.meta.url),
  clock: { after: (ms, action) => { const timer = setTimeout(action, ms); return () => { clearTimeout(timer); }; } },
  onWorkerDeath: (error) => deaths.push(error),
});
after(() => preparer.stop());

const A4 = `[0 0 ${pt(210)} ${pt(297)}]`;
const SQUARE = `/C CS 1 SCN ${pt(80)} ${pt(100)} ${pt(40)} ${pt(30)} re S`;

/** KERF_FUZZ_FILES=5000 looks longer, from KERF_FUZZ_SEED on. */
describe('a file that is broken at random', () => {
  const directory = new URL('../fixtures/pdf/', import.meta.url);
  const sources = [
    ...readdirSync(directory).filter((name) => name.endsWith('.pdf')).sort().map((name) => new Uint8Array(readFileSync(new URL(name, directory)))),
    cutPage(`${SQUARE} 0 0 0 1 k 0 0 ${pt(210)} ${pt(40)} re f BT /F 9 Tf (text) Tj ET`, { mediaBox: A4 }),
  ];
  const files = Number(process.env.KERF_FUZZ_FILES ?? 300);
  const firstSeed = Number(process.env.KERF_FUZZ_SEED ?? 1);

  it('is prepared or refused by name, never more than that', async () => {
    const known = deaths.length;
    for (let seed = firstSeed; seed < firstSeed + files; seed += 1) {
      const source = sources[seed % sources.length] ?? new Uint8Array(0);
      const started = performance.now();
      const result = await preparer.prepare(input({ pdf: broken(source, seed) }));
      const tookMs = performance.now() - started;
      if (!result.ok) assert.ok(!['ROUND_TRIP_FAILED', 'UNAVAILABLE'].includes(result.failure.code), `seed ${seed}: ${result.failure.code} ${result.failure.detail}`);
      assert.ok(tookMs < 20_000, `seed ${seed}: ${tookMs} ms`);
      assert.deepEqual(deaths.slice(known), [], `seed ${seed}: the worker died`);
    }
  });
});
