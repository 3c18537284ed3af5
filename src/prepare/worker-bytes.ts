import { setImmediate } from 'node:timers/promises';
import type { ToWorker } from './worker-messages.ts';

/** What a message holds of memory while it waits. */
export function sizeOf(message: ToWorker): number {
  switch (message.kind) {
    case 'measure': return message.input.bytes.length;
    case 'picture': return message.input.pdf.length + message.input.commandSequence.length;
    case 'prepare': case 'import': return message.input.pdf.length;
  }
}

/** A copy of just these bytes, to be moved: cloning a view would clone all of the memory it looks at. */
export async function copyOf(message: ToWorker): Promise<{ readonly message: ToWorker; readonly moved: ArrayBuffer[] }> {
  const moved: ArrayBuffer[] = [];
  const copied = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const copy = await copiedInSlices(bytes);
    moved.push(copy.buffer);
    return copy;
  };
  switch (message.kind) {
    case 'prepare': return { message: { kind: 'prepare', input: { ...message.input, pdf: await copied(message.input.pdf) } }, moved };
    case 'import': return { message: { kind: 'import', input: { ...message.input, pdf: await copied(message.input.pdf) } }, moved };
    case 'measure': return { message: { kind: 'measure', input: { ...message.input, bytes: await copied(message.input.bytes) } }, moved };
    case 'picture': {
      const { pdf, commandSequence } = message.input;
      return { message: { kind: 'picture', input: { ...message.input, pdf: await copied(pdf), commandSequence: await copied(commandSequence) } }, moved };
    }
  }
}

/** New memory is slow to write, since the kernel gives it page by page: 50 MB at once would hold up the polls for 40 to 60 ms. */
const sliceBytes = 2 ** 21;

async function copiedInSlices(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (at > 0) await setImmediate();
    copy.set(bytes.subarray(at, at + sliceBytes), at);
  }
  return copy;
}
