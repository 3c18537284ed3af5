import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CutterSimulator } from '../../firmware-sim/index.ts';
import { quantile, spread, type Figure } from '../figures.ts';
import { startService, temporaryDirectory } from '../service-process.ts';
import { startBareConversation } from './bare.ts';
import { cuttersSetting, nextEvent, startCutter } from './cutters.ts';
import { codeOf } from './seed.ts';

const jobCount = 100_000;
const jobsOfOneCode = 20;
const codeCount = jobCount / jobsOfOneCode;
const cutterCount = 4;
/** Until V8 has compiled what it will run from then on. */
const warmUp = 12;

/**
 * The service reads status 2, asks for the barcode over a new connection, looks it up among 100,000 jobs, and sends the
 * list (the newest 8 of 20) over another. Two spans of the same scans: at the service's sockets (offer-probe.mjs), and as
 * the cutter sees it, from its reply "2" to the whole list having arrived. The scan itself is cancelled after the list,
 * so that the next one can follow.
 */
export async function benchOffer(entry: string, isShort: boolean): Promise<Figure[]> {
  const directory = temporaryDirectory();
  const seeding = spawnSync(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('seed-process.ts', import.meta.url)), directory.path, String(jobCount), String(codeCount)], { encoding: 'utf8' });
  if (seeding.status !== 0) throw new Error(`the library was not filled: ${seeding.stderr}`);
  const cutters = await Promise.all(Array.from({ length: cutterCount }, (_, i) => startCutter(`c${i}`, { tcpPort: 0, timeScale: 1000 })));
  const probeFile = join(directory.path, 'probe.json');
  const service = await startService(entry, {
    APP_DATA_DIR: directory.path, CUTTERS: cuttersSetting(cutters), DLS_POLL_INTERVAL_SECONDS: '0.5',
    NODE_OPTIONS: `--import=${new URL('offer-probe.mjs', import.meta.url).href}`, KERF_PROBE_FILE: probeFile,
  });
  const cycles = isShort ? 20 : 300;
  const bare = await startBareConversation();
  const bareAll: number[] = [];
  const all: number[] = [];
  for (let cycle = 0; cycle < warmUp + cycles; cycle++) {
    const turn = cutters[cycle % cutters.length];
    if (turn !== undefined) all.push(await scanOnce(turn.simulator, codeOf(cycle * 31 % codeCount)));
    bareAll.push(await bare.once());
  }
  bare.stop();
  await service.stop();
  await Promise.all(cutters.map(({ simulator }) => simulator.stop()));
  const inside: unknown = JSON.parse(readFileSync(probeFile, 'utf8'));
  directory.remove();
  const times = all.slice(warmUp);
  const bareTimes = bareAll.slice(warmUp);
  const insideTimes = numbers(inside).slice(warmUp);
  const limit = { kind: 'at most', value: 5 } as const;
  return [
    { name: 'status 2 read to job list on the wire, 100,000 jobs, p99', value: quantile(insideTimes, 0.99), unit: 'ms', digits: 2, detail: `${cutterCount} cutters over TCP, one of them scanning; taken at the service's sockets; ${spread(insideTimes, 2)}`, limit },
    { name: 'the same, median', value: quantile(insideTimes, 0.5), unit: 'ms', digits: 2, detail: '' },
    { name: 'as the cutter sees it: status 2 sent to job list arrived, p99', value: quantile(times, 0.99), unit: 'ms', digits: 2, detail: spread(times, 2) },
    { name: 'the same, median', value: quantile(times, 0.5), unit: 'ms', digits: 2, detail: '' },
    { name: 'the same conversation between two bare processes, p99', value: quantile(bareTimes, 0.99), unit: 'ms', digits: 2, detail: `in turn with the scans: what the machine itself takes; ${spread(bareTimes, 2)}` },
    { name: 'the first scan after the start', value: all[0] ?? Number.NaN, unit: 'ms', digits: 2, detail: `V8 has not compiled the path yet; the first ${warmUp} scans are not in the figures above` },
  ];
}

function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) throw new Error('the probe wrote no list');
  return value.map(Number);
}

async function scanOnce(simulator: CutterSimulator, code: string): Promise<number> {
  const reported = nextEvent(simulator, (event) => event.kind === 'reported' && event.state === 2);
  const listed = nextEvent(simulator, (event) => event.kind === 'state' && event.to === 3);
  const scanned = simulator.panel.scan(code);
  if (!scanned.ok) throw new Error(scanned.failure.detail);
  const ms = -(await reported) + (await listed);
  if (simulator.state().offered?.length !== 8) throw new Error('the list does not hold 8 jobs');
  simulator.panel.cancel();
  await nextEvent(simulator, (event) => event.kind === 'reported' && event.state === 0);
  return ms;
}
