import { STATUS_CODES } from 'node:http';
import { BodyCollector, type BodyBudget } from './body-collector.ts';
import type { EngineResponse } from './engine.ts';
import { EngineStream } from './engine-stream.ts';
import type { Clock, Headers, PlainAnswer, StreamAnswer } from './types.ts';

export type BodyOutcome =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly reason: 'too-large' | 'no-room' };

export interface ExchangeOptions {
  readonly response: EngineResponse;
  readonly isHead: boolean;
  /** Bytes of the body as announced; 0 when there is none, null when it comes in chunks of unknown number. */
  readonly declaredBytes: number | null;
  readonly budget: BodyBudget;
  readonly clock: Clock;
  readonly maxStreamBacklogBytes: number;
  /** Runs once, when nothing more will happen on this exchange. */
  readonly onOver: () => void;
}

/** A body that the answer did not wait for is read and thrown away up to this size, so that the client can see the answer. */
const drainBytes = 67_108_864;
/** … and for as long as bytes keep coming: after this much silence the answer goes out and the connection closes. */
const drainQuietMs = 250;
const drainTotalMs = 5_000;
/** Larger bodies are sent piece by piece as the client reads, instead of being copied into the engine's buffer at once. */
const wholeAnswerBytes = 65_536;

/**
 * One request and its answer on the engine's objects, which nobody else touches. After the answer is complete or the
 * client has gone the engine's response is invalid, and every method here does nothing.
 *
 * Guarantee: exactly one answer is sent, or none when the client went away first. Hole: what the engine itself refuses
 * while parsing (malformed heads, 431, 505) never gets here.
 */
export class Exchange {
  readonly signal: AbortSignal;
  readonly #options: ExchangeOptions;
  readonly #abort = new AbortController();
  #state: 'open' | 'answering' | 'over' = 'open';
  #bodyComplete: boolean;
  #collector: BodyCollector | null = null;
  #stream: EngineStream | null = null;
  /** Hears of body bytes that nobody wants any more, while the answer waits for them. */
  #drained: ((bytes: number) => void) | null = null;
  #cancelDrain: () => void = () => undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.signal = this.#abort.signal;
    this.#bodyComplete = options.declaredBytes === 0;
    options.response.onAborted(() => {
      this.#over();
      this.#abort.abort();
    });
  }

  /** An answer has begun, or there will be none. */
  get isAnswering(): boolean {
    return this.#state !== 'open';
  }

  /** Takes the body from the connection. `done` runs at most once, at once when nothing has to be waited for. */
  collectBody(capBytes: number, done: (outcome: BodyOutcome) => void): void {
    const { declaredBytes, budget, response } = this.#options;
    if (declaredBytes !== null && declaredBytes > capBytes) { done({ ok: false, reason: 'too-large' }); return; }
    if (this.#bodyComplete) { done({ ok: true, body: new Uint8Array(0) }); return; }
    const collector = new BodyCollector(capBytes, declaredBytes, budget);
    this.#collector = collector;
    let collecting = true;
    response.onData((chunk, isLast) => {
      if (isLast) this.#bodyComplete = true;
      if (!collecting) return this.#drained?.(chunk.byteLength);
      const outcome = collector.add(chunk);
      if (outcome === 'taken' && !isLast) return;
      collecting = false;
      if (outcome !== 'taken') collector.release();
      done(outcome === 'taken' ? { ok: true, body: collector.bytes() } : { ok: false, reason: outcome });
    });
  }

  /** Ends a stream that is still running; other answers finish by themselves. */
  endStream(): void {
    this.#stream?.end();
  }

  /** Breaks the connection off. */
  cut(): void {
    if (this.#state !== 'over') this.#options.response.close();
  }

  answer(answer: PlainAnswer, closeConnection = false): void {
    if (this.#state !== 'open') return;
    this.#state = 'answering';
    const { declaredBytes } = this.#options;
    const restIsBounded = declaredBytes !== null && declaredBytes <= drainBytes;
    if (this.#bodyComplete || (restIsBounded && !closeConnection)) this.#send(answer, closeConnection);
    else this.#drainThen(() => this.#send(answer, closeConnection || !this.#bodyComplete));
  }

  stream(answer: StreamAnswer): void {
    if (this.#state !== 'open') return;
    this.#state = 'answering';
    const { response, isHead } = this.#options;
    if (isHead) {
      response.cork(() => {
        this.#writeHead(answer.status, answer.headers);
        response.endWithoutBody();
      });
      this.#over();
      return;
    }
    const stream = new EngineStream(response, this.#options.maxStreamBacklogBytes, () => this.#over());
    this.#stream = stream;
    response.cork(() => {
      this.#writeHead(answer.status, answer.headers);
      stream.start(answer.opening);
    });
    stream.onOver(answer.stream(stream));
  }

  /** Waits until the rest of the body has come, or enough of it, or no more for a while. */
  #drainThen(send: () => void): void {
    const { clock, response } = this.#options;
    let received = 0;
    let cancelQuiet = (): void => undefined;
    const finish = (): void => {
      this.#cancelDrain();
      this.#drained = null;
      if (this.#state === 'answering') send();
    };
    const waitForQuiet = (): void => {
      cancelQuiet();
      cancelQuiet = clock.after(drainQuietMs, finish);
    };
    const cancelTotal = clock.after(drainTotalMs, finish);
    this.#cancelDrain = () => {
      cancelQuiet();
      cancelTotal();
    };
    this.#drained = (bytes) => {
      received += bytes;
      if (this.#bodyComplete || received > drainBytes) finish();
      else waitForQuiet();
    };
    if (this.#collector === null) {
      response.onData((chunk, isLast) => {
        if (isLast) this.#bodyComplete = true;
        this.#drained?.(chunk.byteLength);
      });
    }
    waitForQuiet();
  }

  #send(answer: PlainAnswer, closeConnection: boolean): void {
    const { response, isHead } = this.#options;
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body;
    const bodyless = answer.status === 204 || answer.status === 304;
    if (!isHead && !bodyless && body !== undefined && body.length > wholeAnswerBytes) {
      this.#sendInPieces(answer, body);
      return;
    }
    response.cork(() => {
      this.#writeHead(answer.status, answer.headers);
      // Told a length, the engine would wait for that many bytes and close at the next request: the header is ours.
      if (isHead && !bodyless) response.writeHeader('Content-Length', String(body?.length ?? 0));
      if (bodyless || isHead) response.endWithoutBody();
      else response.end(body ?? '', closeConnection);
    });
    this.#over();
  }

  #sendInPieces(answer: PlainAnswer, body: Uint8Array): void {
    const { response } = this.#options;
    const from = (start: number): boolean => {
      const [ok, complete] = response.tryEnd(body.subarray(start), body.length);
      if (complete) this.#over();
      return ok;
    };
    response.cork(() => {
      this.#writeHead(answer.status, answer.headers);
      if (from(0)) return;
      response.onWritable((offset) => this.#state === 'over' || from(offset));
    });
  }

  #writeHead(status: number, headers: Headers | undefined): void {
    const { response } = this.#options;
    response.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Unknown'}`);
    for (const [name, value] of Object.entries(headers ?? {})) response.writeHeader(name, safeHeaderValue(value));
  }

  #over(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#drained = null;
    this.#cancelDrain();
    this.#collector?.release();
    this.#stream?.close();
    this.#options.onOver();
  }
}

/** No line break can enter an answer's head, whoever chose the value; other characters a header cannot carry become "?". */
function safeHeaderValue(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e]/g, '?');
}
