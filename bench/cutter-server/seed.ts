import { mkdirSync } from 'node:fs';
import { v7 as uuidV7 } from 'uuid';
import { encodeJob, toolPathsOf } from '../../src/gpgl/index.ts';
import { createJobLibrary, jobTables, type NewJob } from '../../src/jobs/index.ts';
import { readOrMakeKey } from '../../src/key-file.ts';
import { createRuntime, runtimeTables, systemClock } from '../../src/runtime/index.ts';
import { openStore } from '../../src/store/index.ts';

export const codeOf = (index: number): string => `B${String(index).padStart(8, '0')}`;

/** Fills a data directory with jobs, as the service itself registers them: `each(i)` is the i-th. */
export async function seedJobs(directory: string, count: number, each: (index: number) => NewJob): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const clock = systemClock();
  const store = openStore({ directory, tables: [...runtimeTables, ...jobTables] });
  const journalKey = readOrMakeKey(directory, 'journal.key');
  const runtime = createRuntime({ store, kinds: new Map(), effects: new Map(), clock, newId: uuidV7, journalKey, onTrouble: (message) => process.stderr.write(`${message}\n`) });
  const jobs = createJobLibrary({ store, runtime, clock, newId: uuidV7, barcodePrefix: 'F', onTrouble: (message) => { throw new Error(message); } });
  const batch = 2000;
  for (let done = 0; done < count; done += batch) {
    await Promise.all(Array.from({ length: Math.min(batch, count - done) }, (_, i) => jobs.register(each(done + i))));
  }
  await store.close();
}

/** A job whose cut is a zigzag of so many points. */
export function zigzagJob(name: string, linkInfo: string, points: number): NewJob {
  const pointsMm = Float64Array.from({ length: 2 * points }, (_, i) => (i % 2 === 0 ? 10 + (i / 2) % 200 : 10 + (i >> 1) % 2 * 50 + Math.floor(i / 400)));
  const commandSequence = encodeJob({ stepsPerMm: 10, markBlock: { armMm: 20, markType: 1, feedDistanceMm: 300, carriageDistanceMm: 250 }, paths: toolPathsOf([{ tool: 'cut', closed: false, pointsMm }]) });
  return {
    name, linkInfo, commandType: 0, vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, source: 'import-json',
    commandSequence, commandPreview: [], geometry: null, cutSource: null, warnings: [],
  };
}
