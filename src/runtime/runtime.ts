/**
 * Hosts the machines: an event becomes a plan, the plan one transaction, and only then effects run.
 *
 * Guarantees. When `send` resolves, the change, its journal entries, steps, timers and messages are on disk. An event
 * that a machine throws at changes nothing. A step's effect begins after its record is on disk, and its result is kept
 * until it is on disk too. Effects of class `manual` begin at most once, whatever happens to the process.
 * Hole: between the record of a manual step and its first act the process may die; that counts as OUTCOME_UNKNOWN,
 * though nothing happened.
 */
import { randomUUID } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import type { ActorKind } from '../../machines/index.ts';
import { put, remove, type Decision, type Reader, type Store, type Write } from '../store/index.ts';
import type { Clock, NewId } from './clock.ts';
import type { Effect } from './effects.ts';
import { planInbox } from './inbox.ts';
import { planJournal, readJournal, type JournalEntry, type JournalNews, type JournalPage } from './journal.ts';
import { loadRecord, planEvent, poisoned, reasonOf, type ActorFailure, type EventToPlan, type PlannedEvent, type StartedStep } from './plan.ts';
import { planForget, type ActorMove, type Projection } from './projection.ts';
import { actors, outbox, poison, refName, steps, type ActorRecord, type ActorRef } from './records.ts';
import { createStepRunner } from './steps.ts';
import { createTimerWheel } from './timers.ts';
import { toView, type ActorView } from './view.ts';

export interface RuntimeOptions {
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, ActorKind>;
  readonly effects: ReadonlyMap<string, Effect>;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Key of the journal's chain. */
  readonly journalKey: Uint8Array;
  /** For what nobody waits for: a poisoned timer, a result that cannot be stored yet. */
  readonly onTrouble: (message: string) => void;
  /** What other rooms add to every commit. Each writes tables of its own. */
  readonly projections?: readonly Projection[];
}

export type SendResult<Context> = { readonly ok: true; readonly duplicate: boolean; readonly view: ActorView<Context> } | { readonly ok: false; readonly failure: ActorFailure };

export interface SendOptions {
  /** Makes the actor with this input if there is none. */
  readonly createWith?: unknown;
  /** A second event with the same id is not taken again. */
  readonly messageId?: string;
}

/** A change of plain records, and what the journal says of it. */
export interface RecordChange<R> extends Decision<R> {
  readonly news: readonly JournalNews[];
}

export interface Runtime {
  send<C extends TSchema, E extends { type: string }>(kind: ActorKind<C, E>, id: string, event: E, options?: SendOptions): Promise<SendResult<Static<C>>>;
  view<C extends TSchema, E extends { type: string }>(kind: ActorKind<C, E>, id: string): ActorView<Static<C>> | undefined;
  /** Commits records of another room together with what the journal says of them. */
  change<R>(decide: (read: Reader) => RecordChange<R>): Promise<R>;
  journal(page: JournalPage): JournalEntry[];
  /** Calls `listener` with entries that are on disk, in order. Returns its end. */
  subscribe(listener: (entries: readonly JournalEntry[]) => void): () => void;
  /** Takes up what an earlier run left: orphaned steps, overdue timers, undelivered messages. */
  start(): Promise<void>;
  /** Waits for running effects: those that can run again for `graceMs`, manual ones to their end unless `force` is aborted. */
  stop(graceMs: number, force?: AbortSignal): Promise<void>;
}

/** Pause before messages that could not be stored (a full disk) are tried again. */
const outboxRetryMs = 1000;

export function createRuntime(options: RuntimeOptions): Runtime {
  return new Host(options);
}

interface Outcome<R> {
  readonly result: R;
  readonly planned: readonly PlannedEvent[];
  readonly entries: readonly JournalEntry[];
  readonly moves: readonly ActorMove[];
  readonly forgotten: readonly ActorRef[];
}

