import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { ask, bench, squareJob, stream, untilStream } from './helpers.ts';

const within = { timeout: 20_000 };

describe('the control interface over HTTP', () => {
  it('does what the panel does, and says with a code why not', within, async (t) => {
    const set = await bench(t, { controlPort: 0 });
    const base = set.cutter.addresses().control?.url ?? '';
    const send = async (method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
      const response = await fetch(base + path, { method, ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }) });
      return { status: response.status, json: await response.json() };
    };
    const code = async (method: string, path: string, body?: unknown): Promise<string> => {
      const { status, json } = await send(method, path, body);
      return `${status} ${typeof json === 'object' && json !== null && 'code' in json ? String(json.code) : ''}`;
    };
    assert.equal(await code('POST', '/select', { index: 0 }), '409 WRONG_STATE');
    assert.equal(await code('POST', '/acknowledge'), '409 WRONG_STATE');
    assert.equal(await code('POST', '/scan', { code: 'short' }), '400 INVALID_CODE');
    assert.equal(await code('POST', '/scan', { code: 5 }), '400 INVALID_REQUEST');
    assert.equal(await code('POST', '/scan', '{'), '400 INVALID_REQUEST');
    assert.equal(await code('POST', '/nothing'), '404 NOT_FOUND');
    assert.equal(await code('GET', '/scan'), '405 METHOD_NOT_ALLOWED');
    assert.equal(await code('DELETE', '/state'), '405 METHOD_NOT_ALLOWED');
    assert.equal(await code('GET', '/received/0'), '404 NO_SUCH_JOB');
    assert.equal(await code('GET', '/drawing.svg'), '404 NO_SUCH_JOB');
    assert.equal(await code('POST', '/fault', { name: 'gone' }), '400 UNKNOWN_FAULT');
    assert.equal(await code('POST', '/fault', { name: 'delay_reply', value: 100, mode: 'once' }), '200 null');
    assert.deepEqual((await send('GET', '/faults')).json, [{ name: 'delay_reply', value: '100', mode: 'once' }]);
    assert.equal(await code('DELETE', '/faults'), '200 null');
    assert.equal(await code('POST', '/scan', { code: 'F00000001' }), '200 F00000001');
    assert.equal(await code('POST', '/scan', { code: 'F00000001' }), '409 WRONG_STATE');
    assert.equal(await code('POST', '/cancel'), '200 F00000001');

    await untilStream(set);
    await stream(set.port, squareJob);
    const bytes = await (await fetch(`${base}/received/0`)).arrayBuffer();
    assert.deepEqual(Buffer.from(bytes), Buffer.from(squareJob));
    const svg = await fetch(`${base}/drawing.svg?n=0`);
    assert.equal(svg.headers.get('content-type'), 'image/svg+xml');
    assert.match(await svg.text(), /<path [^>]*data-pen="1"/);
    const { json } = await send('GET', '/received');
    assert.deepEqual(json, set.cutter.received());
    assert.deepEqual((await send('GET', '/state')).json, set.cutter.state());
  });
});

class Process {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  stderr = '';

  constructor(t: TestContext, args: readonly string[]) {
    this.child = spawn(process.execPath, ['--import', 'tsx', 'firmware-sim/main.ts', ...args]);
    this.child.stderr.on('data', (bytes: Buffer) => { this.stderr += bytes.toString(); });
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    t.after(() => this.child.kill('SIGKILL'));
  }

  async line(): Promise<string> {
    const next = await this.#lines.next();
    return next.done === true ? '' : next.value;
  }

  async command(text: string): Promise<string> {
    this.child.stdin.write(`${text}\n`);
    return this.line();
  }

  exit(): Promise<number | null> {
    return new Promise((resolve) => {
      if (this.child.exitCode === null) this.child.once('close', resolve);
      else resolve(this.child.exitCode);
    });
  }
}

describe('npm run sim', () => {
  it('says where it listens, takes commands on stdin, and removes its link at the end', within, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kerf-sim-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'cutter0');
    const sim = new Process(t, ['--model', 'FC9000-140', '--tcp', '0', '--pty', path, '--control', '0', '--time-scale', '20']);
    const port = Number(/^tcp 127\.0\.0\.1:(\d+)$/.exec(await sim.line())?.[1]);
    assert.match(await sim.line(), /^pty .*cutter0 -> \/dev\/pts\/\d+$/);
    assert.match(await sim.line(), /^control http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await sim.line(), 'ready');
    assert.equal(await ask(port, '\x1b.C31;9:'), 'FC9000-140, V1.39');
    assert.equal(await sim.command('scan F00000001 fx=60 feed=160'), 'ok 1 Scanning barcode');
    assert.match(await sim.command('select 2'), /^error WRONG_STATE /);
    assert.match(await sim.command('fault reject_d3 -7 always'), /^ok .*"mode":"always"/);
    assert.match(await sim.command('fault what'), /^error UNKNOWN_FAULT /);
    assert.match(await sim.command('state'), /^\{.*"state":1.*"code":"F00000001".*\}$/);
    assert.equal(await sim.command('clear-faults'), 'ok no faults');
    assert.match(await sim.command('dance'), /^error UNKNOWN_COMMAND /);
    assert.equal(await sim.command('cancel'), 'ok 0 Stopped');
    assert.equal(existsSync(folder), true);
    assert.equal(await sim.command('quit'), 'ok quit');
    assert.equal(await sim.exit(), 0);
    assert.equal(existsSync(path), false);
  });

  it('ends by SIGTERM with code 0, its stdin closed long before', within, async (t) => {
    const sim = new Process(t, ['--tcp', '0']);
    sim.child.stdin.end();
    await sim.line();
    assert.equal(await sim.line(), 'ready');
    sim.child.kill('SIGTERM');
    assert.equal(await sim.exit(), 0);
  });

  for (const [args, message] of [
    [['--model', 'XY-1', '--tcp', '0'], /no model is called XY-1; there are .*FC9000-140/],
    [['--tcp', '70000'], /--tcp 70000: expected a port/],
    [['--tcp', '0', '--time-scale', '0'], /--time-scale 0/],
    [['--tcp', '0', '--dance'], /dance/],
    [[], /unreachable/],
  ] as const) {
    it(`exits with 2 and says why: ${args.join(' ')}`, within, async (t) => {
      const sim = new Process(t, args);
      assert.equal(await sim.exit(), 2);
      assert.match(sim.stderr, message);
    });
  }
});
