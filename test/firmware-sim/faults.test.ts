import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultNames } from '../../firmware-sim/index.ts';
import { bench, Client, nextEvent, received, squareJob, stream, untilStream } from './helpers.ts';

const within = { timeout: 10_000 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a fault', () => {
  it('go_awol: stays connected, carries nothing out, answers nothing, until it is cleared', within, async (t) => {
    const { cutter, port } = await bench(t);
    cutter.panel.fault('go_awol');
    const client = await Client.open(port);
    client.send('\x1b.d1:');
    while (!cutter.log().some((entry) => entry.text.startsWith('not heard'))) await turn();
    assert.equal(client.received.length, 0);
    cutter.panel.clearFaults();
    client.send('\x1b.d1:');
    assert.equal(await client.reply(), '0');
    client.end();
  });

  it('refuse_connections: connecting fails until it is cleared', within, async (t) => {
    const { cutter, port, ask } = await bench(t);
    cutter.panel.fault('refuse_connections');
    await assert.rejects(Client.open(port), { code: 'ECONNREFUSED' });
    cutter.panel.clearFaults();
    await turn();
    assert.equal(await ask('\x1b.d1:'), '0');
  });

  it('drop_connection: a reset instead of the next reply, once', within, async (t) => {
    const { cutter, port, ask } = await bench(t);
    cutter.panel.fault('drop_connection');
    const client = await Client.open(port);
    client.send('\x1b.d1:');
    assert.equal(await client.closed, 'ECONNRESET');
    assert.equal(await ask('\x1b.d1:'), '0');
  });

  it('drop_connection N: a reset after N bytes of the next stream, then state 7', within, async (t) => {
    const set = await bench(t);
    await untilStream(set);
    set.cutter.panel.fault('drop_connection', '33');
    const client = await Client.open(set.port);
    client.send(squareJob);
    assert.equal(await client.closed, 'ECONNRESET');
    assert.equal(set.cutter.received()[0]?.bytes, 33);
    assert.equal(set.cutter.received()[0]?.ended_by, 'drop_connection');
    set.clock.advance(60_000);
    assert.equal(await set.ask('\x1b.d1:'), '5');
    assert.equal(await set.ask('\x1b.d1:'), '7');
  });

  it('delay_reply: the reply comes so much later, and only then counts as a report', within, async (t) => {
    const { cutter, clock, port } = await bench(t);
    cutter.panel.fault('delay_reply', '700');
    const client = await Client.open(port);
    client.send('\x1b.d1:');
    while (!cutter.log().some((entry) => entry.direction === 'in')) await turn();
    clock.advance(699);
    assert.equal(cutter.log().some((entry) => entry.direction === 'out'), false);
    clock.advance(1);
    assert.equal(await client.reply(), '0');
    client.end();
  });

  it('truncate_reply, noise, unsolicited, stale_reply: spoil one reply each', within, async (t) => {
    const { cutter, port } = await bench(t);
    const client = await Client.open(port);
    const raw = async (fault: string, value: string | undefined, expected: string): Promise<void> => {
      cutter.panel.fault(fault, value);
      client.send('\x1b.d1:');
      const bytes = await client.until((all) => all.length >= expected.length);
      assert.equal(bytes.toString('latin1'), expected, fault);
      client.received = Buffer.alloc(0);
    };
    await raw('truncate_reply', undefined, '0');
    await raw('noise', '15ff', '\x15\xff0\x03');
    await raw('unsolicited', undefined, '1,254\r0\x03');
    await raw('stale_reply', undefined, '0\x030\x03');
    client.send('\x1b.d1:');
    assert.equal(await client.reply(), '0');
    client.end();
  });

  it('truncate_reply: a truncated status counts as not reported', within, async (t) => {
    const { cutter, clock, port, ask } = await bench(t);
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    cutter.panel.fault('truncate_reply');
    const client = await Client.open(port);
    client.send('\x1b.d1:');
    await client.until((all) => all.length === 1);
    client.end();
    await client.closed;
    assert.equal(await ask('\x1b.d1:'), '1');
  });

  it('pad_replies, crlf_replies, negative_status: last until they are cleared', within, async (t) => {
    const { cutter, ask } = await bench(t);
    cutter.panel.fault('pad_replies');
    assert.equal(await ask('\x1b.d1:'), '    0');
    cutter.panel.fault('crlf_replies');
    assert.equal(await ask('\x1b.d1:'), '    0\r\n');
    cutter.panel.clearFaults();
    cutter.panel.fault('negative_status', '-4');
    assert.equal(await ask('\x1b.d1:'), '-4');
    assert.equal(await ask('\x1b.d1:'), '-4');
    cutter.panel.clearFaults();
    cutter.panel.fault('pad_replies', undefined, 'once');
    assert.equal(await ask('\x1b.d1:'), '    0');
    assert.equal(await ask('\x1b.d1:'), '0');
  });

  for (const name of ['stall', 'drop_cts']) {
    it(`${name}: nothing is read, and nothing is lost, until it is cleared`, within, async (t) => {
      const set = await bench(t);
      await untilStream(set);
      const job = Buffer.from(`M0,0\x03${'D100,100\x03'.repeat(200_000)}TB0\x03`);
      const client = await Client.open(set.port);
      const begun = nextEvent(set.cutter, (event) => event.kind === 'state' && event.to === 5);
      client.send(job.subarray(0, 10));
      await begun;
      set.cutter.panel.fault(name);
      client.send(job.subarray(10));
      client.end();
      for (let count = 0; count < 50; count++) await turn();
      assert.equal(set.cutter.received()[0]?.bytes, 10);
      const whole = received(set.cutter);
      set.cutter.panel.clearFaults();
      await whole;
      const bytes = set.cutter.receivedBytes(0);
      assert.ok(bytes.ok && bytes.value.equals(job));
    });
  }

  it('buffer_full: the stream stands still after so many bytes until it is cleared', within, async (t) => {
    const set = await bench(t);
    await untilStream(set);
    set.cutter.panel.fault('buffer_full', '100000');
    const job = Buffer.from(`M0,0\x03${'D100,100\x03'.repeat(500_000)}TB0\x03`);
    const client = await Client.open(set.port);
    client.send(job);
    client.end();
    while ((set.cutter.received()[0]?.bytes ?? 0) < 100_000) await turn();
    for (let count = 0; count < 50; count++) await turn();
    assert.ok((set.cutter.received()[0]?.bytes ?? Infinity) < 100_000 + 65_537);
    const whole = received(set.cutter);
    set.cutter.panel.clearFaults();
    await whole;
    assert.equal(set.cutter.received()[0]?.bytes, job.length);
  });

  it('slow_read: so many bytes a second', within, async (t) => {
    const set = await bench(t);
    await untilStream(set);
    set.cutter.panel.fault('slow_read', '50');
    const client = await Client.open(set.port);
    client.send(squareJob);
    client.end();
    const begun = set.clock.now();
    while (set.cutter.state().jobs_received === 0) {
      set.clock.advance(20);
      await turn();
    }
    assert.ok(set.clock.now() - begun >= (squareJob.length * 1000) / 50);
    assert.deepEqual(set.cutter.receivedBytes(0), { ok: true, value: Buffer.from(squareJob) });
  });

  it('illegal_jump: the state changes at once', within, async (t) => {
    const { cutter, ask } = await bench(t);
    cutter.panel.fault('illegal_jump', '4');
    assert.equal(await ask('\x1b.d1:'), '4');
    assert.deepEqual(cutter.state().faults, []);
    assert.equal(cutter.panel.fault('illegal_jump', '8').ok, false);
  });

  it('second_server: d4 is empty, our vector is not wanted, and the other job is cut', within, async (t) => {
    const { cutter, clock, ask } = await bench(t);
    cutter.panel.fault('second_server');
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    await ask('\x1b.d3\x02A\x03');
    assert.equal(await ask('\x1b.d1:'), '4');
    assert.equal(await ask('\x1b.d4:'), '');
    assert.equal(await ask('\x1b.d5;0;60;400;0;0:'), '-3');
    clock.advance(20_000);
    assert.equal(await ask('\x1b.d1:'), '5');
    clock.advance(20_000);
    assert.equal(await ask('\x1b.d1:'), '0');
    assert.equal(cutter.received().length, 0);
  });

  it('reject_d3, reject_d5, reject_d6: refuse once, without effect', within, async (t) => {
    const { cutter, clock, ask } = await bench(t);
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    for (const [fault, command] of [['reject_d3', 'd3\x02A\x03'], ['reject_d5', 'd5;0;60;400;0;0:'], ['reject_d6', 'd6;0:']] as const) {
      cutter.panel.fault(fault, '-7');
      assert.equal(await ask(`\x1b.${command}`), '-7');
      assert.equal(await ask(`\x1b.${command}`), '0');
    }
  });

  it('mark_scan_error: the next mark scan ends in E04024', within, async (t) => {
    const set = await bench(t);
    set.cutter.panel.fault('mark_scan_error');
    await untilStream(set);
    await stream(set.port, squareJob);
    set.clock.advance(60_000);
    assert.equal(await set.ask('\x1b.d1:'), '5');
    assert.equal(await set.ask('\x1b.d1:'), '7');
    assert.equal(set.cutter.state().error_code, 'E04024');
    assert.equal(await set.ask('\x1b.C11:'), '    6');
  });

  it('is refused when nobody knows it or its value is wrong', within, async (t) => {
    const { cutter } = await bench(t);
    for (const [name, value] of [['gone', ''], ['delay_reply', 'soon'], ['go_awol', '1'], ['noise', 'xyz'], ['toString', '']] as const) {
      assert.equal(cutter.panel.fault(name, value).ok, false, name);
    }
    for (const name of faultNames()) assert.equal(cutter.panel.fault(name).ok, true, name);
  });
});
