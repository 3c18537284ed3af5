/** What the processing of either folder stands on. */
import type { WorkResult } from '../../machines/index.ts';
import type { JobLibrary } from '../jobs/index.ts';
import type { OrderOptions, Pictures, Preparer, PrepareInput, PrintPreparation, RefusedFile } from '../prepare/index.ts';

export interface ProcessTools {
  readonly jobs: JobLibrary;
  readonly printPreparation: PrintPreparation;
  readonly preparer: Pick<Preparer, 'importCutPdf' | 'measure'>;
  readonly pictures: Pick<Pictures, 'keepRefusal'>;
  readonly stepsPerMm: PrepareInput['stepsPerMm'];
  readonly cutSpotColors: readonly string[];
  readonly order?: OrderOptions;
  readonly maxFileBytes: number;
  readonly now: () => number;
}

/** A refusal without its time. */
export type Refused = Pick<Extract<WorkResult, { outcome: 'refused' }>, 'outcome' | 'code' | 'detail' | 'preview'>;

export const refused = (code: string, detail: string): Refused => ({ outcome: 'refused', code, detail });

/** As the preparation of the file said it, with a picture where there is one. */
export async function refusedFile({ pictures }: Pick<ProcessTools, 'pictures'>, file: RefusedFile): Promise<Refused> {
  const { code, detail } = file.failure;
  const preview = await pictures.keepRefusal(file);
  return { ...refused(code, detail), ...(preview === null ? {} : { preview }) };
}
