/**
 * One hot folder. It has at most one file in hand: claimed, processed, moved out. The watcher offers files; the steps
 * do the work; here stands which of them is next.
 *
 * Guarantee: a file is in durable state, under an id of its own, before anything is done to it; what became of it is
 * in durable state before it leaves. Each step is of class `verify`: begun again after a crash, it finds out from disk
 * and job library what was done already.
 * Hole: a job that was deleted in the moment between its registration and the end of its step is made again, if the
 * service dies in that moment too.
 */
import { assign, setup } from 'xstate';
import { durableEffect, machineTypes, vocabulary, type Publication } from '../vocabulary.ts';
import type { FolderFailure, HotFolderContext, Work, WorkResult } from './context.ts';
import type { ClaimOutput, Held, HotFolderEvent, LeaveOutput, ProcessOutput, StepInput } from './events.ts';

/** Files of the error folder that may wait for another try. */
export const retriesLimit = 1000;

type Phase = NonNullable<HotFolderContext['held']>['phase'];

interface Args {
  context: HotFolderContext;
  event: HotFolderEvent;
}

const say = (kind: string, message: string, data: Record<string, unknown> = {}): Publication[] => [{ kind, message, data }];

/** The runtime's error of a step that failed carries code, message and time. */
function failureOf(error: unknown): FolderFailure {
  const part = (name: string): unknown => (typeof error === 'object' && error !== null ? Object.entries(error).find(([key]) => key === name)?.[1] : undefined);
  const [code, message, at] = [part('code'), part('message'), part('at')];
  return { code: typeof code === 'string' ? code : 'EFFECT_FAILED', message: typeof message === 'string' ? message : 'unexpected', at: typeof at === 'number' ? at : 0 };
}

function inHand(context: HotFolderContext): Work {
  if (context.work === null) throw new Error('no file is in hand');
  return context.work;
}

const step = ({ context }: { context: HotFolderContext }): StepInput => ({ folder: context.folder, work: inHand(context) });

/** Said once, not at every try. */
function heldNews({ held, work }: HotFolderContext, { code, message }: Pick<FolderFailure, 'code' | 'message'>): Publication[] {
  if (held?.code === code) return [];
  return say('warning', `${work?.file.name ?? 'A file'} has to wait: ${message}`, { code, file: work?.file.name ?? null });
}

const resultNews = (work: Work, result: WorkResult): Publication[] =>
  result.outcome === 'done'
    ? say('status', `${work.file.name} became ${result.output ?? `the job ${result.job_name}`}.`, {
      file: work.file.name, output: result.output, job_id: result.job_id, link_info: result.link_info,
    })
    : say('warning', `${work.file.name} was refused: ${result.detail}`, {
      code: result.code, file: work.file.name, ...(result.preview === undefined ? {} : { preview: result.preview.svg, preview_png: result.preview.png }),
    });

const toHeld = (output: Held): FolderFailure => ({ code: output.code, message: output.detail, at: output.at });

function held(phase: Phase, { code, message, at }: FolderFailure): Pick<HotFolderContext, 'held' | 'last_error'> {
  return { held: { phase, code, message, at }, last_error: { code, message, at } };
}

/** The file is in its place outside: it counts now. */
function countLeft(context: HotFolderContext, at: number): Partial<HotFolderContext> {
  const { file, result } = inHand(context);
  const common = { work: null, held: null };
  if (result?.outcome === 'done') {
    return { ...common, processed_count: context.processed_count + 1, last_processed: { file: file.name, at } };
  }
  const failure = { code: result?.code ?? 'INTERNAL', message: `${file.name}: ${result?.detail ?? ''}`, at };
  return { ...common, error_count: context.error_count + 1, last_error: failure };
}

const defect = (error: unknown): WorkResult => {
  const { message, at } = failureOf(error);
  return { outcome: 'refused', code: 'INTERNAL', detail: `Kerf failed on this file (${message}). This is a defect of Kerf; the file can be tried again.`, at };
};

const titles: Readonly<Record<string, string>> = { ingest: 'The cut folder', print_prepare: 'The print folder' };
const title = ({ folder }: HotFolderContext): string => titles[folder] ?? `The folder ${folder}`;

const began = ({ context }: Args) => say('started', `${title(context)} takes files.`);

