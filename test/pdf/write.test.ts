import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Overlay, RectMm } from '../../src/pdf/index.ts';
import { inkInRegions, openPdf, readPage, writeMarked } from '../../src/pdf/index.ts';
import { PdfDict, PdfStream } from '../../src/pdf/objects.ts';
import { PT, PdfBuilder, onePage, separation } from './builder.ts';
import { CUT_CONTOUR, cutPage, open, read } from './shapes.ts';

const BAR: RectMm = { x0Mm: 12, y0Mm: 8, x1Mm: 32, y1Mm: 10 };
const OVERLAY: Overlay = { rectsMm: [BAR], texts: [{ text: 'F00000001', xMm: 50, yMm: 8, heightMm: 4 }] };

async function marked(bytes: Uint8Array, overlay: Overlay = OVERLAY, cutLayers: 'hide' | 'keep' = 'hide'): Promise<Uint8Array> {
  return writeMarked(await open(bytes), overlay, { cutLayers });
}

/** The overlay is there, in full, where it belongs: by the interpreter and by pdf.js. */
async function assertOverlay(bytes: Uint8Array): Promise<void> {
  const { painted } = await read(bytes);
  const bar = painted.find(({ boxMm }) => Math.abs(boxMm.x0Mm - BAR.x0Mm) < 0.01 && Math.abs(boxMm.y0Mm - BAR.y0Mm) < 0.01 && Math.abs(boxMm.x1Mm - BAR.x1Mm) < 0.01);
  assert.ok(bar !== undefined, `the bar is painted: ${JSON.stringify(painted.slice(-3))}`);
  const around = { x0Mm: 10, y0Mm: 6, x1Mm: 34, y1Mm: 12 };
  const text = { x0Mm: 48, y0Mm: 5, x1Mm: 80, y1Mm: 14 };
  const seen = await inkInRegions(bytes, [around, text], { cutSpotColors: CUT_CONTOUR });
  assert.ok(seen.ok && seen.by === 'rendering', JSON.stringify(seen));
  const [ink, letters] = seen.inkMm;
  assert.ok(ink !== undefined && ink !== null && letters !== undefined && letters !== null, 'both are seen');
  for (const [found, wanted] of [[ink.x0Mm, BAR.x0Mm], [ink.y0Mm, BAR.y0Mm], [ink.x1Mm, BAR.x1Mm], [ink.y1Mm, BAR.y1Mm]] as const) {
    assert.ok(Math.abs(found - wanted) < 0.2, JSON.stringify(ink));
  }
  assert.ok(letters.x0Mm > 49.5 && letters.x0Mm < 51.5 && letters.y0Mm > 7.5 && letters.y1Mm < 12 && letters.x1Mm > 65, JSON.stringify(letters));
}

