import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SerialPort } from 'serialport';
import { createCutter, type CutterOptions, type CutterSimulator } from '../../firmware-sim/index.ts';
import { FakeClock, received, squareJob, startCutter } from './helpers.ts';

/** A hang is a failure that names its test. */
const within = { timeout: 10_000 };

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'kerf-sim-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A server's end of the line, through the serialport package. */
class Line {
  readonly port: SerialPort;
  #received = '';
  #wake: () => void = () => { /* nobody waits */ };

  constructor(path: string) {
    this.port = new SerialPort({ path, baudRate: 9600, rtscts: false, autoOpen: false });
    this.port.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1');
      this.#wake();
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve, reject) => this.port.open((error) => (error === null ? resolve() : reject(error))));
    return this;
  }

  async close(): Promise<void> {
    if (this.port.isOpen) await new Promise<void>((resolve) => this.port.close(() => resolve()));
  }

  send(text: string | Buffer): void {
    this.port.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  }

  reply(): Promise<string> {
    return new Promise((resolve) => {
      this.#wake = () => {
        const end = this.#received.indexOf('\x03');
        if (end < 0) return;
        const reply = this.#received.slice(0, end);
        this.#received = this.#received.slice(end + 1);
        this.#wake = () => { /* nobody waits */ };
        resolve(reply);
      };
      this.#wake();
    });
  }

  ask(command: string): Promise<string> {
    this.send(command);
    return this.reply();
  }
}

interface SerialBench {
  readonly cutter: CutterSimulator;
  readonly clock: FakeClock;
  readonly line: Line;
  readonly path: string;
}

async function serialBench(t: TestContext, options: Partial<CutterOptions> = {}): Promise<SerialBench> {
  const clock = new FakeClock();
  const path = join(directory(t), 'cutter0');
  const cutter = await startCutter(t, { ptyPath: path, clock, ...options });
  const line = await new Line(path).open();
  t.after(() => line.close());
  return { cutter, clock, line, path };
}

async function untilStream({ cutter, clock, line }: SerialBench): Promise<void> {
  cutter.panel.scan('A0200ROLL');
  clock.advance(3_000);
  for (const [command, expected] of [
    ['d1:', '1'], ['d1:', '2'], ['d2:', 'A0200ROLL'], ['d3\x02A\x03', '0'], ['d1:', '4'], ['d4:', '0'], ['d5;0;60;400;0;0:', '0'], ['d6;0:', '0'],
  ] as const) assert.equal(await line.ask(`\x1b.${command}`), expected, command);
}

