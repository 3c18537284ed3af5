import { ascii85, asciiHex, lzw, runLength } from './byte-filters.ts';
import { inflate } from './flate.ts';
import type { Budget } from './limits.ts';
import type { PdfObject, PdfStream } from './objects.ts';
import { PdfDict, PdfName, isArray } from './objects.ts';
import { unpredict } from './predictor.ts';

export type Resolve = (object: PdfObject) => PdfObject;

/** The stream has a filter that yields no bytes for us (images), or its data is broken beyond use. */
export interface Undecodable {
  readonly undecodable: string;
}

/** Decodes a stream within the budget: every filter stops at the allowance and refuses, none of them grows first.
 * Broken deflate data yields what could be read before the break; `onDamage` is told of it, and of a wrong checksum. */
export function decodeStream(stream: PdfStream, resolve: Resolve, budget: Budget, onDamage: () => void = () => undefined): Uint8Array | Undecodable {
  const filters = namesOf(resolve(firstOf(stream.dict, 'Filter', 'F')), resolve);
  const parameters = listOf(resolve(firstOf(stream.dict, 'DecodeParms', 'DP')), resolve);
  if (filters.length > 16) return { undecodable: 'too many filters' };
  let bytes = stream.decrypt === null ? stream.raw : stream.decrypt(stream.raw);
  for (let i = 0; i < filters.length; i += 1) {
    const filter = filters[i] ?? '';
    const parameter = parameters[i];
    const decoded = applyFilter(filter, bytes, parameter instanceof PdfDict ? parameter : new PdfDict(), resolve, budget, onDamage);
    if (decoded === null) return { undecodable: filter };
    bytes = decoded;
  }
  budget.decoded(bytes.length);
  return bytes;
}

function firstOf(dict: PdfDict, long: string, short: string): PdfObject {
  return dict.get(long) ?? dict.get(short);
}

function namesOf(object: PdfObject, resolve: Resolve): string[] {
  return listOf(object, resolve).map((item) => (item instanceof PdfName ? item.text : ''));
}

function listOf(object: PdfObject, resolve: Resolve): PdfObject[] {
  if (object === null) return [];
  return isArray(object) ? object.slice(0, 32).map((item) => resolve(item)) : [object];
}

function applyFilter(filter: string, bytes: Uint8Array, parameters: PdfDict, resolve: Resolve, budget: Budget, onDamage: () => void): Uint8Array | null {
  const parameter = (key: string, fallback: number): number => {
    const value = resolve(parameters.get(key));
    return typeof value === 'number' ? value : fallback;
  };
  switch (filter) {
    case 'FlateDecode':
    case 'Fl':
      return unpredict(inflate(bytes, budget, onDamage), parameter);
    case 'LZWDecode':
    case 'LZW':
      return unpredict(lzw(bytes, parameter('EarlyChange', 1), budget), parameter);
    case 'ASCII85Decode':
    case 'A85':
      return ascii85(bytes, budget);
    case 'ASCIIHexDecode':
    case 'AHx':
      return asciiHex(bytes);
    case 'RunLengthDecode':
    case 'RL':
      return runLength(bytes, budget);
    case 'Crypt':
      return bytes;
    default:
      return null;
  }
}
