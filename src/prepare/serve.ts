import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { channelFd, openChannel } from './channel.ts';
import { closeInherited } from './inherited-fds.ts';
import { measureSequence } from './measure.ts';
import type { Picture, PictureInput } from './preview/types.ts';
import type { CutImportResult, CutPdf, PrepareInput, PrepareResult } from './types.ts';
import { isToWorker, type FromWorker, type ToWorker } from './worker-messages.ts';

export interface Work {
  readonly prepare: (input: PrepareInput) => Promise<PrepareResult>;
  readonly importCut: (input: CutPdf) => Promise<CutImportResult>;
  readonly draw: (input: PictureInput) => Promise<Picture>;
}

/** Answers each file with its result. What `work` throws is a bug and ends the process: its state is unknown. */
export function serve(work: Work): void {
  closeInherited(process.argv.slice(2));
  volunteer();
  // Meant for the service, which ends its worker when the file in work is done; sent to both by a terminal (Ctrl-C) and by systemctl kill.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const pipe = new Socket({ fd: channelFd, readable: true, writable: true });
  // The service is gone, or wants nothing more.
  pipe.on('close', () => process.exit(0));
  pipe.on('error', () => process.exit(0));
  const channel = openChannel(pipe, (message) => {
    if (isToWorker(message)) void answer(work, message).then((result) => channel.send(result));
  });
  channel.send({ kind: 'ready' } satisfies FromWorker);
}

/** When the system runs out of memory, this process goes first, not the one that talks to cutters. Linux, proc(5), oom_score_adj. */
function volunteer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // Elsewhere the system chooses.
  }
}

async function answer(work: Work, message: ToWorker): Promise<FromWorker> {
  switch (message.kind) {
    case 'prepare': return { kind: 'prepared', result: await work.prepare(message.input) };
    case 'import': return { kind: 'imported', result: await work.importCut(message.input) };
    case 'measure': return { kind: 'measured', geometry: measureSequence(message.input.bytes, message.input.stepsPerMm) };
    case 'picture': return { kind: 'drawn', picture: await work.draw(message.input) };
  }
}
