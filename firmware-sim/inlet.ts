import type { Clock } from './clock.ts';

/** What a paced reader does per turn: small enough to be smooth, large enough to be cheap. */
const TURN_MS = 20;

export interface InletOptions {
  readonly clock: Clock;
  readonly deliver: (bytes: Buffer) => void;
  readonly ended: () => void;
  readonly pauseSource: () => void;
  readonly resumeSource: () => void;
  /** True: nothing is read (stall, buffer full). */
  readonly held: () => boolean;
  /** Bytes per second, or undefined for as fast as it comes. */
  readonly rate: () => number | undefined;
}

/** Between a socket and the cutter: lets bytes through at the pace of the faults, and holds the source back meanwhile. */
export class Inlet {
  readonly #options: InletOptions;
  #queue: Buffer[] = [];
  #endSeen = false;
  #cancelTurn: (() => void) | undefined;
  #closed = false;
  #running = false;

  constructor(options: InletOptions) {
    this.#options = options;
  }

  get empty(): boolean {
    return this.#queue.length === 0;
  }

  push(bytes: Buffer): void {
    this.#queue.push(bytes);
    this.run();
  }

  /** The peer's FIN; handed on after the bytes before it. */
  end(): void {
    this.#endSeen = true;
    this.run();
  }

  close(): void {
    this.#closed = true;
    this.#queue = [];
    this.#cancelTurn?.();
  }

  /** Also called when a fault was set or cleared. */
  run(): void {
    if (this.#cancelTurn !== undefined || this.#running) return;
    this.#running = true;
    this.#drain();
    this.#running = false;
  }

  #drain(): void {
    const { deliver, ended, held, rate, pauseSource, resumeSource } = this.#options;
    while (!this.#closed) {
      if (held()) {
        pauseSource();
        return;
      }
      const chunk = this.#queue.shift();
      if (chunk === undefined) break;
      const bytesPerSecond = rate();
      if (bytesPerSecond === undefined) {
        deliver(chunk);
        continue;
      }
      pauseSource();
      this.#deliverPaced(chunk, bytesPerSecond);
      return;
    }
    if (this.#closed) return;
    if (this.#endSeen) {
      this.#endSeen = false;
      ended();
      return;
    }
    resumeSource();
  }

  #deliverPaced(chunk: Buffer, bytesPerSecond: number): void {
    const size = Math.min(chunk.length, Math.max(1, Math.floor((bytesPerSecond * TURN_MS) / 1000)));
    if (size < chunk.length) this.#queue.unshift(chunk.subarray(size));
    this.#cancelTurn = this.#options.clock.after((size * 1000) / bytesPerSecond, () => {
      this.#cancelTurn = undefined;
      if (this.#closed) return;
      this.#options.deliver(chunk.subarray(0, size));
      this.run();
    });
  }
}
