import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonType, parseJson } from '../../src/http/json.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('JSON', () => {
  it('gives back whatever was written, brackets and quotes in strings included', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      const result = parseJson(bytes(text));
      assert.ok(result.ok, text);
      assert.deepEqual(result.value, JSON.parse(text));
    }));
    const tricky = JSON.stringify({ a: `${'['.repeat(100)}"\\`, b: '\\'.repeat(7), c: '"'.repeat(100), [']]{{'.repeat(50)]: 1 });
    const value: unknown = JSON.parse(tricky);
    assert.deepEqual(parseJson(bytes(tricky)), { ok: true, value });
  });

  it('is refused beyond 64 levels, objects and arrays counted alike', () => {
    const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`;
    assert.ok(parseJson(bytes(nested(64))).ok);
    const refused = parseJson(bytes(nested(66)));
    assert.ok(!refused.ok);
    assert.match(refused.problem.detail, /deeper than 64/);
    assert.ok(!parseJson(bytes('['.repeat(1_000_000))).ok);
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
      const result = parseJson(data);
      assert.ok(result.ok || result.problem.code === 'MALFORMED_JSON');
    }));
    for (const text of ['"', '"\\', '"\\\\', '{"a', '\\"', '[[["']) assert.ok(!parseJson(bytes(text)).ok, text);
  });

  it('may begin with a byte order mark', () => assert.ok(parseJson(bytes('\ufeff{"a":1}')).ok));

  it('is named by its media type', () => {
    for (const type of [undefined, '', 'application/json', 'Application/JSON ; charset="utf-8"', 'application/merge-patch+json']) assert.ok(isJsonType(type), type);
    for (const type of ['text/json', 'application/json5', 'application/json; charset=utf-16', 'json']) assert.ok(!isJsonType(type), type);
  });
});
