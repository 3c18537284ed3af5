import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { Duplex, duplexPair } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openChannel } from '../../src/prepare/channel.ts';

/** What goes over the pipe for these messages. */
function sent(messages: readonly unknown[]): Buffer {
  const chunks: Buffer[] = [];
  const pipe = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const channel = openChannel(pipe, () => assert.fail('nothing was sent back'));
  for (const message of messages) channel.send(message);
  return Buffer.concat(chunks);
}

/** What arrives when the pipe gives the bytes in pieces that end at these places. */
function received(bytes: Uint8Array, ends: readonly number[]): unknown[] {
  const messages: unknown[] = [];
  const pipe = new Duplex({ read: () => undefined, write: () => undefined });
  openChannel(pipe, (message) => messages.push(message));
  let from = 0;
  for (const end of [...new Set(ends)].sort((one, other) => one - other).concat(bytes.length)) {
    pipe.emit('data', bytes.subarray(from, end));
    from = end;
  }
  return messages;
}

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  // The memory around an array is not part of it.
  fc.tuple(fc.uint8Array({ minLength: 4, maxLength: 40 }), fc.nat({ max: 2 })).map(([around, from]) => around.subarray(from, around.length - 1)),
);
const { message } = fc.letrec((tie) => ({
  message: fc.oneof(
    { depthSize: 'small' }, bytes, fc.double(), fc.string({ unit: 'binary' }), fc.constantFrom(undefined, null, true, -0, NaN, Infinity),
    fc.float64Array({ maxLength: 4 }), fc.date(), fc.array(tie('message'), { maxLength: 4 }), fc.dictionary(fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'), tie('message'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('messages over a pipe', () => {
  it('arrive as they were sent, in order, wherever the pipe cuts them', () => {
    fc.assert(fc.property(fc.array(message, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 12 }), (messages, cuts) => {
      const whole = sent(messages);
      assert.deepStrictEqual(received(whole, cuts.map((cut) => cut % (whole.length + 1))), messages);
    }));
  });

  it('arrive when every byte comes alone, and when all come at once', () => {
    const messages = [{ kind: 'prepare', input: { pdf: Uint8Array.of(1, 2, 3), none: new Uint8Array(0), missing: undefined, copies: [[NaN, Infinity], []] } }, new Uint8Array(0), 'last'];
    const whole = sent(messages);
    assert.deepStrictEqual(received(whole, Array.from(whole, (_, index) => index)), messages);
    assert.deepStrictEqual(received(whole, []), messages);
  });

  it('may hold very many arrays', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => Uint8Array.of(index, index >> 8).subarray(0, index % 3));
    assert.deepStrictEqual(received(sent([many]), []), [many]);
  });

  it('come through a pipe that takes its time, large ones too', async () => {
    const [here, there] = duplexPair({ highWaterMark: 1000 });
    const large = new Uint8Array(1_000_000).map((_, index) => index * 7);
    const arrived = new EventEmitter();
    const got: unknown[] = [];
    openChannel(there, (each) => {
      got.push(each);
      if (got.length === 2) arrived.emit('both');
    });
    const both = once(arrived, 'both');
    const channel = openChannel(here, () => undefined);
    channel.send({ large });
    channel.send('after it');
    await both;
    assert.deepStrictEqual(got, [{ large }, 'after it']);
  });

  it('are the receiver\'s own memory', () => {
    const mine = Uint8Array.of(1, 2, 3);
    const whole = sent([mine]);
    const got = received(whole, []);
    whole.fill(9);
    assert.deepStrictEqual(got, [mine]);
  });

  for (const [what, garbage] of [['sizes beyond all memory', Buffer.alloc(8, 0xff)], ['a head that is none', Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3])]] as const) {
    it(`end the pipe with an error where they are none: ${what}`, async () => {
      const pipe = new Duplex({ read: () => undefined, write: () => undefined });
      const got: unknown[] = [];
      openChannel(pipe, (each) => got.push(each));
      const failed = once(pipe, 'error');
      pipe.emit('data', Buffer.concat([sent(['before']), garbage]));
      assert.ok((await failed)[0] instanceof Error);
      assert.deepEqual(got, ['before']);
    });
  }
});
