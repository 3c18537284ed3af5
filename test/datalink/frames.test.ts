import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as link from '../../src/datalink/index.ts';
import { findQueue } from '../../src/datalink/kernel-queue.ts';
import { createReplyCollector } from '../../src/datalink/reply-collector.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase().replace(/..(?!$)/g, '$& ');
const bytesOf = (result: { ok: true; bytes: Buffer } | { ok: false; failure: { code: string } }): Buffer => {
  assert.ok(result.ok);
  return result.bytes;
};

describe('the frames of the Data Link', () => {
  it('are the bytes of the test vectors', () => {
    assert.equal(hex(link.encodeStatusQuery()), '1B 2E 64 31 3A');
    assert.equal(hex(bytesOf(link.encodeJobList(['A', 'B']))), '1B 2E 64 33 02 41 1E 42 03');
    assert.equal(hex(bytesOf(link.encodeJobList([]))), '1B 2E 64 33 03');
    assert.equal(bytesOf(link.encodeVector({ fx: 60, fy: 400, rx: 0, ry: 0 })).toString('latin1'), '\x1b.d5;0;60;400;0;0:');
    assert.equal(bytesOf(link.encodeVector({ fx: -0, fy: -12, rx: 0, ry: 0 })).toString('latin1'), '\x1b.d5;0;0;-12;0;0:');
    assert.equal(link.encodeLinkInfoQuery().toString('latin1'), '\x1b.d2:');
    assert.equal(link.encodeSelectionQuery().toString('latin1'), '\x1b.d4:');
    assert.equal(link.encodeCommandType(1).toString('latin1'), '\x1b.d6;1:');
    assert.equal(link.encodeModelQuery().toString('latin1'), '\x1b.C31;9:');
    assert.equal(link.encodeStepSizeQuery().toString('latin1'), '\x1b.C31;16:');
    assert.equal(link.encodeCommandSettingQuery().toString('latin1'), '\x1b.C31;24:');
  });

  it('refuse a job name that is empty, too long or not printable ASCII, and a ninth job', () => {
    for (const name of ['', 'x'.repeat(26), 'a\x1eb', 'a\x03', 'ü', 'a\n']) {
      const result = link.encodeJobList(['good', name]);
      assert.ok(!result.ok);
      assert.equal(result.failure.code, 'INVALID_JOB_NAME');
      assert.match(result.failure.detail, /job 2/);
    }
    const nine = link.encodeJobList(Array.from({ length: 9 }, (_, n) => `job ${n}`));
    assert.equal(nine.ok ? '' : nine.failure.code, 'TOO_MANY_JOBS');
    assert.ok(link.encodeJobList(Array.from({ length: 8 }, () => '~'.repeat(25))).ok);
  });

  it('refuse a registration vector that is not whole tenths of a millimetre', () => {
    for (const fx of [0.5, NaN, Infinity, 1e21]) {
      const result = link.encodeVector({ fx, fy: 0, rx: 0, ry: 0 });
      assert.equal(result.ok ? '' : result.failure.code, 'INVALID_VECTOR');
    }
  });

  it('find the first byte that a serial line cannot carry', () => {
    for (const byte of [0x1b, 0x02, 0x1e, 0x11, 0x13]) {
      assert.deepEqual(link.findByteUnsafeForSerial(Buffer.from([0x4d, 0x03, 0x0d, byte, 0x1b])), { byte, offset: 3 });
    }
    assert.equal(link.findByteUnsafeForSerial(Buffer.from('TB99\x03M1,1\r\n\x03\xfe', 'latin1')), null);
  });
});

