import type { JobGeometry } from '../jobs/index.ts';
import type { Picture, PictureInput } from './preview/types.ts';
import type { CutImportResult, CutPdf, PrepareInput, PrepareResult, SequenceToMeasure } from './types.ts';

/** One piece of work. */
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

/** Both ends are of one release: a message that has its kind is whole. */
export function isToWorker(message: unknown): message is ToWorker {
  return hasKind(message, ['prepare', 'import', 'measure', 'picture']);
}

export function isFromWorker(message: unknown): message is FromWorker {
  return hasKind(message, ['ready', 'prepared', 'imported', 'measured', 'drawn']);
}

function hasKind(message: unknown, kinds: readonly string[]): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && typeof message.kind === 'string' && kinds.includes(message.kind);
}

/** What a message holds of memory while it waits. */
export function sizeOf(message: ToWorker): number {
  switch (message.kind) {
    case 'measure': return message.input.bytes.length;
    case 'picture': return message.input.pdf.length + message.input.commandSequence.length;
    case 'prepare': case 'import': return message.input.pdf.length;
  }
}
