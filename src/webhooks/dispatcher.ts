/**
 * Lets queued deliveries through as each receiver's gate allows, and announces receivers that were given up.
 *
 * It holds nothing that must survive: queue and gate are on disk, and it looks at them after every commit that moves a
 * delivery, when a pause of the gate ends, and at its start. It writes only when a delivery may leave.
 */
import { deliveryKind } from '../../machines/index.ts';
import type { Clock, Runtime } from '../runtime/index.ts';
import { prefix, put, remove, type Store } from '../store/index.ts';
import type { Endpoints } from './endpoints.ts';
import { endpointSubject } from './events.ts';
import { gateOf, type EndpointHealth } from './health.ts';
import { endpointHealth, queuedDeliveries } from './records.ts';

export interface DispatcherOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly onTrouble: (message: string) => void;
}

export interface Dispatcher {
  wake(endpointId: string): void;
  stop(): void;
}

/** Pause before a change that could not be stored is tried again. */
const storeRetryMs = 5000;

export function createDispatcher({ store, runtime, clock, endpoints, onTrouble }: DispatcherOptions): Dispatcher {
  const turning = new Map<string, { again: boolean }>();
  const alarms = new Map<string, () => void>();
  let stopped = false;

  const setAlarm = (endpointId: string, delayMs: number): void => {
    alarms.get(endpointId)?.();
    alarms.set(endpointId, clock.after(delayMs, () => wake(endpointId)));
  };

  const announce = async (endpointId: string): Promise<void> => {
    await runtime.change((read) => {
      const health = read.get(endpointHealth, [endpointId]);
      if (health === undefined || health.disabled === null || health.disabled.announced) return { writes: [], news: [], result: undefined };
      const publication = { kind: 'warning', message: disabledSentence(health), data: { code: 'WEBHOOK_ENDPOINT_DISABLED', endpoint_id: endpointId, reason: health.disabled.reason } };
      const row = put(endpointHealth, [endpointId], { ...health, disabled: { ...health.disabled, announced: true } });
      return { writes: [row], news: [{ subject: `${endpointSubject}${endpointId}`, publication }], result: undefined };
    });
  };

  const release = async (key: readonly (string | number)[]): Promise<void> => {
    const sent = await runtime.send(deliveryKind, String(key.at(-1)), { type: 'GO' });
    if (sent.ok) return;
    onTrouble(`a webhook delivery cannot go on and is taken from the queue: ${sent.failure.detail}`);
    await runtime.change(() => ({ writes: [remove(queuedDeliveries, key)], news: [], result: undefined }));
  };

  const turn = async (endpointId: string): Promise<void> => {
    const health = store.get(endpointHealth, [endpointId]);
    if (health === undefined || endpoints.get(endpointId) === undefined) return;
    if (health.disabled?.announced === false) await announce(endpointId);
    const gate = gateOf(health, clock.now());
    if (gate.state === 'disabled' || (gate.state === 'open' && gate.free === 0)) return;
    const queued = store.range(queuedDeliveries, { ...prefix(endpointId), limit: gate.state === 'open' ? gate.free : 1 });
    if (queued.length === 0) return;
    if (gate.state === 'closed') setAlarm(endpointId, gate.waitMs);
    else await Promise.all(queued.map(({ key }) => release(key)));
  };

  const wake = (endpointId: string): void => {
    if (stopped) return;
    const current = turning.get(endpointId);
    if (current !== undefined) {
      current.again = true;
      return;
    }
    const state = { again: false };
    turning.set(endpointId, state);
    void turn(endpointId).catch((error: unknown) => {
      onTrouble(`webhooks wait: ${error instanceof Error ? error.message : String(error)}`);
      if (!stopped) setAlarm(endpointId, storeRetryMs);
    }).finally(() => {
      turning.delete(endpointId);
      if (state.again) wake(endpointId);
    });
  };

  return {
    wake,
    stop() {
      stopped = true;
      for (const cancel of alarms.values()) cancel();
      alarms.clear();
    },
  };
}

export function disabledSentence({ disabled, last_error }: EndpointHealth): string {
  const reason = disabled?.reason === 'GONE' ? 'The receiver of the webhooks says that it is gone' : 'The receiver of the webhooks has failed for 5 days';
  return `${reason}; nothing is sent to it until the service is started again or the receiver is enabled.${last_error === null ? '' : ` ${last_error.detail}`}`;
}
