/**
 * The job library: every registered cut job, found by id, by age and by the code on its sheet.
 *
 * Guarantee: a job, its bytes, its sheet, its indexes and the journal's entry are one commit; once `register` resolves, a scan
 * offers the job, and once `remove` resolves, none does. A job registered with a key is registered once, however often
 * it is asked for, as long as it is there.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Clock, JournalEntry, NewId, Runtime } from '../runtime/index.ts';
import { prefix, put, remove, type Reader, type Store, type Write } from '../store/index.ts';
import { counterKey, nextLinkInfo, type ReservedLinkInfo } from './link-info.ts';
import { Offers } from './offers.ts';
import {
  jobCounters, jobMarkedPdfs, jobs, jobsByKey, jobsByLinkInfo, jobSequences, jobSheets, jobsInOrder,
  type JobGeometry, type JobRecord, type JobSheet, type JobSource, type NamedJob, type RegistrationVector,
} from './records.ts';

export interface NewJob {
  /** Registering again with the same key gives the job that is there, whatever else the new one says. */
  readonly key?: string;
  readonly name: string;
  readonly linkInfo: string;
  /** Set when the code was minted by `reserveLinkInfo`: the counter moves on with this job. */
  readonly minted?: ReservedLinkInfo;
  readonly commandType: number;
  readonly vector: RegistrationVector;
  readonly source: JobSource;
  readonly commandSequence: Uint8Array;
  readonly commandPreview: readonly string[];
  readonly geometry: JobGeometry | null;
  readonly cutSource: string | null;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
  /** The sheet it was made with; the marked PDF is kept where it has at most `largestMarkedPdfBytes`. */
  readonly sheet?: { readonly layout: JobSheet; readonly markedPdf: Uint8Array };
}

/** A page of large pictures would fill the card of a small machine with what only a preview needs. */
export const largestMarkedPdfBytes = 16 * 2 ** 20;

