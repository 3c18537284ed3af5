import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Copies, Overlay } from '../../src/pdf/index.ts';
import type { ToolPath } from '../../src/gpgl/index.ts';
import { writeRepeated } from '../../src/pdf/index.ts';
import { PT, PdfBuilder, onePage } from './builder.ts';
import { busyPage } from './busy-page.ts';
import { complaints, differing, inked, part, picture, rendererNames, renderers } from './pictures.ts';
import { needs } from '../support/tools.ts';
import { CUT_CONTOUR, LETTER_F, cutPage, open, polygon, read } from './shapes.ts';

const NOTHING: Overlay = { rectsMm: [], texts: [] };

async function repeated(bytes: Uint8Array, sheet: Copies, overlay: Overlay = NOTHING, cutLayers: 'hide' | 'keep' = 'hide'): Promise<Uint8Array> {
  const written = await writeRepeated(await open(bytes), sheet, overlay, { cutLayers });
  assert.ok(written.ok, written.ok ? '' : written.failure.detail);
  return written.bytes;
}

/** A sheet in whole points, so that a renderer puts each copy on whole pixels. */
function sheetInPoints(width: number, height: number, copies: readonly (readonly [number, number])[]): Copies {
  return { widthMm: width / PT, heightMm: height / PT, copiesMm: copies.map(([x, y]) => ({ xMm: x / PT, yMm: y / PT })) };
}

/** The greatest distance of corresponding points of paths, one of which is moved. */
function distance(paths: readonly ToolPath[], moved: readonly ToolPath[], xMm: number, yMm: number): number {
  assert.deepEqual(moved.map(({ tool, closed, pointsMm }) => [tool, closed, pointsMm.length]), paths.map(({ tool, closed, pointsMm }) => [tool, closed, pointsMm.length]));
  let worst = 0;
  for (const [index, { pointsMm }] of paths.entries()) {
    for (let at = 0; at < pointsMm.length; at += 1) {
      worst = Math.max(worst, Math.abs((moved[index]?.pointsMm[at] ?? NaN) - (pointsMm[at] ?? NaN) - (at % 2 === 0 ? xMm : yMm)));
    }
  }
  return worst;
}

async function assertCopied(bytes: Uint8Array, sheet: Copies): Promise<void> {
  const before = await read(bytes);
  const after = await read(await repeated(bytes, sheet));
  assert.ok(before.paths.length > 0);
  assert.ok(Math.abs(after.widthMm - sheet.widthMm) < 1e-6 && Math.abs(after.heightMm - sheet.heightMm) < 1e-6);
  assert.equal(after.paths.length, before.paths.length * sheet.copiesMm.length);
  for (const [index, { xMm, yMm }] of sheet.copiesMm.entries()) {
    const ofCopy = after.paths.slice(index * before.paths.length, (index + 1) * before.paths.length);
    assert.ok(distance(before.paths, ofCopy, xMm, yMm) < 1e-5, `copy ${index}`);
  }
}

