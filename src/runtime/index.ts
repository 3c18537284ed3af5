/** Hosts the machines on the store: events in, durable changes out, effects after they are on disk. */
export { systemClock, type Clock, type NewId } from './clock.ts';
export { defineEffect, type Effect, type EffectClass, type EffectRun } from './effects.ts';
export { verifyJournal, type JournalCheck, type JournalEntry, type JournalNews, type JournalPage } from './journal.ts';
export type { ActorFailure } from './plan.ts';
export { movesOf, type ActorMove, type Creation, type Derived, type KindMove, type Projection } from './projection.ts';
export { runtimeTables, type ActorRef } from './records.ts';
export { createRuntime, type RecordChange, type Runtime, type RuntimeOptions, type SendOptions, type SendResult } from './runtime.ts';
export type { ActorView } from './view.ts';
