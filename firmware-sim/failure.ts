/** Everything that a person, a script or the command line can be refused for. */
export type FailureCode =
  | 'INVALID_REQUEST'
  | 'INVALID_CODE'
  | 'UNKNOWN_COMMAND'
  | 'UNKNOWN_FAULT'
  | 'UNKNOWN_MODEL'
  | 'INVALID_VALUE'
  | 'WRONG_STATE'
  | 'NO_SUCH_JOB'
  | 'NO_SUCH_CHOICE'
  | 'NO_MEDIA'
  | 'GONE'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'TCP_UNAVAILABLE'
  | 'PTY_UNAVAILABLE'
  | 'CONTROL_UNAVAILABLE'
  | 'ALREADY_STARTED';

export interface Failure {
  readonly code: FailureCode;
  readonly detail: string;
}

export interface Refused {
  readonly ok: false;
  readonly failure: Failure;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | Refused;

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const refused = (code: FailureCode, detail: string): Refused => ({ ok: false, failure: { code, detail } });
