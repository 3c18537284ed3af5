import { CLASS_OF, DELIMITER, REGULAR, WHITE, decodeName, hexValue, isDigit, readNumber } from './characters.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfName, PdfRef, PdfString } from './objects.ts';

/** The bytes are no object. Caught where an object is loaded: such an object counts as null. */
export class Malformed extends Error {}

// Deeper nesting than any real file has; keeps the recursive descent far from the end of the stack.
const MAX_NESTING = 256;

/** Reads one object after another from bytes: file structure, object streams, and the rare operands that are no numbers. */
export class ObjectParser {
  pos: number;
  private readonly bytes: Uint8Array;
  private readonly end: number;
  private readonly decryptString: ((bytes: Uint8Array) => Uint8Array) | null;

  constructor(bytes: Uint8Array, pos: number, end: number, decryptString: ((bytes: Uint8Array) => Uint8Array) | null = null) {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    this.decryptString = decryptString;
  }

  skipSpace(): void {
    while (this.pos < this.end) {
      const code = this.bytes[this.pos] ?? 0;
      if (code === 0x25) {
        while (this.pos < this.end && this.bytes[this.pos] !== 10 && this.bytes[this.pos] !== 13) this.pos += 1;
      } else if (CLASS_OF[code] === WHITE) this.pos += 1;
      else return;
    }
  }

  /** True, and past it, when the keyword stands here. */
  keyword(word: string): boolean {
    this.skipSpace();
    for (let i = 0; i < word.length; i += 1) {
      if (this.bytes[this.pos + i] !== word.charCodeAt(i)) return false;
    }
    if (this.pos + word.length > this.end) return false;
    this.pos += word.length;
    return true;
  }

  /** An unsigned integer, or -1 (and the position unchanged). */
  unsigned(): number {
    this.skipSpace();
    const start = this.pos;
    while (this.pos < this.end && isDigit(this.bytes[this.pos] ?? 0)) this.pos += 1;
    if (this.pos === start || this.pos - start > 15) {
      this.pos = start;
      return -1;
    }
    return readNumber(this.bytes, start, this.pos);
  }

  object(depth = 0): PdfObject {
    if (depth > MAX_NESTING) throw new Malformed('nested too deeply');
    this.skipSpace();
    if (this.pos >= this.end) throw new Malformed('end of data');
    const code = this.bytes[this.pos] ?? 0;
    if (code === 0x2f) return new PdfName(this.name());
    if (code === 0x3c) return this.bytes[this.pos + 1] === 0x3c ? this.dict(depth) : this.hexString();
    if (code === 0x28) return this.literalString();
    if (code === 0x5b) return this.array(depth);
    if (isDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e) return this.numberOrRef();
    return this.word();
  }

  private name(): string {
    const start = this.pos + 1;
    this.pos = start;
    while (this.pos < this.end && CLASS_OF[this.bytes[this.pos] ?? 0] === REGULAR) this.pos += 1;
    return decodeName(this.bytes, start, this.pos);
  }

  private numberOrRef(): PdfObject {
    const start = this.pos;
    while (this.pos < this.end && CLASS_OF[this.bytes[this.pos] ?? 0] === REGULAR) this.pos += 1;
    const first = readNumber(this.bytes, start, this.pos);
    if (!isDigit(this.bytes[start] ?? 0) || !Number.isInteger(first)) return first;
    const after = this.pos;
    const second = this.unsigned();
    if (second >= 0) {
      this.skipSpace();
      if (this.bytes[this.pos] === 0x52 && CLASS_OF[this.bytes[this.pos + 1] ?? 32] !== REGULAR && this.pos < this.end) {
        this.pos += 1;
        return new PdfRef(first, second);
      }
    }
    this.pos = after;
    return first;
  }

