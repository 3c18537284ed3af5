import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const installed = join(import.meta.dirname, '../../node_modules/uWebSockets.js/dist/bin');
const script = join(import.meta.dirname, '../../.ci/uws-sha256.mjs');
const check = (directory: string): { status: number | null; stderr: string } => spawnSync(process.execPath, [script, directory], { encoding: 'utf8' });

describe('the hashes of the native HTTP engine', () => {
  it('match what is installed', () => assert.equal(check(installed).status, 0));

  it('tell a changed, a missing and an unknown file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-uws-'));
    try {
      const [first = '', second = ''] = await readdir(installed);
      await copyFile(join(installed, first), join(directory, first));
      await truncate(join(directory, first), 1000);
      await copyFile(join(directory, first), join(directory, 'stranger.node'));
      const { status, stderr } = check(directory);
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`${first} has SHA-256`));
      assert.match(stderr, new RegExp(`${second} is missing`));
      assert.match(stderr, /stranger\.node is not in the list/);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
