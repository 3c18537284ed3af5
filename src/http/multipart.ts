/**
 * multipart/form-data (RFC 7578) of a body that is already in memory.
 *
 * Why not the engine's own `getParts`: it answers a truncated form, a form with 11 header lines in a part and plain
 * garbage alike with an empty list, lets parts without a name through, and cuts a file name at an escaped quote. A
 * refusal here says what is wrong.
 */
import type { Result } from './types.ts';

export interface FormFile {
  readonly field: string;
  /** As the client named it: to be shown and transliterated, never to be used as a path. */
  readonly fileName: string;
  readonly contentType: string;
  /** A view into the request's body. */
  readonly bytes: Uint8Array;
}

export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, FormFile>;
}

const maxParts = 64;
const maxPartHeadBytes = 8192;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The boundary of a `multipart/form-data` content type; a problem (415) for any other type, 400 without a boundary. */
export function multipartBoundary(contentType: string | undefined): Result<string> {
  const [type = ''] = (contentType ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'multipart/form-data') {
    const given = type.trim() === '' ? 'the request names no Content-Type' : `the request is ${JSON.stringify(type.trim().slice(0, 80))}`;
    return { ok: false, problem: { code: 'UNSUPPORTED_MEDIA_TYPE', detail: `this endpoint takes multipart/form-data, but ${given}` } };
  }
  const parameters = parseParameters((contentType ?? '').slice(type.length));
  const boundary = parameters?.get('boundary');
  // RFC 2046 section 5.1.1: 1 to 70 characters of bcharsnospace, blanks only inside.
  if (boundary === undefined || !/^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/.test(boundary)) {
    return malformed('the Content-Type has no usable boundary');
  }
  return { ok: true, value: boundary };
}

export function parseMultipart(body: Uint8Array, boundary: string): Result<Form> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fields = new Map<string, string>();
  const files = new Map<string, FormFile>();
  let position = firstDelimiter(bytes, boundary);
  if (position === null) return malformed('the boundary named in the Content-Type does not occur in the body');
  for (let count = 1; ; count += 1) {
    const line = endOfDelimiter(bytes, position);
    if (line === 'last') break;
    if (line === null) return malformed(`what follows the boundary before part ${count} is neither a line break nor "--"`);
    if (count > maxParts) return malformed(`the form has more than ${maxParts} parts`);
    const part = readPart(bytes, line, boundary, count);
    if (!part.ok) return part;
    const stored = storePart(part.value, fields, files, count);
    if (!stored.ok) return stored;
    position = part.value.next;
  }
  return { ok: true, value: { fields, files } };
}

interface Part {
  readonly name: string;
  readonly fileName: string | null;
  readonly contentType: string | null;
  readonly content: Buffer;
  /** Just behind the next delimiter's boundary. */
  readonly next: number;
}

/** The position behind the first `--boundary`, which begins the body or a line. */
function firstDelimiter(bytes: Buffer, boundary: string): number | null {
  const delimiter = `--${boundary}`;
  if (bytes.subarray(0, delimiter.length).toString('latin1') === delimiter) return delimiter.length;
  const found = bytes.indexOf(`\r\n${delimiter}`, 0, 'latin1');
  return found < 0 ? null : found + 2 + delimiter.length;
}

/** The start of the part's head, or 'last' after the closing delimiter. Blanks may pad the line (RFC 2046 section 5.1.1). */
function endOfDelimiter(bytes: Buffer, position: number): number | 'last' | null {
  if (bytes[position] === 0x2d && bytes[position + 1] === 0x2d) return 'last';
  let at = position;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : null;
}

function readPart(bytes: Buffer, start: number, boundary: string, count: number): Result<Part> {
  // A part without any header begins with the empty line itself.
  const headEnd = bytes[start] === 0x0d && bytes[start + 1] === 0x0a ? start - 2 : bytes.indexOf('\r\n\r\n', start, 'latin1');
  if (headEnd < 0) return malformed(`part ${count} is cut off in its head`);
  if (headEnd - start > maxPartHeadBytes) return malformed(`the head of part ${count} is longer than ${maxPartHeadBytes} bytes`);
  const head = readHead(bytes.subarray(start, Math.max(start, headEnd)));
  if (head === null) return malformed(`the head of part ${count} has a line that is no header`);
  const delimiter = `\r\n--${boundary}`;
  // An empty part may end where its head does: both share one line break.
  const contentEnd = bytes.indexOf(delimiter, headEnd + 2, 'latin1');
  if (contentEnd < 0) return malformed(`part ${count} is cut off: the boundary behind it is missing`);
  const disposition = parseDisposition(head.get('content-disposition'));
  if (disposition === null) return malformed(`part ${count} has no usable Content-Disposition: form-data with a name`);
  const transfer = head.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(transfer)) return malformed(`part ${count} is encoded as ${JSON.stringify(transfer.slice(0, 40))}; send its bytes as they are`);
  return {
    ok: true,
    value: {
      ...disposition,
      contentType: head.get('content-type') ?? null,
      content: bytes.subarray(Math.min(headEnd + 4, contentEnd), contentEnd),
      next: contentEnd + delimiter.length,
    },
  };
}

