/**
 * Kerf for newcomers: the service and two simulated cutters in one process, and one sheet from the print PDF to the
 * finished cut. Everything it shows it asked the service for over HTTP, as any client would.
 * usage: npm run demo [-- --once]       APP_DATA_DIR and API_PORT are honoured (port 0: any free one)
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createCutter, type CutterSimulator } from '../firmware-sim/index.ts';
import { createLog } from '../src/log.ts';
import { startService, type RunningService } from '../src/main.ts';
import { loadSettings, type Settings } from '../src/settings/index.ts';
import { followEvents, prepareSheet, type Kerf } from './client.ts';
import { loadingPicture } from './loading-picture.ts';

/** Machine times divided by this: a cut of a minute is over in seconds. */
const timeScale = 20;
const sheet = new URL('./sample.pdf', import.meta.url);

interface Stage {
  readonly settings: Settings;
  readonly service: RunningService;
  readonly cutters: readonly CutterSimulator[];
  readonly controlUrls: readonly string[];
}

const say = (line = ''): boolean => process.stdout.write(`${line}\n`);
const shown = (path: string): string => (relative(process.cwd(), path).startsWith('..') ? path : relative(process.cwd(), path));

async function main(): Promise<number> {
  const once = process.argv.includes('--once');
  const stage = await build();
  if (stage === null) return 1;
  const stop = async (): Promise<void> => {
    await stage.service.stop();
    await Promise.all(stage.cutters.map((cutter) => cutter.stop()));
  };
  try {
    const linkInfo = await perform(stage);
    if (once) return linkInfo === null ? 1 : 0;
    say(`Kerf stays at http://localhost:${stage.service.port}. Press Ctrl-C to end it.`);
    if (linkInfo !== null) {
      say('To cut the sheet again, on the serial cutter this time, scan it there:');
      say(`  curl -X POST ${stage.controlUrls[1] ?? ''}/scan -d '{"code":"${linkInfo}"}'`);
    }
    await new Promise((end) => {
      process.once('SIGINT', end);
      process.once('SIGTERM', end);
    });
    return 0;
  } finally {
    await stop();
  }
}

/** Two cutters without metal, one behind a network socket and one behind a serial line, and the service beside them. */
async function build(): Promise<Stage | null> {
  const directory = resolve(process.env.APP_DATA_DIR ?? 'demo-data');
  mkdirSync(directory, { recursive: true });
  const serialPath = join(directory, 'cutter-serial');
  const network = createCutter({ model: 'FC9000-140', tcpPort: 0, controlPort: 0, timeScale });
  const serial = createCutter({ model: 'CE7000-60', ptyPath: serialPath, controlPort: 0, timeScale });
  for (const started of await Promise.all([network.start(), serial.start()])) {
    if (started.ok) continue;
    process.stderr.write(`a simulated cutter does not start: ${started.failure.detail}\n`);
    await Promise.all([network.stop(), serial.stop()]);
    return null;
  }
  const controlUrls = [network, serial].map((cutter) => cutter.addresses().control?.url ?? '');
  const cutters = `network=tcp://127.0.0.1:${network.addresses().tcp?.port ?? 0},serial=serial://${serialPath}`;
  const environment = { DLS_POLL_INTERVAL_SECONDS: '0.5', LOG_LEVEL: 'warn', ...process.env, CUTTERS: cutters, APP_DATA_DIR: directory };
  const loaded = loadSettings(environment, process.cwd());
  if (!loaded.ok) {
    process.stderr.write(`${loaded.failure.detail}\n`);
    return null;
  }
  const { settings } = loaded;
  const log = createLog({ level: settings.logLevel, write: (line) => process.stderr.write(line), now: () => Date.now() });
  const started = await startService({ settings, log, workerUrl: new URL('../src/prepare/worker.ts', import.meta.url) });
  if (!started.ok) {
    process.stderr.write(`${started.failure.detail}\n`);
    await Promise.all([network.stop(), serial.stop()]);
    return null;
  }
  say(`Kerf listens on http://localhost:${started.service.port}`);
  say('Two simulated cutters stand beside it: "network" (FC9000-140, over TCP) and "serial" (CE7000-60, over a pseudo-terminal).');
  say();
  return { settings, service: started.service, cutters: [network, serial], controlUrls };
}

/** From the print PDF to the finished cut; the sheet's code. Null: it did not get that far. */
async function perform({ settings, service, cutters, controlUrls }: Stage): Promise<string | null> {
  const kerf: Kerf = { url: `http://localhost:${service.port}`, apiKey: settings.apiKey };
  say('1. A print PDF goes in: POST /print/prepare with demo/sample.pdf');
  const prepared = await prepareSheet(kerf, readFileSync(sheet), 'sample.pdf');
  if (!prepared.ok) {
    say(`   refused: ${prepared.detail}`);
    return null;
  }
  const markedPath = join(settings.appDataDir, `sample_${prepared.linkInfo}.pdf`);
  writeFileSync(markedPath, prepared.pdf);
  say(`   cut paths from ${prepared.cutSource}, ${prepared.segments} segments; job ${prepared.jobId}`);
  say(`   the marked sheet, barcode ${prepared.linkInfo}: ${shown(markedPath)}`);
  say();
  say('2. The sheet is printed and put into the cutter, bottom edge first, face up:');
  say(loadingPicture(prepared.linkInfo));
  say(`3. The operator starts a scan at the cutter "network"; it reads ${prepared.linkInfo}.`);
  say();
  const [network] = cutters;
  const cut = followEvents(kerf, 'network', (line) => say(line));
  const scanned = await fetch(`${controlUrls[0] ?? ''}/scan`, { method: 'POST', body: JSON.stringify({ code: prepared.linkInfo }) });
  if (!scanned.ok) say(`   the simulated cutter refuses: ${await scanned.text()}`);
  const end = scanned.ok ? await cut : 'refused';
  say();
  const drawing = network?.drawingSvg();
  if (end !== 'finished' || drawing?.ok !== true) {
    say(`The cut ended as: ${end}`);
    return null;
  }
  const drawingPath = join(settings.appDataDir, `cut_${prepared.linkInfo}.svg`);
  writeFileSync(drawingPath, drawing.value);
  say(`4. Done. What the cutter drew, from the bytes it received: ${shown(drawingPath)}`);
  say();
  return prepared.linkInfo;
}

process.exitCode = await main();
