import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import type { PdfLimits, PdfRefusalCode } from '../../src/pdf/index.ts';
import { openPdf, readPage } from '../../src/pdf/index.ts';
import { PT, PdfBuilder, onePage } from './builder.ts';
import { CUT_CONTOUR, LETTER_F, assertPoints, codesOf, cutPage, polygon, read, refusalOf } from './shapes.ts';

const STROKED_F = `/C CS 1 SCN ${polygon(LETTER_F, PT)} S`;

async function refusedQuickly(bytes: Uint8Array, code: PdfRefusalCode, detail: RegExp, limits: Partial<PdfLimits> = {}): Promise<void> {
  const started = performance.now();
  const opened = await openPdf(bytes, limits);
  const result = opened.ok ? readPage(opened.document, { cutSpotColors: CUT_CONTOUR }) : opened;
  assert.ok(!result.ok, 'a refusal was expected');
  assert.equal(result.failure.code, code, result.failure.detail);
  assert.match(result.failure.detail, detail);
  assert.ok(performance.now() - started < 5000, 'the refusal came quickly');
}

/** A file whose catalogue and page tree are given as objects. */
function raw(objects: (builder: PdfBuilder) => number): Uint8Array {
  const builder = new PdfBuilder();
  return builder.build(objects(builder));
}

describe('what is no readable single page', () => {
  it('is refused by name', async () => {
    assert.equal((await refusalOf(Buffer.from('GIF89a'))).code, 'NOT_A_PDF');
    assert.equal((await refusalOf(new Uint8Array(0))).code, 'NOT_A_PDF');
    assert.equal((await refusalOf(Buffer.from('%PDF-1.7\nnothing here'))).code, 'PDF_UNREADABLE');
    const password = readFileSync(new URL('../fixtures/pdf/encrypted-password.pdf', import.meta.url));
    assert.equal((await refusalOf(password)).code, 'PDF_ENCRYPTED');
  });

  it('two pages are MULTIPLE_PAGES, with their number; a wrong Count does not matter', async () => {
    const pages = (kids: number, count: number) => raw((builder) => {
      const tree = builder.reserve();
      const refs = Array.from({ length: kids }, () => `${builder.put(`<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 99 99] >>`)} 0 R`);
      builder.put(`<< /Type /Pages /Kids [${refs.join(' ')}] /Count ${count} >>`, tree);
      return builder.put(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
    });
    const refusal = await refusalOf(pages(3, 3));
    assert.equal(refusal.code, 'MULTIPLE_PAGES');
    assert.match(refusal.detail, /3 pages/);
    assert.equal((await read(pages(1, 7))).paths.length, 0);
    assert.equal((await refusalOf(pages(2, 1))).code, 'MULTIPLE_PAGES');
    assert.equal((await refusalOf(pages(0, 0))).code, 'PDF_UNREADABLE');
  });

  it('content in a filter that is none for content is unreadable', async () => {
    const builder = new PdfBuilder();
    const contents = builder.stream('xx', '/Filter /DCTDecode');
    assert.equal((await refusalOf(onePage({ content: '', builder, pageEntries: `/Contents ${contents} 0 R` }))).code, 'PDF_UNREADABLE');
  });
});