export const hotFolderMachine = setup({
  types: machineTypes<HotFolderContext, HotFolderEvent, { folder: string }>(),
  actors: {
    claimFile: durableEffect<ClaimOutput, StepInput>(),
    processFile: durableEffect<ProcessOutput, StepInput>(),
    moveFileOut: durableEffect<LeaveOutput, StepInput>(),
  },
  guards: {
    isEnabled: ({ context }) => context.is_enabled,
    isStopped: ({ context }) => !context.is_enabled,
    runs: ({ event }) => event.type === 'BOOT' && event.run,
    isHeldIn: ({ context }: Args, { phase }: { phase: Phase }) => context.held?.phase === phase,
    isNewRetry: ({ context, event }) => event.type === 'RETRY' && !context.retries.includes(event.file) && context.retries.length < retriesLimit,
  },
  actions: {
    ...vocabulary,
    enable: assign({ is_enabled: true }),
    disable: assign({ is_enabled: false }),
    dropRetry: assign({ retries: ({ context, event }) => context.retries.filter((file) => event.type !== 'RETRY_LOST' || file !== event.file) }),
  },
}).createMachine({
  id: 'hot-folder',
  context: ({ input }: { input?: { folder: string } }) => ({
    folder: input?.folder ?? '', is_enabled: false, work: null, retries: [], processed_count: 0, error_count: 0,
    last_error: null, last_processed: null, held: null,
  }),
  initial: 'idle',
  on: {
    BOOT: [
      { guard: 'runs', actions: ['enable', { type: 'publish', params: began }] },
      { actions: 'disable' },
    ],
    START: { guard: 'isStopped', actions: ['enable', { type: 'publish', params: began }] },
    STOP: { guard: 'isEnabled', actions: ['disable', { type: 'publish', params: ({ context }) => say('stopped', `${title(context)} takes no more files.`) }] },
    RETRY: {
      guard: 'isNewRetry',
      actions: [
        assign({ retries: ({ context, event }) => [...context.retries, event.file] }),
        { type: 'publish', params: ({ event }) => say('status', `${event.file} will be tried again.`, { file: event.file }) },
      ],
    },
    RETRY_LOST: {
      actions: ['dropRetry', { type: 'publish', params: ({ event }) =>
        say('warning', `${event.file} cannot be tried again: it is not in the error folder any more.`, { code: 'FILE_NOT_FOUND', file: event.file }) }],
    },
    NOTICED: {
      actions: [
        assign({ last_error: ({ event }) => ({ code: event.code, message: event.message, at: event.at }) }),
        { type: 'publish', params: ({ event }) => say('warning', event.message, { code: event.code, file: event.file }) },
      ],
    },
  },
  states: {
    idle: {
      on: {
        TAKE: {
          guard: 'isEnabled',
          target: 'claiming',
          actions: assign({
            work: ({ event }) => ({ ...event.claim, sha256: null, result: null }),
            retries: ({ context, event }) => context.retries.filter((file) => event.claim.from !== 'errors' || file !== event.claim.file.name),
          }),
        },
      },
    },
    claiming: {
      invoke: {
        id: 'claim',
        src: 'claimFile',
        input: step,
        onDone: [
          {
            guard: ({ event }) => event.output.outcome === 'claimed',
            target: 'processing',
            actions: assign({
              held: null,
              work: ({ context, event }) => ({ ...inHand(context), sha256: event.output.outcome === 'claimed' ? event.output.sha256 : null }),
            }),
          },
          {
            guard: ({ event }) => event.output.outcome === 'not_claimed',
            target: 'idle',
            actions: [
              { type: 'publish', params: ({ context, event }) =>
                say('status', `${inHand(context).file.name} was not taken: ${event.output.outcome === 'claimed' ? '' : event.output.detail}`, { file: inHand(context).file.name }) },
              assign({ work: null, held: null }),
            ],
          },
          {
            target: 'held',
            actions: [
              { type: 'publish', params: ({ context, event }) => (event.output.outcome === 'held' ? heldNews(context, toHeld(event.output)) : []) },
              assign(({ event }) => (event.output.outcome === 'held' ? held('claiming', toHeld(event.output)) : {})),
            ],
          },
        ],
        onError: {
          target: 'held',
          actions: [
            { type: 'publish', params: ({ context, event }) => heldNews(context, failureOf(event.error)) },
            assign(({ event }) => held('claiming', failureOf(event.error))),
          ],
        },
      },
    },
    processing: {
      invoke: {
        id: 'process',
        src: 'processFile',
        input: step,
        onDone: [
          {
            guard: ({ event }) => event.output.outcome === 'held',
            target: 'held',
            actions: [
              { type: 'publish', params: ({ context, event }) => (event.output.outcome === 'held' ? heldNews(context, toHeld(event.output)) : []) },
              assign(({ event }) => (event.output.outcome === 'held' ? held('processing', toHeld(event.output)) : {})),
            ],
          },
          {
            target: 'leaving',
            actions: assign({
              held: null,
              work: ({ context, event }) => ({ ...inHand(context), result: event.output.outcome === 'held' ? null : event.output }),
            }),
          },
        ],
        onError: {
          target: 'leaving',
          actions: assign({ held: null, work: ({ context, event }) => ({ ...inHand(context), result: defect(event.error) }) }),
        },
      },
    },
    leaving: {
      invoke: {
        id: 'leave',
        src: 'moveFileOut',
        input: step,
        onDone: [
          {
            guard: ({ event }) => event.output.outcome === 'left',
            target: 'idle',
            actions: [
              { type: 'publish', params: ({ context }) => {
                const { result } = inHand(context);
                return result === null ? [] : resultNews(inHand(context), result);
              } },
              assign(({ context, event }) => countLeft(context, event.output.at)),
            ],
          },
          {
            target: 'held',
            actions: [
              { type: 'publish', params: ({ context, event }) => (event.output.outcome === 'held' ? heldNews(context, toHeld(event.output)) : []) },
              assign(({ event }) => (event.output.outcome === 'held' ? held('leaving', toHeld(event.output)) : {})),
            ],
          },
        ],
        onError: {
          target: 'held',
          actions: [
            { type: 'publish', params: ({ context, event }) => heldNews(context, failureOf(event.error)) },
            assign(({ event }) => held('leaving', failureOf(event.error))),
          ],
        },
      },
    },
    held: {
      on: {
        RESUME: (['claiming', 'processing', 'leaving'] as const).map((phase) => ({ guard: { type: 'isHeldIn' as const, params: { phase } }, target: phase })),
      },
    },
  },
});
