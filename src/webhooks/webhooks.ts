/**
 * Webhooks as one part of the service: what the runtime needs of them before it runs, and what others ask of them.
 *
 * Guarantee: a change that is on disk has its deliveries on disk with it, and each is tried until it is delivered or
 * its schedule is used up, whatever happens to the process. A receiver may get a message twice, never with another id.
 */
import { networkInterfaces } from 'node:os';
import { deliveryKind, type DeliveryContext } from '../../machines/index.ts';
import type { Clock, Effect, NewId, Projection, Runtime } from '../runtime/index.ts';
import { prefix, put, type Store } from '../store/index.ts';
import { createDispatcher, disabledSentence, type Dispatcher } from './dispatcher.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import { endpointSubject, testKind } from './events.ts';
import { createGuard } from './guard.ts';
import { isFailing, newHealth, type EndpointHealth } from './health.ts';
import { createResolver, type Resolve } from './names.ts';
import { webhookProjection } from './projection.ts';
import { endedDeliveries, endpointHealth } from './records.ts';
import { createSender } from './sender.ts';

export interface WebhooksOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly random: () => number;
  readonly endpoints: Endpoints;
  /** WEBHOOK_ALLOW_CIDRS. */
  readonly allowCidrs: readonly string[];
  /** For the user-agent header. */
  readonly version: string;
  readonly log: { readonly info: (message: string) => void; readonly warn: (message: string) => void };
  /** For tests; the system's own otherwise. */
  readonly resolve?: Resolve;
  readonly ownAddresses?: () => readonly string[];
}

/** `events` = `pending` + `delivered` + `dead`. */
export interface WebhookCounters {
  readonly configured: boolean;
  /** False: given up until it is enabled, see `disabledReason`. */
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly events: number;
  readonly pending: number;
  readonly delivered: number;
  readonly dead: number;
  readonly failedAttempts: number;
  readonly failuresInRow: number;
  readonly lastError: string | null;
  readonly lastErrorCode: string | null;
  /** Milliseconds since 1970. */
  readonly lastFailureAt: number | null;
  readonly lastDeliveredAt: number | null;
}

export interface WebhookWarning {
  readonly code: 'WEBHOOK_TARGET_REFUSED' | 'WEBHOOK_ENDPOINT_DISABLED' | 'WEBHOOKS_FAILING';
  readonly message: string;
}

export interface DeadLetter {
  /** What `replay` takes. */
  readonly id: string;
  readonly context: DeliveryContext;
}

export interface Webhooks {
  /** To be given to the runtime. */
  readonly projection: Projection;
  readonly effects: ReadonlyMap<string, Effect>;
  /** After the runtime's own start. */
  start(runtime: Runtime): Promise<void>;
  /** Before the runtime's own stop: gives requests under way a moment, and queues what is not done. */
  stop(): Promise<void>;
  counters(endpointId: string): WebhookCounters;
  /** Plain sentences on what a person should look at. */
  warnings(): WebhookWarning[];
  /** Asks for a `webhook.test` to this receiver; false: there is none. */
  sendTest(endpointId: string): Promise<boolean>;
  /** Newest first. */
  deadLetters(endpointId: string, limit: number): DeadLetter[];
  /** Tries a dead letter again with the same id; false: it is none, or none any more. */
  replay(deliveryId: string): Promise<boolean>;
  /** Sends again to a receiver that was given up; false: it was not. */
  enable(endpointId: string): Promise<boolean>;
}

