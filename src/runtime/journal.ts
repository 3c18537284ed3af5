/**
 * The journal: what happened, in order, for the activity log and for audit. Appended in the transaction of the change
 * it tells of; ordered by sequence, never by clock; never replayed.
 *
 * Guarantee: every record carries an HMAC over the one before it, and a head record names the last: a record that was
 * changed, removed or put in between is found by `verifyJournal`.
 * Holes: whoever holds the key file can forge; whoever can write the store can cut off the end and name an earlier entry
 * as the last.
 */
import { createHmac } from 'node:crypto';
import type { Publication } from '../../machines/index.ts';
import { prefix, put, type Reader, type Row, type Write } from '../store/index.ts';
import type { NewId } from './clock.ts';
import { journal, journalHead, journalSubjects, type JournalRecord } from './records.ts';

export interface JournalEntry extends JournalRecord {
  /** Position in the journal, from 1. */
  readonly seq: number;
}

export interface JournalNews {
  readonly subject: string;
  readonly publication: Publication;
}

const genesis = 'kerf journal';
const headKey = ['head'];

/** Plans the appending of `news`; once in a transaction, because the next would start from the same head. */
export function planJournal(read: Reader, news: readonly JournalNews[], at: number, key: Uint8Array, newId: NewId): { writes: Write[]; entries: JournalEntry[] } {
  if (news.length === 0) return { writes: [], entries: [] };
  const head = read.get(journalHead, headKey) ?? { seq: 0, mac: genesis };
  const entries: JournalEntry[] = [];
  let { seq, mac } = head;
  for (const { subject, publication } of news) {
    seq += 1;
    const fields = { id: newId(), at, subject, kind: publication.kind, message: wellFormed(publication.message), data: wellFormedData(publication.data ?? {}) };
    mac = chain(key, mac, seq, fields);
    entries.push({ ...fields, mac, seq });
  }
  const rows = entries.flatMap(({ seq: position, ...record }) => [
    put(journal, [position], record),
    ...[...indexed(record)].map((subject) => put(journalSubjects, [subject, position], true)),
  ]);
  return { writes: [...rows, put(journalHead, headKey, { seq, mac })], entries };
}

/** Half a surrogate pair, as a JSON string may hold, does not survive the way to disk, and the chain would not hold. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

function wellFormedData(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [wellFormed(name), wellFormedValue(value)]));
}

function wellFormedValue(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedValue);
  return typeof value === 'object' && value !== null ? wellFormedData({ ...value }) : value;
}

/** An entry is found under its subject, and under the job it speaks of. */
function indexed({ subject, data }: Omit<JournalRecord, 'mac'>): Set<string> {
  return new Set(typeof data.job_id === 'string' ? [subject, `job/${data.job_id}`] : [subject]);
}

export interface JournalPage {
  /** Only entries about this: "cutter/left", "job/0192…". */
  readonly subject?: string;
  /** Only entries before this position. */
  readonly before?: number;
  readonly limit: number;
}

/** The newest entries that fit the page, oldest first. */
export function readJournal(read: Reader, page: JournalPage): JournalEntry[] {
  const end = page.before ?? Number.MAX_SAFE_INTEGER;
  if (page.subject === undefined) {
    return read.range(journal, { start: [0], end: [end], reverse: true, limit: page.limit }).map(toEntry).reverse();
  }
  const range = page.before === undefined ? prefix(page.subject) : { start: [page.subject], end: [page.subject, page.before] };
  return read
    .range(journalSubjects, { ...range, reverse: true, limit: page.limit })
    .flatMap(({ key }) => {
      const seq = Number(key[1]);
      const record = read.get(journal, [seq]);
      return record === undefined ? [] : [{ ...record, seq }];
    })
    .reverse();
}

export type JournalCheck = { readonly ok: true; readonly entries: number } | { readonly ok: false; readonly seq: number; readonly detail: string };

/** Walks a page of the chain at a time. Meant for the command line and tests: it reads everything. */
export function verifyJournal(read: Reader, key: Uint8Array): JournalCheck {
  let mac = genesis;
  let expected = 1;
  for (;;) {
    const rows = read.range(journal, { start: [expected], limit: 1000 });
    for (const entry of rows.map(toEntry)) {
      const { seq, mac: recorded, ...fields } = entry;
      if (seq !== expected) return { ok: false, seq: expected, detail: `entry ${expected} is missing` };
      mac = chain(key, mac, seq, fields);
      if (mac !== recorded) return { ok: false, seq, detail: `entry ${seq} was changed, or the one before it` };
      expected += 1;
    }
    if (rows.length < 1000) break;
  }
  const head = read.get(journalHead, headKey) ?? { seq: 0, mac: genesis };
  if (head.seq !== expected - 1 || head.mac !== mac) return { ok: false, seq: expected, detail: `the journal ends at ${expected - 1}, its head says ${head.seq}` };
  return { ok: true, entries: head.seq };
}

function toEntry(row: Row<JournalRecord>): JournalEntry {
  return { ...row.value, seq: Number(row.key[0]) };
}

function chain(key: Uint8Array, previous: string, seq: number, fields: Omit<JournalRecord, 'mac'>): string {
  return createHmac('sha256', key).update(previous).update('\n').update(canonical({ ...fields, seq })).digest('base64');
}

/** JSON with sorted keys: the same text whatever order a codec gives the keys back in. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
