/**
 * From the journal to what receivers are told. A journal entry is for this shop's own eyes; the data of an event is a
 * public contract (docs/webhooks.md), so every field is named here and nothing is passed on unseen.
 */
import type { JournalEntry } from '../runtime/index.ts';
import type { cutterServerEvents } from './endpoints.ts';

export const apiVersion = 'v1';

export type EventType = (typeof cutterServerEvents)[number];

export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType;
  readonly seq: number;
  /** The JSON text that is signed and sent, the same on every attempt. */
  readonly body: string;
  /** Only this endpoint is meant. */
  readonly endpointId: string | null;
}

/** Kind of the journal entry that asks for `webhook.test`, and what its subject begins with. */
export const testKind = 'webhook_test';
export const endpointSubject = 'webhook/';

/** Null: nobody outside is told of this entry. */
export function eventOf(entry: JournalEntry): WebhookEvent | null {
  const told = tell(entry);
  if (told === null) return null;
  const { type, data } = told;
  const { id, at, seq, subject } = entry;
  const body = JSON.stringify({ id, type, timestamp: new Date(at).toISOString(), api_version: apiVersion, data: { ...data, sequence: seq } });
  return { id, type, seq, body, endpointId: type === 'webhook.test' ? subject.slice(endpointSubject.length) : null };
}

function tell(entry: JournalEntry): { type: EventType; data: Record<string, unknown> } | null {
  switch (entry.kind) {
    case 'job_added': return { type: 'job.registered', data: { ...job(entry), source: text(entry, 'source') } };
    case 'sent': return { type: 'job.sent', data: handOff(entry) };
    case 'finished': return { type: 'job.finished', data: handOff(entry) };
    case 'interrupted':
    case 'unknown_outcome': return { type: 'job.interrupted', data: { ...handOff(entry), outcome: entry.kind, reason: entry.message } };
    case 'no_match': return { type: 'barcode.no_match', data: { cutter: cutter(entry), barcode_link_info: text(entry, 'link_info') } };
    case testKind: return { type: 'webhook.test', data: { message: entry.message } };
    default: return null;
  }
}

const job = (entry: JournalEntry): Record<string, unknown> =>
  ({ job_id: text(entry, 'job_id'), job_name: text(entry, 'job_name'), barcode_link_info: text(entry, 'link_info') });

const handOff = (entry: JournalEntry): Record<string, unknown> => ({
  cutter: cutter(entry), hand_off_id: text(entry, 'hand_off_id'), ...job(entry),
  bytes_total: integer(entry, 'bytes_total'), bytes_sent: integer(entry, 'bytes_sent'),
});

const cutter = ({ subject }: JournalEntry): string | null => (subject.startsWith('cutter/') ? subject.slice('cutter/'.length) : null);

function text({ data }: JournalEntry, name: string): string | null {
  const value = data[name];
  return typeof value === 'string' ? value : null;
}

function integer({ data }: JournalEntry, name: string): number | null {
  const value = data[name];
  return Number.isInteger(value) ? Number(value) : null;
}
