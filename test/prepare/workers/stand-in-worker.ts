import { readdirSync, readlinkSync, writeSync } from 'node:fs';
import { channelFd } from '../../../src/prepare/channel.ts';
import { prepareSheet } from '../../../src/prepare/compute.ts';
import { importCutPdf } from '../../../src/prepare/cut-import.ts';
import { serve } from '../../../src/prepare/serve.ts';
import { pdfRoom, reading } from '../stand-in.ts';

/** The real worker with a PDF room that does what the first byte of the file says. */
function obey(order: number | undefined): void {
  if (order === 1) for (;;);
  if (order === 2) process.exit(3);
  if (order === 3) throw new Error('a defect');
  if (order === 4) for (const kept: unknown[] = []; ;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  if (order === 5) for (const signal of ['SIGINT', 'SIGTERM']) process.kill(process.pid, signal);
  if (order === 7 && openFiles().some((file) => file.endsWith('.mdb'))) throw new Error('the database is open');
  if (order === 6) {
    writeSync(channelFd, Buffer.alloc(8, 0xff));
    for (;;);
  }
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The listing's own.
      return [];
    }
  });
}

serve({
  prepare(input) {
    obey(input.pdf[0]);
    return prepareSheet(input, pdfRoom(reading()));
  },
  importCut(input) {
    obey(input.pdf[0]);
    return importCutPdf(input, pdfRoom(reading()));
  },
  draw(input) {
    obey(input.pdf[0]);
    return Promise.resolve({ mediaType: 'image/png', bytes: new Uint8Array(Buffer.from(input.title)) });
  },
});
