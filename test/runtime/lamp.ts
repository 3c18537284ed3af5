/** A small kind of actor that uses everything the runtime offers: an effect, a timer, a message, the journal. */
import { assign, raise, setup } from 'xstate';
import Type from 'typebox';
import { actorKind, durableEffect, machineTypes, vocabulary } from '../../machines/index.ts';

export const LampContext = Type.Object({ presses: Type.Integer(), results: Type.Array(Type.String()), heard: Type.Integer() });
type Context = Type.Static<typeof LampContext>;
export type LampEvent =
  | { type: 'PRESS' }
  | { type: 'BURN'; src: 'safe' | 'motion' }
  | { type: 'HUSH' }
  | { type: 'GREET'; whom: string }
  | { type: 'HELLO' }
  | { type: 'ECHO' }
  | { type: 'HALVE' }
  | { type: 'BREAK' };

export const lampMachine = setup({
  types: machineTypes<Context, LampEvent, { presses: number }>(),
  actors: { safe: durableEffect<string, { presses: number }>(), motion: durableEffect<string, { presses: number }>() },
  actions: {
    ...vocabulary,
  },
}).createMachine({
  id: 'lamp',
  context: ({ input }: { input?: { presses: number } }) => ({ presses: input?.presses ?? 0, results: [], heard: 0 }),
  initial: 'off',
  on: {
    GREET: { actions: { type: 'tell', params: ({ event }) => ({ to: { kind: 'lamp', id: event.whom }, event: { type: 'HELLO' } }) } },
    HELLO: { actions: [assign({ heard: ({ context }) => context.heard + 1 }), { type: 'publish', params: () => [{ kind: 'heard', message: 'Hello.' }] }] },
    ECHO: { actions: raise({ type: 'HELLO' }) },
    HALVE: { actions: assign({ presses: ({ context }) => context.presses + 0.5 }) },
    BREAK: {
      actions: assign(() => {
        throw new Error('this lamp cannot do that');
      }),
    },
  },
  states: {
    off: {
      on: {
        PRESS: { target: 'on', actions: [assign({ presses: ({ context }) => context.presses + 1 }), { type: 'publish', params: () => [{ kind: 'lit', message: 'The lamp is lit.' }] }] },
        BURN: [{ guard: ({ event }) => event.src === 'safe', target: 'safe' }, { target: 'motion' }],
      },
    },
    on: { after: { 60000: { target: 'off', actions: { type: 'publish', params: () => [{ kind: 'out', message: 'The lamp went out.' }] } } }, on: { HUSH: 'off' } },
    safe: {
      invoke: {
        id: 'burn',
        src: 'safe',
        input: ({ context }) => ({ presses: context.presses }),
        onDone: { target: 'off', actions: assign({ results: ({ context, event }) => [...context.results, event.output] }) },
        onError: { target: 'off', actions: assign({ results: ({ context, event }) => [...context.results, JSON.stringify(event.error)] }) },
      },
      on: { HUSH: 'off' },
    },
    motion: {
      invoke: {
        id: 'burn',
        src: 'motion',
        input: ({ context }) => ({ presses: context.presses }),
        onDone: { target: 'off', actions: assign({ results: ({ context, event }) => [...context.results, event.output] }) },
        onError: { target: 'off', actions: assign({ results: ({ context, event }) => [...context.results, JSON.stringify(event.error)] }) },
      },
      on: { HUSH: 'off' },
    },
  },
});

export const lampKind = actorKind<typeof LampContext, LampEvent>({ kind: 'lamp', version: 2, machine: lampMachine, context: LampContext, migrations: {} });
