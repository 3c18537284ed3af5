/** The pure machines, and the registry of all kinds of actors. */
export * from './cutter/index.ts';
export * from './delivery/index.ts';
export * from './hot-folder/index.ts';
export { actorKind, durableEffect, machineTypes, vocabulary } from './vocabulary.ts';
export type { ActorKind, ContextOf, MigratableRecord, Publication, Tell } from './vocabulary.ts';
export { registry } from './registry.ts';
