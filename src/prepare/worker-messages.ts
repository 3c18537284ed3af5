import type { CutImportResult, CutPdf, PrepareInput, PrepareResult } from './types.ts';

/** One file for the worker. The bytes of its PDF are moved into it. */
export type ToWorker =
  | { readonly kind: 'prepare'; readonly input: PrepareInput }
  | { readonly kind: 'import'; readonly input: CutPdf };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'prepared'; readonly result: PrepareResult }
  | { readonly kind: 'imported'; readonly result: CutImportResult };
