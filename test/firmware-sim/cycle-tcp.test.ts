import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { bench, Client, nextEvent, received, squareJob, stream, untilStream } from './helpers.ts';

describe('the cycle over TCP', () => {
  it('goes through the worked example of section 4.4, a fresh connection for each command', async (t) => {
    const { cutter, clock, port, ask, events } = await bench(t);
    assert.equal(await ask('\x1b.d1:'), '0');
    assert.deepEqual(cutter.panel.scan('A0200ROLL'), { ok: true, value: '1 Scanning barcode' });
    clock.advance(10_000);
    assert.equal(await ask('\x1b.d1:'), '1');
    assert.equal(await ask('\x1b.d1:'), '2');
    assert.equal(await ask('\x1b.d2:'), 'A0200ROLL');
    assert.equal(await ask('\x1b.d3\x02Flyer A\x1eFlyer B\x03'), '0');
    assert.equal(await ask('\x1b.d2:'), '', 'd2 is empty once state 2 was left');
    assert.equal(await ask('\x1b.d1:'), '3');
    cutter.panel.select(1);
    assert.equal(await ask('\x1b.d1:'), '4');
    assert.equal(await ask('\x1b.d4:'), '1');
    assert.equal(await ask('\x1b.d5;0;60;400;0;0:'), '0');
    assert.equal(await ask('\x1b.d6;0:'), '0');
    await stream(port, squareJob);
    clock.advance(60_000);
    assert.equal(await ask('\x1b.d1:'), '5');
    assert.equal(await ask('\x1b.d1:'), '0');
    const [job, ...more] = cutter.received();
    assert.equal(more.length, 0);
    assert.equal(job?.complete, true);
    assert.equal(job.ended_by, 'half-close');
    assert.equal(job.result, 'cut');
    assert.equal(job.name, 'Flyer B');
    assert.equal(job.link_info, 'A0200ROLL');
    assert.deepEqual(job.vector, { fx: 60, fy: 400, rx: 0, ry: 0 });
    assert.deepEqual(job.bounds, { min_x_mm: 30, min_y_mm: 15, max_x_mm: 70, max_y_mm: 55 });
    assert.deepEqual(events.flatMap((event) => (event.kind === 'state' ? [event.to] : [])), [1, 2, 3, 4, 5, 0]);
  });

  it('skips the selection when exactly one job is offered', async (t) => {
    const set = await bench(t);
    await untilStream(set);
    assert.equal(set.cutter.state().state, 4);
    assert.equal(set.cutter.state().selected, 0);
  });

  it('takes eight names and answers the index in the list as on the wire', async (t) => {
    const { cutter, clock, ask } = await bench(t);
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    const names = Array.from({ length: 8 }, (_, index) => `${index} ${'x'.repeat(23)}`);
    assert.equal(await ask(`\x1b.d3\x02${names.join('\x1e')}\x03`), '0');
    assert.deepEqual(cutter.state().offered, names);
    assert.equal(cutter.panel.select(8).ok, false);
    assert.equal(cutter.panel.select(7).ok, true);
    assert.equal(await ask('\x1b.d4:'), '7');
  });

  it('shows "no job" in state 2 after an empty list, until one poll saw it and 10 s passed', async (t) => {
    const { cutter, clock, ask } = await bench(t);
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    assert.equal(await ask('\x1b.d1:'), '2');
    assert.equal(await ask('\x1b.d3\x03'), '0');
    assert.match(cutter.state().label, /no job/);
    clock.advance(10_000);
    assert.equal(await ask('\x1b.d1:'), '2', 'seen once more after the list, although its time is over');
    assert.equal(await ask('\x1b.d1:'), '0');
  });

  it('goes back to 0 by ESC after an empty list', async (t) => {
    const { cutter, clock, ask } = await bench(t);
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    await ask('\x1b.d3\x03');
    cutter.panel.cancel();
    assert.equal(await ask('\x1b.d1:'), '0');
  });

  it('answers -1 in the wrong state and -2 to wrong parameters', async (t) => {
    const set = await bench(t);
    const { cutter, clock, ask } = set;
    for (const command of ['\x1b.d3\x02A\x03', '\x1b.d4:', '\x1b.d5;0;60;400;0;0:', '\x1b.d6;0:']) assert.equal(await ask(command), '-1', command);
    assert.equal(await ask('\x1b.d2:'), '');
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    const nine = Array.from({ length: 9 }, () => 'A').join('\x1e');
    for (const list of [`\x02${nine}`, `\x02${'x'.repeat(26)}`, '\x02', '\x02A\x1e', '\x02\xe4', 'A', '\x02A\x0a']) {
      assert.equal(await ask(`\x1b.d3${list}\x03`), '-2', JSON.stringify(list));
    }
    assert.equal(await ask('\x1b.d3\x02A\x03'), '0');
    assert.equal(await ask('\x1b.d3\x02A\x03'), '-1', 'one list a cycle');
    for (const command of ['d5:', 'd5;0;60;400;0:', 'd5;0;60;400;0;0;0:', 'd5;0;6.5;400;0;0:', 'd5;1;60;400;0;0:', 'd6:', 'd6;2:', 'd9:', 'd:']) {
      assert.equal(await ask(`\x1b.${command}`), '-2', command);
    }
    assert.equal(await ask('\x1b.d5;0;-60;400;0;0:'), '0');
    assert.equal(await ask('\x1b.d5;0;60;400;0;0:'), '-1', 'the vector once per job');
    assert.equal(await ask('\x1b.d6;1:'), '0');
    assert.equal(await ask('\x1b.d6;0:'), '-1', 'the type once per job');
  });

  it('answers the queries, numbers padded to 5', async (t) => {
    const { ask } = await bench(t, { stepMm: 0.025, commandSetting: 2 });
    assert.equal(await ask('\x1b.C31;9:'), 'FC9000-140, V1.39');
    assert.equal(await ask('\x1b.C31;9;1:'), 'FC9000-140, V1.39');
    assert.equal(await ask('\x1b.C31;16:'), '    3');
    assert.equal(await ask('\x1b.C31;24:'), '    2');
    assert.equal(await ask('\x1b.v:\x1b.C1:'), '    0');
    assert.equal(await ask('\x1b.C11:'), '    0');
  });

  it('gives no reply to an unknown query, and to the next one a reply', async (t) => {
    const { ask } = await bench(t);
    assert.equal(await ask('\x1b.C99:\x1b.d1:'), '0');
    const lenient = await bench(t, { unknownQueries: 'empty' });
    assert.equal(await lenient.ask('\x1b.C99:'), '');
  });

  it('reads commands byte by byte and several in one packet, on one connection', async (t) => {
    const { cutter, clock, port } = await bench(t);
    const client = await Client.open(port);
    for (const byte of '\x1b.d1:') {
      client.send(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await client.reply(), '0');
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000);
    client.send('\x1b.d1:\x1b.d1:\x1b.d2:\x1b.d3\x02A\x03\x1b.d1:\x1b.d4:\x1b.d5;0;60;400;0;0:\x1b.d6;0:');
    for (const expected of ['1', '2', 'A0200ROLL', '0', '4', '0', '0', '0']) assert.equal(await client.reply(), expected);
    client.send(squareJob);
    client.end();
    assert.equal(await client.closed, 'closed');
    assert.deepEqual(cutter.receivedBytes(0), { ok: true, value: Buffer.from(squareJob) });
  });

  it('refuses a second connection while one is open, and keeps serving the first', async (t) => {
    const { port } = await bench(t);
    const first = await Client.open(port);
    first.send('\x1b.d1:');
    assert.equal(await first.reply(), '0');
    const second = await Client.open(port);
    second.send('\x1b.d1:');
    await assert.rejects(second.reply());
    assert.match(await second.closed, /ECONNRESET|EPIPE/);
    first.send('\x1b.d1:');
    assert.equal(await first.reply(), '0');
    first.end();
    await first.closed;
    const third = await Client.open(port);
    third.send('\x1b.d1:');
    assert.equal(await third.reply(), '0');
    third.end();
  });

  it('takes two hundred connections one right after the other without refusing one', async (t) => {
    const { port } = await bench(t);
    for (let count = 0; count < 200; count++) {
      const client = await Client.open(port);
      client.send('\x1b.d1:');
      assert.equal(await client.reply(), '0');
      client.end(); // and not waited for
    }
  });

  it('takes the next connection when the one before was reset', async (t) => {
    const { port } = await bench(t);
    for (let count = 0; count < 100; count++) {
      const client = await Client.open(port);
      client.send('\x1b.d1:');
      assert.equal(await client.reply(), '0');
      client.socket.resetAndDestroy();
    }
  });

  it('answers a server that half-closes before the reply', async (t) => {
    const { port } = await bench(t);
    const client = await Client.open(port);
    client.send('\x1b.d1:');
    client.end();
    assert.equal(await client.reply(), '0');
    assert.equal(await client.closed, 'closed');
  });

  it('keeps a job of 10 MB byte-exact, with everything in it that looks like a command', async (t) => {
    const set = await bench(t);
    await untilStream(set);
    const trap = Buffer.from('TB0\x03\x1b.d1:\x1b.d3\x02A\x03', 'latin1');
    const job = Buffer.concat([Buffer.from('M0,0\x03'), trap, randomBytes(10_000_000), trap]);
    const whole = received(set.cutter);
    await stream(set.port, job);
    await whole;
    const [record] = set.cutter.received();
    assert.equal(record?.bytes, job.length);
    assert.equal(record.crc32, crc32(job).toString(16).padStart(8, '0'));
    assert.equal(record.sha256, createHash('sha256').update(job).digest('hex'));
    const bytes = set.cutter.receivedBytes(0);
    assert.ok(bytes.ok && bytes.value.equals(job));
  });

  it('ends in state 7 when the data has not begun within 30 s, whatever the time scale', async (t) => {
    const set = await bench(t, { timeScale: 1_000_000 });
    await untilStream(set);
    assert.equal(await set.ask('\x1b.d1:'), '4');
    set.clock.advance(29_999);
    assert.equal(await set.ask('\x1b.d1:'), '4');
    set.clock.advance(1);
    assert.equal(await set.ask('\x1b.d1:'), '7');
    assert.equal(set.cutter.state().error_code, 'NO_DATA');
    assert.equal(await set.ask('\x1b.d4:'), '-1');
    assert.equal(set.cutter.panel.acknowledge().ok, true);
    assert.equal(await set.ask('\x1b.d1:'), '0');
  });

  it('ends in state 7 when the connection is reset in the middle of the data', async (t) => {
    const set = await bench(t);
    await untilStream(set);
    const client = await Client.open(set.port);
    const begun = nextEvent(set.cutter, (event) => event.kind === 'state' && event.to === 5);
    client.send(squareJob.slice(0, 40));
    await begun;
    const whole = received(set.cutter);
    client.socket.resetAndDestroy();
    await whole;
    assert.equal(set.cutter.received()[0]?.ended_by, 'reset');
    assert.equal(set.cutter.received()[0]?.complete, false);
    set.clock.advance(60_000);
    assert.equal(await set.ask('\x1b.d1:'), '5');
    assert.equal(await set.ask('\x1b.d1:'), '7');
    assert.equal(set.cutter.state().error_code, 'LINK_LOST');
  });

  it('ignores bytes that come when no job is due', async (t) => {
    const set = await bench(t);
    const client = await Client.open(set.port);
    client.send(`${squareJob}\x1b.d1:`);
    assert.equal(await client.reply(), '0');
    client.end();
    assert.equal(set.cutter.received().length, 0);
  });
});

