import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createCutter, type Clock, type CutterOptions, type CutterSimulator, type FirmwareEvent } from '../../firmware-sim/index.ts';

export const ETX = '\x03';

/** Section 6: FC9000 4-point job at 0.1 mm, marks 160 × 116 mm, one 40 mm square. */
export const squareJob = 'TB99␃TB51,200␃TB52,2␃TB54,0,0␃TB55,1␃TB24,1600,1160␃TB99␃J1␃M300,150␃D700,150,700,550,300,550,300,150␃M0,0␃TB0␃'.replaceAll('␃', ETX);

export class FakeClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.push(timer);
    return () => { this.#timers = this.#timers.filter((each) => each !== timer); };
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }
}

export interface Bench {
  readonly cutter: CutterSimulator;
  readonly clock: FakeClock;
  readonly port: number;
  readonly events: FirmwareEvent[];
  readonly ask: (command: string) => Promise<string>;
}

export async function startCutter(t: TestContext, options: Partial<CutterOptions> = {}): Promise<CutterSimulator> {
  const cutter = createCutter({ model: 'FC9000-140', ...options });
  const started = await cutter.start();
  if (!started.ok) throw new Error(started.failure.detail);
  t.after(() => cutter.stop());
  return cutter;
}

/** A cutter on TCP with a clock that only the test turns. */
export async function bench(t: TestContext, options: Partial<CutterOptions> = {}): Promise<Bench> {
  const clock = new FakeClock();
  const cutter = await startCutter(t, { tcpPort: 0, clock, ...options });
  const port = cutter.addresses().tcp?.port ?? 0;
  const events: FirmwareEvent[] = [];
  cutter.observe((event) => events.push(event));
  return { cutter, clock, port, events, ask: (command) => ask(port, command) };
}

/** A fresh connection for one command, as real servers do; the reply without its ETX. */
export async function ask(port: number, command: string): Promise<string> {
  const client = await Client.open(port);
  client.send(command);
  const reply = await client.reply();
  client.end();
  await client.closed;
  return reply;
}

export class Client {
  readonly socket: Socket;
  readonly closed: Promise<string>;
  received = Buffer.alloc(0);
  #wake: () => void = () => { /* nobody waits */ };
  #over: string | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      let how = 'closed';
      socket.on('error', (error: NodeJS.ErrnoException) => { how = error.code ?? error.message; });
      socket.on('end', () => { this.#over = 'ended'; this.#wake(); });
      socket.on('close', () => { this.#over = how; this.#wake(); resolve(how); });
    });
    socket.on('data', (bytes: Buffer) => {
      this.received = Buffer.concat([this.received, bytes]);
      this.#wake();
    });
  }

  static open(port: number): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const failed = (error: Error): void => reject(error);
      socket.once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        resolve(new Client(socket));
      });
    });
  }

  send(text: string | Buffer): void {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  }

  end(): void {
    this.socket.end();
  }

  /** The next reply, without its ETX. Rejects when the connection ends before it. */
  async reply(): Promise<string> {
    const bytes = await this.until((received) => received.includes(3));
    const end = bytes.indexOf(3);
    this.received = Buffer.from(bytes.subarray(end + 1));
    return bytes.toString('latin1', 0, end);
  }

  until(enough: (received: Buffer) => boolean): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        if (enough(this.received)) resolve(this.received);
        else if (this.#over !== undefined) reject(new Error(`connection ${this.#over} after ${JSON.stringify(this.received.toString('latin1'))}`));
      };
      this.#wake();
    });
  }
}

/** Resolves with the next event that `wanted` accepts. Call it before what causes the event. */
export function nextEvent(cutter: CutterSimulator, wanted: (event: FirmwareEvent) => boolean): Promise<FirmwareEvent> {
  return new Promise((resolve) => {
    const stop = cutter.observe((event) => {
      if (!wanted(event)) return;
      stop();
      resolve(event);
    });
  });
}

export const received = (cutter: CutterSimulator): Promise<FirmwareEvent> => nextEvent(cutter, (event) => event.kind === 'received');

/** Sends a job on its own connection with half-close and waits for the cutter to close its side. */
export async function stream(port: number, job: string | Buffer): Promise<void> {
  const client = await Client.open(port);
  client.send(job);
  client.end();
  await client.closed;
}

/** Scan, one job, vector and type: the cutter stands in state 4 and waits for data. */
export async function untilStream({ cutter, clock, ask: put }: Bench, names = 'A'): Promise<void> {
  cutter.panel.scan('A0200ROLL');
  clock.advance(3_000);
  for (const expected of ['1', '2']) if (await put('\x1b.d1:') !== expected) throw new Error(`expected state ${expected}`);
  for (const command of [`\x1b.d3\x02${names}\x03`, '\x1b.d4:', '\x1b.d5;0;60;400;0;0:', '\x1b.d6;0:']) {
    const reply = await put(command);
    if (reply !== '0') throw new Error(`${JSON.stringify(command)} was answered ${reply}`);
  }
}
