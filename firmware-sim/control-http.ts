import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { done, refused, type FailureCode, type Outcome } from './failure.ts';
import type { SheetGeometry } from './sheet-check.ts';
import type { DrawingReport } from './drawing.ts';
import type { LogEntry } from './log.ts';
import type { Panel } from './panel.ts';
import type { JobReport, StateReport } from './report.ts';

// The control interface over HTTP on loopback: the same as on stdin, and what was received. Errors are JSON with a `code`.

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 64 * 1024;

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

const json = (value: unknown, status = 200): Reply => ({ status, type: 'application/json', body: `${JSON.stringify(value)}\n` });

function statusOf(code: FailureCode): number {
  switch (code) {
    case 'WRONG_STATE': case 'NO_MEDIA': return 409;
    case 'NO_SUCH_JOB': case 'NOT_FOUND': return 404;
    case 'METHOD_NOT_ALLOWED': return 405;
    case 'GONE': return 410;
    default: return 400;
  }
}

type Fields = ReadonlyMap<string, unknown>;

function numberField(fields: Fields, name: string): number | undefined {
  const value = fields.get(name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function textField(fields: Fields, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

function fieldsOf(text: string): Fields | undefined {
  if (text.trim() === '') return new Map();
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

/** Geometry of the printed sheet, flat in the body of POST /scan: fx, fy in 0.1 mm, marks_feed_mm, marks_carriage_mm. */
function sheetOf(fields: Fields): SheetGeometry {
  const [fx, fy] = [numberField(fields, 'fx'), numberField(fields, 'fy')];
  const [feed, carriage] = [numberField(fields, 'marks_feed_mm'), numberField(fields, 'marks_carriage_mm')];
  return {
    ...(fx === undefined ? {} : { fx }),
    ...(fy === undefined ? {} : { fy }),
    ...(feed === undefined ? {} : { marksFeedMm: feed }),
    ...(carriage === undefined ? {} : { marksCarriageMm: carriage }),
  };
}

/** What this interface shows and moves of a simulator. */
export interface ControlledCutter {
  readonly panel: Panel;
  state(): StateReport;
  received(): readonly JobReport[];
  receivedBytes(n: number): Outcome<Buffer>;
  drawingSvg(n?: number): Outcome<string>;
  drawingJson(n?: number): Outcome<DrawingReport & { readonly n: number }>;
  log(): readonly LogEntry[];
}

export class ControlServer {
  readonly #simulator: ControlledCutter;
  readonly #wantedPort: number;
  #server: Server | undefined;
  #port = 0;

  constructor(simulator: ControlledCutter, port: number) {
    this.#simulator = simulator;
    this.#wantedPort = port;
  }

  get url(): string {
    return `http://${HOST}:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  start(): Promise<Outcome<number>> {
    const server = createServer((request, response) => this.#serve(request, response));
    this.#server = server;
    return new Promise((resolve) => {
      server.once('error', (error) => resolve(refused('CONTROL_UNAVAILABLE', `cannot listen on ${HOST}:${this.#wantedPort}: ${error.message}`)));
      server.listen(this.#wantedPort, HOST, () => {
        const address = server.address();
        this.#port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve(done(this.#port));
      });
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server?.listening !== true) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.on('end', () => {
      const url = new URL(request.url ?? '/', `http://${HOST}`);
      const fields = size > MAX_BODY_BYTES ? undefined : fieldsOf(Buffer.concat(chunks).toString('utf8'));
      const outcome = fields === undefined
        ? refused('INVALID_REQUEST', 'the body is not a JSON object of at most 64 kB')
        : this.#route(request.method ?? 'GET', url, fields);
      const reply = outcome.ok ? outcome.value : json({ code: outcome.failure.code, detail: outcome.failure.detail }, statusOf(outcome.failure.code));
      response.writeHead(reply.status, { 'content-type': reply.type, 'content-length': Buffer.byteLength(reply.body) });
      response.end(request.method === 'HEAD' ? undefined : reply.body);
    });
  }

  #route(method: string, url: URL, fields: Fields): Outcome<Reply> {
    const read = this.#read(url);
    if (read !== undefined) return method === 'GET' || method === 'HEAD' ? read() : refused('METHOD_NOT_ALLOWED', `${url.pathname} is only read`);
    const path = url.pathname;
    if (path === '/faults' && method === 'DELETE') return this.#acted(this.#simulator.panel.clearFaults());
    if (path === '/faults' && method === 'GET') return done(json(this.#simulator.state().faults));
    const act = this.#act(path, fields);
    if (act === undefined) return refused('NOT_FOUND', `there is nothing at ${path}`);
    return method === 'POST' ? this.#acted(act()) : refused('METHOD_NOT_ALLOWED', `${path} takes POST`);
  }

  #acted(outcome: Outcome<unknown>): Outcome<Reply> {
    return outcome.ok ? done(json(this.#simulator.state())) : outcome;
  }

  #act(path: string, fields: Fields): (() => Outcome<unknown>) | undefined {
    const { panel } = this.#simulator;
    switch (path) {
      case '/scan': return () => {
        const code = fields.get('code');
        return typeof code === 'string' ? panel.scan(code, sheetOf(fields)) : refused('INVALID_REQUEST', 'the body needs "code", a string');
      };
      case '/select': return () => {
        const index = numberField(fields, 'index');
        return index === undefined ? refused('INVALID_REQUEST', 'the body needs "index", a number counted from 0') : panel.select(index);
      };
      case '/cancel': return () => panel.cancel();
      case '/acknowledge': return () => panel.acknowledge();
      case '/operate': return () => panel.operate();
      case '/load': return () => panel.load();
      case '/unload': return () => panel.unload();
      case '/fault': case '/faults': return () => {
        const name = fields.get('name');
        const mode = fields.get('mode');
        if (typeof name !== 'string') return refused('INVALID_REQUEST', 'the body needs "name", a string');
        if (mode !== undefined && mode !== 'once' && mode !== 'always') return refused('INVALID_VALUE', '"mode" is "once" or "always"');
        return panel.fault(name, textField(fields, 'value'), mode);
      };
      default: return undefined;
    }
  }

  #read(url: URL): (() => Outcome<Reply>) | undefined {
    const simulator = this.#simulator;
    const contents = /^\/received\/(\d{1,9})$/.exec(url.pathname)?.[1];
    if (contents !== undefined) {
      return () => {
        const bytes = simulator.receivedBytes(Number(contents));
        return bytes.ok ? done({ status: 200, type: 'application/octet-stream', body: bytes.value }) : bytes;
      };
    }
    switch (url.pathname) {
      case '/state': return () => done(json(simulator.state()));
      case '/received': return () => done(json(simulator.received()));
      case '/log': return () => done(json(simulator.log()));
      case '/drawing.svg': return () => {
        const svg = simulator.drawingSvg(jobNumber(url));
        return svg.ok ? done({ status: 200, type: 'image/svg+xml', body: svg.value }) : svg;
      };
      case '/drawing.json': return () => {
        const drawing = simulator.drawingJson(jobNumber(url));
        return drawing.ok ? done(json(drawing.value)) : drawing;
      };
      default: return undefined;
    }
  }
}

/** `?n=`; absent: the last job. A wrong number is a job that does not exist. */
function jobNumber(url: URL): number | undefined {
  const text = url.searchParams.get('n');
  return text === null ? undefined : /^\d{1,9}$/.test(text) ? Number(text) : -1;
}