describe('states', () => {
  for (const timeScale of [1, 20, 1_000_000]) {
    it(`are each reported once before they change by themselves, at time scale ${timeScale}`, async (t) => {
      const set = await bench(t, { timeScale });
      set.cutter.panel.scan('A0200ROLL');
      const seen: string[] = [];
      for (let poll = 0; poll < 4; poll++) {
        set.clock.advance(50_000);
        seen.push(await set.ask('\x1b.d1:'));
      }
      assert.deepEqual(seen, ['1', '2', '2', '2']);
    });
  }

  it('are left without any server after the fallback, so that the panel works alone', async (t) => {
    const { cutter, clock } = await bench(t);
    cutter.panel.scan('A0200ROLL');
    clock.advance(3_000 + 59_999);
    assert.equal(cutter.state().state, 1);
    clock.advance(1);
    assert.equal(cutter.state().state, 2);
  });

  it('go to 7 when a cut is cancelled, so that nobody takes it for finished', async (t) => {
    const set = await bench(t);
    await untilStream(set);
    await stream(set.port, squareJob);
    assert.equal(await set.ask('\x1b.d1:'), '5');
    assert.equal(await set.ask('\x1b.C1:'), '    8');
    assert.equal(await set.ask('\x1b.C11:'), '    1');
    set.cutter.panel.cancel();
    assert.equal(await set.ask('\x1b.d1:'), '7');
    assert.equal(set.cutter.received()[0]?.result, 'cancelled');
    set.cutter.panel.acknowledge();
    assert.equal(await set.ask('\x1b.d1:'), '0');
  });

  it('return from the operator to a rescan, and from a failed mark scan to the cut', async (t) => {
    const set = await bench(t);
    set.cutter.panel.scan('A0200ROLL');
    set.cutter.panel.operate();
    assert.equal(await set.ask('\x1b.d1:'), '6');
    set.cutter.panel.operate();
    assert.equal(await set.ask('\x1b.d1:'), '1');
    set.cutter.panel.cancel();
    set.cutter.panel.fault('mark_scan_retry');
    await untilStream(set);
    await stream(set.port, squareJob);
    set.clock.advance(30_000);
    assert.equal(await set.ask('\x1b.d1:'), '5');
    assert.equal(await set.ask('\x1b.d1:'), '6');
    set.cutter.panel.operate();
    assert.equal(await set.ask('\x1b.d1:'), '5');
    set.clock.advance(60_000);
    assert.equal(await set.ask('\x1b.d1:'), '0');
    assert.equal(set.cutter.received()[0]?.result, 'cut');
  });
});

