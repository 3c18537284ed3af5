import { inflateRawSync, inflateSync, constants } from 'node:zlib';
import { CLASS_OF, WHITE, hexValue } from './characters.ts';
import type { Budget } from './limits.ts';
import type { PdfObject , PdfStream} from './objects.ts';
import { PdfDict, PdfName, isArray } from './objects.ts';

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
  switch (filter) {
    case 'FlateDecode':
    case 'Fl':
      return unpredict(inflate(bytes, budget, onDamage), parameters, resolve);
    case 'LZWDecode':
    case 'LZW':
      return unpredict(lzw(bytes, numberOf(parameters, 'EarlyChange', 1, resolve), budget), parameters, resolve);
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

function numberOf(dict: PdfDict, key: string, fallback: number, resolve: Resolve): number {
  const value = resolve(dict.get(key));
  return typeof value === 'number' ? value : fallback;
}

function inflate(bytes: Uint8Array, budget: Budget, onDamage: () => void): Uint8Array {
  const whole = tryInflate(bytes, 'zlib', 'whole', budget);
  if (whole instanceof Uint8Array) return whole;
  // Where nothing but the checksum is missing, nothing is lost.
  const complete = whole === 'cut off' && tryInflate(bytes.subarray(2), 'raw', 'whole', budget) instanceof Uint8Array;
  if (!complete) onDamage();
  for (const container of ['zlib', 'raw'] as const) {
    const beginning = tryInflate(container === 'raw' ? bytes.subarray(2) : bytes, container, 'beginning', budget);
    if (beginning instanceof Uint8Array) return beginning;
  }
  return longestPrefix(bytes, budget);
}

/** With 'beginning', data that is cut off yields what there is. */
function tryInflate(bytes: Uint8Array, container: 'zlib' | 'raw', wanted: 'whole' | 'beginning', budget: Budget): Uint8Array | 'cut off' | 'broken' {
  if (bytes.length === 0) return new Uint8Array(0);
  const allowance = budget.streamAllowance();
  if (allowance === 0) budget.refuseStream();
  // Data that fits into one piece need not be copied together from many. What a piece leaves over takes no memory: it is never
  // written to. Content seldom shrinks to less than an eighth.
  const chunkSize = Math.max(1 << 14, Math.min(allowance, bytes.length * 8));
  const options = { chunkSize, maxOutputLength: allowance, finishFlush: wanted === 'whole' ? constants.Z_FINISH : constants.Z_SYNC_FLUSH };
  try {
    return container === 'raw' ? inflateRawSync(bytes, options) : inflateSync(bytes, options);
  } catch (error) {
    if (error instanceof RangeError) budget.refuseStream();
    return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR' ? 'cut off' : 'broken';
  }
}

/** zlib throws away what it had when it meets an error, so the place of the error is searched by halving. */
function longestPrefix(bytes: Uint8Array, budget: Budget): Uint8Array {
  let good = 0;
  let bad = bytes.length;
  let best: Uint8Array = new Uint8Array(0);
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const attempt = tryInflate(bytes.subarray(0, middle), 'zlib', 'beginning', budget);
    if (typeof attempt === 'string') bad = middle;
    else {
      budget.parsed(attempt.length);
      good = middle;
      best = attempt;
    }
  }
  return best;
}

function unpredict(bytes: Uint8Array, parameters: PdfDict, resolve: Resolve): Uint8Array {
  const predictor = numberOf(parameters, 'Predictor', 1, resolve);
  if (predictor < 2) return bytes;
  const colours = clamp(numberOf(parameters, 'Colors', 1, resolve), 1, 32);
  const bits = clamp(numberOf(parameters, 'BitsPerComponent', 8, resolve), 1, 16);
  const columns = clamp(numberOf(parameters, 'Columns', 1, resolve), 1, 1 << 24);
  const pixelBytes = Math.max(1, (colours * bits + 7) >> 3);
  const rowBytes = (columns * colours * bits + 7) >> 3;
  return predictor === 2 ? unpredictTiff(bytes, rowBytes, pixelBytes, bits) : unpredictPng(bytes, rowBytes, pixelBytes);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, Math.trunc(value)));
}

function unpredictTiff(bytes: Uint8Array, rowBytes: number, pixelBytes: number, bits: number): Uint8Array {
  if (bits !== 8) return bytes;
  const out = Uint8Array.from(bytes);
  for (let row = 0; row < out.length; row += rowBytes) {
    const end = Math.min(out.length, row + rowBytes);
    for (let i = row + pixelBytes; i < end; i += 1) out[i] = ((out[i] ?? 0) + (out[i - pixelBytes] ?? 0)) & 255;
  }
  return out;
}

function unpredictPng(bytes: Uint8Array, rowBytes: number, pixelBytes: number): Uint8Array {
  const rows = Math.ceil(bytes.length / (rowBytes + 1));
  const out = new Uint8Array(Math.max(0, bytes.length - rows));
  let to = 0;
  for (let row = 0; row < rows; row += 1) {
    const from = row * (rowBytes + 1);
    const type = bytes[from] ?? 0;
    const count = Math.min(rowBytes, bytes.length - from - 1);
    for (let i = 0; i < count; i += 1) {
      const left = i >= pixelBytes ? (out[to + i - pixelBytes] ?? 0) : 0;
      const up = row > 0 ? (out[to + i - rowBytes] ?? 0) : 0;
      const upLeft = row > 0 && i >= pixelBytes ? (out[to + i - rowBytes - pixelBytes] ?? 0) : 0;
      out[to + i] = ((bytes[from + 1 + i] ?? 0) + pngPrediction(type, left, up, upLeft)) & 255;
    }
    to += count;
  }
  return out;
}

