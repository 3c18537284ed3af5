import type { JobGeometry } from '../jobs/index.ts';
import type { Picture, PictureInput } from './preview/types.ts';
import type { CutImportResult, CutPdf, PrepareInput, PrepareResult, SequenceToMeasure } from './types.ts';

/** One piece of work. Its bytes are moved into the worker. */
export type ToWorker =
  | { readonly kind: 'prepare'; readonly input: PrepareInput }
  | { readonly kind: 'import'; readonly input: CutPdf }
  | { readonly kind: 'measure'; readonly input: SequenceToMeasure }
  | { readonly kind: 'picture'; readonly input: PictureInput };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'prepared'; readonly result: PrepareResult }
  | { readonly kind: 'imported'; readonly result: CutImportResult }
  | { readonly kind: 'measured'; readonly geometry: JobGeometry | null }
  | { readonly kind: 'drawn'; readonly picture: Picture };
