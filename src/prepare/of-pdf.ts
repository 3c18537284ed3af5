import type { PdfRefusal } from '../pdf/index.ts';
import type { PrepareRefusal } from './types.ts';

/** What the PDF room refused, as a refusal of the file. */
export function ofPdf({ code, detail, objects }: PdfRefusal): PrepareRefusal {
  const offenders = objects?.map(({ description, boxMm }) => ({ kind: 'cut-content', description, boxMm } as const));
  return { code, detail, ...(offenders === undefined ? {} : { offenders }) };
}
