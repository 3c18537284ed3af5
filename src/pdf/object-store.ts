import type { Place } from './cross-reference.ts';
import type { Decryptor } from './crypt.ts';
import { decodeStream } from './filters.ts';
import type { Budget } from './limits.ts';
import { Malformed, ObjectParser } from './object-parser.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfName, PdfRef, PdfStream, isArray } from './objects.ts';

interface ObjectStream {
  readonly bytes: Uint8Array;
  /** num, offset, num, offset, … */
  readonly directory: Float64Array;
}

/** The objects of one file, each parsed when it is first asked for. A reference to nothing, to a broken object or into a
 * circle is null, as ISO 32000-1 wants it for missing objects. Generation numbers are not compared. */
export class ObjectStore {
  readonly bytes: Uint8Array;
  readonly budget: Budget;
  places = new Map<number, Place>();
  decryptor: Decryptor | null = null;
  private readonly cache = new Map<number, PdfObject>();
  private readonly loading = new Set<number>();
  private readonly objectStreams = new Map<number, ObjectStream | null>();
  private readonly decoded = new Map<PdfStream, Uint8Array | null>();
  private noEndstreamAfter = Infinity;
  private damaged = 0;

  constructor(bytes: Uint8Array, budget: Budget) {
    this.bytes = bytes;
    this.budget = budget;
  }

  /** Starts afresh with other places (a rebuilt cross-reference) or another decryptor. */
  reset(places: Map<number, Place>, decryptor: Decryptor | null): void {
    this.places = places;
    this.decryptor = decryptor;
    this.cache.clear();
    this.objectStreams.clear();
  }

  readonly resolve = (object: PdfObject): PdfObject => {
    let current = object;
    for (let hops = 0; current instanceof PdfRef; hops += 1) {
      if (hops > 32) return null;
      current = this.get(current.num);
    }
    return current;
  };

  get(num: number): PdfObject {
    const known = this.cache.get(num);
    if (known !== undefined) return known;
    if (this.loading.has(num)) return null;
    this.loading.add(num);
    const object = this.load(num);
    this.loading.delete(num);
    this.cache.set(num, object);
    return object;
  }

  /** The reference by which a stream was loaded, or null. */
  refOf(stream: PdfStream): PdfRef | null {
    for (const [num, object] of this.cache) if (object === stream) return new PdfRef(num, 0);
    return null;
  }

  value(dict: PdfDict, key: string): PdfObject {
    return this.resolve(dict.get(key));
  }

  dict(dict: PdfDict, key: string): PdfDict | null {
    return asDict(this.value(dict, key));
  }

  array(dict: PdfDict, key: string): readonly PdfObject[] | null {
    const value = this.value(dict, key);
    return isArray(value) ? value : null;
  }

  number(dict: PdfDict, key: string): number | null {
    const value = this.value(dict, key);
    return typeof value === 'number' ? value : null;
  }

  name(dict: PdfDict, key: string): string | null {
    const value = this.value(dict, key);
    return value instanceof PdfName ? value.text : null;
  }

  /** The numbers of an array entry; anything else in it counts as 0. */
  numbers(dict: PdfDict, key: string): number[] | null {
    const array = this.array(dict, key);
    return array === null ? null : array.slice(0, 1024).map((item) => {
      const value = this.resolve(item);
      return typeof value === 'number' ? value : 0;
    });
  }

  /** The decoded bytes of a stream, kept (a form may be painted often); null when its filter is none of ours. */
  streamBytes(stream: PdfStream): Uint8Array | null {
    const known = this.decoded.get(stream);
    if (known !== undefined) return known;
    const result = decodeStream(stream, this.resolve, this.budget, () => { this.damaged += 1; });
    const bytes = result instanceof Uint8Array ? result : null;
    this.decoded.set(stream, bytes);
    return bytes;
  }

  /** How many of the streams that were decoded are cut off or broken: what could be read of them was used. */
  get damagedStreams(): number {
    return this.damaged;
  }