function pngPrediction(type: number, left: number, up: number, upLeft: number): number {
  if (type === 1) return left;
  if (type === 2) return up;
  if (type === 3) return (left + up) >> 1;
  if (type !== 4) return 0;
  const estimate = left + up - upLeft;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toUpLeft = Math.abs(estimate - upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

/** A byte buffer that grows up to the allowance. */
class Output {
  private buffer: Uint8Array;
  private length = 0;
  private readonly budget: Budget;
  private readonly allowance: number;

  constructor(expected: number, budget: Budget) {
    this.budget = budget;
    this.allowance = budget.streamAllowance();
    this.buffer = new Uint8Array(Math.min(Math.max(64, expected), Math.max(64, this.allowance)));
  }

  push(code: number): void {
    if (this.length >= this.buffer.length) this.grow();
    this.buffer[this.length] = code;
    this.length += 1;
  }

  private grow(): void {
    if (this.length >= this.allowance) this.budget.refuseStream();
    const larger = new Uint8Array(Math.min(this.allowance, this.buffer.length * 2));
    larger.set(this.buffer);
    this.buffer = larger;
  }

  take(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}

function asciiHex(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array((bytes.length >> 1) + 1);
  let length = 0;
  let high = -1;
  for (const code of bytes) {
    if (code === 0x3e) break;
    const value = hexValue(code);
    if (value < 0) continue;
    if (high < 0) high = value;
    else {
      out[length] = high * 16 + value;
      length += 1;
      high = -1;
    }
  }
  if (high >= 0) {
    out[length] = high * 16;
    length += 1;
  }
  return out.subarray(0, length);
}

function ascii85(bytes: Uint8Array, budget: Budget): Uint8Array {
  const out = new Output(bytes.length, budget);
  let value = 0;
  let count = 0;
  for (const code of bytes) {
    if (CLASS_OF[code] === WHITE) continue;
    if (code === 0x7e) break;
    if (code === 0x7a && count === 0) {
      for (let i = 0; i < 4; i += 1) out.push(0);
      continue;
    }
    if (code < 33 || code > 117) continue;
    value = value * 85 + (code - 33);
    count += 1;
    if (count === 5) {
      for (let shift = 24; shift >= 0; shift -= 8) out.push(Math.floor(value / 2 ** shift) & 255);
      value = 0;
      count = 0;
    }
  }
  if (count > 1) {
    for (let i = count; i < 5; i += 1) value = value * 85 + 84;
    for (let i = 0; i < count - 1; i += 1) out.push(Math.floor(value / 2 ** (24 - 8 * i)) & 255);
  }
  return out.take();
}

function runLength(bytes: Uint8Array, budget: Budget): Uint8Array {
  const out = new Output(bytes.length * 2, budget);
  let i = 0;
  while (i < bytes.length) {
    const length = bytes[i] ?? 128;
    i += 1;
    if (length === 128) break;
    if (length < 128) {
      for (let k = 0; k <= length && i < bytes.length; k += 1, i += 1) out.push(bytes[i] ?? 0);
    } else {
      const code = bytes[i] ?? 0;
      i += 1;
      for (let k = 0; k < 257 - length; k += 1) out.push(code);
    }
  }
  return out.take();
}

/** LZW as in TIFF: codes of 9 to 12 bits, 256 clears, 257 ends; EarlyChange widens the code one entry earlier. */
function lzw(bytes: Uint8Array, earlyChange: number, budget: Budget): Uint8Array {
  const out = new Output(bytes.length * 3, budget);
  const prefix = new Uint16Array(4096);
  const suffix = new Uint8Array(4096);
  const stack = new Uint8Array(4097);
  for (let i = 0; i < 256; i += 1) suffix[i] = i;
  let next = 258;
  let width = 9;
  let previous = -1;
  let first = 0;
  let bits = 0;
  let bitCount = 0;
  let i = 0;
  for (;;) {
    while (bitCount < width && i < bytes.length) {
      bits = ((bits << 8) | (bytes[i] ?? 0)) & 0xffffff;
      bitCount += 8;
      i += 1;
    }
    if (bitCount < width) break;
    const code = (bits >> (bitCount - width)) & ((1 << width) - 1);
    bitCount -= width;
    if (code === 257) break;
    if (code === 256) {
      next = 258;
      width = 9;
      previous = -1;
      continue;
    }
    if (code > next || (code === next && previous < 0)) break;
    let depth = 0;
    let walk = code;
    if (code === next) {
      stack[depth] = first;
      depth += 1;
      walk = previous;
    }
    while (walk >= 258 && depth < 4096) {
      stack[depth] = suffix[walk] ?? 0;
      depth += 1;
      walk = prefix[walk] ?? 0;
    }
    first = walk & 255;
    out.push(first);
    while (depth > 0) {
      depth -= 1;
      out.push(stack[depth] ?? 0);
    }
    if (previous >= 0 && next < 4096) {
      prefix[next] = previous;
      suffix[next] = first;
      next += 1;
    }
    const widen = next + (earlyChange === 0 ? 0 : 1);
    if (widen >= 2048) width = 12;
    else if (widen >= 1024) width = 11;
    else if (widen >= 512) width = 10;
    previous = code;
  }
  return out.take();
}
