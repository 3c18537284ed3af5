import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createRuntime, runtimeTables } from '../../src/runtime/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { lampKind } from './lamp.ts';

it('an actor is read from the store once for each change, however often it is looked at', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kerf-idle-'));
  const opened = openStore({ directory, tables: runtimeTables });
  let reads = 0;
  const store: Store = {
    ...opened,
    get(table, key) {
      reads += 1;
      return opened.get(table, key);
    },
  };
  const clock = fakeClock();
  let ids = 0;
  const runtime = createRuntime({
    store, clock, journalKey: new Uint8Array(32), kinds: new Map([['lamp', lampKind]]), effects: new Map(),
    newId: () => `id-${ids++}`, onTrouble: (message) => assert.fail(message),
  });
  try {
    await runtime.send(lampKind, 'a', { type: 'HELLO' }, { createWith: { presses: 0 } });
    for (const heard of [1, 2]) {
      reads = 0;
      for (let look = 0; look < 50; look++) assert.equal(runtime.view(lampKind, 'a')?.context.heard, heard);
      assert.equal(reads, 1);
      await runtime.send(lampKind, 'a', { type: 'HELLO' });
    }
    assert.equal(runtime.view(lampKind, 'missing'), undefined);
  } finally {
    await opened.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
