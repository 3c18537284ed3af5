/**
 * How fast bytes may be given to a serial line: fast enough that it never runs dry, and never far ahead of it, so that
 * a question put in between is answered soon and breaking off takes effect soon.
 *
 * A model of the line is used instead of waiting for it to drain: waiting blocks a thread of Node's pool, which the
 * store needs, and leaves a gap at every wake-up.
 * Hole: a line that runs slower than its nominal speed (its cutter holds it back) has more ahead than the model knows;
 * the operating system's own buffer (4 KiB on most ports) is then the bound.
 */
import type { SerialAddress } from './address.ts';
import { elapsedMs, type Clock } from './clock.ts';

/** Covers a pause of this process, garbage collection included; gpgl-and-data-link.md section 4.4 needs less than 3 s. */
const aheadMs = 400;
const chunkMs = 40;
const smallestChunk = 16;
const largestChunk = 4096;

export interface LinePace {
  chunkBytes: number;
  /** Bytes in a second at the line's nominal speed; Infinity where there is none. */
  bytesPerSecond: number;
  offered(bytes: number): void;
  /** How long to wait before `bytes` more may be offered. */
  delayBefore(bytes: number): number;
  /** How long the line still needs for what was offered. */
  delayUntilEmpty(): number;
}

/** Start bit, data, parity, stop: what one byte costs on the wire. */
export function bitsPerByte({ dataBits, parity, stopBits }: SerialAddress): number {
  return 1 + dataBits + (parity === 'none' ? 0 : 1) + stopBits;
}

export function createLinePace(clock: Clock, address: SerialAddress, isPseudoTerminal: boolean): LinePace {
  // A pseudo-terminal has no speed, unless its address says which one it stands for.
  if (isPseudoTerminal && !address.baudRateGiven) {
    return { chunkBytes: largestChunk, bytesPerSecond: Infinity, offered: () => undefined, delayBefore: () => 0, delayUntilEmpty: () => 0 };
  }
  const bytesPerSecond = address.baudRate / bitsPerByte(address);
  const bytesPerMs = bytesPerSecond / 1000;
  const chunkBytes = Math.round(Math.min(Math.max(bytesPerMs * chunkMs, smallestChunk), largestChunk));
  const window = Math.max(bytesPerMs * aheadMs, 2 * chunkBytes);
  let waiting = 0;
  let readAt = clock.now();
  const update = (): void => {
    const now = clock.now();
    waiting = Math.max(0, waiting - elapsedMs(readAt, now, Infinity) * bytesPerMs);
    readAt = now;
  };
  return {
    chunkBytes,
    bytesPerSecond,
    offered(bytes) {
      update();
      waiting += bytes;
    },
    delayBefore(bytes) {
      update();
      return Math.max(0, Math.ceil((waiting + bytes - window) / bytesPerMs));
    },
    delayUntilEmpty() {
      update();
      return Math.ceil(waiting / bytesPerMs);
    },
  };
}
