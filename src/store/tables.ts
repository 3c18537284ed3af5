/** Part of a key. Numbers sort before strings, both in their natural order. */
export type Key = readonly (string | number)[];

/** A named set of rows. `record` values are plain JSON-like data, `binary` values are bytes kept as they are. */
export interface Table<V> {
  readonly name: string;
  readonly encoding: 'record' | 'binary';
  /** Carries the type of the values; never present at run time. */
  readonly valueType?: V;
}

export interface Row<V> {
  readonly key: Key;
  readonly value: V;
}

export interface Range {
  /** Inclusive. */
  readonly start?: Key;
  /** Exclusive. */
  readonly end?: Key;
  /** From the end of the range to its start; start and end keep their meaning. */
  readonly reverse?: boolean;
  readonly limit: number;
}

/** What a decision sees: the committed state plus the decisions before it in the same commit. */
export interface Reader {
  readonly get: <V>(table: Table<V>, key: Key) => V | undefined;
  /** Every read is paged by `limit`, so that no iterator outlives the turn of the event loop. */
  readonly range: <V>(table: Table<V>, range: Range) => Row<V>[];
}

export type Write =
  | { readonly op: 'put'; readonly table: Table<unknown>; readonly key: Key; readonly value: unknown }
  | { readonly op: 'remove'; readonly table: Table<unknown>; readonly key: Key };

/** A plan and what its author wants back once the plan is on disk. */
export interface Decision<R> {
  readonly writes: readonly Write[];
  readonly result: R;
}

export function recordTable<V>(name: string): Table<V> {
  return { name, encoding: 'record' };
}

export function binaryTable(name: string): Table<Uint8Array> {
  return { name, encoding: 'binary' };
}

export function put<V>(table: Table<V>, key: Key, value: V): Write {
  return { op: 'put', table, key, value };
}

export function remove(table: Table<unknown>, key: Key): Write {
  return { op: 'remove', table, key };
}

/** All keys that begin with these parts. */
export function prefix(...parts: Key): { start: Key; end: Key } {
  return { start: parts, end: [...parts, '\u{10ffff}'] };
}