  /** Parses "num gen obj …" at an offset. */
  readonly objectAt = (offset: number): { num: number; gen: number; object: PdfObject } | null => {
    const header = new ObjectParser(this.bytes, offset, this.bytes.length);
    const num = header.unsigned();
    const gen = header.unsigned();
    if (num < 0 || gen < 0 || !header.keyword('obj')) return null;
    const parser = new ObjectParser(this.bytes, header.pos, this.bytes.length, this.decryptor?.strings(num, gen) ?? null);
    try {
      const object = parser.object();
      this.budget.parsed(parser.pos - offset);
      if (!(object instanceof PdfDict) || !parser.keyword('stream')) return { num, gen, object };
      return { num, gen, object: this.stream(object, parser.pos, num, gen) };
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.budget.parsed(parser.pos - offset);
      return null;
    }
  };

  private load(num: number): PdfObject {
    const place = this.places.get(num);
    if (place === undefined || place === null) return null;
    if ('offset' in place) {
      const found = this.objectAt(place.offset);
      return found?.num === num ? found.object : null;
    }
    return this.fromObjectStream(num, place.inStream, place.index);
  }

  private stream(dict: PdfDict, afterKeyword: number, num: number, gen: number): PdfStream {
    let start = afterKeyword;
    if (this.bytes[start] === 13) start += 1;
    if (this.bytes[start] === 10) start += 1;
    const raw = this.bytes.subarray(start, this.streamEnd(dict, start));
    const type = dict.get('Type');
    const plain = this.decryptor === null || (type instanceof PdfName && type.text === 'XRef');
    return new PdfStream(dict, raw, plain ? null : (this.decryptor?.streams(num, gen, dict) ?? null));
  }

  private streamEnd(dict: PdfDict, start: number): number {
    const length = this.resolve(dict.get('Length'));
    if (typeof length === 'number' && length >= 0 && start + length <= this.bytes.length) {
      const after = new ObjectParser(this.bytes, start + length, this.bytes.length);
      if (after.keyword('endstream') || after.keyword('endobj')) return start + length;
    }
    const found = start >= this.noEndstreamAfter ? -1 : Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length).indexOf('endstream', start);
    if (found < 0) {
      this.noEndstreamAfter = Math.min(this.noEndstreamAfter, start);
      return this.bytes.length;
    }
    this.budget.parsed(found - start);
    if (this.bytes[found - 1] === 10) return found - (this.bytes[found - 2] === 13 ? 2 : 1);
    return this.bytes[found - 1] === 13 ? found - 1 : found;
  }

  private fromObjectStream(num: number, streamNum: number, index: number): PdfObject {
    const container = this.objectStream(streamNum);
    if (container === null) return null;
    const { bytes, directory } = container;
    let at = directory[index * 2] === num ? index : -1;
    for (let i = 0; at < 0 && i * 2 < directory.length; i += 1) if (directory[i * 2] === num) at = i;
    if (at < 0) return null;
    const offset = directory[at * 2 + 1] ?? bytes.length;
    const parser = new ObjectParser(bytes, offset, bytes.length);
    try {
      return parser.object();
    } catch (error) {
      if (error instanceof Malformed) return null;
      throw error;
    } finally {
      this.budget.parsed(Math.max(0, parser.pos - offset));
    }
  }

  /** The numbers of the objects in an object stream. */
  numbersInStream(streamNum: number): number[] {
    const container = this.objectStream(streamNum);
    if (container === null) return [];
    return Array.from(container.directory).filter((_, i) => i % 2 === 0);
  }

  private objectStream(num: number): ObjectStream | null {
    const known = this.objectStreams.get(num);
    if (known !== undefined) return known;
    const place = this.places.get(num);
    const stream = place !== undefined && place !== null && 'offset' in place ? this.get(num) : null;
    const container = stream instanceof PdfStream ? this.openObjectStream(stream) : null;
    this.objectStreams.set(num, container);
    return container;
  }

  private openObjectStream(stream: PdfStream): ObjectStream | null {
    const bytes = this.streamBytes(stream);
    const first = this.number(stream.dict, 'First');
    const count = this.number(stream.dict, 'N');
    if (bytes === null || first === null || count === null) return null;
    const parser = new ObjectParser(bytes, 0, Math.min(bytes.length, first));
    const directory: number[] = [];
    for (let i = 0; i < count; i += 1) {
      const num = parser.unsigned();
      const offset = parser.unsigned();
      if (num < 0 || offset < 0) break;
      directory.push(num, first + offset);
    }
    return { bytes, directory: Float64Array.from(directory) };
  }
}

export function asDict(object: PdfObject): PdfDict | null {
  if (object instanceof PdfDict) return object;
  return object instanceof PdfStream ? object.dict : null;
}