function storePart(part: Part, fields: Map<string, string>, files: Map<string, FormFile>, count: number): Result<null> {
  if (fields.has(part.name) || files.has(part.name)) return malformed(`the form has two parts named ${JSON.stringify(part.name.slice(0, 80))}`, part.name);
  if (part.fileName !== null) {
    // A browser sends this for a file control in which nothing was chosen.
    if (part.fileName === '' && part.content.length === 0) return { ok: true, value: null };
    files.set(part.name, { field: part.name, fileName: part.fileName, contentType: part.contentType ?? 'application/octet-stream', bytes: part.content });
    return { ok: true, value: null };
  }
  const text = decodeUtf8(part.content);
  if (text === null) return malformed(`part ${count}, ${JSON.stringify(part.name.slice(0, 80))}, is not UTF-8 text`, part.name);
  fields.set(part.name, text);
  return { ok: true, value: null };
}

/** Header lines by lower-case name; null when one is malformed. Header text is UTF-8 in practice (RFC 7578 section 5.1). */
function readHead(bytes: Buffer): Map<string, string> | null {
  const head = new Map<string, string>();
  if (bytes.length === 0) return head;
  const text = decodeUtf8(bytes) ?? bytes.toString('latin1');
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || /[\u0000\r\n]/.test(value) || head.has(name)) return null;
    head.set(name, value);
  }
  return head;
}

function parseDisposition(value: string | undefined): { name: string; fileName: string | null } | null {
  if (value === undefined || !/^form-data\s*(;|$)/i.test(value)) return null;
  const parameters = parseParameters(value.slice('form-data'.length));
  const name = parameters?.get('name');
  if (parameters === null || name === undefined || name === '') return null;
  const extended = parameters.get('filename*');
  if (extended === undefined) return { name: unescapeBrowser(name), fileName: mapped(parameters.get('filename')) };
  // RFC 7578 forbids it, clients send it nevertheless; it says more than `filename` does.
  const decoded = decodeExtended(extended);
  return decoded === null ? null : { name: unescapeBrowser(name), fileName: decoded };
}

function mapped(fileName: string | undefined): string | null {
  return fileName === undefined ? null : unescapeBrowser(fileName);
}

/** Browsers write `"`, CR and LF in names as %22, %0D and %0A, and leave every other "%" alone (HTML, multipart/form-data). */
function unescapeBrowser(text: string): string {
  return text.replaceAll(/%22|%0D|%0A/gi, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}

/** RFC 8187: `UTF-8'en'%e2%82%ac.pdf`. */
function decodeExtended(value: string): string | null {
  const match = /^(UTF-8|ISO-8859-1)'[^']*'((?:%[0-9A-Fa-f]{2}|[!#$&+.^_`|~0-9A-Za-z-])*)$/i.exec(value);
  if (match === null) return null;
  const [, charset = '', encoded = ''] = match;
  const bytes = Buffer.from(encoded.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))), 'latin1');
  return charset.toLowerCase() === 'utf-8' ? decodeUtf8(bytes) : bytes.toString('latin1');
}

/** `; name=value; name="quoted"`; null when malformed or when a name comes twice. A backslash escapes only a quote or itself, since old browsers send whole Windows paths. */
function parseParameters(text: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  const pattern = /\s*;\s*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^\s;"]*)))?/y;
  while (pattern.lastIndex < text.trimEnd().length) {
    const match = pattern.exec(text);
    if (match === null) return null;
    const [, name, quoted, bare] = match;
    if (name === undefined) continue;
    if (parameters.has(name.toLowerCase())) return null;
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(["\\])/g, '$1') ?? bare ?? '');
  }
  return parameters;
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function malformed(detail: string, field?: string): Result<never> {
  const errors = field === undefined ? [] : [{ pointer: `/${field.slice(0, 80)}`, code: 'MALFORMED', detail }];
  return { ok: false, problem: { code: 'MALFORMED_MULTIPART', detail, errors } };
}
