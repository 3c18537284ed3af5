import { CLASS_OF, DELIMITER, POWERS, REGULAR, WHITE, decodeName, readNumber } from './characters.ts';
import { Malformed, ObjectParser } from './object-parser.ts';
import type { PdfObject } from './objects.ts';

/** Kinds of operands. */
export const NUMBER = 1;
export const NAME = 2;
export const STRING = 3;
export const COMPOSITE = 4;
export const WORD = 5;

// DeviceN has at most 32 colorants; operands beyond this are counted but not kept.
const MAX_OPERANDS = 64;
/** The decimal point, as a digit. */
const POINT = 0x2e - 48;

/** Reads a content stream operator by operator. Operands stay in the lexer's own arrays: no string and no object is made
 * for numbers, and none for anything else before it is asked for. */
export class ContentLexer {
  readonly bytes: Uint8Array;
  pos = 0;
  /** Where the operator that `next` returned begins. */
  operatorStart = 0;
  operandCount = 0;
  /** What would close the token that the content breaks off in; else it would swallow whatever is appended. */
  unclosed = '';
  readonly numbers = new Float64Array(MAX_OPERANDS);
  readonly kinds = new Uint8Array(MAX_OPERANDS);
  /** Where operands that are no numbers stand. */
  private readonly starts = new Int32Array(MAX_OPERANDS);
  private readonly ends = new Int32Array(MAX_OPERANDS);

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The next operator's code, or -1 at the end. Long on purpose: a page has megabytes of numbers, and each is read right here. Words that are no operator of three bytes at most give 0. */
  next(): number {
    this.operandCount = 0;
    const { bytes, kinds, numbers } = this;
    const end = bytes.length;
    let pos = this.pos;
    while (pos < end) {
      const start = pos;
      const code = bytes[pos] ?? 0;
      const kind = CLASS_OF[code];
      pos += 1;
      if (kind === WHITE) continue;
      if (kind === DELIMITER) {
        this.pos = start;
        this.delimiter(code, start);
        pos = this.pos;
        continue;
      }
      // Digits with a sign and a point at most, as nearly all content consists of, in one pass.
      let digit = code - 48;
      if (code === 0x2d) {
        digit = (pos < end ? bytes[pos] ?? 0 : 32) - 48;
        pos += 1;
      }
      let mantissa = 0;
      while (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit;
        digit = (pos < end ? bytes[pos] ?? 0 : 32) - 48;
        pos += 1;
      }
      let point = 0;
      if (digit === POINT) {
        point = pos;
        digit = (pos < end ? bytes[pos] ?? 0 : 32) - 48;
        pos += 1;
        while (digit >= 0 && digit <= 9) {
          mantissa = mantissa * 10 + digit;
          digit = (pos < end ? bytes[pos] ?? 0 : 32) - 48;
          pos += 1;
        }
      }
      pos -= 1;
      // Up to 15 digits are exact in a double, so that this is what readNumber makes of them.
      if (pos > start && pos - start <= 16 && CLASS_OF[digit + 48] !== REGULAR) {
        const at = this.operandCount;
        this.operandCount = at + 1;
        if (at >= MAX_OPERANDS) continue;
        const value = point === 0 || pos === point ? mantissa : mantissa / (POWERS[pos - point] ?? 1);
        kinds[at] = NUMBER;
        numbers[at] = code === 0x2d ? -value : value;
        continue;
      }
      pos = start + 1;
      while (pos < end && CLASS_OF[bytes[pos] ?? 0] === REGULAR) pos += 1;
      this.pos = pos;
      if ((code >= 48 && code <= 57) || code === 0x2d || code === 0x2e || code === 0x2b) {
        this.operand(NUMBER, start, pos);
        continue;
      }
      const operator = this.word(start, pos);
      if (operator >= 0) return operator;
    }
    this.pos = pos;
    this.operatorStart = end;
    return -1;
  }

