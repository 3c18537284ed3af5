import type { Headers, PlainAnswer } from './answer.ts';

/** Code → status and title: the one place where a code gets its status (interfaces.md section 7, api-decisions.md 1 to 5). */
const table = {
  MALFORMED_REQUEST: [400, 'Malformed request'],
  MALFORMED_JSON: [400, 'Malformed JSON'],
  MALFORMED_MULTIPART: [400, 'Malformed multipart form'],
  MISSING_FILE: [400, 'File missing'],
  INVALID_PARAMETER: [400, 'Invalid parameter'],
  INVALID_BODY: [400, 'Invalid request body'],
  INVALID_BARCODE: [400, 'Invalid barcode link info'],
  INVALID_NAME: [400, 'Invalid job name'],
  INVALID_COMMAND_TYPE: [400, 'Invalid command type'],
  INVALID_COMMAND_SEQUENCE: [400, 'Invalid command sequence'],
  INVALID_REGISTRATION_MARK: [400, 'Invalid registration mark position'],
  NO_CUT_PATHS: [400, 'No cut paths'],
  ARTWORK_IN_KEEP_CLEAR_ZONE: [400, 'Artwork in a keep-clear zone'],
  CUT_OUTSIDE_MARKS: [400, 'Cut geometry outside the marks'],
  PAGE_TOO_SMALL: [400, 'Page too small'],
  NOT_A_PDF: [400, 'Not a PDF'],
  PDF_ENCRYPTED: [400, 'Encrypted PDF'],
  PDF_UNREADABLE: [400, 'Unreadable PDF'],
  PDF_TOO_COMPLEX: [400, 'PDF too complex'],
  UNSUPPORTED_CUT_CONTENT: [400, 'Unsupported cut content'],
  MULTIPLE_PAGES: [400, 'More than one page'],
  IDEMPOTENCY_KEY_REQUIRED: [400, 'Idempotency key missing'],
  IDEMPOTENCY_KEY_INVALID: [400, 'Idempotency key invalid'],
  UNAUTHENTICATED: [401, 'Authentication needed'],
  FORBIDDEN: [403, 'Forbidden'],
  ADMIN_REQUIRED: [403, 'Administrator needed'],
  SELF_APPROVAL_FORBIDDEN: [403, 'Own requests cannot be approved'],
  NOT_FOUND: [404, 'Not found'],
  JOB_NOT_FOUND: [404, 'Job not found'],
  CUTTER_NOT_FOUND: [404, 'Cutter not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  CUTTER_BUSY: [409, 'Cutter busy'],
  CONFLICT: [409, 'Conflict'],
  IDEMPOTENCY_CONFLICT: [409, 'Idempotency key used for another request'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'Request still in progress'],
  BODY_TOO_LARGE: [413, 'Body too large'],
  UPLOAD_TOO_LARGE: [413, 'Upload too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type'],
  VALIDATION_FAILED: [422, 'Validation failed'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL: [500, 'Internal error'],
  CUTTER_UNREACHABLE: [503, 'Cutter not reachable'],
  UNAVAILABLE: [503, 'Unavailable'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type ProblemCode = keyof typeof table;

export const problemCodes: readonly ProblemCode[] = Object.freeze(Object.keys(table).filter(isProblemCode));

/** One thing that is wrong with a request. `pointer` is an RFC 6901 pointer into the body, or names a parameter or form field. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface Problem {
  readonly code: ProblemCode;
  /** A sentence that a person can act on. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Where a picture shows what is wrong. */
  readonly preview?: { readonly svg: string; readonly png: string } | null;
  readonly headers?: Headers;
}

export interface ProblemAnswer {
  readonly problem: Problem;
}

/** The answer that refuses a request: `return problem('JOB_NOT_FOUND', 'There is no job 7.')`. */
export function problem(code: ProblemCode, detail: string, more: Pick<Problem, 'errors' | 'preview' | 'headers'> = {}): ProblemAnswer {
  return { problem: { code, detail, ...more } };
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(table, code);
}

export function problemStatus(code: ProblemCode): number {
  return table[code][0];
}

export function problemTitle(code: ProblemCode): string {
  return table[code][1];
}

/** RFC 9457. `instance` is the path of the request without its query, which may hold what does not belong in a log. */
export function renderProblem(refusal: Problem, instance: string, requestId: string): PlainAnswer {
  const status = problemStatus(refusal.code);
  const body = {
    type: `urn:kerf:problem:${refusal.code.toLowerCase().replaceAll('_', '-')}`,
    title: problemTitle(refusal.code),
    status,
    detail: refusal.detail,
    instance,
    code: refusal.code,
    request_id: requestId,
    errors: refusal.errors ?? [],
    ...(refusal.preview === undefined || refusal.preview === null ? {} : { preview: refusal.preview.svg, preview_png: refusal.preview.png }),
  };
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...refusal.headers },
    body: JSON.stringify(body),
  };
}
