import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readNumber } from '../../src/pdf/characters.ts';
import { ContentLexer, NUMBER } from '../../src/pdf/content-lexer.ts';

const lexer = (text: string): ContentLexer => new ContentLexer(Buffer.from(text, 'latin1'));
const S = 'S'.charCodeAt(0);

describe('numbers in content', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '1', '7', '9', '.', '-', '+', 'e', 'x'), minLength: 1, maxLength: 24 });
  const spelled = fc.tuple(fc.constantFrom('', '-', '+', '.', '-.'), fc.nat(), fc.constantFrom('', '.'), fc.oneof(fc.constant(''), fc.nat().map(String))).map((parts) => parts.join(''));

  it('are worth the same whether they are read in passing or by themselves, however they are spelled', () => {
    fc.assert(fc.property(fc.oneof(digits, spelled), fc.constantFrom(' ', '\n', '%x\n', ''), (token, after) => {
      const read = lexer(`${token}${after} S`);
      const bytes = Buffer.from(token, 'latin1');
      if (read.next() !== S || !/^[-+.0-9]/.test(token)) return;
      assert.deepEqual([read.operandCount, read.kind(0), read.number(0), read.object(0)], [1, NUMBER, readNumber(bytes, 0, bytes.length), readNumber(bytes, 0, bytes.length)]);
    }), { numRuns: 2000, seed: 32000 });
  });

  it('end where the content ends', () => {
    for (const [text, count] of [['1 2', 2], ['1 -', 2], ['1 .', 2], ['7.', 1], ['', 0]] as const) {
      const read = lexer(text);
      assert.equal(read.next(), -1);
      assert.equal(read.operandCount, count);
      assert.equal(read.pos, text.length);
    }
  });

  it('stand beside delimiters without white space', () => {
    const read = lexer('[1]2(a)-3.5/N.25<00>S');
    assert.equal(read.next(), S);
    assert.deepEqual(Array.from({ length: 6 }, (_, index) => (read.kind(index) === NUMBER ? read.number(index) : read.name(index) ?? '')), ['', 2, '', -3.5, 'N.25', '']);
  });
});