describe('decompression bombs', () => {
  const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes, 32));

  it('in the content end at the cap for one stream', async () => {
    const builder = new PdfBuilder();
    const bomb = builder.stream(zeros(80 * 2 ** 20), '/Filter /FlateDecode');
    await refusedQuickly(onePage({ content: '', builder, pageEntries: `/Contents ${bomb} 0 R` }), 'PDF_TOO_COMPLEX', /one stream/);
  });

  it('in many streams end at the cap for all', async () => {
    const builder = new PdfBuilder();
    const data = zeros(2 ** 20);
    const refs = Array.from({ length: 20 }, () => `${builder.stream(data, '/Filter /FlateDecode')} 0 R`);
    await refusedQuickly(onePage({ content: '', builder, pageEntries: `/Contents [${refs.join(' ')}]` }), 'PDF_TOO_COMPLEX', /all streams/, { maxDecodedBytes: 10 * 2 ** 20 });
  });

  it('listed as content again and again count each time', async () => {
    const builder = new PdfBuilder();
    const data = builder.stream(zeros(2 ** 20), '/Filter /FlateDecode');
    await refusedQuickly(onePage({ content: '', builder, pageEntries: `/Contents [${`${data} 0 R `.repeat(2000)}]` }), 'PDF_TOO_COMPLEX', /all streams/);
  });

  it('in an object stream end at the cap', async () => {
    const builder = new PdfBuilder();
    const root = builder.put('<< /Type /Catalog /Pages 999 0 R >>', builder.reserve(), true);
    const small = builder.build(root);
    // The container that the builder made, replaced by one that inflates without end.
    const text = Buffer.from(small).toString('latin1');
    const bomb = zeros(80 * 2 ** 20);
    const start = text.indexOf('<< /Type /ObjStm');
    const end = text.indexOf('endobj', start);
    const body = `<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${bomb.length} >>\nstream\n${bomb.toString('latin1')}\nendstream\n`;
    await refusedQuickly(Buffer.from(text.slice(0, start) + body + text.slice(end), 'latin1'), 'PDF_TOO_COMPLEX', /one stream/);
  });

  it('in a cross-reference stream end at the cap', async () => {
    const bomb = zeros(80 * 2 ** 20);
    const head = '%PDF-1.5\n';
    const body = `1 0 obj\n<< /Type /XRef /W [1 4 2] /Size 9 /Root 2 0 R /Filter /FlateDecode /Length ${bomb.length} >>\nstream\n${bomb.toString('latin1')}\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF`;
    await refusedQuickly(Buffer.from(head + body, 'latin1'), 'PDF_TOO_COMPLEX', /one stream/);
  });

  it('in chained filters, LZW and run lengths end at the cap too', async () => {
    const runs = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i % 2 === 0 ? 129 : 32)));
    const builder = new PdfBuilder();
    const bomb = builder.stream(deflateSync(runs), '/Filter [/FlateDecode /RunLengthDecode]');
    await refusedQuickly(onePage({ content: '', builder, pageEntries: `/Contents ${bomb} 0 R` }), 'PDF_TOO_COMPLEX', /one stream/, { maxStreamBytes: 2 ** 20 });
  });
});

