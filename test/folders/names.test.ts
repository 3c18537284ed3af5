import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fittingName, isPlainFileName, isTemporaryName, linkInfoInName, noteName, numberedName, outputName, processedName, sidecarsOf } from '../../src/folders/names.ts';

describe('file names', () => {
  it('carry a barcode as the last run of exactly nine that does not begin with G', () => {
    const expected: [string, string | null][] = [
      ['flyer_ABC123456.pdf', 'ABC123456'],
      ['ABC123456.PDF', 'ABC123456'],
      ['flyer-A00000001-B00000002-x.pdf', 'B00000002'],
      ['flyer_B00000002_G00000003.pdf', 'B00000002'],
      ['flyer_G00000003.pdf', null],
      ['flyer_ABC1234567.pdf', null],
      ['flyer_ABC12345.pdf', null],
      ['flyerABC123456x.pdf', 'ABC123456'],
      ['flyer_abc123456.pdf', null],
      ['flyer.ABC123456', null],
      ['ÄABC123456Ö.pdf', 'ABC123456'],
    ];
    for (const [name, linkInfo] of expected) assert.equal(linkInfoInName(name), linkInfo, name);
  });

  it('of files that are not finished are recognised', () => {
    for (const name of ['a.pdf.part', 'a.PDF.TMP', 'a.crdownload', '~$a.pdf', '._a.pdf', '.a.pdf', '.kerf']) assert.ok(isTemporaryName(name), name);
    for (const name of ['a.pdf', 'part.pdf', 'a~$.pdf', 'a._b.pdf', 'tmp']) assert.ok(!isTemporaryName(name), name);
  });

  it('of sidecars belong to their stem, the most particular first, however their letters are composed', () => {
    const beside = ['a.json', 'a.meta.json', 'A.job.json', 'a.JOB.json', 'ab.json', 'a.txt', 'Gro\u0308sse.json'];
    assert.deepEqual(sidecarsOf('a.pdf', beside), ['a.JOB.json', 'a.meta.json', 'a.json']);
    assert.deepEqual(sidecarsOf('Gr\u00f6sse.pdf', beside), ['Gro\u0308sse.json']);
    assert.deepEqual(sidecarsOf('a.JOB.pdf', beside), ['a.JOB.json']);
    assert.deepEqual(sidecarsOf('b.pdf', beside), []);
  });

  it('given by Kerf say what they must and fit every file system', () => {
    assert.equal(outputName('Größe.PDF', 'F00000001'), 'Größe_F00000001.pdf');
    assert.equal(processedName('flyer.PDF', Date.UTC(2026, 0, 31, 14, 25, 1, 123)), 'flyer_20260131T142501.123Z.PDF');
    assert.equal(noteName('flyer.pdf'), 'flyer.pdf.error.txt');
    assert.deepEqual([1, 2, 3].map((count) => numberedName('flyer.pdf', count)), ['flyer.pdf', 'flyer-2.pdf', 'flyer-3.pdf']);
    fc.assert(fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (stem) => {
      const name = fittingName(stem, '_F00000001.pdf');
      assert.ok(Buffer.byteLength(name) <= 255 && name.endsWith('_F00000001.pdf'));
      assert.equal(Buffer.from(name).toString(), name);
      assert.ok(stem.startsWith(name.slice(0, -'_F00000001.pdf'.length)));
    }));
  });

  it('that lead elsewhere are no names of files', () => {
    for (const name of ['', '.', '..', '../a.pdf', 'a/b.pdf', '/a.pdf', 'a\0.pdf', 'a\n.pdf', 'x'.repeat(256)]) assert.ok(!isPlainFileName(name), JSON.stringify(name));
    for (const name of ['a.pdf', '..a.pdf', 'Größe.pdf', 'a b.pdf']) assert.ok(isPlainFileName(name), name);
  });
});
