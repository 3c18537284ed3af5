import { CLASS_OF, REGULAR } from '../characters.ts';
import type { PdfObject } from '../objects.ts';
import { PdfDict, PdfName, PdfRef, PdfStream, PdfString, isArray } from '../objects.ts';

/** Writes objects as PDF syntax, one byte per character. `generationOf` says which generation a reference carries. */
export function serialize(object: PdfObject, generationOf: (ref: PdfRef) => number): string {
  if (object === null) return 'null';
  if (typeof object === 'boolean') return String(object);
  if (typeof object === 'number') return formatNumber(object);
  if (object instanceof PdfName) return formatName(object.text);
  if (object instanceof PdfRef) return `${object.num} ${generationOf(object)} R`;
  if (object instanceof PdfString) return `<${Buffer.from(object.bytes).toString('hex')}>`;
  if (isArray(object)) return `[${object.map((item) => serialize(item, generationOf)).join(' ')}]`;
  if (object instanceof PdfDict) return formatDict(object, generationOf);
  throw new TypeError('a stream is no direct object');
}

function formatDict(dict: PdfDict, generationOf: (ref: PdfRef) => number): string {
  let text = '<<';
  for (const [key, value] of dict.map) text += `\n${formatName(key)} ${serialize(value, generationOf)}`;
  return `${text}\n>>`;
}

/** Decimal notation; PDF has no exponents. Ten decimals of a point are far below anything that is ever drawn. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '0';
  const text = String(value);
  if (!text.includes('e')) return text;
  return Math.abs(value) >= 1 ? BigInt(Math.trunc(value)).toString() : value.toFixed(10).replace(/\.?0+$/, '');
}

function formatName(name: string): string {
  let text = '/';
  for (let i = 0; i < name.length; i += 1) {
    const code = name.charCodeAt(i);
    const plain = code > 32 && code < 127 && code !== 0x23 && CLASS_OF[code] === REGULAR;
    text += plain ? name.charAt(i) : `#${code.toString(16).padStart(2, '0')}`;
  }
  return text;
}

/** An indirect object with its header and end. The stream's own bytes stay as they are. */
export function indirectObject(num: number, generation: number, object: PdfObject, generationOf: (ref: PdfRef) => number): Uint8Array[] {
  const header = `${num} ${generation} obj\n`;
  if (!(object instanceof PdfStream)) return [latin1(`${header}${serialize(object, generationOf)}\nendobj\n`)];
  const dict = serialize(object.dict.with({ Length: object.raw.length }), generationOf);
  return [latin1(`${header}${dict}\nstream\n`), object.raw, latin1('\nendstream\nendobj\n')];
}

export function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