describe('a job that does not fit', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['unterminated draw', squareJob.replace(',300,150\x03M0', ',300,150M0'), 'E01004'],
    ['unknown command', squareJob.replace('J1', 'q1'), 'E01001'],
    ['odd number of coordinates', squareJob.replace('D700,', 'D'), 'E01002'],
    ['cut in the middle of a command', squareJob.slice(0, -30), 'E01004'],
    ['wider than the machine', squareJob.replace('550,300', '15500,300'), 'E04017'],
  ];
  for (const [name, job, code] of cases) {
    it(`ends in state 7 with ${code}: ${name}`, async (t) => {
      const set = await bench(t);
      await untilStream(set);
      await stream(set.port, job);
      set.clock.advance(60_000);
      assert.equal(await set.ask('\x1b.d1:'), '5');
      assert.equal(await set.ask('\x1b.d1:'), '7');
      assert.equal(set.cutter.state().error_code, code);
      assert.equal(set.cutter.received()[0]?.result, 'error');
      set.cutter.panel.acknowledge();
      assert.equal(await set.ask('\x1b.d1:'), '0');
    });
  }

  it('ends in state 7 when the sheet in the cutter is another one', async (t) => {
    for (const [sheet, code] of [[{ fx: 160 }, 'START_MARK'], [{ marksFeedMm: 200 }, 'E04024'], [{ fx: 61, marksFeedMm: 161 }, null]] as const) {
      const set = await bench(t);
      set.cutter.panel.scan('A0200ROLL', sheet);
      set.clock.advance(3_000);
      await set.ask('\x1b.d1:');
      for (const command of ['\x1b.d3\x02A\x03', '\x1b.d5;0;60;400;0;0:', '\x1b.d6;0:']) assert.equal(await set.ask(command), '0');
      await stream(set.port, squareJob);
      set.clock.advance(60_000);
      await set.ask('\x1b.d1:');
      assert.equal(set.cutter.state().error_code, code);
    }
  });

  it('refuses a barcode in the Standard format with E05021', async (t) => {
    const { cutter, clock, ask } = await bench(t);
    cutter.panel.scan('*A0100ABCDE*');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    assert.equal(await ask('\x1b.d1:'), '7');
    assert.equal(cutter.state().error_code, 'E05021');
    cutter.panel.acknowledge();
    cutter.panel.scan('*A0200ROLLFY*');
    clock.advance(3_000);
    await ask('\x1b.d1:');
    assert.equal(await ask('\x1b.d2:'), 'A0200ROLL');
  });
});
