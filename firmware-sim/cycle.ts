import { readIntegers } from './frames.ts';
import type { Vector } from './intake.ts';
import type { SheetGeometry } from './sheet-check.ts';
import type { PanelError } from './states.ts';

/** One barcode, from its scan on: what was offered, by whom, and what was said before the job. */
export interface Cycle {
  readonly linkInfo: string;
  readonly sheet: SheetGeometry | undefined;
  readonly scanError: PanelError | undefined;
  offered: readonly string[] | undefined;
  owner: string | undefined;
  selected: number | undefined;
  otherServer: boolean;
  vector: Vector | undefined;
  commandType: number | undefined;
}

export function newCycle(linkInfo: string, sheet: SheetGeometry | undefined, scanError: PanelError | undefined): Cycle {
  return {
    linkInfo, sheet, scanError, offered: undefined, owner: undefined, selected: undefined,
    otherServer: false, vector: undefined, commandType: undefined,
  };
}

/** The body of d5. */
export function readVector(body: Buffer): Vector | undefined {
  const [zero, fx, fy, rx, ry, more] = body.toString('latin1').startsWith('5;') ? readIntegers(body) ?? [] : [];
  if (zero !== 0 || fx === undefined || fy === undefined || rx === undefined || ry === undefined || more !== undefined) return undefined;
  return { fx, fy, rx, ry };
}

/** The body of d6. */
export function readCommandType(body: Buffer): 0 | 1 | undefined {
  switch (body.toString('latin1')) {
    case '6;0': return 0;
    case '6;1': return 1;
    default: return undefined;
  }
}
