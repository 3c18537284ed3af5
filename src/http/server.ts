import { createServer } from 'node:net';
import type { Log } from '../log.ts';
import { openAccess } from './access.ts';
import { Adapter, type RawHead } from './adapter.ts';
import { loadEngine } from './engine.ts';
import type { BodyOutcome, Exchange } from './exchange.ts';
import { renderProblem, type Problem } from './problems.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import type { AccessCheck, Clock, HttpAnswer, PlainAnswer, RequestHead, StreamAnswer } from './types.ts';

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** Access checks by the names that routes use; 'open' is known anyway. */
  readonly access: Readonly<Record<string, AccessCheck>>;
  readonly log: Log;
  readonly clock: Clock;
  /** Mints request ids. */
  readonly newId: () => string;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  /** Requests under way at one time; more are told to come back (503). */
  readonly requests: number;
  /** All bodies in memory together; one that would go beyond is told to come back (503). */
  readonly bodyBytes: number;
  /** How far the reader of a stream may fall behind before it is cut off. */
  readonly streamBacklogBytes: number;
  /** How long `close` lets answers in flight finish. */
  readonly closeWithinMs: number;
}

const defaultLimits: HttpLimits = { requests: 2000, bodyBytes: 268_435_456, streamBacklogBytes: 1_048_576, closeWithinMs: 8000 };

export type ListenFailureCode = 'ADDRESS_IN_USE' | 'ADDRESS_NOT_AVAILABLE' | 'PERMISSION_DENIED' | 'HOST_NOT_FOUND' | 'LISTEN_FAILED';

export type ListenResult =
  | { readonly ok: true; readonly host: string; readonly port: number }
  | { readonly ok: false; readonly failure: { readonly code: ListenFailureCode; readonly detail: string } };

export interface HttpServer {
  /** Port 0: any free port. No two servers get one port. Call it once. */
  listen(host: string, port: number): Promise<ListenResult>;
  /** From now on writes are answered 503 and streams end; reads go on. */
  drain(): void;
  /** Stops accepting, lets answers in flight finish within the limit, then breaks the rest off. */
  close(): Promise<void>;
  /** For `/health` and tests. */
  load(): { readonly requestsUnderWay: number; readonly bodyBytesHeld: number };
}

/** Seconds after which a client that was told to come back may do so. */
const retryAfterSeconds = '2';

/** Builds the server; nothing happens before `listen`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const limits: HttpLimits = { ...defaultLimits, ...options.limits };
  const state = { draining: false, adapter: null as Adapter | null };
  const onRequest = createPipeline(options, limits, () => state.draining, () => state.adapter?.requestsUnderWay ?? 0);
  return {
    async listen(host, port) {
      const engine = await loadEngine();
      const adapter = new Adapter({ engine, clock: options.clock, maxBodyBytesInFlight: limits.bodyBytes, maxStreamBacklogBytes: limits.streamBacklogBytes, onRequest });
      const bound = await adapter.listen(host, port);
      if (bound === null) {
        adapter.destroy();
        return { ok: false, failure: await whyNot(host, port) };
      }
      state.adapter = adapter;
      return { ok: true, host, port: bound };
    },
    drain() {
      state.draining = true;
      state.adapter?.endStreams();
    },
    async close() {
      const { adapter } = state;
      state.draining = true;
      if (adapter === null) return;
      state.adapter = null;
      adapter.stopAccepting();
      adapter.endStreams();
      const finished = await adapter.idle(limits.closeWithinMs);
      if (!finished) options.log.warn('requests broken off at the end of the time for closing', { requests: adapter.requestsUnderWay });
      adapter.destroy();
    },
    load: () => ({ requestsUnderWay: state.adapter?.requestsUnderWay ?? 0, bodyBytesHeld: state.adapter?.bodyBytesHeld ?? 0 }),
  };
}

/** route → credential → rate → body cap → parse → schema: an unknown caller learns nothing and cannot make us parse. */
function createPipeline(
  options: HttpServerOptions,
  limits: HttpLimits,
  isDraining: () => boolean,
  requestsUnderWay: () => number,
): (raw: RawHead, exchange: Exchange) => void {
  const router = new Router(options.routes);
  const checks = new Map<string, AccessCheck>([['open', openAccess], ...Object.entries(options.access)]);
  for (const { access, method, path } of options.routes) {
    if (!checks.has(access)) throw new Error(`${method} ${path} asks for the access check "${access}", which is not there`);
  }

  return (raw, exchange) => {
    const head = requestHead(raw, options.newId);
    const reply = new Reply(head, exchange, options.log, options.clock);
    if (raw.ambiguousLength) { reply.refuse({ code: 'MALFORMED_REQUEST', detail: 'The length of the request body is not clear: send one Content-Length, or Transfer-Encoding: chunked alone.' }, true); return; }
    const match = router.match(head.method, head.path);
    if (match.kind === 'not-found') { reply.refuse({ code: 'NOT_FOUND', detail: 'There is nothing at this address.' }); return; }
    if (match.kind === 'method-not-allowed') {
      reply.refuse({ code: 'METHOD_NOT_ALLOWED', detail: `This address takes ${match.allow}.`, headers: { Allow: match.allow } }); return;
    }
    const { route, params } = match;
    reply.guard(() => {
      const decision = checks.get(route.access)?.(head);
      if (decision === undefined) throw new Error(`no access check "${route.access}"`);
      if (!decision.ok) { reply.refuse(decision.problem); return; }
      const overloaded = requestsUnderWay() > limits.requests;
      if (overloaded || (isDraining() && route.method !== 'GET')) {
        reply.refuse(unavailable(overloaded ? 'Too many requests are under way.' : 'The server is shutting down.'), !overloaded); return;
      }
      const run = (body: Uint8Array): void => reply.guard(() => reply.send(route.run({ ...head, params, body, signal: exchange.signal, principal: decision.principal })));
      if (route.body === null) { run(new Uint8Array(0)); return; }
      const rule = route.body;
      const wrongType = refuseEncoding(head) ?? rule.refuseType(head.headers.get('content-type'));
      const declared = Number(head.headers.get('content-length') ?? 0);
      if (wrongType !== null && declared <= rule.capBytes) { reply.refuse(wrongType); return; }
      exchange.collectBody(rule.capBytes, (outcome) => (outcome.ok ? run(outcome.body) : reply.refuse(bodyProblem(outcome, rule))));
    });
  };
}