  private word(start: number, end: number): number {
    const bytes = this.bytes;
    const length = end - start;
    const code = (bytes[start] ?? 0) | (length > 1 ? (bytes[start + 1] ?? 0) << 8 : 0) | (length > 2 ? (bytes[start + 2] ?? 0) << 16 : 0);
    if (length === 4 || length === 5) {
      const text = decodeName(bytes, start, end);
      if (text === 'true' || text === 'false' || text === 'null') {
        this.operand(WORD, start, end);
        return -1;
      }
    }
    this.operatorStart = start;
    return length <= 3 ? code : 0;
  }

  private operand(kind: number, start: number, end: number): void {
    const at = this.operandCount;
    this.operandCount += 1;
    if (at >= MAX_OPERANDS) return;
    this.kinds[at] = kind;
    this.starts[at] = start;
    this.ends[at] = end;
    this.numbers[at] = kind === NUMBER ? readNumber(this.bytes, start, end) : 0;
  }

  private delimiter(code: number, start: number): void {
    const bytes = this.bytes;
    if (code === 0x25) {
      while (this.pos < bytes.length && bytes[this.pos] !== 10 && bytes[this.pos] !== 13) this.pos += 1;
    } else if (code === 0x2f) {
      this.pos += 1;
      while (this.pos < bytes.length && CLASS_OF[bytes[this.pos] ?? 0] === REGULAR) this.pos += 1;
      this.operand(NAME, start + 1, this.pos);
    } else if (code === 0x28) {
      this.skipString();
      this.operand(STRING, start, this.pos);
    } else if (code === 0x3c && bytes[start + 1] !== 0x3c) {
      this.skipHex();
      this.operand(STRING, start, this.pos);
    } else if (code === 0x5b || code === 0x3c) {
      this.skipComposite();
      this.operand(COMPOSITE, start, this.pos);
    } else this.pos += 1;
  }

  private skipString(): void {
    const bytes = this.bytes;
    let nesting = 0;
    for (; this.pos < bytes.length; this.pos += 1) {
      const code = bytes[this.pos];
      if (code === 0x5c) this.pos += 1;
      else if (code === 0x28) nesting += 1;
      else if (code === 0x29) {
        nesting -= 1;
        if (nesting === 0) {
          this.pos += 1;
          return;
        }
      }
    }
    this.pos = bytes.length;
    this.unclosed = ')'.repeat(nesting);
  }

  private skipHex(): void {
    while (this.pos < this.bytes.length && this.bytes[this.pos] !== 0x3e) this.pos += 1;
    if (this.pos >= this.bytes.length) this.unclosed = '>';
    else this.pos += 1;
  }

  /** Past an array or a dictionary, with whatever they nest. */
  private skipComposite(): void {
    const bytes = this.bytes;
    const closers: string[] = [];
    while (this.pos < bytes.length) {
      const code = bytes[this.pos];
      const double = (code === 0x3c || code === 0x3e) && bytes[this.pos + 1] === code;
      if (code === 0x28) this.skipString();
      else if (code === 0x3c && !double) this.skipHex();
      else if (code === 0x25) while (this.pos < bytes.length && bytes[this.pos] !== 10 && bytes[this.pos] !== 13) this.pos += 1;
      else {
        if (code === 0x5b || code === 0x3c) closers.push(code === 0x5b ? ']' : '>>');
        else if (code === 0x5d || code === 0x3e) closers.pop();
        this.pos += double ? 2 : 1;
        if (closers.length === 0) return;
      }
    }
    this.unclosed += closers.reverse().join('');
  }

  /** The number at a place counted from the first operand; 0 where there is none. */
  number(index: number): number {
    return index < this.operandCount ? (this.numbers[index] ?? 0) : 0;
  }

  /** The name at a place, or null where something else stands there. */
  name(index: number): string | null {
    if (index < 0 || index >= Math.min(this.operandCount, MAX_OPERANDS) || this.kinds[index] !== NAME) return null;
    return decodeName(this.bytes, this.starts[index] ?? 0, this.ends[index] ?? 0);
  }

