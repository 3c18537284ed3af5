/**
 * One cutter beside the table. The machine follows the Data Link's states and decides; the poll loop observes and
 * speaks. After every error, refusal or illegal change of status it stands by until a new scan begins (status 1).
 *
 * Guarantee: a job is handed over at most once for each choice of the operator. `handingOver` invokes an effect of
 * class `manual`; when the process dies in it, the runtime reports OUTCOME_UNKNOWN, and the hand-off ends as
 * `unknown_outcome`. Nothing here leads from an open hand-off back to `handingOver`.
 * Hole: a cut that the operator ends at the panel, without an error, looks like a finished one.
 */
import { Check } from 'typebox/value';
import { assign, setup } from 'xstate';
import { durableEffect, machineTypes, vocabulary, type Publication } from '../vocabulary.ts';
import { LastError as StepError, type CutterContext } from './context.ts';
import type { CutterEvent, HandOverInput, HandOverOutput } from './events.ts';
import { handedOver, handOffData, isStreamDone, opened } from './hand-off.ts';
import { abandon, followedStates, handOffEnded, judge, type FollowedState, type Verdict } from './judge.ts';
import { NOT_COMMUNICATING } from './status.ts';

interface Args {
  context: CutterContext;
  event: CutterEvent;
}

const verdictOf = ({ context, event }: Args, standingBy: boolean): Verdict =>
  judge(context, { code: event.type === 'STATUS' ? event.code : NOT_COMMUNICATING, at: event.at, detail: event.type === 'STATUS' ? event.detail : undefined }, standingBy);

/** One transition for each state a status can lead to. What is said is worked out before the context changes. */
const followStatus = (standingBy: boolean) =>
  followedStates.map((target) => ({
    guard: { type: 'leadsTo' as const, params: { target, standingBy } },
    target: `#cutter.polling.${target}`,
    actions: [
      { type: 'publish' as const, params: (args: Args) => verdictOf(args, standingBy).says },
      { type: 'apply' as const, params: { standingBy } },
    ],
  }));

/** The runtime's error of a step: what it was, and the time at which it was found. */
function broken(error: unknown): { readonly at: number | null; readonly detail: string } {
  if (Check(StepError, error) && error.code !== 'OUTCOME_UNKNOWN') return { at: error.at, detail: `The hand-over failed: ${error.message}` };
  return { at: Check(StepError, error) ? error.at : null, detail: 'The service stopped in the middle of the hand-over.' };
}

/** To be followed by `abandonCut`: what is said is worked out before the record is closed. */
const sayAbandoned = { type: 'publish' as const, params: ({ context, event }: Args) => abandon(context, event.at).says };

const notice = (kind: string, message: string, data: Record<string, unknown> = {}): Publication[] => [{ kind, message, data }];

