/**
 * What else a commit holds because of what is in it: new actors that its news ask for, and rows that another room keeps
 * beside its actors (counters, indexes). See docs/decisions/projections.md.
 *
 * Guarantee: all of it is in the transaction of the change it follows from, so it can neither be lost nor be counted
 * twice, and it adds up after every crash. A projection runs inside the write transaction: it must be pure and quick,
 * and its throw refuses the whole commit.
 */
import type { Static, TSchema } from 'typebox';
import type { ActorKind } from '../../machines/index.ts';
import { remove, type Reader, type Write } from '../store/index.ts';
import type { JournalEntry } from './journal.ts';
import { actors, steps, timers, type ActorRecord, type ActorRef } from './records.ts';
import { toView, type ActorView } from './view.ts';

/** One actor, before and after the event it took in this commit. Read it with `movesOf`. */
export interface ActorMove {
  readonly ref: ActorRef;
  /** Null: this commit makes it. */
  readonly before: ActorRecord | null;
  readonly after: ActorRecord;
}

/** An actor to make. Its id must be new, and its first event must not publish. */
export interface Creation {
  readonly ref: ActorRef;
  readonly input: unknown;
  readonly event: { readonly type: string };
}

export interface Derived {
  /** Rows of tables that only this projection writes. */
  readonly writes: readonly Write[];
  /** Actors that nobody needs any more; their steps and timers go with them. */
  readonly forget: readonly ActorRef[];
}

export interface Projection {
  readonly create: (read: Reader, entries: readonly JournalEntry[]) => readonly Creation[];
  /** `moves` holds the created actors too. `read` shows the tables as they were before this commit. */
  readonly derive: (read: Reader, moves: readonly ActorMove[], at: number) => Derived;
  /** The commit is on disk. */
  readonly committed: (moves: readonly ActorMove[]) => void;
}

export interface KindMove<Context> {
  readonly before: ActorView<Context> | null;
  readonly after: ActorView<Context>;
}

/** The moves of one kind of actor. */
export function movesOf<C extends TSchema, E extends { type: string }>(kind: ActorKind<C, E>, moves: readonly ActorMove[]): KindMove<Static<C>>[] {
  return moves.flatMap(({ ref, before, after }) => (ref.kind === kind.kind
    ? [{ before: before === null ? null : toView(kind, ref.id, before), after: toView(kind, ref.id, after) }]
    : []));
}

export function planForget(read: Reader, ref: ActorRef): Write[] {
  const record = read.get(actors, [ref.kind, ref.id]);
  if (record === undefined) return [];
  return [
    remove(actors, [ref.kind, ref.id]),
    ...Object.values(record.steps).map((stepId) => remove(steps, [ref.kind, ref.id, stepId])),
    ...Object.entries(record.timers).map(([timerId, due]) => remove(timers, [due, ref.kind, ref.id, timerId])),
  ];
}
