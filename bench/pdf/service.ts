import { Agent, request } from 'node:http';
import { quantile, spread, type Figure } from '../figures.ts';
import { buildBundle, startService, temporaryDirectory } from '../service-process.ts';
import { cutPage, type PageShape } from './page.ts';

interface Case {
  readonly name: string;
  readonly shape: PageShape;
  readonly limitMs: number;
  readonly repeats: number;
}

const cases: readonly Case[] = [
  { name: 'a few shapes', shape: { contours: 5, segmentsEach: 8 }, limitMs: 10, repeats: 60 },
  { name: '1,000 segments', shape: { contours: 10, segmentsEach: 100 }, limitMs: 20, repeats: 60 },
  { name: '100,000 segments in 100 contours', shape: { contours: 100, segmentsEach: 1000 }, limitMs: 400, repeats: 20 },
  { name: '100,000 segments in 10,000 contours', shape: { contours: 10_000, segmentsEach: 10 }, limitMs: 400, repeats: 20 },
];
const healthEveryMs = 20;

/** POST /print/prepare in a running service that is otherwise idle, while GET /health is asked all the time. */
export async function benchService(isShort: boolean): Promise<Figure[]> {
  const bundle = buildBundle();
  const directory = temporaryDirectory();
  const service = await startService(bundle.entry, { APP_DATA_DIR: directory.path });
  const figures: Figure[] = [];
  const healthMs: number[] = [];
  for (const { name, shape, limitMs, repeats } of cases) {
    const upload = form(cutPage(shape));
    for (let i = 0; i < 3; i++) await prepared(service.url, upload);
    const health = askHealth(service.url);
    const times: number[] = [];
    for (let i = 0; i < (isShort ? 5 : repeats); i++) times.push(await prepared(service.url, upload));
    healthMs.push(...await health.stop());
    figures.push({ name: `${name}, from request to answer, p50`, value: quantile(times, 0.5), unit: 'ms', digits: 1, detail: spread(times, 1), limit: { kind: 'at most', value: limitMs } });
  }
  figures.push(
    { name: 'GET /health meanwhile, the slowest', value: quantile(healthMs, 1), unit: 'ms', digits: 1, detail: `${spread(healthMs, 1)}; asked every ${healthEveryMs} ms`, limit: { kind: 'less than', value: 20 } },
    { name: 'the same, p99', value: quantile(healthMs, 0.99), unit: 'ms', digits: 1, detail: '' },
    { name: 'memory of the service after it (RSS)', value: service.usage().residentMb, unit: 'MB', digits: 0, detail: 'its worker included', limit: { kind: 'less than', value: 600 } },
  );
  await service.stop();
  directory.remove();
  bundle.remove();
  return figures;
}

interface Upload {
  readonly body: Buffer;
  readonly type: string;
}

function form(pdf: Buffer): Upload {
  const boundary = 'kerf-bench-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="page.pdf"\r\nContent-Type: application/pdf\r\n\r\n`;
  return { body: Buffer.concat([Buffer.from(head), pdf, Buffer.from(`\r\n--${boundary}--\r\n`)]), type: `multipart/form-data; boundary=${boundary}` };
}

const agent = new Agent({ keepAlive: true });

function prepared(url: string, { body, type }: Upload): Promise<number> {
  return timed(`${url}/print/prepare`, 'POST', body, { 'content-type': type, 'content-length': String(body.length) });
}

/** Milliseconds until the last byte of the answer. */
function timed(url: string, method: string, body: Buffer | null, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = request(url, { method, agent, headers }, (answer) => {
      answer.on('error', reject);
      answer.resume().on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${method} ${url} was answered ${answer.statusCode ?? 0}`));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** One question every 20 ms, whether or not the last one was answered. */
function askHealth(url: string): { stop(): Promise<number[]> } {
  const asked: Promise<number>[] = [];
  const timer = setInterval(() => asked.push(timed(`${url}/health`, 'GET', null, {})), healthEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all(asked);
    },
  };
}
