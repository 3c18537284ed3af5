/** The rows this room keeps beside the delivery actors, always in the transaction of the actors' own change. */
import { recordTable } from '../store/index.ts';
import type { EndpointHealth } from './health.ts';

/** By endpoint. */
export const endpointHealth = recordTable<EndpointHealth>('webhook_health');
/** Deliveries that wait to be let through: [endpoint, seq of the event, delivery] → when it was made. */
export const queuedDeliveries = recordTable<number>('webhook_queued');
/** Deliveries that ended: [endpoint, "delivered" | "dead", when, delivery]. */
export const endedDeliveries = recordTable<true>('webhook_ended');

export const webhookTables = [endpointHealth, queuedDeliveries, endedDeliveries];
