import type { MessagePort } from 'node:worker_threads';
import type { PrepareInput, PrepareResult } from './types.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** Answers each input with its result. What `prepare` throws is a bug and ends the worker: its state is unknown. */
export function serve(port: MessagePort | null, prepare: (input: PrepareInput) => Promise<PrepareResult>): void {
  if (port === null) throw new Error('started outside a worker thread');
  const post = (message: FromWorker): void => {
    // Moved, not copied: nobody in here looks at them again.
    port.postMessage(message, message.kind === 'result' ? buffersOf(message.result) : []);
  };
  port.on('message', ({ input }: ToWorker) => {
    void prepare(input).then((result) => post({ kind: 'result', result }));
  });
  post({ kind: 'ready' });
}

function buffersOf(result: PrepareResult): ArrayBuffer[] {
  return result.ok ? [result.prepared.markedPdf.buffer, result.prepared.commandSequence.buffer] : [];
}
