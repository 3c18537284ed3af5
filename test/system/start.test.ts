import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { silentLog } from '../../src/log.ts';
import { startService } from '../../src/main.ts';
import { readSettings } from '../../src/settings/index.ts';
import { version } from '../../src/version.ts';
import { startKerf, temporaryDirectory } from '../support/kerf.ts';

const workerUrl = new URL('../../src/prepare/worker.ts', import.meta.url);

async function refusedStart(environment: Record<string, string>): Promise<{ code: string; detail: string }> {
  const loaded = readSettings({ API_PORT: '0', ...environment }, '/');
  assert.ok(loaded.ok);
  const started = await startService({ settings: loaded.settings, log: silentLog(), workerUrl });
  assert.ok(!started.ok);
  return started.failure;
}

describe('the start of the service', () => {
  it('says on the first line of stdout where it listens, and ends with 0 on SIGTERM', async () => {
    const environment = { ...process.env, APP_DATA_DIR: temporaryDirectory('data'), API_PORT: '0', CUTTERS: '' };
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/start.ts'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /^Kerf listens on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(first.toString())?.[1];
    assert.ok(url, first.toString());
    assert.equal((await fetch(`${url}/health`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('tells every wrong setting at once and ends with 2', async () => {
    const environment = { ...process.env, API_PORT: 'many', DLS_POLL_INTERVAL_SECONDS: '9', GPGL_STEPS_PER_MM: '11' };
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/start.ts'], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    assert.deepEqual(await once(child, 'close'), [2, null]);
    for (const name of ['API_PORT', 'DLS_POLL_INTERVAL_SECONDS', 'GPGL_STEPS_PER_MM']) assert.match(told, new RegExp(name));
  });

  it('refuses a data directory that another service uses, also through a symbolic link, and can have it afterwards', async () => {
    const kerf = await startKerf();
    const link = join(temporaryDirectory('link'), 'same');
    symlinkSync(kerf.directory, link);
    for (const directory of [kerf.directory, link]) assert.equal((await refusedStart({ APP_DATA_DIR: directory })).code, 'DATA_DIRECTORY_IN_USE');
    await kerf.stop();
    await (await startKerf({}, kerf.directory)).stop();
  });

  it('refuses a port in use, a directory that is a file, and an address that is none, and leaves no lock behind', async () => {
    const kerf = await startKerf();
    const free = temporaryDirectory('data');
    assert.equal((await refusedStart({ APP_DATA_DIR: free, API_PORT: new URL(kerf.url).port })).code, 'LISTEN_FAILED');
    const file = join(temporaryDirectory('file'), 'data');
    writeFileSync(file, '');
    assert.equal((await refusedStart({ APP_DATA_DIR: file })).code, 'STORE_UNUSABLE');
    assert.equal((await refusedStart({ APP_DATA_DIR: free, CUTTERS: 'left=ftp://nowhere' })).code, 'CUTTERS_INVALID');
    const materials = await refusedStart({ APP_DATA_DIR: free, MATERIALS_FILE: file });
    assert.equal(materials.code, 'MATERIALS_INVALID');
    assert.match(materials.detail, /^MATERIALS_FILE .*: it is not JSON/);
    await (await startKerf({}, free)).stop();
    await kerf.stop();
  });

  it('has the version of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
    assert.equal(version, manifest.version);
  });
});