export const cutterMachine = setup({
  types: machineTypes<CutterContext, CutterEvent, { name: string }>(),
  actors: { handOver: durableEffect<HandOverOutput, HandOverInput>() },
  guards: {
    leadsTo: (args: Args, { target, standingBy }: { target: FollowedState; standingBy: boolean }) => verdictOf(args, standingBy).target === target,
    polls: ({ event }) => event.type === 'BOOT' && event.poll,
    pollsAndFollows: ({ context, event }) => event.type === 'BOOT' && event.poll && isStreamDone(context.hand_off),
    mayHandOver: ({ context, event }) => event.type === 'CHOSEN' && !isStreamDone(context.hand_off) && context.offered.some((job) => job.id === event.job.id),
  },
  actions: {
    ...vocabulary,
    apply: assign((args: Args, { standingBy }: { standingBy: boolean }) => verdictOf(args, standingBy).patch),
    startFresh: assign({ status: NOT_COMMUNICATING, known_status: NOT_COMMUNICATING, resumed: false, link_info: null, offered: [] }),
    resume: assign({ status: NOT_COMMUNICATING, known_status: NOT_COMMUNICATING, resumed: true }),
    abandonCut: assign(({ context, event }: Args) => abandon(context, event.at).patch),
    identify: assign(({ event }: Args) => (event.type === 'IDENTIFIED' ? { machine: event.machine, warnings: event.warnings } : {})),
    blame: assign(({ event }: Args) => (event.type === 'BROKEN_OFF' ? { last_error: { code: event.code, message: event.message, at: event.at } } : {})),
  },
}).createMachine({
  id: 'cutter',
  context: ({ input }: { input?: { name: string } }) => ({
    name: input?.name ?? '', status: NOT_COMMUNICATING, known_status: NOT_COMMUNICATING, link_info: null, offered: [], hand_off: null, resumed: false,
    machine: { model: null, firmware: null, step_size_mm: null, command_setting: null }, warnings: [], last_error: null,
  }),
  initial: 'stopped',
  on: {
    BOOT: [
      { guard: 'pollsAndFollows', target: '.polling.sent', actions: ['resume', { type: 'publish', params: () => notice('started', 'Polling began.') }] },
      { guard: 'polls', target: '.polling.standby', actions: [sayAbandoned, 'abandonCut', 'startFresh', { type: 'publish', params: () => notice('started', 'Polling began.') }] },
      { target: '.stopped', actions: [sayAbandoned, 'abandonCut', 'startFresh'] },
    ],
    IDENTIFIED: {
      actions: [
        'identify',
        { type: 'publish', params: ({ event }) => event.warnings.map((warning) => ({ kind: 'warning', message: warning.message, data: { code: warning.code } })) },
      ],
    },
  },
  states: {
    stopped: {
      on: { START: { target: 'polling.standby', actions: ['startFresh', { type: 'publish', params: () => notice('started', 'Polling began.') }] } },
    },
    polling: {
      initial: 'standby',
      on: {
        STOP: { target: 'stopped', actions: [sayAbandoned, 'abandonCut', 'startFresh', { type: 'publish', params: () => notice('stopped', 'Polling was stopped.') }] },
        STATUS: followStatus(false),
        BROKEN_OFF: {
          target: '.standby',
          actions: ['blame', { type: 'publish', params: ({ event }) => [
            ...(event.kind === 'standby' ? [] : notice(event.kind, event.message, { code: event.code })),
            ...notice('standby', `Standing by until a new scan. ${event.message}`, { code: event.code }),
          ] }],
        },
      },
      states: {
        standby: { on: { STATUS: followStatus(true) } },
        idle: {},
        scanning: {},
        listing: {
          on: {
            OFFERED: {
              actions: [
                assign({ link_info: ({ event }) => event.link_info, offered: ({ event }) => event.jobs }),
                { type: 'publish', params: ({ event }) => [
                  ...notice('scan', `Barcode ${event.link_info} was scanned.`, { link_info: event.link_info }),
                  ...(event.jobs.length === 0
                    ? notice('no_match', `No job matches ${event.link_info}.`, { link_info: event.link_info })
                    : notice('offer', `Offered ${event.jobs.map((job) => job.name).join(', ')}.`, { link_info: event.link_info, job_ids: event.jobs.map((job) => job.id) })),
                ] },
              ],
            },
          },
        },
        selecting: {},
        determined: {
          on: {
            CHOSEN: {
              guard: 'mayHandOver',
              target: 'handingOver',
              actions: [
                assign({ hand_off: ({ event }) => opened(event.hand_off_id, event.job, event.at) }),
                { type: 'publish', params: ({ context, event }) => notice('selected', `${event.job.name} was selected.`, handOffData(context.hand_off)) },
              ],
            },
          },
        },
        handingOver: {
          invoke: {
            id: 'handOver',
            src: 'handOver',
            input: ({ context, event }) => {
              if (event.type !== 'CHOSEN') throw new Error('a hand-over begins with a choice');
              return { cutter: context.name, hand_off_id: event.hand_off_id, job_id: event.job.id, command_type: event.job.command_type, vector: event.job.vector };
            },
            onDone: [
              {
                guard: ({ event }) => event.output.outcome === 'sent',
                target: 'sent',
                actions: [
                  assign({ hand_off: ({ context, event }) => handedOver(context, event.output) }),
                  { type: 'publish', params: ({ context }) => notice('sent', `${context.hand_off?.job_name ?? 'The job'} was sent.`, handOffData(context.hand_off)) },
                ],
              },
              {
                target: 'standby',
                actions: [
                  assign(({ context, event }) => ({
                    hand_off: handedOver(context, event.output),
                    last_error: { code: event.output.code, message: event.output.detail, at: event.output.at },
                  })),
                  { type: 'publish', params: ({ context }) => [
                    handOffEnded(context.hand_off),
                    ...notice('standby', `Standing by until a new scan. ${context.last_error?.message ?? ''}`, { code: context.last_error?.code ?? null }),
                  ] },
                ],
              },
            ],
            onError: {
              target: 'standby',
              actions: [
                assign(({ context, event }) => {
                  const { detail, at: foundAt } = broken(event.error);
                  const at = foundAt ?? context.hand_off?.started_at ?? 0;
                  return {
                    hand_off: handedOver(context, { outcome: 'unknown_outcome', at, bytes_sent: null, code: 'OUTCOME_UNKNOWN', detail }),
                    last_error: { code: 'OUTCOME_UNKNOWN', message: detail, at },
                  };
                }),
                { type: 'publish', params: ({ context }) => [
                  handOffEnded(context.hand_off),
                  ...notice('standby', `Standing by until a new scan. ${context.last_error?.message ?? ''}`, { code: 'OUTCOME_UNKNOWN' }),
                ] },
              ],
            },
          },
          on: {
            // The stream owns the link: nothing ends it but its own effect.
            STATUS: {},
            BROKEN_OFF: {},
            STOP: {},
            STALLED: { actions: { type: 'publish', params: ({ context, event }) =>
              notice('warning', `${context.hand_off?.job_name ?? 'The job'} has not moved on for ${event.seconds} s; it is not sent again.`, { code: 'STREAM_STALLED', ...handOffData(context.hand_off) }) } },
          },
        },
        sent: {},
        cutting: {},
        operating: {},
      },
    },
  },
});
