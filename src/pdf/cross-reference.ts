import { decodeStream } from './filters.ts';
import type { Budget } from './limits.ts';
import { Malformed, ObjectParser } from './object-parser.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfName, PdfStream, isArray } from './objects.ts';
import { tooComplex } from './refusal.ts';

/** Where an object is: at an offset in the file, or at an index in an object stream. `null`: deleted. */
export type Place =
  | { readonly offset: number }
  | { readonly inStream: number; readonly index: number }
  | null;

export interface CrossReference {
  readonly places: Map<number, Place>;
  /** Entries of all trailers; the newest wins. */
  readonly trailer: PdfDict;
  /** Offset of the newest section, for an incremental update, and whether that section is a stream. */
  readonly newestOffset: number;
  readonly newestIsStream: boolean;
  /** Objects follow after it: the beginning of a later revision, whose own cross-reference is missing. */
  readonly isCutOff: boolean;
}

/** Parses an indirect object at an offset without resolving anything (a cross-reference stream stands alone). */
export type ObjectAt = (offset: number) => { readonly num: number; readonly object: PdfObject } | null;

/** Follows the chain of cross-reference sections from the end of the file, or null where the chain is broken. */
export function readCrossReference(bytes: Uint8Array, objectAt: ObjectAt, budget: Budget): CrossReference | null {
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mark = tail.lastIndexOf('startxref');
  if (mark < 0) return null;
  const newestOffset = new ObjectParser(bytes, mark + 9, bytes.length).unsigned();
  const chain = new Chain(bytes, objectAt, budget);
  if (newestOffset < 0 || !chain.follow(newestOffset)) return null;
  return { places: chain.places, trailer: new PdfDict(chain.trailer), newestOffset, newestIsStream: chain.newestIsStream, isCutOff: objectsFollow(tail, mark) };
}

function objectsFollow(file: Buffer, mark: number): boolean {
  const end = file.indexOf('%%EOF', mark);
  if (end < 0) return false;
  const begun = file.indexOf(' obj', end);
  return begun >= 0 && /\d+ \d+ obj$/.test(file.toString('latin1', Math.max(end, begun - 20), begun + 4));
}

class Chain {
  readonly places = new Map<number, Place>();
  readonly trailer = new Map<string, PdfObject>();
  newestIsStream = false;
  private readonly visited = new Set<number>();
  private entryCount = 0;
  private readonly bytes: Uint8Array;
  private readonly objectAt: ObjectAt;
  private readonly budget: Budget;

  constructor(bytes: Uint8Array, objectAt: ObjectAt, budget: Budget) {
    this.bytes = bytes;
    this.objectAt = objectAt;
    this.budget = budget;
  }

  follow(newest: number): boolean {
    let offset: number | null = newest;
    while (offset !== null) {
      if (this.visited.has(offset)) return true;
      this.visited.add(offset);
      const dict: PdfDict | null = this.section(offset);
      if (dict === null) return false;
      this.merge(dict);
      const previous = dict.get('Prev');
      offset = typeof previous === 'number' ? previous : null;
    }
    return this.trailer.has('Root');
  }

  private merge(dict: PdfDict): void {
    for (const [key, value] of dict.map) {
      if (!this.trailer.has(key)) this.trailer.set(key, value);
    }
  }

  private section(offset: number): PdfDict | null {
    if (offset < 0 || offset >= this.bytes.length) return null;
    const parser = new ObjectParser(this.bytes, offset, this.bytes.length);
    if (parser.keyword('xref')) return this.table(parser);
    if (this.visited.size === 1) this.newestIsStream = true;
    return this.stream(offset);
  }

  private table(parser: ObjectParser): PdfDict | null {
    const start = parser.pos;
    const freed: number[] = [];
    while (!parser.keyword('trailer')) {
      const first = parser.unsigned();
      const count = parser.unsigned();
      if (first < 0 || count < 0) return null;
      for (let i = 0; i < count; i += 1) {
        const offset = parser.unsigned();
        if (offset < 0) break; // fewer entries than promised
        parser.unsigned();
        this.countEntry();
        if (parser.keyword('n')) this.place(first + i, { offset });
        else if (parser.keyword('f')) freed.push(first + i);
        else return null;
      }
    }
    const dict = soundObject(parser);
    this.budget.parsed(parser.pos - start);
    if (!(dict instanceof PdfDict)) return null;
    // A hybrid file lists in its table, as free, what only readers of streams shall see.
    const hidden = dict.get('XRefStm');
    if (typeof hidden === 'number' && !this.visited.has(hidden)) {
      this.visited.add(hidden);
      this.stream(hidden);
    }
    for (const num of freed) this.place(num, null);
    return dict;
  }

  private place(num: number, place: Place): void {
    if (!this.places.has(num)) this.places.set(num, place);
  }

  private countEntry(): void {
    this.entryCount += 1;
    if (this.entryCount > this.budget.limits.maxObjects) tooComplex('objects', this.budget.limits.maxObjects);
  }

  private stream(offset: number): PdfDict | null {
    const found = this.objectAt(offset);
    if (!(found?.object instanceof PdfStream)) return null;
    const { dict } = found.object;
    const type = dict.get('Type');
    if (!(type instanceof PdfName) || type.text !== 'XRef') return null;
    const data = decodeStream(found.object, (object) => object, this.budget);
    const widths = dict.get('W');
    if (!(data instanceof Uint8Array) || !isArray(widths)) return null;
    const [typeWidth, secondWidth, thirdWidth] = [0, 1, 2].map((i) => widthOf(widths[i]));
    if (typeWidth === undefined || secondWidth === undefined || thirdWidth === undefined) return null;
    this.streamEntries(data, typeWidth, secondWidth, thirdWidth, this.sections(dict));
    return dict;
  }

  private sections(dict: PdfDict): number[] {
    const index = dict.get('Index');
    const numbers = isArray(index) ? index.filter((item) => typeof item === 'number') : [];
    const size = dict.get('Size');
    return numbers.length >= 2 ? numbers : [0, typeof size === 'number' ? size : 0];
  }

  private streamEntries(data: Uint8Array, typeWidth: number, secondWidth: number, thirdWidth: number, sections: number[]): void {
    const width = typeWidth + secondWidth + thirdWidth;
    if (width === 0) return;
    let at = 0;
    for (let s = 0; s + 1 < sections.length; s += 2) {
      const first = sections[s] ?? 0;
      const count = sections[s + 1] ?? 0;
      for (let i = 0; i < count && at + width <= data.length; i += 1, at += width) {
        this.countEntry();
        const type = typeWidth === 0 ? 1 : bigEndian(data, at, typeWidth);
        const second = bigEndian(data, at + typeWidth, secondWidth);
        const third = bigEndian(data, at + typeWidth + secondWidth, thirdWidth);
        if (type === 1) this.place(first + i, { offset: second });
        else if (type === 2) this.place(first + i, { inStream: second, index: third });
        else if (type === 0) this.place(first + i, null);
      }
    }
  }
}

/** Null also where no object can be made out: the file is then repaired. */
function soundObject(parser: ObjectParser): PdfObject {
  try {
    return parser.object();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

function widthOf(object: PdfObject | undefined): number | undefined {
  return typeof object === 'number' && Number.isInteger(object) && object >= 0 && object <= 8 ? object : undefined;
}

function bigEndian(data: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i += 1) value = value * 256 + (data[at + i] ?? 0);
  return value;
}
