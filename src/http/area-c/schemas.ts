/** What Area C answers with (interfaces.md section 2.9 and api-decisions.md section 5). */
import Type from 'typebox';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Timestamp = Type.String({ description: 'RFC 3339, UTC, with milliseconds' });

export const ActivityEntry = Type.Object({
  time: Timestamp,
  kind: Type.String(),
  message: Type.String(),
  cutter: nullable(Type.String({ description: 'Null for what is not about one cutter' })),
  id: Type.String({ description: 'Id of the event' }),
  seq: Type.Integer({ description: 'Position in the log; times may jump, positions do not' }),
  data: Type.Record(Type.String(), Type.Unknown()),
});

export const HandOffSchema = Type.Object({
  id: Type.String(),
  job_id: Type.String(),
  job_name: Type.String(),
  barcode_link_info: Type.String(),
  state: Type.String({ description: 'sending, sent, cutting, finished, interrupted, rejected or unknown_outcome' }),
  started_at: Timestamp,
  ended_at: nullable(Timestamp),
  bytes_total: Type.Integer(),
  bytes_sent: nullable(Type.Integer()),
  detail: Type.String(),
});

export const CutterStatus = Type.Object({
  id: Type.String(),
  cutter_name: Type.String(),
  is_running: Type.Boolean(),
  standby_mode: Type.Boolean(),
  current_status: Type.Integer({ description: 'Data link code; -999 while the cutter does not answer' }),
  current_status_label: Type.String(),
  last_error: nullable(Type.String()),
  last_error_code: nullable(Type.String()),
  cutter_model: nullable(Type.String()),
  firmware: nullable(Type.String()),
  cutter_step_size_mm: nullable(Type.Number()),
  command_setting: nullable(Type.String()),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
  last_hand_off: nullable(HandOffSchema),
  progress: nullable(Type.Object({ taken_bytes: Type.Integer(), total_bytes: Type.Integer() })),
  recent_events: Type.Array(ActivityEntry, { maxItems: 50 }),
});

export const StartedStatus = Type.Object({
  ...CutterStatus.properties,
  start_accepted: Type.Boolean({ description: 'This call began the polling; false when it ran already, and when another service of this machine drives the cutter' }),
});

export const StoppedStatus = Type.Object({
  ...CutterStatus.properties,
  stop_completed: Type.Boolean({ description: 'Polling is off; false while a job is being sent: the stream goes on and is followed, ask again when it has ended' }),
});

export const CutterInfo = Type.Object({
  cutter_name: Type.String(),
  cutter_model: nullable(Type.String()),
  firmware: nullable(Type.String()),
  cutter_step_size_mm: nullable(Type.Number()),
  command_setting: nullable(Type.String({ description: 'GP-GL, HP-GL or AUTO' })),
});

export const JobSummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  barcode_link_info: Type.String(),
  command_type: Type.Integer(),
  source: Type.String(),
  command_length: Type.Integer({ description: 'Bytes of the command sequence' }),
  created_at: Timestamp,
  last_hand_off: nullable(Type.Object({ outcome: Type.String(), cutter: Type.String(), at: Timestamp })),
});

export const JobDetail = Type.Object({
  ...JobSummary.properties,
  regmark_fx: Type.Integer({ description: '0.1 mm' }),
  regmark_fy: Type.Integer({ description: '0.1 mm' }),
  regmark_rx: Type.Integer({ description: '0.1 mm' }),
  regmark_ry: Type.Integer({ description: '0.1 mm' }),
  command_preview: Type.Array(Type.String()),
  command_sha256: Type.String(),
  steps_per_mm: nullable(Type.Integer()),
  bounds_mm: nullable(Type.Object({ x0: Type.Number(), y0: Type.Number(), x1: Type.Number(), y1: Type.Number() }, { description: 'In the frame of the marks: x along the feed, y along the carriage' })),
  segments: nullable(Type.Integer()),
  cut_length_mm: nullable(Type.Number()),
  travel_length_mm: nullable(Type.Number()),
  estimate_seconds: nullable(Type.Number()),
  cut_source: nullable(Type.String()),
  warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
});

export const WorkerStatus = Type.Object({
  id: Type.String(),
  is_running: Type.Boolean(),
  inbox_dir: Type.String(),
  processed_dir: Type.String(),
  outbox_dir: Type.Optional(Type.String({ description: 'Print folder only: where marked PDFs appear' })),
  error_dir: Type.String(),
  waiting_count: Type.Integer({ description: 'Files in the inbox that are not in hand yet, and failed ones that will be tried again' }),
  in_progress: nullable(Type.String({ description: 'Name of the file in hand' })),
  is_held: Type.Boolean({ description: 'The file in hand, or the folder, cannot go on for now; last_error says why' }),
  processed_count: Type.Integer(),
  error_count: Type.Integer(),
  last_error: nullable(Type.String()),
  last_error_code: nullable(Type.String()),
  last_processed_file: nullable(Type.String()),
  last_processed_time: nullable(Timestamp),
});

export const Version = Type.Object({ name: Type.String(), version: Type.String(), server_time_utc: Timestamp });

export const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'failing']),
  version: Type.String(),
  server_time_utc: Timestamp,
  uptime_seconds: Type.Number(),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
  cutters: Type.Array(Type.Object({
    id: Type.String(),
    cutter_name: Type.String(),
    is_running: Type.Boolean(),
    standby_mode: Type.Boolean(),
    current_status: Type.Integer(),
    current_status_label: Type.String(),
    last_error: nullable(Type.String()),
  })),
  webhooks: Type.Object({
    configured: Type.Boolean({ description: 'WEBHOOK_URL is set' }),
    enabled: Type.Boolean({ description: 'False without a receiver, and when it was given up' }),
    disabled_reason: nullable(Type.String({ description: 'GONE: it answered 410. FAILING: it failed for 5 days' })),
    events: Type.Integer({ description: 'All there ever were: pending + delivered + dead' }),
    pending: Type.Integer({ description: 'Not yet delivered, and tried again' }),
    delivered: Type.Integer(),
    dead: Type.Integer({ description: 'Given up after the last attempt' }),
    failed_attempts: Type.Integer(),
    failures_in_row: Type.Integer({ description: 'Failed attempts since the last success' }),
    last_error: nullable(Type.String()),
    last_error_code: nullable(Type.String()),
    last_failure_at: nullable(Timestamp),
    last_delivered_at: nullable(Timestamp),
  }, { description: 'Deliveries to WEBHOOK_URL' }),
  ingest: WorkerStatus,
  print_prepare: WorkerStatus,
  database_path: Type.String(),
  store: Type.Object({ used_bytes: Type.Integer(), map_bytes: Type.Integer() }),
  event_loop: Type.Object({ delay_p99_ms: Type.Number(), delay_max_ms: Type.Number() }, { description: 'Since the last time health was asked' }),
});
