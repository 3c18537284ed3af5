/** A runtime with webhooks on a store in a directory, a clock moved by hand, and real receivers on loopback. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { registry } from '../../machines/index.ts';
import { createRuntime, runtimeTables, type Runtime } from '../../src/runtime/index.ts';
import { steps, timers } from '../../src/runtime/records.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { gateOf, newHealth } from '../../src/webhooks/health.ts';
import { endpointHealth, queuedDeliveries } from '../../src/webhooks/records.ts';
import { configuredEndpointId, configuredEndpoints, createWebhooks, webhookTables, type Endpoints, type WebhookCounters, type Webhooks, type WebhooksOptions } from '../../src/webhooks/index.ts';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';

export const secret = `whsec_${Buffer.from('a secret of at least 24 bytes!').toString('base64')}`;

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Answers each request; replaced by tests. */
  answer: (response: ServerResponse, received: Received) => void;
}

export async function receiver(answer: Receiver['answer'] = (response) => response.writeHead(204).end()): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), atMs: Date.now() };
      received.push(one);
      made.answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const made: Receiver = { url: `http://127.0.0.1:${port}/hook?shop=1`, port, received, answer };
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return made;
}

export interface Bench {
  readonly directory: string;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly runtime: Runtime;
  readonly webhooks: Webhooks;
  readonly logged: string[];
  counters(): WebhookCounters;
  /** Tells the journal of a job, as the library does. */
  tell(name?: string): Promise<void>;
  /** What a SIGKILL leaves: the store as it is. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export interface BenchOptions extends Partial<Pick<WebhooksOptions, 'allowCidrs' | 'resolve' | 'random' | 'ownAddresses'>> {
  readonly url: string | null;
  readonly directory?: string;
  readonly clock?: FakeClock;
  readonly endpoints?: Endpoints;
  /** Attempts end after 15 s of the test's clock. Off by default: that clock may jump hours while a socket is at work. */
  readonly timeouts?: boolean;
}

export async function bench(options: BenchOptions): Promise<Bench> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'kerf-webhooks-'));
  const clock = options.clock ?? fakeClock(Date.now());
  const store = openStore({ directory, tables: [...runtimeTables, ...webhookTables] });
  const logged: string[] = [];
  let ids = 0;
  const newId = (): string => `${clock.now()}-${process.hrtime.bigint()}-${String(ids++).padStart(6, '0')}`;
  const webhooks = createWebhooks({
    store, newId, clock: options.timeouts === true ? clock : withoutTimeouts(clock), random: options.random ?? (() => 0.5), version: '0.0.0',
    endpoints: options.endpoints ?? configuredEndpoints(options.url, secret),
    allowCidrs: options.allowCidrs ?? ['127.0.0.0/8'],
    log: { info: (message) => logged.push(message), warn: (message) => logged.push(message) },
    ownAddresses: options.ownAddresses ?? (() => []),
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  });
  const runtime = createRuntime({
    store, clock, newId, kinds: registry, effects: webhooks.effects, projections: [webhooks.projection],
    journalKey: new TextEncoder().encode('a test key'), onTrouble: (message) => logged.push(message),
  });
  await runtime.start();
  await webhooks.start(runtime);
  let ended = false;
  const end = async (close: () => Promise<void>): Promise<void> => {
    if (ended) return;
    ended = true;
    await close();
  };
  const made: Bench = {
    directory, store, clock, runtime, webhooks, logged,
    counters: () => webhooks.counters(configuredEndpointId),
    tell: (name = 'Sticker') => tellJob(runtime, name),
    crash: () => end(() => store.close()),
    stop: () => end(async () => {
      const stopped = webhooks.stop();
      await clock.advance(3000);
      await stopped;
      await runtime.stop(0);
      await store.close();
    }),
  };
  after(() => made.stop());
  return made;
}

export function tellJob(runtime: Runtime, name: string): Promise<void> {
  const publication = { kind: 'job_added', message: `${name} was registered.`, data: { job_id: `job-${name}`, job_name: name, link_info: 'F00000001', source: 'import-json' } };
  return runtime.change(() => ({ writes: [], news: [{ subject: `job/job-${name}`, publication }], result: undefined }));
}

function withoutTimeouts(clock: FakeClock): FakeClock {
  return { ...clock, after: (delayMs, action) => (delayMs === 15_000 ? () => undefined : clock.after(delayMs, action)) };
}

/** Nothing is under way that only sockets and the disk keep: no request, no overdue timer, nothing that may leave. */
function isCalm({ store, clock }: Bench): boolean {
  const now = clock.now();
  if (store.range(steps, { limit: 1 }).length > 0 || store.range(timers, { end: [now + 1], limit: 1 }).length > 0) return false;
  return store.range(queuedDeliveries, { limit: 1 }).every(({ key }) => {
    const gate = gateOf(store.get(endpointHealth, [String(key[0])]) ?? newHealth, now);
    return gate.state !== 'open';
  });
}

/** Lets the clock look at what is overdue, while `until` waits. */
export function tick(made: Bench): false {
  void made.clock.advance(0);
  return false;
}

/** Lets time pass in steps, and everything that falls due in a step come to its end before the next. */
export async function pass(made: Bench, ms: number, stepMs = 3_600_000): Promise<void> {
  for (let left = ms; left >= 0; left -= stepMs) {
    await made.clock.advance(Math.min(left, stepMs));
    await until(() => isCalm(made) || tick(made), () => `calm with ${JSON.stringify(made.counters())}`);
    // The commit that made it calm is visible before the runtime has heard of it and set its timers.
    await made.runtime.change(() => ({ writes: [], news: [], result: undefined }));
  }
}

/** Waits for something that sockets or the disk bring about, not for time. */
export async function until(condition: () => boolean, what: string | (() => string) = 'the condition'): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) assert.fail(`${typeof what === 'string' ? what : what()} did not come about in 10 s`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The counters add up, whatever happened. */
export function assertSums({ events, pending, delivered, dead }: WebhookCounters): void {
  assert.equal(events, pending + delivered + dead, 'events = pending + delivered + dead');
}
