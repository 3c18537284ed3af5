/** The rows the runtime keeps (durable-actors.md section 3). */
import { recordTable } from '../store/index.ts';

export interface ActorRef {
  readonly kind: string;
  readonly id: string;
}

export interface ActorRecord {
  readonly version: number;
  /** Counts committed events; part of the id of every message and step this actor makes. */
  readonly rev: number;
  /** XState's state value. */
  readonly value: unknown;
  readonly context: unknown;
  readonly status: 'active' | 'done';
  /** Running invocations: child id → id of its step. */
  readonly steps: Readonly<Record<string, string>>;
  /** Pending timers: timer id → due time. */
  readonly timers: Readonly<Record<string, number>>;
}

/** An effect that was begun and has not come back. It is written in the transaction that asked for it. */
export interface StepRecord {
  readonly child: string;
  readonly src: string;
  readonly input: unknown;
  readonly attempts: number;
  /** The run of the service that holds it. Another run finds it orphaned. */
  readonly boot: string;
}

export interface TimerRecord {
  readonly event: { readonly type: string };
}

export interface OutboxRecord {
  readonly to: ActorRef;
  readonly event: { readonly type: string };
  /** `kind/id:rev:n` of the sender: the receiver's inbox knows it. */
  readonly message_id: string;
}

/** An event that a machine could not take, set aside so that its sender is not asked for ever. */
export interface PoisonRecord {
  readonly ref: ActorRef;
  readonly event: unknown;
  readonly reason: string;
  readonly at: number;
}

export interface QuarantineRecord {
  readonly reason: string;
  readonly at: number;
}

export interface JournalRecord {
  /** UUID of the event, as other records refer to it. */
  readonly id: string;
  readonly at: number;
  /** What it is about: "cutter/left", "job/0192…". */
  readonly subject: string;
  readonly kind: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** HMAC-SHA-256 over the record before it and this one, base64. */
  readonly mac: string;
}

export interface JournalHead {
  readonly seq: number;
  readonly mac: string;
}

export const actors = recordTable<ActorRecord>('actors');
export const steps = recordTable<StepRecord>('steps');
export const timers = recordTable<TimerRecord>('timers');
/** By sender, its revision and the number of the message: one actor's messages go out in the order it sent them, whatever the clock does. */
export const outbox = recordTable<OutboxRecord>('outbox');
export const inbox = recordTable<{ at: number }>('inbox');
/** Inbox rows by age, so that they can be swept. */
export const inboxAges = recordTable<true>('inbox_ages');
export const poison = recordTable<PoisonRecord>('poison');
export const quarantine = recordTable<QuarantineRecord>('quarantine');
export const journal = recordTable<JournalRecord>('journal');
export const journalSubjects = recordTable<true>('journal_subjects');
export const journalHead = recordTable<JournalHead>('journal_head');

export const runtimeTables = [actors, steps, timers, outbox, inbox, inboxAges, poison, quarantine, journal, journalSubjects, journalHead];

export const refName = (ref: ActorRef): string => `${ref.kind}/${ref.id}`;
