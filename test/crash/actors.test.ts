import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { lampKind } from '../runtime/lamp.ts';
import { loadRecord } from '../../src/runtime/plan.ts';
import { actors, runtimeTables, steps } from '../../src/runtime/records.ts';
import { verifyJournal } from '../../src/runtime/index.ts';
import { openStore } from '../../src/store/index.ts';
import { eventually, temporaryDirectory } from '../support/kerf.ts';

/** At least 20; more by the environment, for a long run. */
const kills = Number(process.env.KERF_CRASH_KILLS ?? 20);
const submitsAtOnce = 24;

interface Message {
  ready?: true;
  acknowledged?: string;
}

describe('durable actors under SIGKILL', () => {
  it(`loses no acknowledged change and doubles no effect over ${kills} kills`, async () => {
    const directory = temporaryDirectory('crash');
    const heard = new Map<string, number>();
    const counter = createServer((socket) => {
      let line = '';
      socket.on('data', (chunk) => (line += chunk.toString()));
      socket.on('end', () => heard.set(line.trim(), (heard.get(line.trim()) ?? 0) + 1));
      socket.on('error', () => undefined);
    });
    counter.listen(0, '127.0.0.1');
    await once(counter, 'listening');
    const address = counter.address();
    assert.ok(typeof address === 'object' && address !== null);

    const acknowledged = new Set<string>();
    let next = 0;
    const submit = (child: ChildProcess): void => {
      const name = `lamp-${next++}`;
      if (child.connected) child.send({ submit: name, src: next % 2 === 0 ? 'safe' : 'motion' }, () => undefined);
    };
    const start = async (): Promise<ChildProcess> => {
      const child = fork(new URL('./actors-process.ts', import.meta.url), [directory, String(address.port)], { execArgv: ['--import', 'tsx'] });
      child.on('message', (message: Message) => {
        if (message.acknowledged === undefined) return;
        acknowledged.add(message.acknowledged);
        submit(child);
      });
      await new Promise((resolve) => child.once('message', resolve));
      return child;
    };

    for (let kill = 0; kill < kills; kill += 1) {
      const child = await start();
      for (let i = 0; i < submitsAtOnce; i += 1) submit(child);
      const enough = acknowledged.size + Math.floor(Math.random() * 200);
      await eventually('some submits are acknowledged', () => (acknowledged.size >= enough ? true : undefined));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const last = await start();
    const store = openStore({ directory, tables: runtimeTables });
    await eventually('no step is left over', () => (store.range(steps, { limit: 1 }).length === 0 ? true : undefined));
    last.disconnect();
    await once(last, 'exit');
    counter.close();

    assert.ok(acknowledged.size > kills * 20, `only ${acknowledged.size} submits were acknowledged`);
    for (const name of acknowledged) {
      const record = store.get(actors, ['lamp', name]);
      assert.ok(record, `${name} was acknowledged and is lost`);
      const loaded = loadRecord(lampKind, record);
      assert.ok(loaded.ok);
      const { results } = loaded.record.context as { results: string[] };
      assert.equal(results.length, 1, `${name} is stuck`);
      const key = `lamp/${name}/burn:1`;
      const motions = heard.get(`manual ${key}`) ?? 0;
      const safe = heard.has(`idempotent ${key}`);
      assert.ok(motions <= 1, `${name} moved ${motions} times`);
      if (motions === 0 && !safe) assert.match(results[0] ?? '', /OUTCOME_UNKNOWN/, name);
    }
    assert.equal(verifyJournal(store, new TextEncoder().encode('crash')).ok, true);
    await store.close();
  });
});
