/** From the rooms' own records to what Area C shows. */
import type { Static } from 'typebox';
import { statusLabel, type HandOff } from '../../../machines/index.ts';
import type { CutterState } from '../../cutters/index.ts';
import type { HotFolderState } from '../../folders/index.ts';
import type { JobLibrary, JobRecord } from '../../jobs/index.ts';
import type { JournalEntry, Runtime } from '../../runtime/index.ts';
import type { WebhookCounters } from '../../webhooks/index.ts';
import type { ActivityEntry, CutterStatus, HandOffSchema, Health, JobDetail, JobSummary, WorkerStatus } from './schemas.ts';

export const timestamp = (ms: number): string => new Date(ms).toISOString();

/** interfaces.md section 8. */
const recentEvents = 50;

export function presentEntry({ at, kind, message, subject, id, seq, data }: JournalEntry): Static<typeof ActivityEntry> {
  const cutter = subject.startsWith('cutter/') ? subject.slice('cutter/'.length) : null;
  return { time: timestamp(at), kind, message, cutter, id, seq, data: { ...data } };
}

export function presentCutter(state: CutterState, runtime: Runtime): Static<typeof CutterStatus> {
  const { context, progress } = state;
  return {
    ...presentCutterBriefly(state),
    last_error_code: context.last_error?.code ?? null,
    cutter_model: context.machine.model,
    firmware: context.machine.firmware,
    cutter_step_size_mm: context.machine.step_size_mm,
    command_setting: context.machine.command_setting,
    warnings: [...state.warnings],
    last_hand_off: presentHandOff(context.hand_off),
    progress: progress === null ? null : { taken_bytes: progress.takenBytes, total_bytes: progress.totalBytes },
    recent_events: runtime.journal({ subject: `cutter/${state.name}`, limit: recentEvents }).map(presentEntry),
  };
}

export function presentCutterBriefly({ id, name, isRunning, isStandingBy, context }: CutterState): Static<typeof Health>['cutters'][number] {
  return {
    id, cutter_name: name, is_running: isRunning, standby_mode: isStandingBy,
    current_status: context.status, current_status_label: statusLabel(context.status),
    last_error: context.last_error?.message ?? null,
  };
}

export function presentWebhooks(counters: WebhookCounters): Static<typeof Health>['webhooks'] {
  const { configured, enabled, events, pending, delivered, dead, lastFailureAt, lastDeliveredAt } = counters;
  return {
    configured, enabled, disabled_reason: counters.disabledReason, events, pending, delivered, dead,
    failed_attempts: counters.failedAttempts, failures_in_row: counters.failuresInRow,
    last_error: counters.lastError, last_error_code: counters.lastErrorCode,
    last_failure_at: lastFailureAt === null ? null : timestamp(lastFailureAt),
    last_delivered_at: lastDeliveredAt === null ? null : timestamp(lastDeliveredAt),
  };
}

function presentHandOff(handOff: HandOff | null): Static<typeof HandOffSchema> | null {
  if (handOff === null) return null;
  const { link_info, started_at, ended_at, ...rest } = handOff;
  return { ...rest, barcode_link_info: link_info, started_at: timestamp(started_at), ended_at: ended_at === null ? null : timestamp(ended_at) };
}

export function presentSummary(job: JobRecord, jobs: JobLibrary): Static<typeof JobSummary> {
  const { id, name, barcode_link_info, command_type, source, command_length, created_at } = job;
  const last = jobs.lastHandOff(id);
  return {
    id, name, barcode_link_info, command_type, source, command_length, created_at: timestamp(created_at),
    last_hand_off: last === null ? null : { ...last, at: timestamp(last.at) },
  };
}

export function presentJob(job: JobRecord, jobs: JobLibrary): Static<typeof JobDetail> {
  const { vector, geometry, command_preview, command_sha256, cut_source, warnings } = job;
  return {
    ...presentSummary(job, jobs),
    regmark_fx: vector.fx, regmark_fy: vector.fy, regmark_rx: vector.rx, regmark_ry: vector.ry,
    command_preview: [...command_preview], command_sha256,
    steps_per_mm: geometry?.steps_per_mm ?? null,
    bounds_mm: geometry?.bounds_mm ?? null,
    segments: geometry?.segments ?? null,
    cut_length_mm: geometry?.cut_length_mm ?? null,
    travel_length_mm: geometry?.travel_length_mm ?? null,
    estimate_seconds: geometry?.estimate_seconds ?? null,
    cut_source, warnings: [...warnings],
  };
}

export function presentFolder(state: HotFolderState): Static<typeof WorkerStatus> {
  const { directories, lastError, lastProcessed } = state;
  return {
    id: state.id, is_running: state.isRunning,
    inbox_dir: directories.inbox, processed_dir: directories.processed,
    ...(directories.outbox === null ? {} : { outbox_dir: directories.outbox }),
    error_dir: directories.errors,
    waiting_count: state.waitingCount, in_progress: state.inProgress, is_held: state.isHeld,
    processed_count: state.processedCount, error_count: state.errorCount,
    last_error: lastError?.message ?? null, last_error_code: lastError?.code ?? null,
    last_processed_file: lastProcessed?.file ?? null,
    last_processed_time: lastProcessed === null ? null : timestamp(lastProcessed.at),
  };
}
