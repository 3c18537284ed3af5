/**
 * One event to one actor, as a plan: load, migrate, transition, and every action turned into a record. Pure.
 *
 * XState runs nothing here: `transition` hands back the next snapshot and its actions (durable-actors.md section 1).
 * An action this page does not know is a programming error and throws, so that nothing is written.
 */
import { initialTransition, transition, type AnyMachineSnapshot, type ExecutableActionObject } from 'xstate';
import type { ActorKind, MigratableRecord, Publication, Tell } from '../../machines/index.ts';
import { put, remove, type Reader, type Write } from '../store/index.ts';
import { actors, outbox, quarantine, refName, steps, timers, type ActorRecord, type ActorRef, type StepRecord } from './records.ts';

export type ActorFailure =
  | { readonly code: 'ACTOR_NOT_FOUND'; readonly detail: string }
  /** The stored record cannot be loaded by this version of the service; it is kept untouched. */
  | { readonly code: 'ACTOR_QUARANTINED'; readonly detail: string }
  /** The machine threw, or would have left a context that does not fit its kind: nothing was changed. */
  | { readonly code: 'EVENT_POISONED'; readonly detail: string };

export interface StartedStep {
  readonly ref: ActorRef;
  readonly stepId: string;
  readonly record: StepRecord;
}

export interface PlannedEvent {
  readonly ref: ActorRef;
  /** Null: this event makes the actor. */
  readonly before: ActorRecord | null;
  readonly writes: readonly Write[];
  readonly publications: readonly Publication[];
  readonly started: readonly StartedStep[];
  readonly stopped: readonly { readonly ref: ActorRef; readonly stepId: string }[];
  readonly timersChanged: boolean;
  readonly told: boolean;
  readonly record: ActorRecord;
}

export interface EventToPlan {
  readonly kind: ActorKind;
  readonly id: string;
  readonly event: { readonly type: string };
  readonly at: number;
  readonly boot: string;
  /** Makes the actor with this input if there is none yet. */
  readonly createWith?: unknown;
  /** The timer that brings this event: it is no longer pending. */
  readonly firedTimer?: string | undefined;
}

export type Planned<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly failure: ActorFailure; readonly writes: readonly Write[] };

interface Loaded {
  readonly snapshot: AnyMachineSnapshot;
  readonly actions: readonly ExecutableActionObject[];
  readonly record: ActorRecord | null;
}

export function planEvent(read: Reader, toPlan: EventToPlan): Planned<PlannedEvent> {
  const { kind, id, event } = toPlan;
  const ref = { kind: kind.kind, id };
  const loaded = load(read, toPlan, ref);
  if (!loaded.ok) return loaded;
  const advanced = advance(kind, ref, loaded.snapshot, event);
  if (!advanced.ok) return advanced;
  const planner = new ActionPlanner(ref, loaded.record, toPlan);
  for (const action of [...loaded.actions, ...advanced.actions]) planner.take(action);
  return { ok: true, ...planner.finish(kind.version, advanced.next) };
}

/** The transition alone. What the machine throws poisons the event, and so does a context that could not be loaded again. */
function advance(kind: ActorKind, ref: ActorRef, snapshot: AnyMachineSnapshot, event: { readonly type: string }): Planned<{ readonly next: AnyMachineSnapshot; readonly actions: readonly ExecutableActionObject[] }> {
  try {
    const [next, actions] = transition(kind.machine, snapshot, event);
    if (next.status === 'error') return poisoned(`${refName(ref)} cannot take ${event.type}: ${reasonOf(next.error)}`);
    if (!kind.isContext(next.context)) return poisoned(`${refName(ref)} cannot take ${event.type}: its context would not have the shape of its kind`);
    return { ok: true, next, actions };
  } catch (error) {
    return poisoned(`${refName(ref)} cannot take ${event.type}: ${reasonOf(error)}`);
  }
}