export interface JobPage {
  readonly linkInfo?: string | undefined;
  /** Only jobs registered before this seq. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The last that became of a job at a cutter. */
export interface LastHandOff {
  readonly outcome: string;
  readonly cutter: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface JobLibrary {
  /** Brings what is offered into memory, in turns of a few milliseconds; until that is done, offers are read from the disk. */
  start(): void;
  stop(): Promise<void>;
  register(job: NewJob): Promise<JobRecord>;
  /** The job that was registered with this key. */
  byKey(key: string): JobRecord | undefined;
  /** False: there was none. */
  remove(id: string): Promise<boolean>;
  get(id: string): JobRecord | undefined;
  /** The command sequence, byte-exact. */
  commandSequence(id: string): Uint8Array | undefined;
  /** What was printed, where Kerf made the sheet; null for the PDF when it was too large to be kept. */
  sheet(id: string): { readonly layout: JobSheet; readonly markedPdf: Uint8Array | null } | undefined;
  /** Newest first. */
  list(page: JobPage): JobRecord[];
  /** What a scan of this code is offered: newest first. */
  matching(linkInfo: string, limit: number): NamedJob[];
  lastHandOff(id: string): LastHandOff | null;
  /** A code no job has; keep it until `register` with it, or give it back. Null: the prefix is exhausted. */
  reserveLinkInfo(): ReservedLinkInfo | null;
  releaseLinkInfo(reserved: ReservedLinkInfo): void;
}

export interface JobLibraryOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly barcodePrefix: string;
  /** For what nobody waits for: an index that cannot be read, which then goes on being asked row by row. */
  readonly onTrouble: (message: string) => void;
}

/** Reads a sequence without the library: the hand-over needs no more. */
export function readCommandSequence(read: Reader, id: string): Uint8Array | undefined {
  return read.get(jobSequences, [id]);
}

const handOffKinds = ['selected', 'sent', 'finished', 'interrupted', 'rejected', 'unknown_outcome'];

export function createJobLibrary({ store, runtime, clock, newId, barcodePrefix, onTrouble }: JobLibraryOptions): JobLibrary {
  const reserved = new Set<string>();
  const offers = new Offers(store);
  let loading = Promise.resolve();
  let isStopped = false;
  const load = async (): Promise<void> => {
    while (!isStopped && offers.loadSome()) await setImmediate();
  };

  const planRegistration = (read: Reader, job: NewJob): { record: JobRecord; writes: Write[] } => {
    const seq = (read.get(jobCounters, ['job']) ?? 0) + 1;
    const record = toRecord(job, newId(), seq, clock.now());
    const counter = counterKey(barcodePrefix);
    const minted = job.minted === undefined ? [] : [put(jobCounters, counter, Math.max(job.minted.counter, read.get(jobCounters, counter) ?? 0))];
    return {
      record,
      writes: [
        ...minted,
        put(jobCounters, ['job'], seq),
        put(jobs, [record.id], record),
        put(jobSequences, [record.id], job.commandSequence),
        ...sheetWrites(record.id, job.sheet),
        put(jobsInOrder, [seq], record.id),
        put(jobsByLinkInfo, [record.barcode_link_info, seq], { id: record.id, name: record.name }),
        ...(record.key === undefined ? [] : [put(jobsByKey, [record.key], record.id)]),
      ],
    };
  };

  const readByKey = (read: Reader, key: string): JobRecord | undefined => {
    const id = read.get(jobsByKey, [key]);
    return id === undefined ? undefined : read.get(jobs, [id]);
  };

  return {
    start() {
      loading = load().catch((error: unknown) => onTrouble(`what codes are offered stays on the disk: ${error instanceof Error ? error.message : String(error)}`));
    },
    stop() {
      isStopped = true;
      return loading;
    },
    async register(job) {
      const { record, isNew } = await runtime.change((read) => {
        const known = job.key === undefined ? undefined : readByKey(read, job.key);
        if (known !== undefined) return { writes: [], result: { record: known, isNew: false }, news: [] };
        const planned = planRegistration(read, job);
        const { id, name, barcode_link_info } = planned.record;
        const publication = { kind: 'job_added', message: `${name} was registered for ${barcode_link_info}.`, data: { job_id: id, job_name: name, link_info: barcode_link_info, source: job.source } };
        return { writes: planned.writes, result: { record: planned.record, isNew: true }, news: [{ subject: `job/${id}`, publication }] };
      });
      if (isNew) offers.add(record);
      if (job.minted !== undefined) reserved.delete(job.minted.linkInfo);
      return record;
    },
    async remove(id) {
      const removed = await runtime.change((read) => {
        const record = read.get(jobs, [id]);
        if (record === undefined) return { writes: [], result: null, news: [] };
        const publication = { kind: 'job_removed', message: `${record.name} was removed.`, data: { job_id: id, link_info: record.barcode_link_info } };
        const writes = [...[jobs, jobSequences, jobSheets, jobMarkedPdfs].map((table) => remove(table, [id])),
          remove(jobsInOrder, [record.seq]), remove(jobsByLinkInfo, [record.barcode_link_info, record.seq]),
          ...(record.key === undefined ? [] : [remove(jobsByKey, [record.key])])];
        return { writes, result: record, news: [{ subject: `job/${id}`, publication }] };
      });
      if (removed !== null) offers.remove(removed);
      return removed !== null;
    },
    get: (id) => store.get(jobs, [id]),
    byKey: (key) => readByKey(store, key),
    commandSequence: (id) => readCommandSequence(store, id),
    sheet(id) {
      const layout = store.get(jobSheets, [id]);
      return layout === undefined ? undefined : { layout, markedPdf: store.get(jobMarkedPdfs, [id]) ?? null };
    },
    list({ linkInfo, before, limit }) {
      const end = before ?? Number.MAX_SAFE_INTEGER;
      const ids = linkInfo === undefined
        ? store.range(jobsInOrder, { start: [0], end: [end], reverse: true, limit }).map(({ value }) => value)
        : store.range(jobsByLinkInfo, { ...prefix(linkInfo), ...(before === undefined ? {} : { end: [linkInfo, before] }), reverse: true, limit }).map(({ value }) => value.id);
      return ids.flatMap((id) => store.get(jobs, [id]) ?? []);
    },
    matching: (linkInfo, limit) => offers.of(linkInfo, limit),
    lastHandOff(id) {
      // Nearly always the newest entry tells it, and a page of the list asks this a hundred times.
      for (const limit of [1, 20]) {
        const entry = runtime.journal({ subject: `job/${id}`, limit }).reverse().find(({ kind }) => handOffKinds.includes(kind));
        if (entry !== undefined) return toLastHandOff(entry);
      }
      return null;
    },
    reserveLinkInfo() {
      const next = nextLinkInfo(store, barcodePrefix, reserved);
      if (next !== null) reserved.add(next.linkInfo);
      return next;
    },
    releaseLinkInfo(given) {
      reserved.delete(given.linkInfo);
    },
  };
}

function toRecord(job: NewJob, id: string, seq: number, createdAt: number): JobRecord {
  return {
    id, seq, name: job.name, barcode_link_info: job.linkInfo, command_type: job.commandType, vector: job.vector, source: job.source,
    command_length: job.commandSequence.byteLength,
    command_sha256: createHash('sha256').update(job.commandSequence).digest('hex'),
    command_preview: job.commandPreview, geometry: job.geometry, cut_source: job.cutSource, warnings: job.warnings, created_at: createdAt,
    ...(job.key === undefined ? {} : { key: job.key }),
  };
}

function sheetWrites(id: string, sheet: NewJob['sheet']): Write[] {
  if (sheet === undefined) return [];
  const isKept = sheet.markedPdf.byteLength <= largestMarkedPdfBytes;
  return [put(jobSheets, [id], sheet.layout), ...(isKept ? [put(jobMarkedPdfs, [id], sheet.markedPdf)] : [])];
}

function toLastHandOff({ kind, subject, at }: JournalEntry): LastHandOff {
  return { outcome: kind === 'selected' ? 'sending' : kind, cutter: subject.replace(/^cutter\//, ''), at };
}