  private array(depth: number): PdfObject {
    this.pos += 1;
    const items: PdfObject[] = [];
    for (;;) {
      this.skipSpace();
      if (this.pos >= this.end) return items;
      if (this.bytes[this.pos] === 0x5d) {
        this.pos += 1;
        return items;
      }
      if (this.atObjectEnd()) return items;
      items.push(this.object(depth + 1));
    }
  }

  private dict(depth: number): PdfDict {
    this.pos += 2;
    const map = new Map<string, PdfObject>();
    for (;;) {
      this.skipSpace();
      if (this.pos >= this.end) break;
      const code = this.bytes[this.pos];
      if (code === 0x3e) {
        this.pos += this.bytes[this.pos + 1] === 0x3e ? 2 : 1;
        break;
      }
      if (code !== 0x2f) {
        // A stray token between entries: skip it, unless the object itself ends here.
        if (this.atObjectEnd()) break;
        this.object(depth + 1);
        continue;
      }
      const key = this.name();
      this.skipSpace();
      if (this.bytes[this.pos] === 0x3e && this.bytes[this.pos + 1] === 0x3e) {
        map.set(key, null);
        continue;
      }
      const value = this.object(depth + 1);
      if (value !== null) map.set(key, value);
    }
    return new PdfDict(map);
  }

  private atObjectEnd(): boolean {
    if (this.bytes[this.pos] !== 0x65) return false;
    const start = this.pos;
    const ended = this.keyword('endobj') || this.keyword('endstream');
    this.pos = start;
    return ended;
  }

  private word(): PdfObject {
    const start = this.pos;
    if (CLASS_OF[this.bytes[this.pos] ?? 0] === DELIMITER) {
      this.pos += 1;
      return null;
    }
    while (this.pos < this.end && CLASS_OF[this.bytes[this.pos] ?? 0] === REGULAR) this.pos += 1;
    const length = this.pos - start;
    if (length === 4 && this.bytes[start] === 0x74) return true;
    if (length === 5 && this.bytes[start] === 0x66) return false;
    return null;
  }

  private hexString(): PdfString {
    this.pos += 1;
    const out: number[] = [];
    let high = -1;
    while (this.pos < this.end) {
      const code = this.bytes[this.pos] ?? 0;
      this.pos += 1;
      if (code === 0x3e) break;
      const value = hexValue(code);
      if (value < 0) continue;
      if (high < 0) high = value;
      else {
        out.push(high * 16 + value);
        high = -1;
      }
    }
    if (high >= 0) out.push(high * 16);
    return this.string(Uint8Array.from(out));
  }

  private literalString(): PdfString {
    this.pos += 1;
    const out: number[] = [];
    let nesting = 1;
    while (this.pos < this.end) {
      const code = this.bytes[this.pos] ?? 0;
      this.pos += 1;
      if (code === 0x5c) {
        this.escape(out);
        continue;
      }
      if (code === 0x28) nesting += 1;
      else if (code === 0x29) {
        nesting -= 1;
        if (nesting === 0) return this.string(Uint8Array.from(out));
      }
      out.push(code);
    }
    throw new Malformed('string without end');
  }

  private escape(out: number[]): void {
    const code = this.bytes[this.pos] ?? 0;
    this.pos += 1;
    if (code >= 48 && code <= 55) {
      let value = code - 48;
      for (let digits = 1; digits < 3; digits += 1) {
        const next = this.bytes[this.pos] ?? 0;
        if (next < 48 || next > 55) break;
        value = value * 8 + (next - 48);
        this.pos += 1;
      }
      out.push(value & 255);
    } else if (code === 13) {
      if (this.bytes[this.pos] === 10) this.pos += 1;
    } else if (code === 0x6e) out.push(10);
    else if (code === 0x72) out.push(13);
    else if (code === 0x74) out.push(9);
    else if (code === 0x62) out.push(8);
    else if (code === 0x66) out.push(12);
    else if (code !== 10) out.push(code);
  }

  private string(bytes: Uint8Array): PdfString {
    return new PdfString(this.decryptString === null ? bytes : this.decryptString(bytes));
  }
}