export function poisoned(detail: string): { readonly ok: false; readonly failure: ActorFailure; readonly writes: readonly Write[] } {
  return { ok: false, failure: { code: 'EVENT_POISONED', detail }, writes: [] };
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function loadRecord(kind: ActorKind, record: ActorRecord): { ok: true; record: ActorRecord } | { ok: false; detail: string } {
  let { version } = record;
  let migrated: MigratableRecord = record;
  while (version < kind.version) {
    const migrate = kind.migrations[version];
    if (migrate === undefined) return { ok: false, detail: `there is no way from version ${version} to ${kind.version}` };
    try {
      migrated = migrate(migrated);
    } catch (error) {
      return { ok: false, detail: `the migration from version ${version} failed: ${reasonOf(error)}` };
    }
    version += 1;
  }
  if (version > kind.version) return { ok: false, detail: `it was written by a newer version (${version}) than this one (${kind.version})` };
  if (!kind.isContext(migrated.context)) return { ok: false, detail: 'its context does not have the shape of this version' };
  return { ok: true, record: { ...record, version, value: migrated.value, context: migrated.context } };
}

function load(read: Reader, toPlan: EventToPlan, ref: ActorRef): Planned<Loaded> {
  const { kind, id } = toPlan;
  const stored = read.get(actors, [ref.kind, id]);
  if (stored === undefined) {
    if (!('createWith' in toPlan)) return { ok: false, failure: { code: 'ACTOR_NOT_FOUND', detail: `there is no ${refName(ref)}` }, writes: [] };
    try {
      const [snapshot, actions] = initialTransition(kind.machine, toPlan.createWith);
      return { ok: true, snapshot, actions, record: null };
    } catch (error) {
      return poisoned(`${refName(ref)} cannot be made: ${reasonOf(error)}`);
    }
  }
  const loaded = loadRecord(kind, stored);
  const resolved = loaded.ok ? resolve(kind, loaded.record) : loaded;
  if (!resolved.ok) {
    const detail = `${refName(ref)} cannot be loaded: ${resolved.detail}`;
    const known = read.get(quarantine, [ref.kind, id]) !== undefined;
    return { ok: false, failure: { code: 'ACTOR_QUARANTINED', detail }, writes: known ? [] : [put(quarantine, [ref.kind, id], { reason: detail, at: toPlan.at })] };
  }
  return { ok: true, snapshot: resolved.snapshot, actions: [], record: resolved.record };
}

/** Rebuilds a snapshot. Children are stubs: their steps are records, not live actors. */
function resolve(kind: ActorKind, record: ActorRecord): { ok: true; snapshot: AnyMachineSnapshot; record: ActorRecord } | { ok: false; detail: string } {
  try {
    const snapshot: AnyMachineSnapshot = kind.machine.resolveState({ value: stateValue(record.value), context: record.context, status: record.status });
    Object.assign(snapshot.children, Object.fromEntries(Object.keys(record.steps).map((child) => [child, { id: child }])));
    return { ok: true, snapshot, record };
  } catch (error) {
    return { ok: false, detail: `its state ${JSON.stringify(record.value)} is not one of this version: ${reasonOf(error)}` };
  }
}

type StateValue = string | { [key: string]: StateValue };

function stateValue(value: unknown): StateValue {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) throw new Error('a state value is a name or a tree of names');
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, stateValue(inner)]));
}

class ActionPlanner {
  readonly #ref: ActorRef;
  readonly #at: number;
  readonly #boot: string;
  readonly #rev: number;
  readonly #before: ActorRecord | null;
  readonly #steps: Map<string, string>;
  readonly #timers: Map<string, number>;
  readonly #writes: Write[] = [];
  readonly #publications: Publication[] = [];
  readonly #started = new Map<string, StartedStep>();
  readonly #stopped: { ref: ActorRef; stepId: string }[] = [];
  #timersChanged = false;
  #messages = 0;

  constructor(ref: ActorRef, record: ActorRecord | null, { at, boot, firedTimer }: EventToPlan) {
    this.#ref = ref;
    this.#at = at;
    this.#boot = boot;
    this.#before = record;
    this.#rev = (record?.rev ?? 0) + 1;
    this.#steps = new Map(Object.entries(record?.steps ?? {}));
    this.#timers = new Map(Object.entries(record?.timers ?? {}).filter(([timerId]) => timerId !== firedTimer));
  }

