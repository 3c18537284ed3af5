import type { EngineResponse } from './engine.ts';
import type { StreamWriter } from './types.ts';

/** The writing end of a streamed answer. The exchange makes it, and closes it when the connection is gone. */
export class EngineStream implements StreamWriter {
  readonly #response: EngineResponse;
  readonly #maxBacklogBytes: number;
  readonly #finished: () => void;
  #state: 'running' | 'over' = 'running';
  /** Bytes handed over since the client fell behind: an upper bound of what the engine holds for it. */
  #backlogBytes = 0;
  #drainedCallbacks: (() => void)[] = [];
  #overCallbacks: (() => void)[] = [];

  /** `finished` is called when the stream ends itself. */
  constructor(response: EngineResponse, maxBacklogBytes: number, finished: () => void) {
    this.#response = response;
    this.#maxBacklogBytes = maxBacklogBytes;
    this.#finished = finished;
  }

  /** Inside the cork that wrote the head. */
  start(opening: string): void {
    this.#response.write(opening);
    this.#response.onWritable(() => {
      this.#backlogBytes = 0;
      for (const run of this.#drainedCallbacks) run();
      return true;
    });
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#state === 'over') return true;
    // The engine takes an empty chunk for the end of the answer.
    if (chunk.length === 0) return this.#backlogBytes === 0;
    if (this.#writeCorked(chunk)) return true;
    this.#backlogBytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    if (this.#backlogBytes > this.#maxBacklogBytes) this.#response.close();
    return false;
  }

  #writeCorked(chunk: string | Uint8Array): boolean {
    const outcome = { keptUp: true };
    this.#response.cork(() => {
      outcome.keptUp = this.#response.write(chunk);
    });
    return outcome.keptUp;
  }

  onDrained(run: () => void): void {
    this.#drainedCallbacks.push(run);
  }

  end(): void {
    if (this.#state === 'over') return;
    this.#response.cork(() => this.#response.end());
    this.close();
    this.#finished();
  }

  /** Runs when the stream is over; at once if it already is. */
  onOver(run: () => void): void {
    if (this.#state === 'over') run();
    else this.#overCallbacks.push(run);
  }

  /** The connection is gone or the answer complete: nothing is written any more. */
  close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#drainedCallbacks = [];
    for (const run of this.#overCallbacks.splice(0)) run();
  }
}
