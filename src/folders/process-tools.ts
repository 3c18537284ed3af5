/** What the processing of either folder stands on. */
import type { WorkResult } from '../../machines/index.ts';
import type { JobLibrary } from '../jobs/index.ts';
import type { OrderOptions, Preparer, PrepareInput, PrintPreparation } from '../prepare/index.ts';

export interface ProcessTools {
  readonly jobs: JobLibrary;
  readonly printPreparation: PrintPreparation;
  readonly preparer: Pick<Preparer, 'importCutPdf' | 'measure'>;
  readonly stepsPerMm: PrepareInput['stepsPerMm'];
  readonly cutSpotColors: readonly string[];
  readonly order?: OrderOptions;
  readonly maxFileBytes: number;
  readonly now: () => number;
}

/** A refusal without its time. */
export type Refused = Pick<Extract<WorkResult, { outcome: 'refused' }>, 'outcome' | 'code' | 'detail'>;

export const refused = (code: string, detail: string): Refused => ({ outcome: 'refused', code, detail });

/** As the preparation of a file said it. */
export function refusedBy({ code, detail }: { readonly code: string; readonly detail: string }): Refused {
  return refused(code, detail);
}