describe('a reply', () => {
  const value = <T>(text: string, parse: link.ReplyParser<T>): T | string => {
    const { parsed } = link.readReply(text, parse);
    return parsed.ok ? parsed.value : 'malformed';
  };

  it('of each kind is understood, padded and with line ends or without', () => {
    for (const pad of [(text: string) => text, (text: string) => text.padStart(5), (text: string) => `\r\n${text} \r\n`, (text: string) => `\0${text}\r`]) {
      assert.equal(value(pad('4'), link.parseStatus), 4);
      assert.equal(value(pad('-3'), link.parseStatus), -3);
      assert.equal(value(pad('0'), link.parseResult), 0);
      assert.equal(value(pad('7'), link.parseSelection), 7);
      assert.equal(value(pad(''), link.parseSelection), null);
      assert.equal(value(pad('A0200ROLL'), link.parseLinkInfo), 'A0200ROLL');
      assert.equal(value(pad(''), link.parseLinkInfo), null);
      assert.equal(value(pad('3'), link.parseStepSize), 0.025);
      assert.equal(value(pad('2'), link.parseCommandSetting), 'AUTO');
      assert.deepEqual(value(pad('FC9000-140, V1.39'), link.parseModel), { model: 'FC9000-140', firmware: '1.39' });
    }
    assert.deepEqual(value('CE6000-60, V2.70', link.parseModel), { model: 'CE6000-60', firmware: '2.70' });
  });

  it('that its command cannot have is malformed, never guessed', () => {
    for (const text of ['', 'x', '4x', '4 4', '1,254', '\xb14', '4.0', '12345678']) assert.equal(value(text, link.parseStatus), 'malformed', text);
    for (const text of ['', '5', '0', '-1']) assert.equal(value(text, link.parseStepSize), 'malformed', text);
    for (const text of ['3', '-1']) assert.equal(value(text, link.parseCommandSetting), 'malformed', text);
    for (const text of ['A0200ROL', 'A0200ROLLX', 'a0200ROLL', 'A0200 ROL']) assert.equal(value(text, link.parseLinkInfo), 'malformed', text);
    for (const text of ['', '0', 'FC9000-140', ', V1', '1,254,']) assert.equal(value(text, link.parseModel), 'malformed', text);
  });

  it('is told from a frame that was pushed unasked before it', () => {
    assert.deepEqual(link.readReply('1,254\r0', link.parseResult), { parsed: { ok: true, value: 0 }, unsolicited: ['1,254'] });
    assert.deepEqual(link.readReply('1,254\r\r\n 7,8\r\n    4', link.parseStatus), { parsed: { ok: true, value: 4 }, unsolicited: ['1,254', '7,8'] });
    assert.deepEqual(link.readReply('1,254\r', link.parseSelection), { parsed: { ok: true, value: null }, unsolicited: ['1,254'] });
    assert.equal(link.readReply('1,254\r', link.parseStatus).parsed.ok, false);
  });

  it('is collected in whatever pieces it comes, and never beyond its bound', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (text, sizes) => {
      const body = text.replaceAll('\x03', '');
      const wire = Buffer.from(`${body}\x03after`, 'latin1');
      const collector = createReplyCollector();
      let offset = 0;
      for (let n = 0; ; n += 1) {
        const size = sizes[n % sizes.length] ?? 1;
        const collected = collector.feed(wire.subarray(offset, offset + size));
        offset += size;
        if (collected.state === 'complete') return collected.text === Buffer.from(body, 'latin1').toString('latin1');
        if (offset > wire.length) return false;
      }
    }));
    const collector = createReplyCollector(16);
    assert.equal(collector.feed(Buffer.alloc(16, 0x20)).state, 'incomplete');
    assert.equal(collector.feed(Buffer.alloc(1 << 20, 0x20)).state, 'flood');
    assert.equal(collector.received().length, 16);
  });
});

it("the kernel's table of connections is read for the bytes that were not acknowledged", () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:A733 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0',
    '   1: 0100007F:E044 0100007F:A733 01 003A4200:00000000 04:00000019 00000000     0        0 2 2 0 20 4 30 10 -1',
    '',
  ].join('\n');
  assert.equal(findQueue(table, 0xe044, 0xa733), 0x3a4200);
  assert.equal(findQueue(table, 0xa733, 0xe044), null);
});
