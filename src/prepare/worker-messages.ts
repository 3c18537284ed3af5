import type { PrepareInput, PrepareResult } from './types.ts';

export interface ToWorker {
  readonly input: PrepareInput;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: PrepareResult };
