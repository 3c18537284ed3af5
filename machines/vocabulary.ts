/**
 * What a machine may ask of the world. Machines are deterministic: no I/O, no clock, no randomness; times and ids
 * arrive in events. `assign` and `raise` are XState's own; these two are ours, and the runtime turns them into records
 * of the same transaction as the change. Anything that touches the world is an `invoke` of a durable effect.
 */
import { fromPromise, type AnyStateMachine, type EventObject, type MachineContext, type PromiseActorLogic } from 'xstate';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** One entry of the journal: the activity log, the audit trail, and the source of webhooks. */
export interface Publication {
  readonly kind: string;
  /** One sentence for people. */
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A message to another actor, delivered exactly once through the outbox. */
export interface Tell {
  readonly to: { readonly kind: string; readonly id: string };
  readonly event: { readonly type: string };
}

/** Implementations for `setup({ actions })`. They do nothing: the runtime reads their resolved parameters. */
export const vocabulary = {
  publish: (_args: unknown, _publications: readonly Publication[]): void => undefined,
  tell: (_args: unknown, _tell: Tell): void => undefined,
};

/** Types an effect for `setup({ actors })`. The logic never runs: the runtime makes a durable step of it. */
export function durableEffect<Output, Input>(): PromiseActorLogic<Output, Input> {
  return fromPromise<Output, Input>(() => Promise.reject(new Error('an effect runs as a durable step, never inside a machine')));
}

/** A kind of actor: its machine, the shape of its context, and how old records are brought up to date. */
export interface ActorKind<Context extends TSchema = TSchema, Event extends { type: string } = { type: string }> {
  readonly kind: string;
  /** Raised with every change of the machine's structure or context. */
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly context: Context;
  /** Whether a value has the shape of `context`. Compiled: it is asked at every poll and every event. */
  readonly isContext: (value: unknown) => value is Static<Context>;
  /** From version n to n + 1, by n. A record of an older version without a way here is quarantined. */
  readonly migrations: Readonly<Record<number, (old: MigratableRecord) => MigratableRecord>>;
  /** Carries the type of the events; never present at run time. */
  readonly eventType?: Event;
}

export function actorKind<Context extends TSchema, Event extends { type: string }>(kind: Omit<ActorKind<Context, Event>, 'isContext'>): ActorKind<Context, Event> {
  const validator = Compile(kind.context);
  return { ...kind, isContext: (value): value is Static<Context> => validator.Check(value) };
}

/** The part of a persisted actor that a migration may change. */
export interface MigratableRecord {
  readonly value: unknown;
  readonly context: unknown;
}

export type ContextOf<K> = K extends ActorKind<infer Context> ? Static<Context> : never;

/** Types for `setup({ types })`, without a value. */
export function machineTypes<Context extends MachineContext, Event extends EventObject, Input>(): { context?: Context; events?: Event; input?: Input } {
  return {};
}
