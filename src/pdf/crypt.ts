import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfName, PdfString, isArray } from './objects.ts';

/** Decrypts with the standard security handler and an empty user password, from revision 5 on an empty owner password too (ISO 32000-2, 7.6): RC4 and AES, revisions 2 to 6.
 * Permissions are not looked at: reading a page to cut it is what its owner sent it for. */
export interface Decryptor {
  /** The page and all strings are plain, and what is encrypted (attachments) needs a password: a copy of the file must say so too. */
  readonly keepsSecrets: boolean;
  strings(num: number, gen: number): (bytes: Uint8Array) => Uint8Array;
  /** Null for a stream that is not encrypted, or that cannot be decrypted. */
  streams(num: number, gen: number, dict: PdfDict): ((bytes: Uint8Array) => Uint8Array) | null;
}

export type DecryptorResult =
  | { readonly ok: true; readonly decryptor: Decryptor }
  | { readonly ok: false; readonly detail: string };

type Method = 'identity' | 'rc4' | 'aes128' | 'aes256';

interface Methods {
  readonly strings: Method;
  /** Of one stream: its own, where it names one. */
  streams(dict: PdfDict): Method;
}

type Resolve = (object: PdfObject) => PdfObject;

// The padding string of ISO 32000-1, algorithm 2.
const PADDING = Uint8Array.from([
  0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
  0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
]);

export function openWithEmptyPassword(encrypt: PdfDict, fileId: Uint8Array, resolve: Resolve): DecryptorResult {
  const get = (key: string): PdfObject => resolve(encrypt.get(key));
  const filter = get('Filter');
  if (!(filter instanceof PdfName) || filter.text !== 'Standard') return { ok: false, detail: 'it uses a security handler other than the standard one' };
  const version = numberOf(get('V'), 0);
  const revision = numberOf(get('R'), 0);
  if (![1, 2, 4, 5].includes(version) || revision < 2 || revision > 6) return { ok: false, detail: `encryption version ${version}, revision ${revision} is not supported` };
  const key = version === 5 ? keyFromRevision5(get, revision) : keyFromRevision4(get, version, revision, fileId);
  const methods = version < 4 ? { strings: 'rc4' as const, streams: () => 'rc4' as const } : methodsOf(encrypt, resolve);
  const isPagePlain = methods.strings === 'identity' && methods.streams(new PdfDict()) === 'identity';
  if (key === null && !isPagePlain) return { ok: false, detail: 'it needs a password to be opened' };
  return {
    ok: true,
    decryptor: {
      keepsSecrets: key === null,
      strings: (num, gen) => cipher(methods.strings, key, num, gen),
      streams(num, gen, dict) {
        const method = methods.streams(dict);
        return method === 'identity' || key === null ? null : cipher(method, key, num, gen);
      },
    },
  };
}

/** From version 4 on (ISO 32000-2, 7.6.6): a crypt filter for each kind of stream, and a stream may name one of its own. */
function methodsOf(encrypt: PdfDict, resolve: Resolve): Methods {
  const named = (key: string): string | null => {
    const name = resolve(encrypt.get(key));
    return name instanceof PdfName ? name.text : null;
  };
  const streams = methodOf(encrypt, named('StmF'), resolve);
  const attachments = named('EFF') === null ? streams : methodOf(encrypt, named('EFF'), resolve);
  const metadata = resolve(encrypt.get('EncryptMetadata')) === false ? 'identity' : streams;
  return {
    strings: methodOf(encrypt, named('StrF'), resolve),
    streams(dict) {
      const own = ownCryptFilter(dict, resolve);
      if (own !== null) return methodOf(encrypt, own, resolve);
      const type = resolve(dict.get('Type'));
      if (!(type instanceof PdfName)) return streams;
      if (type.text === 'Metadata') return metadata;
      return type.text === 'EmbeddedFile' ? attachments : streams;
    },
  };
}

/** The name of the crypt filter that a stream asks for, null where it leaves that to the file. */
function ownCryptFilter(dict: PdfDict, resolve: Resolve): string | null {
  const first = (key: string): PdfObject => {
    const value = resolve(dict.get(key));
    return isArray(value) ? resolve(value[0] ?? null) : value;
  };
  const filter = first('Filter');
  if (!(filter instanceof PdfName) || filter.text !== 'Crypt') return null;
  const parameters = first('DecodeParms');
  const name = parameters instanceof PdfDict ? resolve(parameters.get('Name')) : null;
  return name instanceof PdfName ? name.text : 'Identity';
}

function numberOf(object: PdfObject, fallback: number): number {
  return typeof object === 'number' ? object : fallback;
}

function bytesOf(object: PdfObject): Uint8Array {
  return object instanceof PdfString ? object.bytes : new Uint8Array(0);
}

function methodOf(encrypt: PdfDict, filterName: string | null, resolve: Resolve): Method {
  const filters = resolve(encrypt.get('CF'));
  if (filterName === null || filterName === 'Identity' || !(filters instanceof PdfDict)) return 'identity';
  const filter = resolve(filters.get(filterName));
  const method = filter instanceof PdfDict ? resolve(filter.get('CFM')) : null;
  if (!(method instanceof PdfName)) return 'identity';
  if (method.text === 'V2') return 'rc4';
  if (method.text === 'AESV2') return 'aes128';
  return method.text === 'AESV3' ? 'aes256' : 'identity';
}

