/** The body of POST /jobs/import-json: one schema for its shape, and what a schema cannot say about the sequence. */
import Type, { type Static } from 'typebox';
import { isJsonType, parseJson } from '../json.ts';
import type { FieldError } from '../problems.ts';
import { invalidInput, type BodyRule } from '../route.ts';
import { compileSchema } from '../schema.ts';

/** Whole numbers of 0.1 mm, as far as the Data Link can say them. */
const Tenths = (description: string, fallback: number) =>
  Type.Optional(Type.Integer({ minimum: -999_999, maximum: 999_999, default: fallback, description, 'x-code': 'INVALID_REGISTRATION_MARK' }));

export const ImportJson = Type.Object({
  name: Type.String({ pattern: '^(?=.*[!-~])[ -~]{1,25}$', description: '1 to 25 printable ASCII characters, not only blanks', 'x-code': 'INVALID_NAME' }),
  barcode_link_info: Type.String({ pattern: '^[0-9A-FH-Z][0-9A-Z]{8}$', description: 'exactly 9 characters of 0-9 and A-Z, the first not G', 'x-code': 'INVALID_BARCODE' }),
  command_type: Type.Optional(Type.Enum([0, 1], { default: 0, description: '0 GP-GL, 1 HP-GL; kept and handed over as it is', 'x-code': 'INVALID_COMMAND_TYPE' })),
  regmark_fx: Tenths('From the Start Mark to mark 1 along the feed, 0.1 mm', 60),
  regmark_fy: Tenths('From the Start Mark to mark 1 along the carriage, 0.1 mm', 400),
  regmark_rx: Tenths('For a rear-edge barcode only', 0),
  regmark_ry: Tenths('For a rear-edge barcode only', 0),
  command_sequence: Type.String({ minLength: 1, description: 'Plain text of code points 0 to 127, or base64 (RFC 4648 section 4, padded)', 'x-code': 'INVALID_COMMAND_SEQUENCE' }),
  command_sequence_encoding: Type.Optional(Type.Enum(['plain', 'base64'], { default: 'plain' })),
  append_etx: Type.Optional(Type.Boolean({ default: false, description: 'Adds one ETX unless the last byte is one' })),
}, { additionalProperties: false });

export interface ImportedJson {
  readonly fields: Static<typeof ImportJson>;
  /** Byte for byte what the cutter will receive. */
  readonly commandSequence: Uint8Array;
}

const ETX = 0x03;
const check = compileSchema(ImportJson);

/** Every problem is told at once, those of the sequence among them. */
export function importJsonBody(capBytes: number): BodyRule<ImportedJson> {
  return {
    capBytes,
    tooLarge: 'UPLOAD_TOO_LARGE',
    mediaType: 'application/json',
    schema: ImportJson,
    refuseType: (contentType) => (isJsonType(contentType) ? null : { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'This endpoint takes application/json in UTF-8.' }),
    read(bytes) {
      const parsed = parseJson(bytes);
      if (!parsed.ok) return parsed;
      const checked = check.check(parsed.value);
      const decoded = decodeSequence(parsed.value);
      const errors = [...(checked.ok ? [] : checked.errors), ...(decoded.ok ? [] : [decoded.error])];
      if (!checked.ok || !decoded.ok) return { ok: false, problem: invalidInput('INVALID_BODY', errors) };
      return { ok: true, value: { fields: checked.value, commandSequence: decoded.bytes } };
    },
  };
}

type Decoded = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly error: FieldError };
const nothing: Decoded = { ok: true, bytes: new Uint8Array(0) };

/** Of a body that may be wrong elsewhere. What the schema refuses already, it does not refuse again. */
function decodeSequence(body: unknown): Decoded {
  const text = ofBody(body, 'command_sequence');
  const encoding = ofBody(body, 'command_sequence_encoding') ?? 'plain';
  if (typeof text !== 'string' || text === '' || (encoding !== 'plain' && encoding !== 'base64')) return nothing;
  const bytes = encoding === 'plain' ? fromPlain(text) : fromBase64(text);
  if (typeof bytes === 'string') return { ok: false, error: { pointer: '/command_sequence', code: 'INVALID_COMMAND_SEQUENCE', detail: bytes } };
  return { ok: true, bytes: ofBody(body, 'append_etx') === true ? withEtx(bytes) : bytes };
}

function ofBody(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

function fromPlain(text: string): Uint8Array | string {
  const at = text.search(/[^\0-\x7f]/);
  if (at < 0) return Buffer.from(text, 'latin1');
  const codePoint = text.codePointAt(at) ?? 0;
  return `holds U+${codePoint.toString(16).toUpperCase().padStart(4, '0')} at character ${at}; plain text has code points 0 to 127 only, send other bytes as base64`;
}

/** Only the one canonical spelling of the bytes: a decoder that guesses would store other bytes than were meant. */
function fromBase64(text: string): Uint8Array | string {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > 0 && bytes.toString('base64') === text) return bytes;
  return 'is not base64 (A-Z, a-z, 0-9, + and /, padded with =, without line breaks)';
}

function withEtx(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === ETX ? bytes : Buffer.concat([bytes, Uint8Array.of(ETX)]);
}
