/**
 * Cuts serial input into frames at ETX, with the readline parser of the serialport project.
 * Guarantee: an empty frame (ETX alone) is a frame. The parser, which has no limit of its own, is never given more than
 * `maxReplyBytes` without an ETX.
 * Hole: after a flood nothing more is read; the reader is made anew for the next question.
 */
import { ReadlineParser } from '@serialport/parser-readline';
import { ETX } from './frames.ts';
import { maxReplyBytes } from './reply-collector.ts';

export interface FrameReader {
  feed(piece: Buffer): void;
  /** Bytes since the last ETX, as Latin-1 text. */
  partial(): string;
}

export function createFrameReader(onFrame: (text: string) => void, onFlood: () => void): FrameReader {
  // The delimiter is kept, because the parser swallows a frame of no bytes.
  const parser = new ReadlineParser({ delimiter: Buffer.from([ETX]), includeDelimiter: true, encoding: 'latin1' });
  let partial = '';
  let flooded = false;
  parser.on('data', (frames: string) => {
    for (const frame of frames.split('\x03').slice(0, -1)) onFrame(frame);
  });
  return {
    feed(piece) {
      if (flooded) return;
      const firstEnd = piece.indexOf(ETX);
      const lastEnd = piece.lastIndexOf(ETX);
      const openBytes = firstEnd < 0 ? partial.length + piece.length : Math.max(partial.length + firstEnd, piece.length - lastEnd - 1);
      if (openBytes > maxReplyBytes) {
        flooded = true;
        onFlood();
        return;
      }
      partial = (firstEnd < 0 ? partial : '') + piece.toString('latin1', lastEnd + 1);
      parser.write(piece);
    },
    partial: () => partial,
  };
}