describe('the cycle over a pseudo-terminal', () => {
  it('ends the job at TB0 ETX, answers a poll directly after an ETX, and keeps the job byte-exact without it', within, async (t) => {
    const set = await serialBench(t);
    const { cutter, clock, line } = set;
    await untilStream(set);
    const half = squareJob.indexOf('M300');
    line.send(squareJob.slice(0, half));
    assert.equal(await line.ask('\x1b.d1:'), '5');
    line.send(squareJob.slice(half));
    assert.equal(await line.ask('\x1b.d1:'), '5');
    assert.deepEqual(cutter.receivedBytes(0), { ok: true, value: Buffer.from(squareJob) });
    assert.equal(cutter.received()[0]?.ended_by, 'tb0');
    assert.equal(cutter.received()[0]?.complete, true);
    clock.advance(60_000);
    assert.equal(await line.ask('\x1b.d1:'), '0');
  });

  it('takes ESC.d1: anywhere else in a stream for data', within, async (t) => {
    const set = await serialBench(t);
    await untilStream(set);
    const job = 'M0,0\x1b.d1:\x03\x1b.d2:TB0\x03\x1b\x03TB0\x03';
    const whole = received(set.cutter);
    set.line.send(job);
    await whole;
    assert.deepEqual(set.cutter.receivedBytes(0), { ok: true, value: Buffer.from(job, 'latin1') });
  });

  it('ends a job without TB0 after 2 s of silence, whatever the time scale', within, async (t) => {
    const set = await serialBench(t, { timeScale: 1000 });
    await untilStream(set);
    set.line.send('M0,0\x03D100,100\x03M0,0\x03');
    assert.equal(await set.line.ask('\x1b.d1:'), '5');
    set.clock.advance(1_999);
    assert.equal(set.cutter.state().receiving, true);
    set.clock.advance(1);
    assert.equal(set.cutter.state().receiving, false);
    assert.equal(set.cutter.received()[0]?.ended_by, 'idle');
  });

  it('passes every byte both ways: no echo, no translation, and outlives its clients', within, async (t) => {
    const set = await serialBench(t);
    await untilStream(set);
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index)).filter((byte) => byte !== 0x1b);
    const job = Buffer.concat([Buffer.from('M0,0\x03P'), Buffer.from(all), Buffer.from('\x03TB0\x03')]);
    const whole = received(set.cutter);
    set.line.send(job);
    await whole;
    assert.deepEqual(set.cutter.receivedBytes(0), { ok: true, value: job });
    await set.line.close();
    const next = await new Line(set.path).open();
    t.after(() => next.close());
    assert.equal(await next.ask('\x1b.d1:'), '5', 'the state outlives the client');
    set.cutter.panel.fault('crlf_replies');
    assert.equal(await next.ask('\x1b.C31;9:'), 'FC9000-140, V1.39\r\n');
  });

  it('keeps a megabyte byte-exact', within, async (t) => {
    const set = await serialBench(t);
    await untilStream(set);
    const points = Array.from({ length: 100_000 }, (_, index) => `${index % 1000},${(index * 7) % 1000}`).join(',');
    const job = Buffer.from(`M0,0\x03D${points}\x03M0,0\x03TB0\x03`);
    const whole = received(set.cutter);
    set.line.send(job);
    await whole;
    const bytes = set.cutter.receivedBytes(0);
    assert.ok(bytes.ok && bytes.value.equals(job));
    assert.equal(set.cutter.received()[0]?.error_code, null);
  });

  it('reads no faster than the line carries', within, async (t) => {
    const path = join(directory(t), 'cutter0');
    const cutter = await startCutter(t, { ptyPath: path, baudRate: 115_200, timeScale: 1_000_000 });
    const line = await new Line(path).open();
    t.after(() => line.close());
    cutter.panel.scan('A0200ROLL');
    while (await line.ask('\x1b.d1:') !== '2') assert.ok(cutter.state().state < 3);
    for (const command of ['d3\x02A\x03', 'd5;0;60;400;0;0:', 'd6;0:']) assert.equal(await line.ask(`\x1b.${command}`), '0');
    const job = `M0,0\x03${'D100,100\x03'.repeat(700)}TB0\x03`;
    const whole = received(cutter);
    const begun = performance.now();
    line.send(job);
    await whole;
    const leastMs = (job.length * 10_000) / 115_200;
    // One late turn may make up for 200 ms.
    assert.ok(performance.now() - begun >= leastMs - 200, `${job.length} bytes in ${performance.now() - begun} ms, the line needs ${leastMs} ms`);
    assert.equal(cutter.received()[0]?.bytes, job.length);
  });

  it('loses the rest of a stream, and is heard again after a silence, by drop_connection N', within, async (t) => {
    const set = await serialBench(t);
    await untilStream(set);
    set.cutter.panel.fault('drop_connection', '20');
    const whole = received(set.cutter);
    set.line.send(squareJob);
    await whole;
    assert.equal(set.cutter.received()[0]?.bytes, 20);
    set.clock.advance(60_000);
    assert.equal(await set.line.ask('\x1b.d1:'), '5');
    assert.equal(await set.line.ask('\x1b.d1:'), '7');
  });
});

describe('the link at --pty', () => {
  it('replaces an old link and is removed at the end', within, async (t) => {
    const path = join(directory(t), 'cutter0');
    symlinkSync('/nowhere', path);
    const cutter = createCutter({ model: 'CE7000-60', ptyPath: path });
    const started = await cutter.start();
    assert.ok(started.ok);
    assert.equal(readlinkSync(path), started.value.pty?.device);
    await cutter.stop();
    assert.equal(lstatSync(path, { throwIfNoEntry: false }), undefined);
  });

  it('does not touch any other file', within, async (t) => {
    const path = join(directory(t), 'cutter0');
    writeFileSync(path, 'mine');
    const cutter = createCutter({ model: 'CE7000-60', ptyPath: path });
    const started = await cutter.start();
    assert.ok(!started.ok && started.failure.code === 'PTY_UNAVAILABLE');
    await cutter.stop();
    assert.ok(existsSync(path));
  });
});
