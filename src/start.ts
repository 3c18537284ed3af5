/** The process: settings from the environment, one service, signals. Stdout's first line says where it listens. */
import { createLog } from './log.ts';
import { startService, type RunningService } from './main.ts';
import { loadSettings } from './settings/index.ts';

const exitCodes = { settings: 2, start: 1 } as const;

async function main(): Promise<void> {
  const loaded = loadSettings(process.env, process.cwd());
  if (!loaded.ok) {
    process.stderr.write(`${loaded.failure.detail}\n`);
    process.exitCode = exitCodes.settings;
    return;
  }
  const { settings, warnings } = loaded;
  const systemd = process.env.JOURNAL_STREAM !== undefined;
  const log = createLog({ level: settings.logLevel, write: (line) => process.stderr.write(line), now: () => Date.now(), systemd });
  for (const { detail } of warnings) log.warn(detail);

  const isSource = import.meta.url.endsWith('.ts');
  const workerUrl = new URL(isSource ? './prepare/worker.ts' : './prepare-worker.js', import.meta.url);
  const started = await startService({ settings, log, workerUrl });
  if (!started.ok) {
    process.stderr.write(`${started.failure.detail}\n`);
    process.exitCode = exitCodes.start;
    return;
  }
  const { service } = started;
  const shownHost = service.host.includes(':') ? `[${service.host}]` : service.host;
  process.stdout.write(`Kerf listens on http://${shownHost}:${service.port}\n`);
  stopOnSignals(service, (message) => log.info(message));
}

/** The first signal ends the service in order; a second breaks a running job stream off. */
function stopOnSignals(service: RunningService, tell: (message: string) => void): void {
  const force = new AbortController();
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) {
      tell(`${signal} again: a running job stream is broken off`);
      force.abort();
      return;
    }
    stopping = true;
    tell(`${signal}: stopping`);
    service.stop(force.signal).then(
      () => {
        process.exitCode = 0;
      },
      (error: unknown) => {
        tell(`stopping failed: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

await main();
