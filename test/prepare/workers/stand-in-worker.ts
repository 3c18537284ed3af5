import { parentPort } from 'node:worker_threads';
import { prepareSheet } from '../../../src/prepare/compute.ts';
import { serve } from '../../../src/prepare/serve.ts';
import { pdfRoom, reading } from '../stand-in.ts';

/** The real worker with a PDF room that does what the first byte of the file says. */
serve(parentPort, (input) => {
  if (input.pdf[0] === 1) for (;;);
  if (input.pdf[0] === 2) process.exit(3);
  if (input.pdf[0] === 3) throw new Error('a defect');
  if (input.pdf[0] === 4) for (const kept: unknown[] = []; ;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  return prepareSheet(input, pdfRoom(reading()));
});
