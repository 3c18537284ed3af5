import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readOrMakeKey } from '../../src/key-file.ts';
import { openStore, put, recordTable } from '../../src/store/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const notes = recordTable<string>('notes');

function backUp(data: string, target: string): ReturnType<typeof spawnSync> {
  const env = { PATH: process.env.PATH, KERF_HOME: root, KERF_DATA: data, KERF_SETTINGS: join(root, 'systemd', 'kerf.env') };
  return spawnSync(join(root, 'systemd', 'kerf-backup'), [target], { env, encoding: 'utf8' });
}

describe('systemd/kerf-backup', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kerf-backup-'));
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('copies the data while the service has it open, and leaves nothing behind in it', async () => {
    const data = join(directory, 'data');
    const store = openStore({ directory: data, tables: [notes] });
    await store.commit(() => ({ writes: [put(notes, ['a'], 'kept')], result: null }));
    readOrMakeKey(data, 'journal.key');
    const target = join(directory, 'backups');
    const run = backUp(data, target);
    assert.equal(run.status, 0, String(run.stderr));
    await store.commit(() => ({ writes: [put(notes, ['a'], 'changed later')], result: null }));
    await store.close();

    const [name = '', ...others] = readdirSync(target);
    assert.deepEqual(others, []);
    assert.match(name, /^kerf-\d{8}T\d{6}Z$/);
    assert.deepEqual(readdirSync(data).filter((file) => file.startsWith('backup')), []);
    assert.deepEqual(readFileSync(join(target, name, 'journal.key')), readFileSync(join(data, 'journal.key')));
    assert.ok(existsSync(join(target, name, 'kerf.env')));
    const restored = openStore({ directory: join(target, name), tables: [notes] });
    assert.equal(restored.get(notes, ['a']), 'kept');
    await restored.close();
  });

  it('makes no backup of a directory that holds no data', () => {
    const empty = mkdtempSync(join(directory, 'empty-'));
    const target = join(directory, 'none');
    const run = backUp(empty, target);
    assert.notEqual(run.status, 0);
    assert.match(String(run.stderr), /no store in/);
    assert.deepEqual([existsSync(target), readdirSync(empty)], [false, []]);
  });
});
