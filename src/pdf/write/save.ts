import type { ObjectStore } from '../object-store.ts';
import type { PdfDocument } from '../open.ts';
import type { PdfObject } from '../objects.ts';
import { PdfDict, PdfName, PdfRef, PdfStream } from '../objects.ts';
import { formatNumber, indirectObject, latin1, serialize } from './serialize.ts';

/** Objects to be added to a document or to stand in the place of its own. */
export class Changes {
  readonly objects = new Map<number, { readonly generation: number; readonly object: PdfObject }>();
  /** Entries of the trailer that change. */
  root: PdfRef | null = null;
  private next: number;

  constructor(document: PdfDocument) {
    let largest = 0;
    for (const num of document.store.places.keys()) if (num > largest) largest = num;
    const size = document.store.number(document.trailer, 'Size') ?? 0;
    this.next = Math.max(largest + 1, Number.isInteger(size) && size < 8_388_608 ? size : 0);
  }

  reserve(): PdfRef {
    const ref = new PdfRef(this.next, 0);
    this.next += 1;
    return ref;
  }

  put(object: PdfObject, ref: PdfRef = this.reserve()): PdfRef {
    this.objects.set(ref.num, { generation: ref.gen, object });
    return ref;
  }

  get size(): number {
    return this.next;
  }
}

/** What becomes of attachments that need a password while the page is plain: they stay as they are, or are given up in a copy
 * that is only drawn, since a renderer would ask for the password. */
export type Secrets = 'keep' | 'give-up';

/** The document with the changes: appended to the untouched original bytes where their cross-reference is intact, else
 * written anew from its objects, decrypted. The same input gives the same bytes. */
export function save(document: PdfDocument, changes: Changes, secrets: Secrets = 'keep'): Uint8Array {
  const { appendAfter, store } = document;
  const isEncrypted = secrets === 'keep' && store.decryptor?.keepsSecrets === true;
  const trailer = trailerDict(document, changes, isEncrypted ? ['Encrypt'] : []);
  return appendAfter === null ? rewrite(document, changes, trailer) : append(document, changes, trailer, appendAfter);
}

interface Entry {
  readonly num: number;
  readonly generation: number;
  readonly offset: number;
}

function append(document: PdfDocument, changes: Changes, stated: PdfDict, after: { readonly offset: number; readonly isStream: boolean }): Uint8Array {
  const original = document.store.bytes;
  const parts: Uint8Array[] = [original];
  let length = original.length;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
  };
  const last = original.at(-1);
  if (last !== 10 && last !== 13) add(latin1('\n'));
  const entries: Entry[] = [];
  for (const [num, { generation, object }] of changes.objects) {
    entries.push({ num, generation, offset: length });
    for (const part of indirectObject(num, generation, object, (ref) => ref.gen)) add(part);
  }
  const start = length;
  const trailer = stated.with({ Prev: after.offset });
  if (after.isStream) for (const part of xrefStream(changes.reserve(), entries, trailer, start)) add(part);
  else add(latin1(`${xrefTable(entries)}trailer\n${serialize(trailer.with({ Size: changes.size }), (ref) => ref.gen)}\n`));
  add(latin1(`startxref\n${start}\n%%EOF\n`));
  return joined(parts);
}

