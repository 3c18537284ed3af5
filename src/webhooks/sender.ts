/**
 * The effect behind `deliverWebhook` of the delivery's machine: one signed request.
 *
 * Class `idempotent`: the receiver knows a repeated message by its webhook-id, which is the same on every attempt.
 */
import Type from 'typebox';
import type { DeliverOutput } from '../../machines/index.ts';
import { defineEffect, type Clock, type Effect } from '../runtime/index.ts';
import { attempt, type AttemptReport } from './attempt.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import type { Guard } from './guard.ts';
import { sign } from './signing.ts';

const Input = Type.Object({ endpoint_id: Type.String(), event_id: Type.String(), body: Type.String() });

export interface SenderOptions {
  readonly endpoints: Endpoints;
  readonly guard: Guard;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  readonly random: () => number;
  readonly version: string;
  readonly onFailure: (endpoint: Endpoint, eventId: string, report: AttemptReport) => void;
}

export interface Sender {
  readonly effect: Effect;
  /** Waits `graceMs` for what is under way, then breaks it off; nothing leaves any more. */
  stop(graceMs: number): Promise<void>;
}

export function createSender({ endpoints, guard, clock, random, version, onFailure }: SenderOptions): Sender {
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let isStopped = false;

  const send = async (endpoint: Endpoint, eventId: string, body: string, signal: AbortSignal): Promise<DeliverOutput> => {
    const headers = { 'content-type': 'application/json', accept: '*/*', 'user-agent': `Kerf/${version}`, ...sign(endpoint.secrets, eventId, clock.now(), body) };
    const report = await attempt(endpoint.url, headers, body, { guard, clock, signal: AbortSignal.any([signal, stopping.signal]) });
    if (report === null) return brokenOff;
    const { code, detail, status, retryAfterMs } = report;
    if (code !== 'DELIVERED') onFailure(endpoint, eventId, report);
    return {
      attempt: { at: clock.now(), delivered: code === 'DELIVERED', code, detail, status, retry_after_ms: retryAfterMs },
      jitter: random() * 2 - 1,
    };
  };

  return {
    effect: defineEffect('idempotent', Input, ({ endpoint_id, event_id, body }, { signal }) => {
      const endpoint = endpoints.get(endpoint_id);
      if (endpoint === undefined || isStopped) return Promise.resolve(brokenOff);
      const sending = send(endpoint, event_id, body, signal).finally(() => underWay.delete(sending));
      underWay.add(sending);
      return sending;
    }),
    async stop(graceMs) {
      isStopped = true;
      if (underWay.size > 0) {
        const all = Promise.allSettled(underWay);
        let cancel = (): void => undefined;
        const grace = new Promise<void>((resolve) => {
          cancel = clock.after(graceMs, resolve);
        });
        await Promise.race([all, grace]);
        cancel();
      }
      stopping.abort();
      await Promise.allSettled(underWay);
    },
  };
}

/** The machine queues the delivery again, and does not count the attempt. */
const brokenOff: DeliverOutput = { attempt: null, jitter: 0 };
