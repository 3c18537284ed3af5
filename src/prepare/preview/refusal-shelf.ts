/**
 * Refused PDFs, kept for an hour so that a picture can show what was wrong with them.
 *
 * Guarantee: at most so many and so many bytes, the oldest going first; gone after an hour by the clock that is passed in, or
 * at the next start; while there are none, nothing is read or written. A failure to keep one is an answer, never an error.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRefusalRecord, type RefusalRecord } from './refusal-record.ts';

export interface ShelfClock {
  now(): number;
  after(delayMs: number, action: () => void): () => void;
}

export interface RefusalShelfOptions {
  /** Made at the first refusal. */
  readonly directory: string;
  readonly clock: ShelfClock;
  /** Whoever knows an id may see the page, so ids must not be guessed. */
  readonly newId: () => string;
  readonly keptMs?: number;
  readonly mostRefusals?: number;
  readonly mostBytes?: number;
  /** Of a larger PDF only the refusal is kept. */
  readonly largestPdfBytes?: number;
}

export interface KeptRefusal {
  readonly record: RefusalRecord;
  /** Empty where it was not kept. */
  readonly pdf: Uint8Array;
}

export interface RefusalShelf {
  /** Takes up what an earlier run left, and removes what is too old. */
  start(): Promise<void>;
  /** The id under which it is found; null where it could not be kept. */
  keep(refusal: Omit<RefusalRecord, 'kept_at'>, pdf: Uint8Array): Promise<string | null>;
  find(id: string): Promise<KeptRefusal | null>;
  stop(): void;
}

const nothing = new Uint8Array(0);

interface Place {
  readonly bytes: number;
  readonly cancel: () => void;
}

export function createRefusalShelf(options: RefusalShelfOptions): RefusalShelf {
  return new Shelf(options);
}

class Shelf implements RefusalShelf {
  readonly #options: Required<RefusalShelfOptions>;
  /** In the order of keeping, so the first is the oldest. */
  readonly #places = new Map<string, Place>();
  #bytes = 0;
  #isStopped = false;

  constructor(options: RefusalShelfOptions) {
    this.#options = { keptMs: 3_600_000, mostRefusals: 100, mostBytes: 268_435_456, largestPdfBytes: 67_108_864, ...options };
  }

  async start(): Promise<void> {
    const { clock, keptMs } = this.#options;
    const fresh: { id: string; keptAt: number; bytes: number }[] = [];
    for (const [id, files] of await this.#found()) {
      const kept = files.size === 2 ? await this.#measure(id) : null;
      const ageMs = kept === null ? -1 : clock.now() - kept.keptAt;
      // One of the future was kept by a clock that was wrong: nobody knows how old it is.
      if (kept === null || ageMs < 0 || ageMs >= keptMs) await this.#erase(id);
      else fresh.push({ id, ...kept });
    }
    for (const { id, keptAt, bytes } of fresh.sort((one, other) => one.keptAt - other.keptAt)) this.#place(id, bytes, keptAt + keptMs - clock.now());
    await this.#makeRoom(0);
  }

  async keep(refusal: Omit<RefusalRecord, 'kept_at'>, pdf: Uint8Array): Promise<string | null> {
    const { directory, clock, newId, keptMs, largestPdfBytes, mostBytes } = this.#options;
    if (this.#isStopped) return null;
    const kept = pdf.length > Math.min(largestPdfBytes, mostBytes) ? nothing : pdf;
    const id = newId();
    const record: RefusalRecord = { kept_at: clock.now(), ...refusal };
    this.#place(id, kept.length, keptMs);
    try {
      await this.#makeRoom(1);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(this.#path(id, 'pdf'), kept, { mode: 0o600 });
      await writeFile(this.#path(id, 'json'), JSON.stringify(record), { mode: 0o600 });
      if (this.#places.has(id)) return id;
      // Others came meanwhile, and it had to make room for them before it was written.
      await this.#erase(id);
      return null;
    } catch {
      await this.#remove(id);
      return null;
    }
  }

  async find(id: string): Promise<KeptRefusal | null> {
    return this.#places.has(id) ? this.#read(id) : null;
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#places.values()) cancel();
  }

  #place(id: string, bytes: number, leftMs: number): void {
    this.#bytes += bytes;
    this.#places.set(id, { bytes, cancel: this.#options.clock.after(leftMs, () => void this.#remove(id)) });
  }

  /** Removes the oldest until the rest is within the limits; the newest `spared` stay. */
  async #makeRoom(spared: number): Promise<void> {
    const { mostRefusals, mostBytes } = this.#options;
    for (const id of [...this.#places.keys()].slice(0, this.#places.size - spared)) {
      if (this.#places.size <= mostRefusals && this.#bytes <= mostBytes) return;
      await this.#remove(id);
    }
  }

  async #remove(id: string): Promise<void> {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#bytes -= place.bytes;
    place.cancel();
    await this.#erase(id);
  }

  /** What cannot be erased now is at the next start. */
  async #erase(id: string): Promise<void> {
    await Promise.allSettled([rm(this.#path(id, 'json'), { force: true }), rm(this.#path(id, 'pdf'), { force: true })]);
  }

  async #measure(id: string): Promise<{ readonly keptAt: number; readonly bytes: number } | null> {
    try {
      const record = readRefusalRecord(await readFile(this.#path(id, 'json'), 'utf8'));
      return record === null ? null : { keptAt: record.kept_at, bytes: (await stat(this.#path(id, 'pdf'))).size };
    } catch {
      return null;
    }
  }

  async #read(id: string): Promise<KeptRefusal | null> {
    try {
      const record = readRefusalRecord(await readFile(this.#path(id, 'json'), 'utf8'));
      return record === null ? null : { record, pdf: new Uint8Array(await readFile(this.#path(id, 'pdf'))) };
    } catch {
      return null;
    }
  }

  /** Ids that have a file, with the endings of their files. Other files are nobody's business here. */
  async #found(): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const name of await readdir(this.#options.directory).catch(() => [])) {
      const [, id, ending] = /^([0-9a-zA-Z-]+)\.(json|pdf)$/.exec(name) ?? [];
      if (id !== undefined && ending !== undefined) found.set(id, (found.get(id) ?? new Set<string>()).add(ending));
    }
    return found;
  }

  #path(id: string, ending: 'json' | 'pdf'): string {
    return join(this.#options.directory, `${id}.${ending}`);
  }
}
