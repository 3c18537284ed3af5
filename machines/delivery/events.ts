import type { Attempt } from './context.ts';

export interface DeliveryInput {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly seq: number;
  readonly body: string;
  readonly created_at: number;
}

export type DeliveryEvent =
  /** First event of a delivery that has to queue: the endpoint's gate is closed, or others are on their way. */
  | { type: 'HELD' }
  /** The gate lets it through. */
  | { type: 'GO' }
  /** A person wants a dead letter tried again, by the whole schedule. */
  | { type: 'REPLAY' };

export interface DeliverInput {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly body: string;
}

export interface DeliverOutput {
  /** Null: the service broke it off. */
  readonly attempt: Attempt | null;
  /** A random number from -1 to 1 for the next pause. */
  readonly jitter: number;
}
