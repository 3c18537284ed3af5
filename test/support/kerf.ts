/** The real service in this process, with settings for tests: any free port, a temporary data directory, quick polls. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/log.ts';
import { startService, type RunningService } from '../../src/main.ts';
import { readSettings } from '../../src/settings/index.ts';

export interface TestKerf {
  readonly url: string;
  readonly directory: string;
  readonly service: RunningService;
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

export function temporaryDirectory(purpose: string): string {
  return mkdtempSync(join(tmpdir(), `kerf-${purpose}-`));
}

export async function startKerf(environment: Readonly<Record<string, string>> = {}, directory = temporaryDirectory('data')): Promise<TestKerf> {
  const loaded = readSettings({ API_PORT: '0', DLS_POLL_INTERVAL_SECONDS: '0.5', APP_DATA_DIR: directory, ...environment }, directory);
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.failure.detail);
  const started = await startService({ settings: loaded.settings, log: silentLog(), workerUrl: new URL('../../src/prepare/worker.ts', import.meta.url) });
  assert.ok(started.ok, started.ok ? '' : started.failure.detail);
  const { service } = started;
  const url = `http://127.0.0.1:${service.port}`;
  return {
    url, directory, service,
    async get(path) {
      const answer = await fetch(url + path);
      assert.equal(answer.status, 200, `GET ${path}`);
      return answer.json();
    },
    stop: () => service.stop(),
  };
}

export const samplePdf = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL('../../demo/sample.pdf', import.meta.url)));

/** Sends a PDF to /print/prepare. */
export function prepare(url: string, pdf: Uint8Array<ArrayBuffer>, fields: Readonly<Record<string, string>> = {}, fileName = 'sheet.pdf'): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([pdf], { type: 'application/pdf' }), fileName);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return fetch(`${url}/print/prepare`, { method: 'POST', body: form });
}

/** Waits until `read` answers something other than undefined. Bounded; the pause only spares the machine. */
export async function eventually<T>(what: string, read: () => T | undefined | Promise<T | undefined>, withinMs = 20_000): Promise<T> {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (Date.now() > giveUpAt) assert.fail(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