describe('endless structures', () => {
  it('a form that paints itself ends at the depth of forms', async () => {
    const builder = new PdfBuilder();
    const form = builder.reserve();
    builder.stream('/F Do /F Do', `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F ${form} 0 R >> >>`, { num: form });
    await refusedQuickly(onePage({ content: '/F Do', builder, resources: `/XObject << /F ${form} 0 R >>` }), 'PDF_TOO_COMPLEX', /nested forms/);
  });

  it('forms that multiply without recursion end at the number of calls', async () => {
    const builder = new PdfBuilder();
    let inner = builder.stream('0 0 1 1 re f', '/Type /XObject /Subtype /Form /BBox [0 0 9 9]');
    for (let level = 0; level < 15; level += 1) inner = builder.stream('/F Do '.repeat(10), `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F ${inner} 0 R >> >>`);
    await refusedQuickly(onePage({ content: '/F Do', builder, resources: `/XObject << /F ${inner} 0 R >>` }), 'PDF_TOO_COMPLEX', /form calls/);
  });

  it('a pattern that is painted with itself, directly or through a form, is refused', async () => {
    const entries = '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9';
    const direct = new PdfBuilder();
    const pattern = direct.reserve();
    direct.stream('/Pattern cs /P scn 0 0 9 9 re f', `${entries} /Resources << /Pattern << /P ${pattern} 0 R >> >>`, { num: pattern });
    const paint = '/Pattern cs /P scn 0 0 9 9 re f';
    await refusedQuickly(onePage({ content: paint, builder: direct, resources: `/Pattern << /P ${pattern} 0 R >>` }), 'PDF_TOO_COMPLEX', /painted with itself/);
    const through = new PdfBuilder();
    const cell = through.reserve();
    const form = through.stream(paint, `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Pattern << /P ${cell} 0 R >> >>`);
    through.stream('/F Do', `${entries} /Resources << /XObject << /F ${form} 0 R >> >>`, { num: cell });
    await refusedQuickly(onePage({ content: paint, builder: through, resources: `/Pattern << /P ${cell} 0 R >>` }), 'PDF_TOO_COMPLEX', /painted with itself/);
  });

  it('a page tree in a circle is unreadable', async () => {
    await refusedQuickly(raw((builder) => {
      const tree = builder.reserve();
      builder.put(`<< /Type /Pages /Kids [${tree} 0 R] /Count 1 >>`, tree);
      return builder.put(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
    }), 'PDF_UNREADABLE', /itself/);
  });

  it('references in a circle, a stream whose length is itself, and cross-references in a circle end', async () => {
    const circle = raw((builder) => {
      const [one, two] = [builder.reserve(), builder.reserve()];
      builder.put(`${two} 0 R`, one);
      builder.put(`${one} 0 R`, two);
      return builder.put(`<< /Type /Catalog /Pages ${one} 0 R >>`);
    });
    await refusedQuickly(circle, 'PDF_UNREADABLE', /./);
    const selfLength = Buffer.from(cutPage(STROKED_F)).toString('latin1').replace(/\/Length \d+ >>\nstream\n\/C/, '/Length 2 0 R >>\nstream\n/C');
    assert.equal((await read(Buffer.from(selfLength, 'latin1'))).paths.length, 1);
    const text = Buffer.from(cutPage(STROKED_F)).toString('latin1');
    const start = /startxref\n(\d+)/.exec(text)?.[1] ?? '';
    assert.equal((await read(Buffer.from(text.replace('/Size', `/Prev ${start} /Size`), 'latin1'))).paths.length, 1);
  });

  it('arrays nested a hundred thousand deep are no reason to fall', async () => {
    const builder = new PdfBuilder();
    builder.put('['.repeat(100_000));
    const bytes = onePage({ content: STROKED_F, builder, pageEntries: '/Annots 1 0 R' });
    assert.equal((await read(bytes)).paths.length, 0);
    await read(onePage({ content: `${'['.repeat(100_000)} 0 0 5 5 re f` }));
  });
});

describe('caps on the content', () => {
  it('answer with their names', async () => {
    await refusedQuickly(onePage({ content: 'q '.repeat(600) }), 'PDF_TOO_COMPLEX', /512 levels of saved graphics state/);
    await refusedQuickly(onePage({ content: 'n '.repeat(20_000) }), 'PDF_TOO_COMPLEX', /content operators/, { maxOperators: 10_000 });
    await refusedQuickly(cutPage(`/C CS 1 SCN 0 0 m ${Array.from({ length: 3000 }, (_, i) => `${i % 90} ${i} l`).join(' ')} S`), 'PDF_TOO_COMPLEX', /points in cut paths/, { maxCutPoints: 1000 });
    await refusedQuickly(onePage({ content: '/Span BMC '.repeat(70_000) }), 'PDF_TOO_COMPLEX', /marked content/);
  });

  it('a curve whose chords are too short for its coordinates ends at the number of points', async () => {
    for (const scale of ['1e40', '1e100']) await refusedQuickly(cutPage(`/C CS 1 SCN 0 -1 ${scale} 0 0 0 cm 1 2 m 1 30 3 4 5 6 c S`), 'PDF_TOO_COMPLEX', /points in cut paths/);
  });

  it('a million inks are read, and the report stays short', async () => {
    const inks = Array.from({ length: 50_000 }, (_, i) => `/S${i} [/Separation /Ink${i} /DeviceGray 1 0 R]`).join(' ');
    const reading = await read(cutPage(`${Array.from({ length: 50_000 }, (_, i) => `/S${i} cs`).join(' ')} ${STROKED_F}`, { spaces: inks }));
    assert.equal(reading.paths.length, 1);
    assert.ok(reading.seen.length <= 201);
    assert.ok(reading.seen.some(({ name, taken }) => name === 'CutContour' && taken));
  });
});

describe('damaged files', () => {
  const intact = Buffer.from(cutPage(STROKED_F)).toString('latin1');
  const packed = (() => {
    const builder = new PdfBuilder();
    builder.put('(in an object stream)', builder.reserve(), true);
    return Buffer.from(cutPage(STROKED_F, { builder })).toString('latin1');
  })();
  const damages: [string, string][] = [
    ['without a cross-reference', intact.slice(0, intact.indexOf('xref\n'))],
    ['with a wrong startxref', intact.replace(/startxref\n\d+/, 'startxref\n7')],
    ['with shifted offsets', intact.replace('%PDF-1.7\n', '%PDF-1.7\n%a comment that moves everything\n')],
    ['cut off within the cross-reference', intact.slice(0, intact.indexOf('trailer') - 30)],
    ['with an object stream and no cross-reference', packed.slice(0, packed.indexOf('/Type /XRef') - 12)],
    ['with a string that does not end in the trailer', intact.replace(/trailer\s*<</, (found) => `${found} /Info (`)],
    ['with a trailer that is nested too deeply', intact.replace(/trailer\s*<</, (found) => `${found} /Info ${'['.repeat(2000)}`)],
    ['with line ends added by mail', intact.replaceAll('\n', '\r\n')],
  ];
  for (const [name, text] of damages) {
    it(`${name} are repaired, with a warning`, async () => {
      const reading = await read(Buffer.from(text, 'latin1'));
      assertPoints(reading.paths[0], LETTER_F);
      assert.deepEqual(codesOf(reading), ['PDF_REPAIRED', 'SPOT_COLOR_LEGACY']);
    });
  }

  it('a missing or wrong stream length is corrected without a word', async () => {
    for (const length of ['', '/Length 5', '/Length 99999', '/Length 77 0 R']) {
      const reading = await read(Buffer.from(intact.replace(/\/Length \d+/, length.padEnd(11)), 'latin1'));
      assert.equal(reading.paths.length, 1, length);
    }
  });

  it('junk before the header is passed over', async () => {
    assertPoints((await read(Buffer.from(`\u0001junk\n${intact}`, 'latin1'))).paths[0], LETTER_F);
  });

  it('the newest of several versions of an object counts', async () => {
    const start = /startxref\n(\d+)/.exec(intact)?.[1] ?? '';
    const num = /(\d+) 0 obj\n<< {2}\/Length \d+ >>\nstream\n\/C/.exec(intact)?.[1] ?? '';
    assert.notEqual(num, '');
    const update = `${num} 0 obj\n<< /Length 33 >>\nstream\n/C CS 1 SCN 10 10 m 50 50 l S     \nendstream\nendobj\n`;
    const at = intact.length + update.length;
    const updated = `${intact}${update}xref\n${num} 1\n${String(intact.length).padStart(10, '0')} 00000 n \ntrailer\n<< /Size 9 /Root 4 0 R /Prev ${start} >>\nstartxref\n${at}\n%%EOF\n`;
    const reading = await read(Buffer.from(updated, 'latin1'));
    assert.equal(reading.paths[0]?.pointsMm.length, 4);
    assert.deepEqual(codesOf(reading), ['SPOT_COLOR_LEGACY']);
  });

  it('a last change that is cut off before its cross-reference is left out, with a warning', async () => {
    const reading = await read(Buffer.from(`${intact}4 0 obj\n<< /Length 30 >>\nstream\n/C CS 1 SCN 10 10 m 50 50 l S\nendstream\nendobj\nxref\n4 1\n`, 'latin1'));
    assertPoints(reading.paths[0], LETTER_F);
    assert.deepEqual(codesOf(reading), ['PDF_REPAIRED', 'SPOT_COLOR_LEGACY']);
    assert.deepEqual(codesOf(await read(Buffer.from(`${intact}\n\nappended by a mail program, no object\n`, 'latin1'))), ['SPOT_COLOR_LEGACY']);
  });

  it('broken deflate data gives what comes before the break', async () => {
    const content = `${STROKED_F} ${Array.from({ length: 5000 }, (_, i) => `${(i * 7919) % 283} ${(i * 104729) % 283} m 5 5 l S`).join('\n')}`;
    const data = deflateSync(Buffer.from(content));
    data.fill(0x55, data.length - 200);
    const builder = new PdfBuilder();
    const broken = builder.stream(data, '/Filter /FlateDecode');
    const reading = await read(cutPage('', { builder, pageEntries: `/Contents ${broken} 0 R` }));
    assert.ok(reading.paths.length > 1000);
    assertPoints(reading.paths[0], LETTER_F);
    assert.ok(codesOf(reading).includes('PDF_REPAIRED'), 'paths are missing, so it must not pass unsaid');
  });

  it('deflate data that is cut off, or whose checksum is wrong, warns that paths may be missing or displaced', async () => {
    const noise = Array.from({ length: 200 }, (_, i) => `% ${(i * 7919) % 283}`).join('\n');
    const data = deflateSync(Buffer.from(`${STROKED_F}\n${noise}\n${STROKED_F}`));
    const codes = async (bytes: Uint8Array) => {
      const builder = new PdfBuilder();
      const content = builder.stream(bytes, '/Filter /FlateDecode');
      return codesOf(await read(cutPage('', { builder, pageEntries: `/Contents ${content} 0 R` })));
    };
    const wrongSum = Buffer.from(data);
    wrongSum.writeUInt32BE(1, data.length - 4);
    assert.ok((await codes(data.subarray(0, Math.round(data.length * 0.7)))).includes('PDF_REPAIRED'));
    assert.ok((await codes(wrongSum)).includes('PDF_REPAIRED'));
    assert.ok(!(await codes(data)).includes('PDF_REPAIRED'));
    assert.ok(!(await codes(data.subarray(0, -4))).includes('PDF_REPAIRED'), 'nothing but the checksum is missing');
  });
});