/** A receiver that answers at all does so within this; what hangs is broken off when the service stops. */
const stopGraceMs = 2000;

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { store, clock, newId, endpoints, log } = options;
  const guard = createGuard({
    allowCidrs: options.allowCidrs,
    ownAddresses: options.ownAddresses ?? systemAddresses,
    resolve: createResolver(options.resolve),
  });
  const sender = createSender({
    endpoints, guard, clock, random: options.random, version: options.version,
    onFailure: ({ url }, eventId, { detail }) => log.warn(`webhook ${eventId} to ${url.host} failed: ${detail}`),
  });
  let running: { readonly runtime: Runtime; readonly dispatcher: Dispatcher } | null = null;
  const healthOf = (endpointId: string): EndpointHealth => store.get(endpointHealth, [endpointId]) ?? newHealth;

  const enable = async (endpointId: string): Promise<boolean> => {
    const done = await running?.runtime.change((read) => {
      const health = read.get(endpointHealth, [endpointId]);
      if (health === undefined || health.disabled === null) return { writes: [], news: [], result: false };
      return { writes: [put(endpointHealth, [endpointId], { ...health, disabled: null, failures_in_row: 0, failing_since: null, hold_until: null })], news: [], result: true };
    }) ?? false;
    if (done) running?.dispatcher.wake(endpointId);
    return done;
  };

  return {
    projection: webhookProjection({
      endpoints, newId, now: () => clock.now(),
      onMoved: (ids) => {
        for (const id of ids) running?.dispatcher.wake(id);
      },
    }),
    effects: new Map([['deliverWebhook', sender.effect]]),
    async start(runtime) {
      const dispatcher = createDispatcher({ store, runtime, clock, endpoints, onTrouble: (message) => log.warn(message) });
      running = { runtime, dispatcher };
      for (const { id, url } of endpoints.all()) {
        const refused = guard.checkLiteral(url);
        if (refused !== null) log.warn(refused.detail);
        // Whoever starts the service again has changed something: a receiver that was given up gets another chance.
        await enable(id);
        dispatcher.wake(id);
      }
    },
    async stop() {
      running?.dispatcher.stop();
      running = null;
      await sender.stop(stopGraceMs);
    },
    counters: (endpointId) => countersOf(healthOf(endpointId), endpoints.get(endpointId)),
    warnings: () => endpoints.all().flatMap(({ id, url }) => warningsOf(healthOf(id), guard.checkLiteral(url)?.detail ?? null)),
    async sendTest(endpointId) {
      if (running === null || endpoints.get(endpointId) === undefined) return false;
      const publication = { kind: testKind, message: 'A test of the webhooks was asked for.', data: {} };
      await running.runtime.change(() => ({ writes: [], news: [{ subject: `${endpointSubject}${endpointId}`, publication }], result: undefined }));
      return true;
    },
    deadLetters(endpointId, limit) {
      return store.range(endedDeliveries, { ...prefix(endpointId, 'dead'), reverse: true, limit }).flatMap(({ key }) => {
        const view = running?.runtime.view(deliveryKind, String(key.at(-1)));
        return view === undefined ? [] : [{ id: view.id, context: view.context }];
      });
    },
    async replay(deliveryId) {
      const view = running?.runtime.view(deliveryKind, deliveryId);
      if (running === null || view?.matches('dead') !== true) return false;
      const sent = await running.runtime.send(deliveryKind, deliveryId, { type: 'REPLAY' });
      return sent.ok;
    },
    enable,
  };
}

function systemAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

function countersOf(health: EndpointHealth, endpoint: Endpoint | undefined): WebhookCounters {
  const { events, pending, delivered, dead, failed_attempts, failures_in_row, last_error, last_failure_at, last_delivered_at, disabled } = health;
  return {
    configured: endpoint !== undefined, enabled: endpoint !== undefined && disabled === null, disabledReason: disabled?.reason ?? null,
    events, pending, delivered, dead, failedAttempts: failed_attempts, failuresInRow: failures_in_row,
    lastError: last_error?.detail ?? null, lastErrorCode: last_error?.code ?? null,
    lastFailureAt: last_failure_at, lastDeliveredAt: last_delivered_at,
  };
}

function warningsOf(health: EndpointHealth, refusedLiteral: string | null): WebhookWarning[] {
  if (health.disabled !== null) return [{ code: 'WEBHOOK_ENDPOINT_DISABLED', message: disabledSentence(health) }];
  const refused = refusedLiteral ?? (health.failures_in_row > 0 && health.last_error?.code === 'TARGET_REFUSED' ? health.last_error.detail : null);
  if (refused !== null) return [{ code: 'WEBHOOK_TARGET_REFUSED', message: refused }];
  if (!isFailing(health)) return [];
  return [{ code: 'WEBHOOKS_FAILING', message: `Webhooks wait, since their receiver failed ${health.failures_in_row} times in a row. ${health.last_error?.detail ?? ''}`.trim() }];
}