describe('the marked PDF', () => {
  it('keeps the original file as its beginning, and gives the same bytes for the same input', async () => {
    for (const name of ['reportlab', 'ghostscript-1.7', 'cairo-step', 'qpdf-object-streams', 'qpdf-linearized']) {
      const original = readFileSync(new URL(`../fixtures/pdf/${name}.pdf`, import.meta.url));
      const [first, second] = [await marked(original), await marked(original)];
      assert.ok(Buffer.from(first.subarray(0, original.length)).equals(original), name);
      assert.deepEqual(first, second);
    }
  });

  for (const name of readdirSync(new URL('../fixtures/pdf/', import.meta.url)).filter((file) => file.endsWith('.pdf') && file !== 'encrypted-password.pdf')) {
    it(`of ${name} opens, still has its cut paths, and shows the overlay`, async () => {
      const original = readFileSync(new URL(`../fixtures/pdf/${name}`, import.meta.url));
      const bytes = await marked(original);
      await assertOverlay(bytes);
      const [before, after] = [await read(original), await read(bytes)];
      assert.deepEqual(after.paths, before.paths);
      assert.equal(after.painted.length, before.painted.length + 2);
      assert.deepEqual(after.warnings, before.warnings);
    });
  }

  for (const rotate of [0, 90, 180, 270]) {
    it(`has the overlay upright as the page is seen, Rotate ${rotate}, crop offset, UserUnit 2`, async () => {
      const bytes = onePage({ content: '', mediaBox: `[-30 -40 ${100 * PT} ${120 * PT}]`, pageEntries: `/Rotate ${rotate} /UserUnit 2 /CropBox [10 20 ${60 * PT} ${60 * PT}]` });
      await assertOverlay(await marked(bytes));
    });
  }

  const disturbing: [string, string][] = [
    ['q without Q', '0.1 0 0 0.1 5 5 cm q q 2 0 0 2 9 9 cm 0 0 1 1 re W n'],
    ['Q without q', 'Q Q Q 0.1 0 0 0.1 5 5 cm 0 0 1 1 re W n'],
    ['both in turn', 'Q q Q Q q q 0 0 1 1 re W n Q q'],
    ['an open text object', 'BT 1 0 0 1 40 40 Tm'],
    ['an open path', '10 10 m 400 400 l 30 90 l'],
    ['a clip to nothing', '0 0 m W n'],
    ['open marked content of a hidden layer', '/OC /Hidden BDC /Span BMC'],
    ['an open string', '(nothing closes this ( nor this'],
    ['an open array and dictionary', '/X << /K [ (a) <41'],
    ['an inline image without end', 'BI /W 9 /H 9 /BPC 8 /CS /G ID abc'],
    ['a comment without line end', '% q q q'],
    ['white paint and transparency', '1 1 1 rg /T gs 0 0 0 0 k'],
  ];
  for (const [name, content] of disturbing) {
    it(`is not disturbed by ${name} in the original`, async () => {
      const builder = new PdfBuilder();
      const hidden = builder.put('<< /Type /OCG /Name (Hidden) >>');
      await assertOverlay(await marked(onePage({
        content, builder, resources: `/Properties << /Hidden ${hidden} 0 R >> /ExtGState << /T << /ca 0.1 /BM /Multiply >> >> /ColorSpace << /DefaultCMYK [/ICCBased 99 0 R] >>`,
        catalogEntries: `/OCProperties << /OCGs [${hidden} 0 R] /D << /OFF [${hidden} 0 R] >> >>`,
      })));
    });
  }

  it('can be marked again', async () => {
    const twice = await marked(await marked(cutPage('/C CS 1 SCN 30 30 100 100 re S')));
    await assertOverlay(twice);
    assert.equal((await read(twice)).paths.length, 1);
  });

  it('names nothing but streams as its contents: for anything else, some readers draw none of them', async () => {
    const builder = new PdfBuilder();
    const content = builder.stream('/C CS 1 SCN 30 30 100 100 re S', '');
    const dict = builder.put('<< >>');
    const bytes = await marked(cutPage('', { builder, pageEntries: `/Contents [null ${dict} 0 R 999 0 R ${content} 0 R]` }));
    await assertOverlay(bytes);
    const { page, store } = await open(bytes);
    const contents = store.array(page.dict, 'Contents') ?? [];
    assert.deepEqual(contents.map((item) => store.resolve(item) instanceof PdfStream), [true, true, true]);
  });

  it('leaves shared and inherited resources alone', async () => {
    const builder = new PdfBuilder();
    const form = builder.stream('0 0 9 9 re f', '/Type /XObject /Subtype /Form /BBox [0 0 9 9]');
    const objects = builder.put(`<< /KerfOverlay ${form} 0 R >>`);
    const bytes = await marked(onePage({ content: '/KerfOverlay Do', builder, resources: `/XObject ${objects} 0 R` }));
    const document = await open(bytes);
    const shared = document.store.get(objects);
    assert.ok(shared instanceof PdfDict);
    assert.deepEqual([...shared.map.keys()], ['KerfOverlay']);
    assert.equal((await read(bytes)).painted.length, 3);
  });

  it('of a damaged or encrypted file is written anew, plain', async () => {
    const text = Buffer.from(cutPage('/C CS 1 SCN 30 30 100 100 re S 0 0 9 9 re f')).toString('latin1');
    const repaired = await marked(Buffer.from(text.slice(0, text.indexOf('xref\n')), 'latin1'));
    await assertOverlay(repaired);
    assert.deepEqual((await open(repaired)).warnings, []);
    const encrypted = await marked(readFileSync(new URL('../fixtures/pdf/encrypted-r6.pdf', import.meta.url)));
    assert.equal(Buffer.from(encrypted).includes('/Encrypt'), false);
  });

  it('of a file whose catalogue is lost gets a new one', async () => {
    const original = Buffer.from(cutPage('q /C CS 1 SCN 30 30 100 100 re S')).toString('latin1');
    for (const lost of [original.replace('/Type /Catalog', '/Type /Catalog ) broken'), original.replace(/\d+ 0 obj(?=\s*<< \/Type \/Catalog)/, '0 0 xxx')]) {
      assert.notEqual(lost, original);
      const bytes = await marked(Buffer.from(lost, 'latin1'));
      await assertOverlay(bytes);
      assert.ok(!(await read(bytes)).warnings.some(({ code }) => code === 'PDF_REPAIRED'), 'its trailer leads to the page');
    }
  });

  it('of a page that is no object of its own gets one', async () => {
    const bytes = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages << /Type /Pages /Count 1 /MediaBox [0 0 283 283] /Kids [ << /Type /Page >> ] >> >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n');
    await assertOverlay(await marked(bytes));
    const treeless = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Page /MediaBox [0 0 283 283] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n');
    await assertOverlay(await marked(treeless));
  });
});

