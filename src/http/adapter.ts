import { BodyBudget } from './body-collector.ts';
import type { Engine, EngineApp, EngineRequest, EngineResponse } from './engine.ts';
import { Exchange } from './exchange.ts';
import type { Clock } from './types.ts';

/** A request as the engine parsed it, copied before the engine takes its memory back. */
export interface RawHead {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
  /** Two readers could see two different lengths of its body: it must be refused and the connection closed. */
  readonly ambiguousLength: boolean;
}

export interface AdapterOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly maxBodyBytesInFlight: number;
  readonly maxStreamBacklogBytes: number;
  /** Runs inside the engine's callback: what it answers at once is written together with the next pipelined answer. */
  readonly onRequest: (head: RawHead, exchange: Exchange) => void;
}

/**
 * The one place that meets the engine's app. It makes an exchange of every request, knows which are under way, and
 * marks framing that two readers could understand in two ways (RFC 9112 section 6.3).
 */
export class Adapter {
  readonly #options: AdapterOptions;
  readonly #app: EngineApp;
  readonly #budget: BodyBudget;
  readonly #underWay = new Set<Exchange>();
  #listenSocket: unknown = null;
  #whenIdle: (() => void) | null = null;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#budget = new BodyBudget(options.maxBodyBytesInFlight);
    this.#app = options.engine.App();
    this.#app.any('/*', (response, request) => this.#accept(response, request));
  }

  get requestsUnderWay(): number {
    return this.#underWay.size;
  }

  get bodyBytesHeld(): number {
    return this.#budget.usedBytes;
  }

  /** The port in use, or null when the engine could not bind; it does not say why. */
  listen(host: string, port: number): Promise<number | null> {
    const { engine } = this.#options;
    return new Promise((settle) => {
      // Without the exclusive flag the engine sets SO_REUSEPORT, and two services would share one port.
      this.#app.listen(host, port, engine.LIBUS_LISTEN_EXCLUSIVE_PORT, (listenSocket) => {
        if (listenSocket === false || listenSocket === null || listenSocket === undefined) { settle(null); return; }
        this.#listenSocket = listenSocket;
        settle(engine.us_socket_local_port(listenSocket));
      });
    });
  }

  stopAccepting(): void {
    if (this.#listenSocket === null) return;
    this.#options.engine.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = null;
  }

  endStreams(): void {
    for (const exchange of [...this.#underWay]) exchange.endStream();
  }

  /** Settles when no request is under way, at the latest after `withinMs`; false when some still are. */
  idle(withinMs: number): Promise<boolean> {
    if (this.#underWay.size === 0) return Promise.resolve(true);
    return new Promise((settle) => {
      const cancel = this.#options.clock.after(withinMs, () => {
        this.#whenIdle = null;
        settle(false);
      });
      this.#whenIdle = () => {
        this.#whenIdle = null;
        cancel();
        settle(true);
      };
    });
  }

  /** Breaks off every connection. */
  destroy(): void {
    this.#listenSocket = null;
    this.#app.close();
  }

  #accept(response: EngineResponse, request: EngineRequest): void {
    const headers = new Map<string, string>();
    request.forEach((name, value) => {
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    });
    const framing = bodyFraming(headers);
    const head: RawHead = {
      method: request.getCaseSensitiveMethod(),
      path: request.getUrl(),
      rawQuery: request.getQuery() ?? '',
      headers,
      remoteAddress: Buffer.from(response.getRemoteAddressAsText()).toString('latin1'),
      ambiguousLength: framing === 'ambiguous',
    };
    const exchange: Exchange = new Exchange({
      response,
      isHead: head.method === 'HEAD',
      declaredBytes: framing === 'ambiguous' ? 0 : framing,
      budget: this.#budget,
      clock: this.#options.clock,
      maxStreamBacklogBytes: this.#options.maxStreamBacklogBytes,
      onOver: () => this.#forget(exchange),
    });
    this.#underWay.add(exchange);
    this.#options.onRequest(head, exchange);
  }

  #forget(exchange: Exchange): void {
    this.#underWay.delete(exchange);
    if (this.#underWay.size === 0) this.#whenIdle?.();
  }
}

/** Bytes announced; null for a chunked body. The engine takes the first of two lengths and any transfer coding that ends in chunked. */
function bodyFraming(headers: ReadonlyMap<string, string>): number | null | 'ambiguous' {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined) return length === undefined && coding.toLowerCase() === 'chunked' ? null : 'ambiguous';
  if (length === undefined) return 0;
  return /^\d{1,15}$/.test(length) ? Number(length) : 'ambiguous';
}
