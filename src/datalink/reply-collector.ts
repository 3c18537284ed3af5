/**
 * Collects the bytes of one reply up to its ETX.
 * Guarantee: holds at most `maxBytes`, however much a cutter sends and in whatever pieces.
 * Hole: what follows the ETX in the same piece is counted, not kept.
 */
import { ETX } from './frames.ts';

/** No reply of the Data Link is longer than a model name with padding; the rest is room for noise and pushed frames. */
export const maxReplyBytes = 512;

export type Collected =
  | { state: 'incomplete' }
  | { state: 'complete'; text: string; trailingBytes: number }
  | { state: 'flood' };

export interface ReplyCollector {
  feed(piece: Uint8Array): Collected;
  /** What has come so far, as Latin-1 text. */
  received(): string;
}

export function createReplyCollector(maxBytes = maxReplyBytes): ReplyCollector {
  let text = '';
  return {
    feed(piece) {
      const end = piece.indexOf(ETX);
      const wanted = end < 0 ? piece.length : end;
      if (text.length + wanted > maxBytes) {
        text += latin1(piece.subarray(0, maxBytes - text.length));
        return { state: 'flood' };
      }
      text += latin1(piece.subarray(0, wanted));
      return end < 0 ? { state: 'incomplete' } : { state: 'complete', text, trailingBytes: piece.length - end - 1 };
    },
    received: () => text,
  };
}

export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
