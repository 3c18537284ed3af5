import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { createLog, type Log } from '../../src/log.ts';
import { createHttpServer, type Clock, type HttpServer, type HttpServerOptions, type Route } from '../../src/http/index.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export interface Running {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
  readonly logged: string[];
}

/** Runs `body` against a server on a free port of loopback. */
export async function withServer(routes: readonly Route[], body: (running: Running) => Promise<void>, options: Partial<HttpServerOptions> = {}): Promise<void> {
  const logged: string[] = [];
  const log: Log = createLog({ level: 'info', now: () => 0, write: (line) => logged.push(line) });
  const ids = { next: 0 };
  const server = createHttpServer({ routes, access: {}, log, clock: systemClock, newId: () => `id-${(ids.next += 1)}`, ...options });
  const listening = await server.listen('127.0.0.1', 0);
  assert.ok(listening.ok, 'the server listens');
  try {
    await body({ server, port: listening.port, url: `http://127.0.0.1:${listening.port}`, logged });
  } finally {
    await server.close();
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A client that speaks in bytes. Answers are read one by one, by Content-Length or chunks. */
export class RawClient {
  readonly socket: Socket;
  /** Set when the connection is closed, by whichever side. */
  closed = false;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  send(data: string | Uint8Array): this {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
    return this;
  }

  async answer(options: { readonly toHead?: boolean } = {}): Promise<RawAnswer> {
    const headEnd = await this.#until(() => find(this.#received, '\r\n\r\n'));
    const head = this.#received.subarray(0, headEnd).toString('latin1');
    const headers: Record<string, string> = {};
    for (const line of head.split('\r\n').slice(1)) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(head.split(' ')[1]);
    this.#received = this.#received.subarray(headEnd + 4);
    if (status === 100) return this.answer(options);
    const hasBody = options.toHead !== true && status !== 204;
    const body = hasBody ? await this.#body(headers) : Buffer.alloc(0);
    return { status, head, headers, body };
  }

  /** Everything received and not yet taken, once it contains `text`. */
  async text(text: string): Promise<string> {
    await this.#until(() => find(this.#received, text));
    return this.#received.toString('utf8');
  }

  async end(): Promise<void> {
    await this.#until(() => (this.closed ? 0 : null), true);
  }

  get unread(): number {
    return this.#received.length;
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #body(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    if (headers['transfer-encoding'] === 'chunked') {
      const parts: Buffer[] = [];
      for (;;) {
        const lineEnd = await this.#until(() => find(this.#received, '\r\n'));
        const size = Number.parseInt(this.#received.subarray(0, lineEnd).toString('latin1'), 16);
        await this.#until(() => (this.#received.length >= lineEnd + 2 + size + 2 ? 0 : null));
        parts.push(Buffer.from(this.#received.subarray(lineEnd + 2, lineEnd + 2 + size)));
        this.#received = this.#received.subarray(lineEnd + 2 + size + 2);
        if (size === 0) return Buffer.concat(parts);
      }
    }
    const length = Number(headers['content-length']);
    assert.ok(Number.isInteger(length), 'an answer has a length');
    await this.#until(() => (this.#received.length >= length ? 0 : null));
    const body = Buffer.from(this.#received.subarray(0, length));
    this.#received = this.#received.subarray(length);
    return body;
  }

  async #until(ready: () => number | null, closedIsFine = false): Promise<number> {
    for (;;) {
      const value = ready();
      if (value !== null) return value;
      if (this.closed && !closedIsFine) throw new Error(`the connection closed before an answer was complete: ${this.#received.toString('latin1').slice(0, 200)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function find(buffer: Buffer, text: string): number | null {
  const at = buffer.indexOf(text);
  return at < 0 ? null : at;
}

/** The members of a problem answer that tests look at. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

export function problemOf(text: string | Buffer): ProblemBody {
  const value: unknown = JSON.parse(text.toString());
  assert.ok(isProblemBody(value), `a problem: ${text.toString()}`);
  return value;
}

function isProblemBody(value: unknown): value is ProblemBody {
  return typeof value === 'object' && value !== null && 'code' in value && 'errors' in value && 'request_id' in value && 'status' in value;
}

export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

export function post(path: string, body: string, headers = 'Content-Type: application/json\r\n'): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`;
}

/** A promise and the means to settle it (Promise.withResolvers is not on Node 20). */
export class Signal {
  readonly seen: Promise<null>;
  set: () => void = () => undefined;

  constructor() {
    this.seen = new Promise((resolve) => {
      this.set = () => resolve(null);
    });
  }
}
