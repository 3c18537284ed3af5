/** Things worth a line in the log that are no failure of a call. */
export type NoteKind =
  | 'stale-input-purged'
  | 'unsolicited-frame'
  | 'unexpected-input'
  | 'input-flood'
  | 'port-opened'
  | 'port-lost'
  | 'port-error'
  | 'retrying'
  | 'resynchronised'
  | 'refused-by-cutter'
  | 'stream-stalled'
  | 'stream-resumed';

export interface Note { kind: NoteKind; detail: string }
export type NoteListener = (note: Note) => void;
