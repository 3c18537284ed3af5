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
export function copyOf(message: ToWorker): { readonly message: ToWorker; readonly moved: ArrayBuffer[] } {
  const moved: ArrayBuffer[] = [];
  const copied = (bytes: Uint8Array): Uint8Array => {
    const copy = new Uint8Array(bytes);
    moved.push(copy.buffer);
    return copy;
  };
  switch (message.kind) {
    case 'prepare': return { message: { kind: 'prepare', input: { ...message.input, pdf: copied(message.input.pdf) } }, moved };
    case 'import': return { message: { kind: 'import', input: { ...message.input, pdf: copied(message.input.pdf) } }, moved };
    case 'measure': return { message: { kind: 'measure', input: { ...message.input, bytes: copied(message.input.bytes) } }, moved };
    case 'picture': {
      const { pdf, commandSequence } = message.input;
      return { message: { kind: 'picture', input: { ...message.input, pdf: copied(pdf), commandSequence: copied(commandSequence) } }, moved };
    }
  }
}