describe('cut layers', () => {
  const layered = (): Uint8Array => {
    const builder = new PdfBuilder();
    const cut = builder.put('<< /Type /OCG /Name (Cut) /Usage << /View << /ViewState /ON >> >> /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >> >>');
    const art = builder.put('<< /Type /OCG /Name (Art) >>');
    const properties = builder.put(`<< /OCGs [${cut} 0 R ${art} 0 R] /D << /Order [${cut} 0 R] /AS [<< /Event /View /Category [/View] /OCGs [${art} 0 R] >>] >> >>`);
    return onePage({
      content: '/OC /L BDC 30 30 100 100 re S EMC', builder, resources: `/Properties << /L ${cut} 0 R /A ${art} 0 R >> /ColorSpace << /C ${separation('CutContour')} >>`,
      catalogEntries: `/OCProperties ${properties} 0 R`,
    });
  };

  it('do not print: print state off, and the configuration obeys it, keeping what was there', async () => {
    const bytes = await marked(layered());
    const appended = Buffer.from(bytes.subarray(layered().length)).toString('latin1');
    assert.match(appended, /\/PrintState \/OFF/);
    assert.match(appended, /\/ViewState \/ON/);
    assert.match(appended, /\/AS \[<<\s*\/Event \/View[^]*\/Event \/Print\s*\/Category \[\/Print\]\s*\/OCGs \[1 0 R\]/);
    assert.equal((await read(bytes)).paths.length, 1);
    assert.deepEqual((await read(bytes)).warnings, []);
  });

  it('stay as they are when asked', async () => {
    const bytes = await marked(layered(), OVERLAY, 'keep');
    assert.doesNotMatch(Buffer.from(bytes).toString('latin1'), /PrintState/);
  });
});

describe('a document', () => {
  it('gives the same result when read after it was written', async () => {
    const opened = await openPdf(cutPage('q /C CS 1 SCN 30 30 100 100 re S'));
    assert.ok(opened.ok);
    const first = await writeMarked(opened.document, OVERLAY);
    const reading = readPage(opened.document, { cutSpotColors: CUT_CONTOUR });
    assert.ok(reading.ok && reading.reading.paths.count === 1);
    assert.deepEqual(await writeMarked(opened.document, OVERLAY), first);
  });
});