describe('copies of a page on a sheet', () => {
  it('stand where they are wanted, upright and to scale, however the page is turned, cropped and scaled', async () => {
    const pages = fc.record({
      rotate: fc.constantFrom(0, 90, 180, 270, -90), unit: fc.constantFrom(1, 2, 0.5),
      left: fc.integer({ min: -300, max: 300 }), bottom: fc.integer({ min: -300, max: 300 }),
    });
    const corner = fc.record({ xMm: fc.double({ min: 0, max: 900, noNaN: true }), yMm: fc.double({ min: 0, max: 1500, noNaN: true }) });
    await fc.assert(fc.asyncProperty(pages, fc.array(corner, { minLength: 1, maxLength: 4 }), async ({ rotate, unit, left, bottom }, copiesMm) => {
      const content = `1 0 0 1 ${left} ${bottom} cm /C CS 1 SCN ${polygon(LETTER_F, PT)} S`;
      const pageEntries = `/Rotate ${rotate} /UserUnit ${unit} /CropBox [${left - 10} ${bottom + 5} ${left + 260} ${bottom + 270}]`;
      await assertCopied(cutPage(content, { mediaBox: '[-900 -900 900 900]', pageEntries }), { widthMm: 1000, heightMm: 1700, copiesMm });
    }), { numRuns: 40 });
  });

  for (const name of readdirSync(new URL('../fixtures/pdf/', import.meta.url)).filter((file) => file.endsWith('.pdf') && file !== 'encrypted-password.pdf')) {
    it(`of ${name} make a sound file with the cut of each`, needs('qpdf'), async () => {
      const original = readFileSync(new URL(`../fixtures/pdf/${name}`, import.meta.url));
      const { widthMm, heightMm } = await read(original);
      const sheet = { widthMm: 3 * widthMm, heightMm: 2 * heightMm, copiesMm: [{ xMm: 7, yMm: 3 }, { xMm: widthMm + 9, yMm: heightMm / 2 }] };
      await assertCopied(original, sheet);
      const bytes = await repeated(original, sheet);
      assert.equal(complaints(bytes), '');
      assert.deepEqual(await repeated(original, sheet), bytes, 'the same input gives the same bytes');
    });
  }

  for (const [name, content] of [
    ['q without Q', 'q q 0.5 0 0 0.5 5 5 cm 0 0 1 1 re W n'], ['Q without q', 'Q Q Q 0.1 0 0 0.1 5 5 cm'], ['an open text object', 'BT 1 0 0 1 40 40 Tm'],
    ['an open path', '10 10 m 400 400 l 30 90 l'], ['open marked content', '/Span BMC'], ['an open string', '(nothing closes this ( nor this'],
  ] as const) {
    it(`are not disturbed by ${name}`, async () => {
      const bytes = cutPage(`q /C CS 1 SCN 30 30 100 100 re S Q ${content}`);
      await assertCopied(bytes, sheetInPoints(700, 400, [[10, 10], [330, 50]]));
      const sheet = await repeated(bytes, sheetInPoints(700, 400, [[10, 10], [330, 50]]), { rectsMm: [{ x0Mm: 1, y0Mm: 1, x1Mm: 2, y1Mm: 3 }], texts: [] });
      const mark = (await read(sheet)).painted.at(-1);
      assert.ok(mark !== undefined && Math.abs(mark.boxMm.x1Mm - 2) < 0.01 && Math.abs(mark.boxMm.y1Mm - 3) < 0.01, JSON.stringify(mark));
    });
  }

  for (const renderer of rendererNames) {
    it(`look like the page, pixel by pixel, in ${renderer}`, needs(renderers[renderer].command), async () => {
      // Whole tiles of the pattern apart: renderers put tiles on whole pixels, each in its way.
      for (const rotate of [0, 90, 180, 270]) {
        const page = busyPage(rotate);
        const single = picture(page, renderer, 144);
        const sheet = picture(await repeated(page, sheetInPoints(560, 480, [[20, 30], [300, 30], [20, 250], [300, 250]])), renderer, 144);
        assert.deepEqual([sheet.width, sheet.height], [1120, 960]);
        assert.ok(inked(single) > 20_000, 'there is something to compare');
        let total = 0;
        for (const [x, y] of [[20, 30], [300, 30], [20, 250], [300, 250]] as const) {
          const copy = part(sheet, 2 * x, 2 * y, single.width, single.height);
          const wrong = differing(copy, single);
          assert.ok(wrong <= single.width * single.height / 1000, `Rotate ${rotate}, copy at ${x}, ${y}: ${wrong} pixels differ`);
          total += inked(copy);
        }
        // A renderer may touch the pixels just beyond a clip.
        assert.ok(inked(sheet) - total <= 8 * (single.width + single.height), 'nothing is printed between the copies');
      }
    });
  }

  it('leave annotations, form fields, structure and the boxes of the one page behind, and keep layers and output intents', async () => {
    const builder = new PdfBuilder();
    const note = builder.put('<< /Type /Annot /Subtype /Stamp /Rect [0 0 50 50] /AP << /N 999 0 R >> >>');
    const layer = builder.put('<< /Type /OCG /Name (Cut) /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >> >>');
    const bytes = await repeated(onePage({
      builder, content: '/OC /L BDC 30 30 100 100 re S EMC', resources: `/Properties << /L ${layer} 0 R >>`,
      pageEntries: `/Annots [${note} 0 R] /TrimBox [9 9 99 99] /BleedBox [5 5 105 105] /StructParents 0 /UserUnit 2 /Group << /S /Transparency /CS /DeviceCMYK >>`,
      catalogEntries: `/AcroForm << /Fields [${note} 0 R] >> /StructTreeRoot << /Type /StructTreeRoot >> /MarkInfo << /Marked true >> /OutputIntents [<< /S /GTS_PDFX >>] /OCProperties << /OCGs [${layer} 0 R] /D << >> >>`,
    }), sheetInPoints(600, 300, [[0, 0], [300, 0]]));
    const document = await open(bytes);
    const { page, catalog } = document;
    assert.deepEqual([...page.dict.map.keys()].sort(), ['Contents', 'CropBox', 'Group', 'MediaBox', 'Parent', 'Resources', 'Rotate', 'TrimBox', 'Type']);
    // Forms without resources of their own, and programs that list what a page uses, look there.
    assert.ok(page.resources.get('Properties') !== null);
    assert.deepEqual(document.store.numbers(page.dict, 'TrimBox'), [0, 0, 600, 300]);
    assert.deepEqual(['AcroForm', 'StructTreeRoot', 'MarkInfo', 'OutputIntents', 'OCProperties'].map((key) => catalog.get(key) !== null), [false, false, false, true, true]);
    assert.match(Buffer.from(bytes).toString('latin1'), /\/PrintState \/OFF/);
    const { paths, cutSource } = await read(bytes, CUT_CONTOUR);
    assert.deepEqual([paths.length, cutSource], [2, 'processing-steps']);
  });
});
