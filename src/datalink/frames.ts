/**
 * The bytes that a host sends (gpgl-and-data-link.md sections 1.4 and 4.1).
 * Guarantee: pure; the same arguments give the same bytes, and no argument can break out of its frame.
 * Hole: the leading 0 of d5 is sent as it was observed; its meaning is not known.
 */
import type { JobListFailure, VectorFailure } from './failures.ts';

export const ESC = 0x1b;
export const STX = 0x02;
export const ETX = 0x03;
export const RS = 0x1e;
export const XON = 0x11;
export const XOFF = 0x13;

/** Offered at once; gpgl-and-data-link.md section 4.1. */
export const maxOfferedJobs = 8;
export const maxJobNameLength = 25;

/** Where mark 1 lies, seen from the barcode's scan start, in 0.1 mm whatever the step size (section 3). */
export interface RegistrationVector { fx: number; fy: number; rx: number; ry: number }

export type CommandType = 0 | 1;

const frame = (body: string): Buffer => Buffer.from(`\x1b.${body}`, 'latin1');

/** `ESC.d1:` asks for the status. */
export const encodeStatusQuery = (): Buffer => frame('d1:');
/** `ESC.d2:` asks for the link info of the barcode that was scanned. */
export const encodeLinkInfoQuery = (): Buffer => frame('d2:');
/** `ESC.d4:` asks which of the offered jobs was selected. */
export const encodeSelectionQuery = (): Buffer => frame('d4:');
/** `ESC.C31;9:` asks for model and firmware. */
export const encodeModelQuery = (): Buffer => frame('C31;9:');
/** `ESC.C31;16:` asks for the step size. */
export const encodeStepSizeQuery = (): Buffer => frame('C31;16:');
/** `ESC.C31;24:` asks for the command setting. */
export const encodeCommandSettingQuery = (): Buffer => frame('C31;24:');
/** `ESC.d6;t:` says in which language the job is: 0 GP-GL, 1 HP-GL. */
export const encodeCommandType = (type: CommandType): Buffer => frame(`d6;${type}:`);

/** `ESC.d5;0;fx;fy;rx;ry:`; whole numbers of 0.1 mm. */
export function encodeVector(vector: RegistrationVector): { ok: true; bytes: Buffer } | { ok: false; failure: VectorFailure } {
  const { fx, fy, rx, ry } = vector;
  const wrong = Object.entries({ fx, fy, rx, ry }).find(([, value]) => !Number.isInteger(value) || Math.abs(value) > 999_999);
  if (wrong !== undefined) {
    return { ok: false, failure: { code: 'INVALID_VECTOR', detail: `The registration vector's ${wrong[0]} is ${wrong[1]}; it must be a whole number of 0.1 mm.` } };
  }
  // "+ 0" turns a negative zero, which would print as "0" anyway, into what a reader of the bytes expects.
  return { ok: true, bytes: frame(`d5;0;${[fx, fy, rx, ry].map((value) => String(value + 0)).join(';')}:`) };
}

/** `ESC.d3` STX name RS name … ETX; without a name `ESC.d3` ETX, which must still be sent. */
export function encodeJobList(names: readonly string[]): { ok: true; bytes: Buffer } | { ok: false; failure: JobListFailure } {
  if (names.length > maxOfferedJobs) {
    return { ok: false, failure: { code: 'TOO_MANY_JOBS', detail: `${names.length} jobs were to be offered; a cutter takes at most ${maxOfferedJobs}.` } };
  }
  const wrong = names.findIndex((name) => !/^[\x20-\x7e]{1,25}$/.test(name));
  if (wrong >= 0) {
    return { ok: false, failure: { code: 'INVALID_JOB_NAME', detail: `The name of job ${wrong + 1} must be 1 to ${maxJobNameLength} printable ASCII characters.` } };
  }
  return { ok: true, bytes: frame(names.length === 0 ? 'd3\x03' : `d3\x02${names.join('\x1e')}\x03`) };
}

/**
 * The first byte that must not travel inside a job on a serial line, where the protocol shares the wire with the job
 * (section 4.4 rule 4); null when the job is safe.
 */
export function findByteUnsafeForSerial(job: Uint8Array): { byte: number; offset: number } | null {
  const offset = job.findIndex((byte) => byte === ESC || byte === STX || byte === RS || byte === XON || byte === XOFF);
  const byte = job[offset];
  return byte === undefined ? null : { byte, offset };
}
