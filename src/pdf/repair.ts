import type { Place } from './cross-reference.ts';
import { Malformed, ObjectParser } from './object-parser.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfName, PdfRef, PdfStream } from './objects.ts';
import { tooComplex } from './refusal.ts';

export interface Rebuilt {
  readonly places: Map<number, Place>;
  readonly trailer: PdfDict;
}

/** Finds the objects of a file without its cross-reference: every "num gen obj" outside streams, the later one winning, as
 * incremental updates want it, then what object streams hold. Objects of an encrypted file's object streams need the
 * decryptor: `decrypt` is called once the trailers are known and before any stream is opened. */
export function rebuild(store: ObjectStore, decrypt: (trailer: PdfDict, places: Map<number, Place>) => void): Rebuilt {
  const { offsets, trailers } = scan(store);
  const places = new Map<number, Place>();
  for (const [num, offset] of offsets) places.set(num, { offset });
  store.reset(places, null);
  const trailer = new Map<string, PdfObject>();
  for (const found of trailers) for (const [key, value] of found.map) trailer.set(key, value);
  const streams: number[] = [];
  for (const [num, offset] of offsets) collect(store, num, offset, trailer, streams);
  decrypt(new PdfDict(trailer), places);
  for (const num of streams) {
    for (const [index, inside] of store.numbersInStream(num).entries()) {
      const known = places.get(inside);
      if (known === undefined || known === null || 'inStream' in known) places.set(inside, { inStream: num, index });
      if (places.size > store.budget.limits.maxObjects) tooComplex('objects', store.budget.limits.maxObjects);
    }
  }
  if (!(store.resolve(trailer.get('Root') ?? null) instanceof PdfDict)) {
    const catalog = findOfType(store, places, 'Catalog');
    if (catalog !== null) trailer.set('Root', catalog);
  }
  return { places, trailer: new PdfDict(trailer) };
}

function scan(store: ObjectStore): { offsets: Map<number, number>; trailers: PdfDict[] } {
  const text = Buffer.from(store.bytes.buffer, store.bytes.byteOffset, store.bytes.length).toString('latin1');
  const offsets = new Map<number, number>();
  const trailers: PdfDict[] = [];
  const pattern = /(?<!\d)(\d{1,10})[\0\t\n\f\r ]{1,8}\d{1,5}[\0\t\n\f\r ]{1,8}obj(?![a-z])|(?<!end)stream\r?\n|trailer/g;
  let endsFound = true;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[1] !== undefined) {
      offsets.set(Number(match[1]), match.index);
      if (offsets.size > store.budget.limits.maxObjects) tooComplex('objects', store.budget.limits.maxObjects);
    } else if (match[0] === 'trailer') {
      const trailer = dictAt(store, match.index + 7);
      if (trailer !== null) trailers.push(trailer);
    } else if (endsFound) {
      const end = text.indexOf('endstream', pattern.lastIndex);
      if (end < 0) endsFound = false;
      else pattern.lastIndex = end;
    }
  }
  return { offsets, trailers };
}

function dictAt(store: ObjectStore, offset: number): PdfDict | null {
  const parser = new ObjectParser(store.bytes, offset, store.bytes.length);
  try {
    const object = parser.object();
    return object instanceof PdfDict ? object : null;
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  } finally {
    store.budget.parsed(parser.pos - offset);
  }
}

function collect(store: ObjectStore, num: number, offset: number, trailer: Map<string, PdfObject>, streams: number[]): void {
  const object = store.objectAt(offset)?.object;
  if (!(object instanceof PdfStream)) return;
  const type = object.dict.get('Type');
  if (!(type instanceof PdfName)) return;
  if (type.text === 'ObjStm') streams.push(num);
  if (type.text !== 'XRef') return;
  for (const key of ['Root', 'Encrypt', 'ID', 'Info']) {
    const value = object.dict.get(key);
    if (value !== null) trailer.set(key, value);
  }
}

export function findOfType(store: ObjectStore, places: Map<number, Place>, wanted: string): PdfRef | null {
  let found: PdfRef | null = null;
  for (const num of places.keys()) {
    const object = store.get(num);
    if (object instanceof PdfDict && store.name(object, 'Type') === wanted) found = new PdfRef(num, 0);
  }
  return found;
}
