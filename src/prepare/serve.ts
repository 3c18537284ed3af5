import type { MessagePort } from 'node:worker_threads';
import type { CutImportResult, CutPdf, PrepareInput, PrepareResult } from './types.ts';
import { measureSequence } from './measure.ts';
import type { Picture, PictureInput } from './preview/types.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

export interface Work {
  readonly prepare: (input: PrepareInput) => Promise<PrepareResult>;
  readonly importCut: (input: CutPdf) => Promise<CutImportResult>;
  readonly draw: (input: PictureInput) => Promise<Picture>;
}

/** Answers each file with its result. What `work` throws is a bug and ends the worker: its state is unknown. */
export function serve(port: MessagePort | null, work: Work): void {
  if (port === null) throw new Error('started outside a worker thread');
  // Moved, not copied: nobody in here looks at them again.
  const post = (message: FromWorker): void => port.postMessage(message, buffersOf(message));
  port.on('message', (message: ToWorker) => {
    void answer(work, message).then(post);
  });
  post({ kind: 'ready' });
}

async function answer(work: Work, message: ToWorker): Promise<FromWorker> {
  switch (message.kind) {
    case 'prepare': return { kind: 'prepared', result: await work.prepare(message.input) };
    case 'import': return { kind: 'imported', result: await work.importCut(message.input) };
    case 'measure': return { kind: 'measured', geometry: measureSequence(message.input.bytes, message.input.stepsPerMm) };
    case 'picture': return { kind: 'drawn', picture: await work.draw(message.input) };
  }
}

function buffersOf(message: FromWorker): ArrayBuffer[] {
  if (message.kind === 'drawn') return [message.picture.bytes.buffer];
  if (!('result' in message) || !message.result.ok) return [];
  if (message.kind === 'imported') return [message.result.imported.commandSequence.buffer];
  const { markedPdf, commandSequence } = message.result.prepared;
  return [markedPdf.buffer, commandSequence.buffer];
}
