import type { PdfRefusal, PdfRefusalCode } from './types.ts';

/** Unwinds the reader from wherever a cap or a broken structure stops it. Never leaves the room: every public function
 * turns it into `{ ok: false, failure }` (see `guarded`). Threading a result through each operator of the interpreter
 * instead would cost more than the interpretation itself. */
export class Refused extends Error {
  readonly failure: PdfRefusal;

  constructor(failure: PdfRefusal) {
    super(failure.detail);
    this.failure = failure;
  }
}

export function refuse(code: PdfRefusalCode, detail: string): never {
  throw new Refused({ code, detail });
}

export function tooComplex(cap: string, limit: number): never {
  refuse('PDF_TOO_COMPLEX', `The PDF exceeds the limit of ${limit.toLocaleString('en-GB')} ${cap}.`);
}

/** Runs a reader and gives its refusal back as a value. A stack overflow is a hostile nesting that no cap named. */
export function guarded<T>(work: () => T): { ok: true; value: T } | { ok: false; failure: PdfRefusal } {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, failure: error.failure };
    if (error instanceof RangeError) {
      return { ok: false, failure: { code: 'PDF_TOO_COMPLEX', detail: 'The PDF nests its objects too deeply, or needs more memory than it may have.' } };
    }
    throw error;
  }
}