interface Change<R> {
  readonly writes: readonly Write[];
  readonly news: readonly JournalNews[];
  readonly planned: readonly PlannedEvent[];
  readonly result: R;
}

const knownAtMost = 256;

class Host implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #boot = randomUUID();
  readonly #listeners = new Set<(entries: readonly JournalEntry[]) => void>();
  readonly #projections: readonly Projection[];
  /** Actors that were looked at since they last moved, as they are on disk. */
  readonly #known = new Map<string, ActorRecord>();
  readonly #steps;
  readonly #timers;
  #draining: Promise<void> = Promise.resolve();
  #cancelRetry: () => void = () => undefined;
  #running = false;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#projections = options.projections ?? [];
    const { store, clock, effects, onTrouble } = options;
    this.#steps = createStepRunner({
      store, clock, effects, boot: this.#boot, onTrouble,
      finish: (step, event) => this.#finishStep(step, event),
    });
    this.#timers = createTimerWheel({ store, clock, onTrouble, fire: (due, ref, timerId) => this.#fireTimer(due, ref, timerId) });
  }

  async send<C extends TSchema, E extends { type: string }>(kind: ActorKind<C, E>, id: string, event: E, options: SendOptions = {}): Promise<SendResult<Static<C>>> {
    const ref = { kind: kind.kind, id };
    const sent = await this.#commit((read) => this.#planSend(read, ref, event, options));
    if (!sent.ok) return sent;
    return { ok: true, duplicate: sent.duplicate, view: toView(kind, id, sent.record) };
  }

  view<C extends TSchema, E extends { type: string }>(kind: ActorKind<C, E>, id: string): ActorView<Static<C>> | undefined {
    const record = this.#lookUp(kind, id);
    return record === undefined ? undefined : toView(kind, id, record);
  }

  /**
   * Who polls looks at the same actors again and again, and an idle service must not even read the store: every read
   * leaves a trace in its lock file, which the kernel writes to the disk.
   */
  #lookUp(kind: ActorKind, id: string): ActorRecord | undefined {
    const name = refName({ kind: kind.kind, id });
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const stored = this.#options.store.get(actors, [kind.kind, id]);
    const loaded = stored === undefined ? undefined : loadRecord(kind, stored);
    if (loaded?.ok !== true) return undefined;
    if (this.#known.size >= knownAtMost) this.#known.clear();
    this.#known.set(name, loaded.record);
    return loaded.record;
  }

  change<R>(decide: (read: Reader) => RecordChange<R>): Promise<R> {
    return this.#commit((read) => ({ ...decide(read), planned: [] }));
  }

  journal(page: JournalPage): JournalEntry[] {
    return readJournal(this.#options.store, page);
  }

  subscribe(listener: (entries: readonly JournalEntry[]) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async start(): Promise<void> {
    this.#running = true;
    await this.#steps.recover();
    await this.#begin();
  }

  /** Unless it was stopped meanwhile. */
  async #begin(): Promise<void> {
    if (!this.#running) return;
    this.#timers.start();
    this.#drainOutbox();
    await this.#draining;
  }

  async stop(graceMs: number, force?: AbortSignal): Promise<void> {
    this.#running = false;
    this.#cancelRetry();
    await this.#timers.stop();
    await this.#steps.stop(graceMs, force);
    await this.#draining;
  }

  /** The one way to disk: plan, journal, commit; then effects, timers, messages and listeners. */
  async #commit<R>(decide: (read: Reader) => Change<R>): Promise<R> {
    const { store, clock, journalKey, newId } = this.#options;
    const outcome = await store.commit<Outcome<R>>((read) => {
      const change = decide(read);
      const journaled = planJournal(read, change.news, clock.now(), journalKey, newId);
      const planned = [...change.planned, ...this.#planCreations(read, journaled.entries)];
      const moves = planned.map(({ ref, before, record }) => ({ ref, before, after: record }));
      const derived = this.#derive(read, moves);
      return {
        writes: [...change.writes, ...planned.flatMap((plan) => plan.writes), ...journaled.writes, ...derived.writes],
        result: { result: change.result, planned, entries: journaled.entries, moves, forgotten: derived.forgotten },
      };
    });
    for (const ref of [...outcome.moves.map((move) => move.ref), ...outcome.forgotten]) this.#known.delete(refName(ref));
    this.#afterCommit(outcome);
    return outcome.result;
  }

  /** Actors that projections make because of what this commit tells. */
  #planCreations(read: Reader, entries: readonly JournalEntry[]): PlannedEvent[] {
    if (entries.length === 0) return [];
    const creations = this.#projections.flatMap((projection) => projection.create(read, entries));
    return creations.map(({ ref, input, event }) => {
      const planned = this.#plan(read, ref, event, { createWith: input });
      if (!planned.ok) throw new Error(planned.failure.detail);
      if (planned.before !== null || planned.publications.length > 0) throw new Error(`${refName(ref)} is not new, or speaks at its creation`);
      return planned;
    });
  }

  #derive(read: Reader, moves: readonly ActorMove[]): { readonly writes: readonly Write[]; readonly forgotten: readonly ActorRef[] } {
    if (moves.length === 0) return { writes: [], forgotten: [] };
    const at = this.#options.clock.now();
    const derived = this.#projections.map((projection) => projection.derive(read, moves, at));
    const forgotten = derived.flatMap(({ forget }) => forget);
    return { writes: [...derived.flatMap(({ writes }) => writes), ...forgotten.flatMap((ref) => planForget(read, ref))], forgotten };
  }

  #afterCommit({ planned, entries, moves }: Outcome<unknown>): void {
    for (const plan of planned) {
      for (const stopped of plan.stopped) this.#steps.abort(stopped);
      for (const started of plan.started) this.#steps.run(started);
    }
    if (planned.some((plan) => plan.timersChanged)) this.#timers.reschedule();
    if (planned.some((plan) => plan.told)) this.#drainOutbox();
    if (moves.length > 0) for (const projection of this.#projections) this.#notify(() => projection.committed(moves));
    if (entries.length > 0) for (const listener of this.#listeners) this.#notify(() => listener(entries));
  }

  /** The change is on disk: what a listener throws must not tell its author otherwise, nor keep the next from hearing it. */
  #notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#options.onTrouble(`a listener failed: ${reasonOf(error)}`);
    }
  }

  #plan(read: Reader, ref: ActorRef, event: { readonly type: string }, options: Pick<EventToPlan, 'createWith' | 'firedTimer'> = {}) {
    const kind = this.#options.kinds.get(ref.kind);
    if (kind === undefined) throw new Error(`no machine is registered for ${refName(ref)}`);
    return planEvent(read, { ...options, kind, id: ref.id, event, at: this.#options.clock.now(), boot: this.#boot });
  }

  #planSend(read: Reader, ref: ActorRef, event: { readonly type: string }, options: SendOptions): Change<{ ok: true; duplicate: boolean; record: ActorRecord } | { ok: false; failure: ActorFailure }> {
    const received = options.messageId === undefined ? { known: false, writes: [] } : planInbox(read, ref, options.messageId, this.#options.clock.now());
    const known = received.known ? this.#loaded(read, ref) : undefined;
    if (known !== undefined) return { writes: [], news: [], planned: [], result: { ok: true, duplicate: true, record: known } };
    const planned = this.#plan(read, ref, event, options);
    if (!planned.ok) return { writes: planned.writes, news: [], planned: [], result: planned };
    return { writes: received.writes, news: newsOf(ref, planned), planned: [planned], result: { ok: true, duplicate: false, record: planned.record } };
  }

  /** The record as this version of its kind reads it. */
  #loaded(read: Reader, ref: ActorRef): ActorRecord | undefined {
    const kind = this.#options.kinds.get(ref.kind);
    const stored = read.get(actors, [ref.kind, ref.id]);
    if (kind === undefined || stored === undefined) return undefined;
    const loaded = loadRecord(kind, stored);
    return loaded.ok ? loaded.record : undefined;
  }

  /** Brings a step's result to its actor, and forgets the step in the same transaction. */
  async #finishStep(step: StartedStep, event: { readonly type: string }): Promise<void> {
    const { ref, stepId, record } = step;
    await this.#commit((read) => {
      const row = remove(steps, [ref.kind, ref.id, stepId]);
      const waits = read.get(actors, [ref.kind, ref.id])?.steps[record.child] === stepId;
      if (!waits) return { writes: read.get(steps, [ref.kind, ref.id, stepId]) === undefined ? [] : [row], news: [], planned: [], result: undefined };
      return this.#planDelivery(read, ref, event, [row]);
    });
  }

  async #fireTimer(due: number, ref: ActorRef, timerId: string): Promise<void> {
    await this.#commit((read) => {
      const timer = this.#timers.read(read, due, ref, timerId);
      if (timer === undefined) return { writes: [], news: [], planned: [], result: undefined };
      const waits = read.get(actors, [ref.kind, ref.id])?.timers[timerId] === due;
      if (!waits) return { writes: [timer.removal], news: [], planned: [], result: undefined };
      return this.#planDelivery(read, ref, timer.event, [timer.removal], timerId);
    });
  }

  /** An event that came from a record: if the machine cannot take it, it is set aside, and the record goes anyway. */
  #planDelivery(read: Reader, ref: ActorRef, event: { readonly type: string }, removals: readonly Write[], firedTimer?: string): Change<undefined> {
    const planned = this.#planOrExplain(read, ref, event, firedTimer);
    if (planned.ok) return { writes: removals, news: newsOf(ref, planned), planned: [planned], result: undefined };
    const { clock, newId, onTrouble } = this.#options;
    onTrouble(`an event was set aside: ${planned.failure.detail}`);
    const row = put(poison, [clock.now(), newId()], { ref, event, reason: planned.failure.detail, at: clock.now() });
    return { writes: [...removals, ...planned.writes, row], news: [], planned: [], result: undefined };
  }

  /** Even a bug (an action no actor may do, a kind that nobody registered) must not hold up what waits behind this event. */
  #planOrExplain(read: Reader, ref: ActorRef, event: { readonly type: string }, firedTimer: string | undefined) {
    try {
      return this.#plan(read, ref, event, { firedTimer });
    } catch (error) {
      return poisoned(reasonOf(error));
    }
  }

  #drainOutbox(): void {
    this.#draining = this.#draining.then(() => this.#deliverMessages()).catch((error: unknown) => {
      this.#options.onTrouble(`messages between actors wait: ${reasonOf(error)}`);
      this.#cancelRetry();
      if (this.#running) this.#cancelRetry = this.#options.clock.after(outboxRetryMs, () => this.#drainOutbox());
    });
  }

  async #deliverMessages(): Promise<void> {
    while (this.#running) {
      const batch = this.#options.store.range(outbox, { limit: 64 });
      if (batch.length === 0) return;
      await Promise.all(batch.map(({ key }) => this.#commit((read) => {
        const message = read.get(outbox, key);
        if (message === undefined) return { writes: [], news: [], planned: [], result: undefined };
        const received = planInbox(read, message.to, message.message_id, this.#options.clock.now());
        const removals = [remove(outbox, key), ...received.writes];
        if (received.known) return { writes: removals, news: [], planned: [], result: undefined };
        return this.#planDelivery(read, message.to, message.event, removals);
      })));
    }
  }
}

function newsOf(ref: ActorRef, planned: PlannedEvent): JournalNews[] {
  return planned.publications.map((publication) => ({ subject: refName(ref), publication }));
}