  kind(index: number): number {
    return index < Math.min(this.operandCount, MAX_OPERANDS) ? (this.kinds[index] ?? 0) : 0;
  }

  /** The operand as an object: for strings, arrays and dictionaries. */
  object(index: number): PdfObject {
    if (index >= Math.min(this.operandCount, MAX_OPERANDS)) return null;
    if (this.kinds[index] === NUMBER) return this.numbers[index] ?? 0;
    try {
      return new ObjectParser(this.bytes, this.starts[index] ?? 0, this.ends[index] ?? 0).object();
    } catch (error) {
      if (error instanceof Malformed) return null;
      throw error;
    }
  }

  /** After BI: the pairs of the inline image; the position is then at its data. */
  inlineImage(): Map<string, PdfObject> {
    const parser = new ObjectParser(this.bytes, this.pos, this.bytes.length);
    const entries = new Map<string, PdfObject>();
    try {
      while (!this.atImageData(parser)) {
        const key = this.bytes[parser.pos] === 0x2f ? decodeName(this.bytes, parser.pos + 1, tokenEnd(this.bytes, parser.pos + 1)) : null;
        if (key === null) parser.object();
        else {
          parser.pos = tokenEnd(this.bytes, parser.pos + 1);
          entries.set(key, parser.object());
        }
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.pos = this.bytes.length;
      this.unclosed = '\nEI';
      return entries;
    }
    this.pos = parser.pos + 3;
    return entries;
  }

  private atImageData(parser: ObjectParser): boolean {
    parser.skipSpace();
    return this.bytes[parser.pos] === 0x49 && this.bytes[parser.pos + 1] === 0x44 && CLASS_OF[this.bytes[parser.pos + 2] ?? 0] !== REGULAR;
  }

  /** Past the data of an inline image and its EI. Where the length of the data is known (null where it is not) and EI stands
   * behind it, that is it; else EI is searched between white space and something that reads like content, since data
   * holds the two letters by chance. */
  skipImageData(length: number | null): void {
    const after = length === null ? -1 : this.endAt(this.pos + length);
    this.pos = after >= 0 ? after : this.searchImageEnd(this.pos);
  }

  private endAt(start: number): number {
    let i = start;
    while (i < start + 4 && CLASS_OF[this.bytes[i] ?? 0] === WHITE) i += 1;
    const found = this.bytes[i] === 0x45 && this.bytes[i + 1] === 0x49 && (i + 2 >= this.bytes.length || CLASS_OF[this.bytes[i + 2] ?? 0] !== REGULAR);
    return found ? i + 2 : -1;
  }

  private searchImageEnd(start: number): number {
    const bytes = this.bytes;
    let fallback = -1;
    for (let i = start; i + 1 < bytes.length; i += 1) {
      if (bytes[i] !== 0x45 || bytes[i + 1] !== 0x49) continue;
      const after = i + 2 >= bytes.length ? 32 : (bytes[i + 2] ?? 32);
      if (CLASS_OF[after] === REGULAR || !this.readsLikeContent(i + 2)) continue;
      if (i === start || CLASS_OF[bytes[i - 1] ?? 0] === WHITE) return i + 2;
      if (fallback < 0) fallback = i + 2;
    }
    if (fallback >= 0) return fallback;
    this.unclosed = '\nEI';
    return bytes.length;
  }

  private readsLikeContent(from: number): boolean {
    for (let i = from; i < Math.min(from + 16, this.bytes.length); i += 1) {
      const code = this.bytes[i] ?? 0;
      if (code > 126 || (code < 32 && CLASS_OF[code] !== WHITE) || code === 0) return false;
    }
    return true;
  }
}

function tokenEnd(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && CLASS_OF[bytes[i] ?? 0] === REGULAR) i += 1;
  return i;
}
