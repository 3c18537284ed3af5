import type { Faults } from './faults.ts';
import type { Firmware } from './firmware.ts';
import type { Intake } from './intake.ts';
import type { CutterModel } from './models.ts';
import { stateLabel } from './states.ts';

// What the control interface shows: plain objects in the words of the wire (snake_case), as JSON.

export interface VectorReport {
  readonly fx: number;
  readonly fy: number;
  readonly rx: number;
  readonly ry: number;
}

export interface StateReport {
  readonly model: string;
  readonly firmware: string;
  readonly state: number;
  readonly label: string;
  /** Link info of the barcode read last. */
  readonly code: string | null;
  /** Names in the order of the wire; null before a list came. */
  readonly offered: readonly string[] | null;
  /** 0-based index in `offered`. */
  readonly selected: number | null;
  readonly vector: VectorReport | null;
  readonly command_type: number | null;
  readonly jobs_received: number;
  /** Bytes of the job that comes in, or came in last. */
  readonly bytes_so_far: number;
  readonly receiving: boolean;
  readonly media_loaded: boolean;
  readonly faults: readonly { readonly name: string; readonly value: string; readonly mode: string }[];
  readonly error_code: string | null;
  readonly error_text: string | null;
}

export function stateReport(firmware: Firmware, faults: Faults, model: CutterModel): StateReport {
  const { cycle, error, job } = firmware;
  return {
    model: model.name,
    firmware: model.firmware,
    state: firmware.state,
    label: firmware.state === 2 && cycle?.offered?.length === 0 ? `${stateLabel(2)} (no job)` : stateLabel(firmware.state),
    code: cycle?.linkInfo ?? null,
    offered: cycle?.offered ?? null,
    selected: cycle?.selected ?? null,
    vector: cycle?.vector ?? null,
    command_type: cycle?.commandType ?? null,
    jobs_received: firmware.jobs.filter((each) => each.endedBy !== undefined).length,
    bytes_so_far: (job ?? firmware.jobs.at(-1))?.bytes ?? 0,
    receiving: firmware.receiving,
    media_loaded: firmware.mediaLoaded,
    faults: faults.list(),
    error_code: error?.code ?? null,
    error_text: error?.text ?? null,
  };
}

export interface JobReport {
  readonly n: number;
  readonly bytes: number;
  /** Eight lower-case hexadecimal digits. */
  readonly crc32: string;
  readonly sha256: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** The data ended as it should and no command was broken. */
  readonly complete: boolean;
  readonly ended_by: string | null;
  readonly result: string;
  readonly error_code: string | null;
  readonly transport: string;
  readonly link_info: string;
  readonly name: string;
  readonly vector: VectorReport;
  readonly command_type: number;
  /** What the lowered tools drew, in the mark frame. */
  readonly bounds: { readonly min_x_mm: number; readonly min_y_mm: number; readonly max_x_mm: number; readonly max_y_mm: number } | null;
  readonly strokes: number;
  readonly warnings: readonly string[];
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

export function jobReport(job: Intake): JobReport {
  const { header, bounds, plotter } = job;
  return {
    n: header.n,
    bytes: job.bytes,
    crc32: job.crc32Hex,
    sha256: job.sha256Hex,
    started_at: new Date(header.startedAtMs).toISOString(),
    ended_at: job.endedAtMs === undefined ? null : new Date(job.endedAtMs).toISOString(),
    complete: job.complete,
    ended_by: job.endedBy ?? null,
    result: job.result,
    error_code: job.errorCode ?? plotter.lexer.error?.code ?? null,
    transport: header.link,
    link_info: header.linkInfo,
    name: header.name,
    vector: header.vector,
    command_type: header.commandType,
    bounds: bounds === undefined ? null : {
      min_x_mm: rounded(bounds.minX), min_y_mm: rounded(bounds.minY), max_x_mm: rounded(bounds.maxX), max_y_mm: rounded(bounds.maxY),
    },
    strokes: plotter.motions.filter((motion) => motion.down).length,
    warnings: job.plotter.warnings,
  };
}
