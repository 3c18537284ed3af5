/**
 * Durable tables in one LMDB environment. This is the only room that knows LMDB.
 *
 * Guarantee: when `commit` resolves, every write of the decision is on disk (fdatasync has returned), or it rejects
 * and none of them happened. A decision runs inside the write transaction and sees all decisions before it, so it
 * needs no expectations about revisions. Decisions of one turn of the event loop share one fsync.
 * Hole: durability is the disk's word. A card that acknowledges a flush it has not done can lose the last commits,
 * never their order.
 */
import { mkdirSync, statfsSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { Decision, Range, Reader, Row, Table, Write } from './tables.ts';

export type StoreErrorCode = 'STORE_UNSUPPORTED_PLATFORM' | 'STORE_UNREADABLE' | 'STORE_FULL' | 'STORE_WRITE_FAILED' | 'STORE_CLOSED';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreError';
    this.code = code;
  }
}

export interface StoreOptions {
  /** Directory of the store; made (mode 0700) when it is missing. */
  readonly directory: string;
  readonly tables: readonly Table<unknown>[];
  /** Address space for the database, in bytes; disk is used as it fills. lmdb widens it by itself when it does not suffice. */
  readonly mapBytes?: number;
}

export interface Store extends Reader {
  readonly path: string;
  /** Runs `decide` inside one write transaction and resolves with its result once the writes are on disk. */
  commit<R>(decide: (read: Reader) => Decision<R>): Promise<R>;
  /** Bytes of the data file in use, and of address space. */
  usage(): { usedBytes: number; mapBytes: number };
  /** A consistent copy of the whole store, written while it is in use. */
  backup(directory: string): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_MAP_BYTES = 64 * 2 ** 30;

type AnyDatabase = Database<unknown, (string | number)[]>;

export function openStore(options: StoreOptions): Store {
  assertPlatform();
  const path = join(options.directory, 'kerf.mdb');
  const mapBytes = options.mapBytes ?? DEFAULT_MAP_BYTES;
  const root = openRoot(options, path, mapBytes);
  const databases = new Map<string, AnyDatabase>();
  for (const table of options.tables) {
    databases.set(table.name, root.openDB({ name: table.name, encoding: table.encoding === 'binary' ? 'binary' : 'msgpack' }));
  }
  root.readerCheck();

  const databaseOf = (table: Table<unknown>): AnyDatabase => {
    const database = databases.get(table.name);
    if (database === undefined) throw new Error(`table ${table.name} was not named when the store was opened`);
    return database;
  };
  const reader: Reader = {
    get: (table, key) => readValue(table, databaseOf(table).get([...key])),
    range: (table, range) => readRange(table, databaseOf(table), range),
  };
  const apply = (write: Write): void => {
    const database = databaseOf(write.table);
    if (write.op === 'put') void database.put([...write.key], write.value);
    else void database.remove([...write.key]);
  };

  let closed = false;
  return {
    path,
    get: reader.get,
    range: reader.range,
    async commit(decide) {
      if (closed) throw new StoreError('STORE_CLOSED', 'the store is closed');
      try {
        // A child transaction, because a throw in a plain asynchronous transaction is not rolled back
        // (durable-actors.md section 2).
        return await root.childTransaction(() => {
          const decision = decide(reader);
          for (const write of decision.writes) apply(write);
          return new Settled(decision.result);
        }).then((settled) => settled.value);
      } catch (error) {
        throw await toStoreError(error, options.directory);
      }
    },
    usage() {
      const stats: unknown = root.getStats();
      return { usedBytes: usedBytes(stats), mapBytes };
    },
    async backup(directory) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      await root.backup(join(directory, 'kerf.mdb'), true);
    },
    async close() {
      if (closed) return;
      closed = true;
      await root.flushed;
      await root.close();
    },
  };
}

/** Keeps a thenable result from being awaited by lmdb, which would leave the transaction open. */
class Settled<R> {
  readonly value: R;
  constructor(value: R) {
    this.value = value;
  }
}

function assertPlatform(): void {
  const is64Bit = ['x64', 'arm64'].includes(process.arch);
  if (!is64Bit || endianness() !== 'LE') {
    throw new StoreError('STORE_UNSUPPORTED_PLATFORM', `Kerf keeps its data in a 64-bit little-endian format; this machine is ${process.arch} ${endianness()}`);
  }
}

function openRoot(options: StoreOptions, path: string, mapBytes: number): RootDatabase<unknown, (string | number)[]> {
  try {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    return open({
      path,
      noSubdir: true,
      maxDbs: options.tables.length + 4,
      mapSize: mapBytes,
      // Without this a resolved promise may mean "visible", not "on disk" (durable-actors.md section 2).
      overlappingSync: false,
      // Its batches hold a promise of their own that nobody can catch: one failed commit would end the process.
      // Decisions of one turn share a commit without it, since they are queued on one transaction.
      eventTurnBatching: false,
    });
  } catch (error) {
    throw new StoreError('STORE_UNREADABLE', `the store at ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function readValue<V>(_table: Table<V>, value: unknown): V | undefined {
  // The one place where bytes on disk become typed: each table is written by the room that declared its type.
  return value as V | undefined;
}

function readRange<V>(table: Table<V>, database: AnyDatabase, range: Range): Row<V>[] {
  const { start, end, limit, reverse = false } = range;
  const rows: Row<V>[] = [];
  // lmdb takes a reverse range from its upper end, and includes that end.
  const options = reverse
    ? { ...(end ? { start: [...end], exclusiveStart: true } : {}), ...(start ? { end: [...start], inclusiveEnd: true } : {}), reverse: true, limit }
    : { ...(start ? { start: [...start] } : {}), ...(end ? { end: [...end] } : {}), limit };
  for (const { key, value } of database.getRange(options)) {
    const typed = readValue(table, value);
    // lmdb gives a key of one part back without its array, whatever its types say.
    if (typed !== undefined) rows.push({ key: [key].flat(), value: typed });
  }
  return rows;
}

function usedBytes(stats: unknown): number {
  if (typeof stats !== 'object' || stats === null) return 0;
  const { lastPageNumber, pageSize } = stats as { lastPageNumber?: unknown; pageSize?: unknown };
  return typeof lastPageNumber === 'number' && typeof pageSize === 'number' ? lastPageNumber * pageSize : 0;
}

async function toStoreError(error: unknown, directory: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  if (!/MDB_|EIO|ENOSPC|No space left|Commit failed/i.test(error.message)) return error;
  const cause = await causeOf(error);
  if (/MDB_MAP_FULL|ENOSPC|No space left/i.test(cause.message) || freeBytes(directory) < fullBelowBytes) {
    return new StoreError('STORE_FULL', `the disk of the store is full: ${cause.message}`, cause);
  }
  return new StoreError('STORE_WRITE_FAILED', `the store could not be written: ${cause.message}`, cause);
}

/** A write that a full disk cuts short is reported as an input/output error; less than this free means that it was full. */
const fullBelowBytes = 8 * 2 ** 20;

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** lmdb says why a commit failed in a promise that hangs from the error, and that ends the process if nobody looks. */
async function causeOf(error: Error): Promise<Error> {
  if (!('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause instanceof Error ? cause : error;
  }
}
