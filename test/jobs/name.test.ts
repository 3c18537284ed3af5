import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJobName, jobNameFromFile } from '../../src/jobs/index.ts';

describe('the name a file gives its job', () => {
  it('is its stem, in letters that the cutter can show', () => {
    const expected: Record<string, string | null> = {
      'etiketten.pdf': 'etiketten',
      'Größe – Übermaß.pdf': 'Grosse - Ubermass',
      'Gro\u0308sse.pdf': 'Grosse',
      'Łódź Ørsted Æther.PDF': 'Lodz Orsted AEther',
      'C:\\prints\\left side.pdf': 'left side',
      '/srv/prints/right.side.pdf': 'right.side',
      'ラベル A.pdf': 'A',
      'ラベル.pdf': null,
      '.pdf': null,
      '': null,
      'tab\tand\nline.pdf': 'tabandline',
      'a name that is far longer than any display.pdf': 'a name that is far longer',
      'exactly twenty-four chars and more.pdf': 'exactly twenty-four chars',
    };
    for (const [file, name] of Object.entries(expected)) assert.equal(jobNameFromFile(file), name, file);
  });

  it('is a job name or nothing, whatever the file is called', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (file) => {
      const name = jobNameFromFile(file);
      assert.ok(name === null || isJobName(name), JSON.stringify(name));
    }), { numRuns: 500 });
  });
});

describe('a job name', () => {
  it('is 1 to 25 printable ASCII characters, not all of them spaces', () => {
    for (const name of ['A', '~ !"#', 'x'.repeat(25), ' A ']) assert.ok(isJobName(name), name);
    for (const name of ['', ' ', 'x'.repeat(26), 'Größe', 'a\tb', 'a\u007f', 'a\n']) assert.ok(!isJobName(name), JSON.stringify(name));
  });
});
