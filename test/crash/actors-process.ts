/**
 * A process with the runtime on a real store, to be killed at random. Over IPC it takes `{submit: n, src}` and answers
 * `{acknowledged: n}` once the change is on disk. Its effects are reported to a counter that survives the kills.
 */
import { connect } from 'node:net';
import Type from 'typebox';
import { v7 as uuidV7 } from 'uuid';
import { createRuntime, defineEffect, runtimeTables, systemClock, type Effect } from '../../src/runtime/index.ts';
import { openStore } from '../../src/store/index.ts';
import { lampKind } from '../runtime/lamp.ts';

const [directory = '', counterPort = ''] = process.argv.slice(2);
const store = openStore({ directory, tables: runtimeTables });
const Input = Type.Object({ presses: Type.Integer() });

/** Tells the counter, and comes back when it has heard: the effect has then happened. */
const tellCounter = (line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(counterPort), '127.0.0.1', () => socket.end(`${line}\n`));
    socket.on('error', reject).on('close', () => resolve(line)).resume();
  });

const effect = (effectClass: 'idempotent' | 'manual'): Effect => defineEffect(effectClass, Input, (_input, run) => tellCounter(`${effectClass} ${run.key}`));

const runtime = createRuntime({
  store, clock: systemClock(), newId: uuidV7, journalKey: new TextEncoder().encode('crash'),
  kinds: new Map([['lamp', lampKind]]),
  effects: new Map([['safe', effect('idempotent')], ['motion', effect('manual')]]),
  onTrouble: (message) => process.stderr.write(`${message}\n`),
});

process.on('message', (message: { submit: string; src: 'safe' | 'motion' }) => {
  void runtime.send(lampKind, message.submit, { type: 'BURN', src: message.src }, { createWith: undefined }).then((sent) => {
    if (sent.ok) process.send?.({ acknowledged: message.submit });
  });
});
process.on('disconnect', () => process.exit(0));

await runtime.start();
process.send?.({ ready: true });
