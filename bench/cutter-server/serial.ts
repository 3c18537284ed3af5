import { join } from 'node:path';
import { quantile, spread, type Figure } from '../figures.ts';
import { startService, temporaryDirectory } from '../service-process.ts';
import { cuttersSetting, nextEvent, startCutter } from './cutters.ts';
import { seedJobs, zigzagJob } from './seed.ts';

const baudRate = 115_200;
/** Start bit, eight data bits, stop bit. */
const bytesPerSecond = baudRate / 10;
const code = 'B00000001';
const bytesOfAPoint = 9;

/** From the first byte that reaches the cutter to the last, against the time the bare line would need. */
export async function benchSerial(entry: string, isShort: boolean): Promise<Figure[]> {
  const directory = temporaryDirectory();
  const data = join(directory.path, 'data');
  const points = Math.round((isShort ? 5 : 30) * bytesPerSecond / bytesOfAPoint);
  await seedJobs(data, 1, () => zigzagJob('bench', code, points));
  const cutter = await startCutter('s', { ptyPath: join(directory.path, 'cutter'), baudRate, timeScale: 100_000, model: 'CE7000-60' }, `?baudRate=${baudRate}`);
  const service = await startService(entry, { APP_DATA_DIR: data, CUTTERS: cuttersSetting([cutter]), DLS_POLL_INTERVAL_SECONDS: '0.5' });
  const { simulator } = cutter;
  await nextEvent(simulator, (event) => event.kind === 'reported');
  const shares: number[] = [];
  let bytes = 0;
  for (let run = 0; run < (isShort ? 1 : 5); run++) {
    const idle = nextEvent(simulator, (event) => event.kind === 'state' && event.to === 0);
    const received = nextEvent(simulator, (event) => event.kind === 'received');
    const scanned = simulator.panel.scan(code);
    if (!scanned.ok) throw new Error(scanned.failure.detail);
    await received;
    const job = simulator.received().at(-1);
    if (!job?.ended_at || !job.complete) throw new Error('the job did not arrive whole');
    bytes = job.bytes;
    const tookMs = Date.parse(job.ended_at) - Date.parse(job.started_at);
    shares.push(100 * (bytes / bytesPerSecond) / (tookMs / 1000));
    await idle;
    await nextEvent(simulator, (event) => event.kind === 'reported' && event.state === 0);
  }
  await service.stop();
  await simulator.stop();
  directory.remove();
  return [{
    name: `job over a line of ${baudRate} baud, share of the line's limit`, value: quantile(shares, 0), unit: '%', digits: 1,
    detail: `${bytes} bytes, ${spread(shares, 1)}; the least`, limit: { kind: 'at least', value: 98 },
  }];
}
