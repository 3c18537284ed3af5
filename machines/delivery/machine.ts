/**
 * One event on its way to one receiver. `queued` until the endpoint's gate lets it through; what the attempt's effect
 * reports decides between `delivered`, another pause and `dead`.
 *
 * Guarantee: at least once, until the schedule is used up; always the same bytes and the same id, so that the receiver
 * can drop what it knows. An attempt that the service itself broke off (it stops, the endpoint is not configured) is
 * not counted. Hole: no order between deliveries once one had to wait.
 */
import { assign, setup } from 'xstate';
import { durableEffect, machineTypes, vocabulary } from '../vocabulary.ts';
import type { Attempt, DeliveryContext } from './context.ts';
import type { DeliverInput, DeliverOutput, DeliveryEvent, DeliveryInput } from './events.ts';
import { nextPauseMs } from './schedule.ts';

const tried = (context: DeliveryContext, attempt: Attempt, jitter: number): Partial<DeliveryContext> => {
  const attempts = context.attempts + 1;
  return { attempts, last: attempt, wait_ms: nextPauseMs(attempts, jitter, attempt.retry_after_ms) ?? 0 };
};

const isLast = (context: DeliveryContext): boolean => nextPauseMs(context.attempts + 1, 0, null) === null;

/** The effect itself failed: a fault of the service, which counts like one of the receiver. */
const fault = (error: unknown, context: DeliveryContext): Attempt => {
  const at = field(error, 'at');
  const message = field(error, 'message');
  return {
    at: typeof at === 'number' ? at : context.created_at, delivered: false, code: 'EFFECT_FAILED',
    detail: typeof message === 'string' ? message : 'The attempt failed inside the service.', status: null, retry_after_ms: null,
  };
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

export const deliveryMachine = setup({
  types: machineTypes<DeliveryContext, DeliveryEvent, DeliveryInput>(),
  actors: { deliverWebhook: durableEffect<DeliverOutput, DeliverInput>() },
  actions: { ...vocabulary },
  delays: { pause: ({ context }) => context.wait_ms },
}).createMachine({
  id: 'delivery',
  context: ({ input }: { input?: DeliveryInput }) => ({
    endpoint_id: input?.endpoint_id ?? '', event_id: input?.event_id ?? '', event_type: input?.event_type ?? '',
    seq: input?.seq ?? 0, body: input?.body ?? '', created_at: input?.created_at ?? 0,
    attempts: 0, wait_ms: 0, last: null,
  }),
  initial: 'queued',
  states: {
    queued: { on: { GO: 'sending' } },
    sending: {
      invoke: {
        id: 'deliver',
        src: 'deliverWebhook',
        input: ({ context }) => ({ endpoint_id: context.endpoint_id, event_id: context.event_id, body: context.body }),
        onDone: [
          { guard: ({ event }) => event.output.attempt === null, target: 'queued' },
          {
            guard: ({ event }) => event.output.attempt?.delivered === true,
            target: 'delivered',
            actions: assign(({ context, event }) => (event.output.attempt === null ? {} : tried(context, event.output.attempt, 0))),
          },
          {
            guard: ({ context }) => isLast(context),
            target: 'dead',
            actions: assign(({ context, event }) => (event.output.attempt === null ? {} : tried(context, event.output.attempt, 0))),
          },
          {
            target: 'waiting',
            actions: assign(({ context, event }) => (event.output.attempt === null ? {} : tried(context, event.output.attempt, event.output.jitter))),
          },
        ],
        onError: [
          { guard: ({ context }) => isLast(context), target: 'dead', actions: assign(({ context, event }) => tried(context, fault(event.error, context), 0)) },
          { target: 'waiting', actions: assign(({ context, event }) => tried(context, fault(event.error, context), 0)) },
        ],
      },
    },
    waiting: { after: { pause: 'queued' } },
    delivered: {},
    dead: { on: { REPLAY: { target: 'queued', actions: assign({ attempts: 0, wait_ms: 0 }) } } },
  },
});
