import type { FirmwareOptions } from './firmware-options.ts';

// The ESC.C queries (gpgl-and-data-link.md section 1.4). They read and change nothing.

export interface Answer {
  readonly text: string;
  /** Set on d1: to be given to `wasReported` once the reply is written whole. */
  readonly statusEntry?: number;
}

export interface MachineCondition {
  readonly isCutting: boolean;
  readonly markScan: 'idle' | 'searching' | 'failed';
}

/** Step size codes of C31;16 (section 1.4). */
const stepCodes: ReadonlyMap<number, number> = new Map([[0.1, 1], [0.05, 2], [0.025, 3], [0.01, 4]]);

/** Undefined: no reply. */
export function answerQuery(body: string, options: FirmwareOptions, { isCutting, markScan }: MachineCondition): Answer | undefined {
  const { model, stepMm, commandSetting, unknownQueries } = options;
  // "FC9000 pads numeric ESC.C replies to 5 characters" (section 1.4).
  const numeric = (value: number): Answer => ({ text: String(value).padStart(5) });
  switch (body) {
    case '31;9': case '31;9;1': return { text: `${model.name}, ${model.firmware}` };
    case '31;9;5': return { text: 'STD' };
    case '31;16': return numeric(stepCodes.get(stepMm) ?? 1);
    case '31;24': return numeric(commandSetting);
    case '1': return numeric(isCutting ? 8 : 0);
    case '11': return numeric(markScan === 'searching' ? 1 : markScan === 'failed' ? 6 : 0);
    default: return unknownQueries === 'silent' ? undefined : { text: '' };
  }
}
