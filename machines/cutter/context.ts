import Type, { type Static } from 'typebox';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** What the printed sheet and the job say about where mark 1 lies, in 0.1 mm (gpgl-and-data-link.md section 3). */
export const Vector = Type.Object({
  fx: Type.Integer(),
  fy: Type.Integer(),
  rx: Type.Integer(),
  ry: Type.Integer(),
});

/** A job as it was offered: the list as sent is what the cutter's index refers to. */
export const OfferedJob = Type.Object({ id: Type.String(), name: Type.String() });

/** `sending` is on disk before the vector (ESC.d5) is sent. Every state but the first three is final. */
export const HandOffState = Type.Union([
  Type.Literal('sending'),
  Type.Literal('sent'),
  Type.Literal('cutting'),
  Type.Literal('finished'),
  Type.Literal('interrupted'),
  Type.Literal('rejected'),
  Type.Literal('unknown_outcome'),
]);

/** The record of one hand-off: it says what is known of the blade, and is never the reason to send a job again. */
export const HandOff = Type.Object({
  id: Type.String(),
  job_id: Type.String(),
  job_name: Type.String(),
  link_info: Type.String(),
  state: HandOffState,
  started_at: Type.Number(),
  ended_at: nullable(Type.Number()),
  bytes_total: Type.Integer(),
  bytes_sent: nullable(Type.Integer()),
  detail: Type.String(),
});

export const Machine = Type.Object({
  model: nullable(Type.String()),
  firmware: nullable(Type.String()),
  step_size_mm: nullable(Type.Number()),
  command_setting: nullable(Type.String()),
});

export const LastError = Type.Object({ code: Type.String(), message: Type.String(), at: Type.Number() });

export const CutterContext = Type.Object({
  name: Type.String(),
  /** The last status the cutter reported; -999 before the first and while it is silent. */
  status: Type.Integer(),
  /** The last status with a place in the Data Link's table: codes of the future are shown, and judged as if unseen. */
  known_status: Type.Integer(),
  link_info: nullable(Type.String()),
  offered: Type.Array(OfferedJob),
  hand_off: nullable(HandOff),
  /** A hand-off that was `sent` or `cutting` when the service stopped: only status 4, 5 or 6 lets it be followed. */
  resumed: Type.Boolean(),
  machine: Machine,
  /** Persistent, plain warnings about the machine's settings, by code. */
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
  last_error: nullable(LastError),
});

export type Vector = Static<typeof Vector>;
export type OfferedJob = Static<typeof OfferedJob>;
export type HandOff = Static<typeof HandOff>;
export type HandOffState = Static<typeof HandOffState>;
export type MachineInfo = Static<typeof Machine>;
export type CutterContext = Static<typeof CutterContext>;
