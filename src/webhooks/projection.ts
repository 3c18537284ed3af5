/**
 * What every commit of the service holds for the sake of webhooks: a delivery for each receiver of what it tells, the
 * counters, the queue, and the sweeping of what ended long ago.
 */
import { deliveryKind, type DeliveryInput } from '../../machines/index.ts';
import { movesOf, type ActorRef, type Creation, type Derived, type JournalEntry, type NewId, type Projection } from '../runtime/index.ts';
import { prefix, put, remove, type Reader, type Write } from '../store/index.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import { eventOf, type WebhookEvent } from './events.ts';
import { followMove, gateOf, newHealth, standingOf, type DeliveryMove, type EndpointHealth } from './health.ts';
import { endedDeliveries, endpointHealth, queuedDeliveries } from './records.ts';

const dayMs = 24 * 3_600_000;
/** Dead letters, and what waits for a disabled receiver (api-decisions.md section 7). */
export const deadKeptMs = 30 * dayMs;
/** Delivered ones are kept to be looked at. */
export const deliveredKept = 200;
/** Old rows that each change takes along: more than it adds, so that what is kept is bounded, and no timer writes. */
const sweptPerChange = 4;

export interface ProjectionOptions {
  readonly endpoints: Endpoints;
  readonly newId: NewId;
  readonly now: () => number;
  /** Deliveries to these endpoints moved, and that is on disk. */
  readonly onMoved: (endpointIds: ReadonlySet<string>) => void;
}

export function webhookProjection({ endpoints, newId, now, onMoved }: ProjectionOptions): Projection {
  return {
    create(read, entries) {
      const events = entries.flatMap((entry) => withTime(entry));
      if (events.length === 0) return [];
      return endpoints.all().flatMap((endpoint) => {
        const wanted = events.filter(({ event }) => isMeant(endpoint, event));
        return planDeliveries(read, endpoint, wanted, { newId, nowMs: now() });
      });
    },
    derive(read, moves, at) {
      const byEndpoint = new Map<string, DeliveryMove[]>();
      for (const move of movesOf(deliveryKind, moves)) {
        const id = move.after.context.endpoint_id;
        byEndpoint.set(id, [...(byEndpoint.get(id) ?? []), move]);
      }
      const derived = [...byEndpoint].map(([endpointId, ofEndpoint]) => deriveFor(read, endpointId, ofEndpoint, at));
      return { writes: derived.flatMap(({ writes }) => writes), forget: derived.flatMap(({ forget }) => forget) };
    },
    committed(moves) {
      const ids = new Set(movesOf(deliveryKind, moves).map(({ after }) => after.context.endpoint_id));
      if (ids.size > 0) onMoved(ids);
    },
  };
}

interface TimedEvent {
  readonly event: WebhookEvent;
  readonly at: number;
}

function withTime(entry: JournalEntry): TimedEvent[] {
  const event = eventOf(entry);
  return event === null ? [] : [{ event, at: entry.at }];
}

const isMeant = (endpoint: Endpoint, { type, endpointId }: WebhookEvent): boolean =>
  endpointId === null ? endpoint.eventTypes.includes(type) : endpointId === endpoint.id;

/** The first attempts begin with the commit itself, as far as the gate has room; the others queue. */
function planDeliveries(read: Reader, endpoint: Endpoint, events: readonly TimedEvent[], { newId, nowMs }: { newId: NewId; nowMs: number }): Creation[] {
  if (events.length === 0) return [];
  const gate = gateOf(read.get(endpointHealth, [endpoint.id]) ?? newHealth, nowMs);
  const isQueueEmpty = read.range(queuedDeliveries, { ...prefix(endpoint.id), limit: 1 }).length === 0;
  const free = gate.state === 'open' && isQueueEmpty ? gate.free : 0;
  return events.map(({ event, at }, index) => ({
    ref: { kind: deliveryKind.kind, id: newId() },
    input: { endpoint_id: endpoint.id, event_id: event.id, event_type: event.type, seq: event.seq, body: event.body, created_at: at } satisfies DeliveryInput,
    event: { type: index < free ? 'GO' : 'HELD' },
  }));
}

function deriveFor(read: Reader, endpointId: string, moves: readonly DeliveryMove[], at: number): Derived {
  const stored = read.get(endpointHealth, [endpointId]) ?? newHealth;
  const followed = moves.reduce(followMove, stored);
  const moved = new Set(moves.map(({ after }) => after.id));
  const swept = sweep(read, endpointId, followed, moved, at);
  return {
    writes: [...swept.writes, ...moves.flatMap((move) => indexRows(endpointId, move)), put(endpointHealth, [endpointId], swept.health)],
    forget: swept.forget,
  };
}

function indexRows(endpointId: string, { before, after }: DeliveryMove): Write[] {
  const rowOf = (view: DeliveryMove['after'], write: 'put' | 'remove'): Write[] => {
    const { seq, created_at, last } = view.context;
    const standing = standingOf(view);
    const queuedKey = [endpointId, seq, view.id];
    const endedKey = [endpointId, standing, last?.at ?? created_at, view.id];
    if (standing === 'queued') return [write === 'put' ? put(queuedDeliveries, queuedKey, created_at) : remove(queuedDeliveries, queuedKey)];
    if (standing === 'dead' || standing === 'delivered') return [write === 'put' ? put(endedDeliveries, endedKey, true) : remove(endedDeliveries, endedKey)];
    return [];
  };
  return [...(before === null ? [] : rowOf(before, 'remove')), ...rowOf(after, 'put')];
}

interface Swept extends Derived {
  readonly health: EndpointHealth;
}

function sweep(read: Reader, endpointId: string, health: EndpointHealth, moved: ReadonlySet<string>, at: number): Swept {
  const ref = (id: string | number | undefined): ActorRef => ({ kind: deliveryKind.kind, id: String(id) });
  const isUntouched = ({ key }: { readonly key: readonly (string | number)[] }): boolean => !moved.has(String(key.at(-1)));
  const old = read.range(endedDeliveries, { start: [endpointId, 'dead', 0], end: [endpointId, 'dead', at - deadKeptMs], limit: sweptPerChange }).filter(isUntouched);
  const tooMany = Math.min(sweptPerChange, Math.max(0, health.delivered_kept - deliveredKept));
  const surplus = tooMany === 0 ? [] : read.range(endedDeliveries, { ...prefix(endpointId, 'delivered'), limit: tooMany }).filter(isUntouched);
  const stale = read.range(queuedDeliveries, { ...prefix(endpointId), limit: sweptPerChange }).filter((row) => row.value < at - deadKeptMs).filter(isUntouched);
  return {
    health: {
      ...health,
      delivered_kept: health.delivered_kept - surplus.length,
      pending: health.pending - stale.length,
      dead: health.dead + stale.length,
    },
    writes: [
      ...[...old, ...surplus].map(({ key }) => remove(endedDeliveries, key)),
      ...stale.map(({ key }) => remove(queuedDeliveries, key)),
    ],
    forget: [...old, ...surplus, ...stale].map(({ key }) => ref(key.at(-1))),
  };
}