/** In a buffer of its own, which its receiver may hand on to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function trailerDict(document: PdfDocument, changes: Changes, further: readonly string[]): PdfDict {
  const map = new Map<string, PdfObject>();
  for (const key of ['Root', 'Info', 'ID', ...further]) {
    const value = document.trailer.get(key);
    if (value !== null) map.set(key, value);
  }
  if (changes.root !== null) map.set('Root', changes.root);
  return new PdfDict(map);
}

function sections(entries: readonly Entry[]): Entry[][] {
  const sorted = [...entries].sort((left, right) => left.num - right.num);
  const groups: Entry[][] = [];
  for (const entry of sorted) {
    const group = groups.at(-1);
    if (group !== undefined && group.at(-1)?.num === entry.num - 1) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

function xrefTable(entries: readonly Entry[]): string {
  let text = 'xref\n';
  for (const group of sections(entries)) {
    text += `${group[0]?.num ?? 0} ${group.length}\n`;
    for (const { offset, generation } of group) {
      text += `${String(offset).padStart(10, '0')} ${String(generation).padStart(5, '0')} ${generation === 65535 && offset === 0 ? 'f' : 'n'} \n`;
    }
  }
  return text;
}

function xrefStream(ref: PdfRef, entries: readonly Entry[], trailer: PdfDict, start: number): Uint8Array[] {
  const groups = sections([...entries, { num: ref.num, generation: 0, offset: start }]);
  const rows = Buffer.alloc((entries.length + 1) * 8);
  let at = 0;
  for (const { offset, generation } of groups.flat()) {
    rows[at] = 1;
    rows.writeUIntBE(offset, at + 1, 5);
    rows.writeUInt16BE(generation, at + 6);
    at += 8;
  }
  const dict = trailer.with({
    Type: new PdfName('XRef'),
    Size: ref.num + 1,
    W: [1, 5, 2],
    Index: groups.flatMap((group) => [group[0]?.num ?? 0, group.length]),
  });
  return indirectObject(ref.num, 0, new PdfStream(dict, rows), (other) => other.gen);
}

function rewrite(document: PdfDocument, changes: Changes, stated: PdfDict): Uint8Array {
  const { store } = document;
  const version = /^%PDF-\d\.\d/.exec(Buffer.from(store.bytes.subarray(0, 8)).toString('latin1'))?.[0] ?? '%PDF-1.7';
  const parts: Uint8Array[] = [latin1(`${version}\n%\xe2\xe3\xcf\xd3\n`)];
  let length = parts[0]?.length ?? 0;
  const entries: Entry[] = [{ num: 0, generation: 65535, offset: 0 }];
  const numbers = new Set([...store.places.keys(), ...changes.objects.keys()]);
  for (const num of [...numbers].sort((left, right) => left - right)) {
    const changed = changes.objects.get(num);
    const object = changed === undefined ? decrypted(store, store.get(num)) : changed.object;
    if (num === 0 || object === null || isFileStructure(object)) continue;
    entries.push({ num, generation: 0, offset: length });
    for (const part of indirectObject(num, 0, object, () => 0)) {
      parts.push(part);
      length += part.length;
    }
  }
  const trailer = stated.with({ Size: changes.size });
  parts.push(latin1(`${xrefTable(entries)}trailer\n${serialize(trailer, () => 0)}\nstartxref\n${formatNumber(length)}\n%%EOF\n`));
  return joined(parts);
}

function isFileStructure(object: PdfObject): boolean {
  if (!(object instanceof PdfStream)) return false;
  const type = object.dict.get('Type');
  return type instanceof PdfName && (type.text === 'ObjStm' || type.text === 'XRef');
}

function decrypted(store: ObjectStore, object: PdfObject): PdfObject {
  if (!(object instanceof PdfStream) || store.decryptor === null || store.decryptor.keepsSecrets) return object;
  return new PdfStream(withoutCryptFilter(store, object.dict), object.decrypt === null ? object.raw : object.decrypt(object.raw));
}

/** Of a stream that names its own crypt filter: in a plain file nobody knows that name. It always comes first. */
function withoutCryptFilter(store: ObjectStore, dict: PdfDict): PdfDict {
  const filters = store.array(dict, 'Filter') ?? [dict.get('Filter')];
  const first = store.resolve(filters[0] ?? null);
  if (!(first instanceof PdfName) || first.text !== 'Crypt') return dict;
  return dict.with({ Filter: filters.slice(1), DecodeParms: (store.array(dict, 'DecodeParms') ?? []).slice(1) });
}
