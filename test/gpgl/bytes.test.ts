import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../src/gpgl/bytes.ts';

function written(value: number): string {
  const out = new ByteWriter(1);
  out.integer(value);
  return Buffer.from(out.take()).toString('latin1');
}

describe('writing a number of steps', () => {
  it('writes every integer as people do', () => {
    fc.assert(fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -2000, max: 2000 })), (value) => written(value) === String(value)), { seed: 7 });
    for (let digits = 1; digits <= 15; digits++) {
      for (const value of [10 ** digits - 1, 10 ** digits, -(10 ** digits)]) assert.equal(written(value), String(value));
    }
    assert.equal(written(0), '0');
  });

  it('throws on anything else, which is a bug of the caller', () => {
    for (const value of [0.5, NaN, Infinity, 2 ** 53]) assert.throws(() => written(value), RangeError);
  });
});
