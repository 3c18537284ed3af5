import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { watchDirectory } from '../../src/folders/watch.ts';

it('a watched directory tells that it is watched, and of files that are written and renamed in', { timeout: 10_000 }, async () => {
  const root = mkdtempSync(join(tmpdir(), 'kerf-watch-'));
  const hints = new EventEmitter();
  const next = (): Promise<unknown> => once(hints, 'hint');
  const ready = next();
  const watched = watchDirectory(root, () => hints.emit('hint'), (error) => assert.fail(String(error)));
  await ready;
  const written = next();
  writeFileSync(join(root, 'a.part'), 'x');
  await written;
  // Hints come in numbers: let those of the first file pass.
  await new Promise((resolve) => setImmediate(resolve));
  const renamed = next();
  renameSync(join(root, 'a.part'), join(root, 'a.pdf'));
  await renamed;
  await watched.close();
  rmSync(root, { recursive: true });
});