/** Turns what a handler gives back, or throws, into the one answer of an exchange. */
class Reply {
  readonly #head: RequestHead;
  readonly #exchange: Exchange;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #began: number;

  constructor(head: RequestHead, exchange: Exchange, log: Log, clock: Clock) {
    this.#head = head;
    this.#exchange = exchange;
    this.#log = log;
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** A throw is a bug of ours: logged with its stack, answered without. */
  guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** An answer that is there at once is sent inside the engine's callback, so that pipelined requests can be answered. */
  send(answer: HttpAnswer | Promise<HttpAnswer>): void {
    if (answer instanceof Promise) {
      answer.then((settled) => this.guard(() => this.#sendNow(settled)), (error: unknown) => this.#fail(error));
    } else {
      this.#sendNow(answer);
    }
  }

  refuse(refusal: Problem, closeConnection = false): void {
    this.#exchange.answer(this.#dressed(renderProblem(refusal, this.#head.path, this.#head.requestId)), closeConnection);
  }

  #sendNow(answer: HttpAnswer): void {
    if ('problem' in answer) this.refuse(answer.problem);
    else if ('stream' in answer) this.#exchange.stream(this.#dressed(answer));
    else this.#exchange.answer(this.#dressed(answer));
  }

  #fail(error: unknown): void {
    // A handler whose client went away usually fails because it was told to stop.
    const level = this.#exchange.signal.aborted ? 'debug' : 'error';
    this.#log[level]('request failed', { request_id: this.#head.requestId, method: this.#head.method, path: this.#head.path, error });
    if (this.#exchange.isAnswering) this.#exchange.cut();
    else this.refuse({ code: 'INTERNAL', detail: `Something went wrong here. The log has more under ${this.#head.requestId}.` });
  }

  #dressed<A extends PlainAnswer | StreamAnswer>(answer: A): A {
    const { requestId, method, path } = this.#head;
    this.#log.debug('answered', { request_id: requestId, method, path, status: answer.status, ms: this.#clock.now() - this.#began });
    return { ...answer, headers: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', ...answer.headers } };
  }
}

/** A compressed body would get around the cap. */
function refuseEncoding(head: RequestHead): Problem | null {
  const coding = head.headers.get('content-encoding')?.toLowerCase() ?? 'identity';
  return coding === 'identity' ? null : { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'Send the body without Content-Encoding.' };
}

function requestHead(raw: RawHead, newId: () => string): RequestHead {
  const given = raw.headers.get('x-request-id') ?? '';
  return {
    method: raw.method,
    path: raw.path,
    query: new URLSearchParams(raw.rawQuery),
    headers: raw.headers,
    remoteAddress: raw.remoteAddress,
    requestId: /^[\x21-\x7e]{1,128}$/.test(given) ? given : newId(),
  };
}

function unavailable(reason: string): Problem {
  return { code: 'UNAVAILABLE', detail: `${reason} Try again in a moment.`, headers: { 'Retry-After': retryAfterSeconds } };
}

function bodyProblem(outcome: BodyOutcome & { readonly ok: false }, rule: NonNullable<Route['body']>): Problem {
  if (outcome.reason === 'no-room') return unavailable('Too many uploads are under way.');
  return { code: rule.tooLarge, detail: `The body is larger than ${rule.capBytes} bytes, the most this endpoint takes.` };
}

/** The engine only says that it could not bind; Node says why. */
function whyNot(host: string, port: number): Promise<{ code: ListenFailureCode; detail: string }> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => settle(listenFailure(host, port, error.code ?? '')));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => settle(listenFailure(host, port, ''))));
  });
}

function listenFailure(host: string, port: number, systemCode: string): { code: ListenFailureCode; detail: string } {
  switch (systemCode) {
    case 'EADDRINUSE':
      return { code: 'ADDRESS_IN_USE', detail: `port ${port} of ${host} is in use by another program; stop that one or set API_PORT` };
    case 'EADDRNOTAVAIL':
      return { code: 'ADDRESS_NOT_AVAILABLE', detail: `${host} is not an address of this machine; set API_HOST` };
    case 'EACCES':
      return { code: 'PERMISSION_DENIED', detail: `port ${port} needs more rights than this process has; set API_PORT to 1024 or more` };
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { code: 'HOST_NOT_FOUND', detail: `the host name ${host} is not known; set API_HOST` };
    default:
      return { code: 'LISTEN_FAILED', detail: `cannot listen on ${host}, port ${port}${systemCode === '' ? '' : ` (${systemCode})`}` };
  }
}
