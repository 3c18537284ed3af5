import Type, { type Static } from 'typebox';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** How one attempt ended. */
export const Attempt = Type.Object({
  at: Type.Number(),
  delivered: Type.Boolean(),
  /** Why not: TIMED_OUT, ANSWER_REFUSED, GONE, …; DELIVERED if it was. */
  code: Type.String(),
  detail: Type.String(),
  /** HTTP status of the answer, if there was one. */
  status: nullable(Type.Integer()),
  /** What the receiver asked for in Retry-After. */
  retry_after_ms: nullable(Type.Number()),
});

export const DeliveryContext = Type.Object({
  endpoint_id: Type.String(),
  event_id: Type.String(),
  event_type: Type.String(),
  /** Position of the event in the journal: deliveries that are due together leave in this order. */
  seq: Type.Integer(),
  /** The bytes of the message, frozen when the event happened. */
  body: Type.String(),
  created_at: Type.Number(),
  /** Attempts made since the event, or since the last replay. */
  attempts: Type.Integer(),
  /** Pause before the next attempt. */
  wait_ms: Type.Number(),
  last: nullable(Attempt),
});

export type Attempt = Static<typeof Attempt>;
export type DeliveryContext = Static<typeof DeliveryContext>;
