/** The objects of a PDF file. Own small classes rather than a library's: nothing is pooled for the life of the process
 * (names and references of hostile files would stay there), and nothing is parsed before it is asked for. */

export type PdfObject = null | boolean | number | PdfName | PdfRef | PdfString | readonly PdfObject[] | PdfDict | PdfStream;

export class PdfName {
  /** The bytes of the name after #xx is undone, one character per byte. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export class PdfRef {
  readonly num: number;
  readonly gen: number;

  constructor(num: number, gen: number) {
    this.num = num;
    this.gen = gen;
  }
}

export class PdfString {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export class PdfDict {
  readonly map: Map<string, PdfObject>;

  constructor(map: Map<string, PdfObject> = new Map<string, PdfObject>()) {
    this.map = map;
  }

  get(key: string): PdfObject {
    return this.map.get(key) ?? null;
  }

  /** A shallow copy with some entries replaced; the original stays as it is. */
  with(entries: Readonly<Record<string, PdfObject>>): PdfDict {
    const map = new Map(this.map);
    for (const [key, value] of Object.entries(entries)) map.set(key, value);
    return new PdfDict(map);
  }
}

export class PdfStream {
  readonly dict: PdfDict;
  /** As in the file: encoded, and encrypted where `decrypt` is set. */
  readonly raw: Uint8Array;
  readonly decrypt: ((bytes: Uint8Array) => Uint8Array) | null;

  constructor(dict: PdfDict, raw: Uint8Array, decrypt: ((bytes: Uint8Array) => Uint8Array) | null = null) {
    this.dict = dict;
    this.raw = raw;
    this.decrypt = decrypt;
  }
}

export function isArray(object: PdfObject): object is readonly PdfObject[] {
  return Array.isArray(object);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const utf16be = new TextDecoder('utf-16be');

/** Text of a name or a text string for people: UTF-16 and UTF-8 by their marks or validity, else Latin-1. */
export function bytesToText(bytes: Uint8Array): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16be.decode(bytes.subarray(2));
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

export function nameToText(name: string): string {
  return /^[\x00-\x7f]*$/.test(name) ? name : bytesToText(Buffer.from(name, 'latin1'));
}
