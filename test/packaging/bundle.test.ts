import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sample = readFileSync(join(root, 'demo', 'sample.pdf'));

/**
 * The bundle as `npm run build` makes it, in a directory of its own with nothing but the packages beside it.
 * KERF_BUNDLE names one that is already built: the packed artefact of .ci/run.
 */
function bundle(directory: string): string {
  const given = process.env.KERF_BUNDLE;
  if (given !== undefined) return given;
  const outdir = join(directory, 'dist');
  const built = spawnSync(process.execPath, [join(root, '.ci', 'build.mjs'), '--outdir', outdir], { encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return join(outdir, 'kerf.js');
}

interface Started {
  readonly child: ChildProcess;
  readonly firstLine: string;
  readonly errors: () => string;
}

async function start(entry: string, dataDirectory: string): Promise<Started> {
  const env = { PATH: process.env.PATH, APP_DATA_DIR: dataDirectory, API_PORT: '0' };
  const child = spawn(process.execPath, [entry], { cwd: dataDirectory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => {
    errors += piece.toString('utf8');
  });
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line').then(([line]: unknown[]) => String(line));
  const died = once(child, 'exit').then(() => Promise.reject(new Error(`the bundle ended before it listened: ${errors}`)));
  died.catch(() => undefined);
  return { child, firstLine: await Promise.race([first, died]), errors: () => errors };
}

describe('the bundle', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kerf-bundle-'));
  const dataDirectory = join(directory, 'data');
  let started: Started | null = null;
  let url = '';

  before(async () => {
    mkdirSync(dataDirectory);
    started = await start(bundle(directory), dataDirectory);
    url = /^Kerf listens on (http:\/\/\S+:\d+)$/.exec(started.firstLine)?.[1] ?? '';
  });
  after(() => {
    started?.child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  it('says on its first line where it listens', () => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/, started?.firstLine);
  });

  it('prepares a print PDF in its worker', async () => {
    const form = new FormData();
    form.set('file', new Blob([sample], { type: 'application/pdf' }), 'sample.pdf');
    const answer = await fetch(`${url}/print/prepare`, { method: 'POST', body: form });
    const body = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, body.toString('latin1').slice(0, 500));
    assert.equal(body.subarray(0, 5).toString('latin1'), '%PDF-');
    const job: unknown = await (await fetch(`${url}/jobs/${answer.headers.get('X-Job-Id') ?? ''}`)).json();
    assert.ok(typeof job === 'object' && job !== null && 'barcode_link_info' in job);
    assert.equal(job.barcode_link_info, answer.headers.get('X-Barcode'));
  });

  it('ends with 0 on SIGTERM, having complained of nothing', async () => {
    assert.ok(started !== null);
    const ended = once(started.child, 'exit');
    started.child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    assert.doesNotMatch(started.errors(), /WARN|ERROR/);
  });
});