function md5(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** RC4, which the platform's OpenSSL no longer offers. */
export function rc4(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  let j = 0;
  for (let i = 0; i < 256; i += 1) {
    const swap = state[i] ?? 0;
    j = (j + swap + (key[i % key.length] ?? 0)) & 255;
    state[i] = state[j] ?? 0;
    state[j] = swap;
  }
  const out = new Uint8Array(bytes.length);
  let a = 0;
  let b = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    a = (a + 1) & 255;
    const swap = state[a] ?? 0;
    b = (b + swap) & 255;
    const other = state[b] ?? 0;
    state[a] = other;
    state[b] = swap;
    out[i] = (bytes[i] ?? 0) ^ (state[(swap + other) & 255] ?? 0);
  }
  return out;
}

/** Algorithm 2: the key for the empty user password, or null when the file wants another one. */
function keyFromRevision4(get: (key: string) => PdfObject, version: number, revision: number, fileId: Uint8Array): Uint8Array | null {
  const stated = numberOf(get('Length'), 40);
  const bits = version === 1 ? 40 : version === 4 ? 128 : stated;
  const keyBytes = Math.min(16, Math.max(5, Math.trunc((bits < 40 ? bits * 8 : bits) / 8)));
  const permissions = new Uint8Array(4);
  new DataView(permissions.buffer).setInt32(0, numberOf(get('P'), 0) | 0, true);
  const parts = [PADDING, bytesOf(get('O')).subarray(0, 32), permissions, fileId];
  if (revision >= 4 && get('EncryptMetadata') === false) parts.push(Uint8Array.of(255, 255, 255, 255));
  const key = md5Rounds(md5(...parts), revision, keyBytes);
  return startsWith(bytesOf(get('U')), userCheck(key, revision, fileId)) ? key : null;
}

function md5Rounds(digest: Uint8Array, revision: number, keyBytes: number): Uint8Array {
  let key = digest;
  if (revision >= 3) for (let i = 0; i < 50; i += 1) key = md5(key.subarray(0, keyBytes));
  return key.subarray(0, keyBytes);
}

/** Algorithms 4 and 5: how the U entry of that key begins. */
function userCheck(key: Uint8Array, revision: number, fileId: Uint8Array): Uint8Array {
  if (revision === 2) return rc4(key, PADDING);
  let check = rc4(key, md5(PADDING, fileId));
  for (let i = 1; i <= 19; i += 1) check = rc4(key.map((byte) => byte ^ i), check);
  return check;
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, i) => bytes[i] === byte);
}

/** Algorithm 2.A for the empty user password, then for the empty owner password. */
function keyFromRevision5(get: (key: string) => PdfObject, revision: number): Uint8Array | null {
  const user = bytesOf(get('U')).subarray(0, 48);
  const owner = bytesOf(get('O')).subarray(0, 48);
  const none = new Uint8Array(0);
  return keyOfPassword(user, bytesOf(get('UE')), none, revision) ?? keyOfPassword(owner, bytesOf(get('OE')), user, revision);
}

/** `entry`: 32 bytes of hash, 8 of validation salt, 8 of key salt. */
function keyOfPassword(entry: Uint8Array, encryptedKey: Uint8Array, userEntry: Uint8Array, revision: number): Uint8Array | null {
  if (entry.length < 48 || encryptedKey.length < 32) return null;
  const hash = (salt: Uint8Array): Uint8Array => {
    const first = createHash('sha256').update(salt).update(userEntry).digest();
    return revision === 5 ? first : hash2B(first, userEntry);
  };
  if (!startsWith(entry, hash(entry.subarray(32, 40)))) return null;
  const decipher = createDecipheriv('aes-256-cbc', hash(entry.subarray(40, 48)), new Uint8Array(16)).setAutoPadding(false);
  return Buffer.concat([decipher.update(encryptedKey.subarray(0, 32)), decipher.final()]);
}

/** Algorithm 2.B with an empty password. */
function hash2B(first: Uint8Array, userEntry: Uint8Array): Uint8Array {
  let key = first;
  for (let round = 0; ; round += 1) {
    const repeated = Buffer.concat(Array.from({ length: 64 }, () => [key, userEntry]).flat());
    const encryption = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const encrypted = Buffer.concat([encryption.update(repeated), encryption.final()]);
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(['sha256', 'sha384', 'sha512'][remainder] ?? 'sha256').update(encrypted).digest();
    if (round >= 63 && (encrypted.at(-1) ?? 0) <= round - 31) return key.subarray(0, 32);
  }
}

/** Algorithm 1: the key of one object, then its cipher. */
function cipher(method: Method, key: Uint8Array | null, num: number, gen: number): (bytes: Uint8Array) => Uint8Array {
  if (method === 'identity' || key === null) return (bytes) => bytes;
  if (method === 'aes256') return (bytes) => aes('aes-256-cbc', key, bytes);
  const suffix = Uint8Array.of(num & 255, (num >> 8) & 255, (num >> 16) & 255, gen & 255, (gen >> 8) & 255);
  const salt = method === 'aes128' ? Uint8Array.of(0x73, 0x41, 0x6c, 0x54) : new Uint8Array(0);
  const objectKey = md5(key, suffix, salt).subarray(0, Math.min(key.length + 5, 16));
  return method === 'rc4' ? (bytes) => rc4(objectKey, bytes) : (bytes) => aes('aes-128-cbc', objectKey, bytes);
}

function aes(name: string, key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const length = bytes.length - (bytes.length % 16);
  if (length < 32) return new Uint8Array(0);
  const decipher = createDecipheriv(name, key, bytes.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(bytes.subarray(16, length)), decipher.final()]);
  const padding = plain.at(-1) ?? 0;
  return padding >= 1 && padding <= 16 ? plain.subarray(0, plain.length - padding) : plain;
}