  take(action: ExecutableActionObject): void {
    const params: unknown = action.params;
    switch (action.type) {
      case 'publish': this.#publications.push(...publications(params)); return;
      case 'tell': this.#tell(tell(params)); return;
      case 'xstate.raise': this.#startTimer(params); return;
      case 'xstate.cancel': this.#cancelTimer(text(params, 'sendId')); return;
      case 'xstate.spawnChild': this.#startStep(params); return;
      case 'xstate.stopChild': this.#stopStep(text(params, 'id')); return;
      default: throw new Error(`${refName(this.#ref)} asked for ${action.type}, which no actor may do`);
    }
  }

  finish(version: number, next: AnyMachineSnapshot): PlannedEvent {
    const { kind, id } = this.#ref;
    const record: ActorRecord = {
      version, rev: this.#rev, value: next.value, context: next.context, status: next.status === 'done' ? 'done' : 'active',
      steps: Object.fromEntries(this.#steps), timers: Object.fromEntries(this.#timers),
    };
    const started = [...this.#started.values()];
    const stepRows = started.map((step) => put(steps, [kind, id, step.stepId], step.record));
    return {
      ref: this.#ref, before: this.#before,
      writes: [...(this.#before === null ? [] : [remove(quarantine, [kind, id])]), ...this.#writes, ...stepRows, put(actors, [kind, id], record)],
      publications: this.#publications, started, stopped: this.#stopped,
      timersChanged: this.#timersChanged, told: this.#messages > 0, record,
    };
  }

  #tell({ to, event }: Tell): void {
    this.#messages += 1;
    const messageId = `${refName(this.#ref)}:${this.#rev}:${this.#messages}`;
    this.#writes.push(put(outbox, [refName(this.#ref), this.#rev, this.#messages], { to, event, message_id: messageId }));
  }

  #startTimer(params: unknown): void {
    const event = member(params, 'event');
    const delayMs = member(params, 'delay');
    // Raised without a delay: XState has taken it within this very transition, and only reports it.
    if (typeof delayMs !== 'number') return;
    const type = text(event, 'type');
    const named = member(params, 'id');
    const timerId = typeof named === 'string' ? named : type;
    this.#cancelTimer(timerId);
    const due = this.#at + delayMs;
    this.#timers.set(timerId, due);
    this.#timersChanged = true;
    this.#writes.push(put(timers, [due, this.#ref.kind, this.#ref.id, timerId], { event: { ...(event as object), type } }));
  }

  #cancelTimer(timerId: string): void {
    const due = this.#timers.get(timerId);
    if (due === undefined) return;
    this.#timers.delete(timerId);
    this.#timersChanged = true;
    this.#writes.push(remove(timers, [due, this.#ref.kind, this.#ref.id, timerId]));
  }

  #startStep(params: unknown): void {
    const child = text(params, 'id');
    const src = text(params, 'src');
    this.#stopStep(child);
    const stepId = `${child}:${this.#rev}`;
    this.#steps.set(child, stepId);
    this.#started.set(child, { ref: this.#ref, stepId, record: { child, src, input: member(params, 'input'), attempts: 1, boot: this.#boot } });
  }

  #stopStep(child: string): void {
    const stepId = this.#steps.get(child);
    if (stepId === undefined) return;
    this.#steps.delete(child);
    if (this.#started.delete(child)) return;
    this.#writes.push(remove(steps, [this.#ref.kind, this.#ref.id, stepId]));
    this.#stopped.push({ ref: this.#ref, stepId });
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
}

function text(value: unknown, name: string): string {
  const found = member(value, name);
  if (typeof found !== 'string') throw new Error(`an action has no ${name}`);
  return found;
}

function publications(params: unknown): Publication[] {
  if (!Array.isArray(params)) throw new Error('publish takes a list of publications');
  return params.map((item: unknown) => {
    const data = member(item, 'data');
    return { kind: text(item, 'kind'), message: text(item, 'message'), data: typeof data === 'object' && data !== null ? { ...data } : {} };
  });
}

function tell(params: unknown): Tell {
  const to = member(params, 'to');
  const event = member(params, 'event');
  return { to: { kind: text(to, 'kind'), id: text(to, 'id') }, event: { ...(typeof event === 'object' ? event : {}), type: text(event, 'type') } };
}
