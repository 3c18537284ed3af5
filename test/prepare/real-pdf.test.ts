import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openPdf, readPage } from '../../src/pdf/index.ts';
import { createPreparer, type PreparedSheet, type PrepareInput, type PrepareResult } from '../../src/prepare/index.ts';
import { onePage, pt, separation } from '../pdf/builder.ts';
import { input, letterF } from './stand-in.ts';
import { listOf } from '../support/paths.ts';

const preparer = createPreparer({
  workerUrl: new URL('../../src/prepare/worker.ts', import.meta.url),
  clock: {
    after: (ms, action) => {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  },
});
after(() => preparer.stop());

const a4 = `[0 0 ${pt(210)} ${pt(297)}]`;
const inks = `/ColorSpace << /Cut ${separation('CutContour')} /Die ${separation('DieLine')} >>`;

function outline(numbers: readonly number[], place: (x: number, y: number) => readonly [number, number] = (x, y) => [x, y]): string {
  let content = '';
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [x, y] = place(numbers[at] ?? NaN, numbers[at + 1] ?? NaN);
    content += `${pt(x)} ${pt(y)} ${at === 0 ? 'm' : 'l'}\n`;
  }
  return `/Cut CS 1 SCN ${content}s\n`;
}

function prepare(pdf: Uint8Array, more: Partial<PrepareInput> = {}): Promise<PrepareResult> {
  return preparer.prepare(input({ pdf, ...more }));
}

async function prepared(pdf: Uint8Array): Promise<PreparedSheet> {
  const result = await prepare(pdf);
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.prepared;
}

function readable(sheet: PreparedSheet): string {
  return Buffer.from(sheet.commandSequence).toString('latin1').replaceAll('\x03', '␃');
}

/** Worked out by hand in compute.test.ts. */
const jobOfF = 'TB99␃TB51,200␃TB52,2␃TB54,0,0␃TB55,1␃TB24,2120,1100␃TB99␃J1␃M650,700␃'
  + 'D850,700,850,600,950,600,950,700,1050,700,1050,500,1150,500,1150,800,650,800,650,700␃M0,0␃TB0␃';

describe('preparing a real PDF in the worker', () => {
  it('cuts the letter F where the page prints it', async () => {
    const sheet = await prepared(onePage({ content: outline(letterF), mediaBox: a4, resources: inks }));
    assert.equal(readable(sheet), jobOfF);
    assert.equal(sheet.cutSource, 'spot-color');
    assert.equal(sheet.segmentCount, 10);
    assert.ok(sheet.warnings.some(({ code }) => code === 'SPOT_COLOR_LEGACY'));
  });

  for (const [rotate, place] of [
    [90, (x: number, y: number) => [297 - y, x] as const],
    [180, (x: number, y: number) => [210 - x, 297 - y] as const],
    [270, (x: number, y: number) => [y, 210 - x] as const],
  ] as const) {
    it(`cuts it at the same place of a page that is turned by ${rotate} degrees`, async () => {
      const mediaBox = rotate === 180 ? a4 : `[0 0 ${pt(297)} ${pt(210)}]`;
      assert.equal(readable(await prepared(onePage({ content: outline(letterF, place), mediaBox, resources: inks, pageEntries: `/Rotate ${rotate}` }))), jobOfF);
    });
  }

  it('counts from the corner of the crop box', async () => {
    const place = (x: number, y: number) => [x + 12, y - 7] as const;
    const pageEntries = `/CropBox [${pt(12)} ${pt(-7)} ${pt(222)} ${pt(290)}]`;
    assert.equal(readable(await prepared(onePage({ content: outline(letterF, place), mediaBox: `[-100 -100 ${pt(300)} ${pt(400)}]`, resources: inks, pageEntries }))), jobOfF);
  });

  it('prints marks and barcode over the page, and leaves the page beneath', async () => {
    const pdf = onePage({ content: outline(letterF), mediaBox: a4, resources: inks });
    const sheet = await prepared(pdf);
    const opened = await openPdf(sheet.markedPdf);
    assert.ok(opened.ok);
    const again = readPage(opened.document, { cutSpotColors: ['CutContour'] });
    assert.ok(again.ok);
    assert.deepEqual(listOf(again.reading.paths).map(({ pointsMm }) => pointsMm.length), [20]);
    const boxes = again.reading.painted.map(({ boxMm }) => boxMm);
    assert.ok(boxes.length > 0);
    const outer = [Math.min(...boxes.map(({ x0Mm }) => x0Mm)), Math.min(...boxes.map(({ y0Mm }) => y0Mm)), Math.max(...boxes.map(({ x1Mm }) => x1Mm)), Math.max(...boxes.map(({ y1Mm }) => y1Mm))];
    // Leftmost the readable text; below the band, right the Start Mark, above the rear marks.
    assert.ok((outer[0] ?? NaN) >= 0 && (outer[0] ?? NaN) < 42.25);
    assert.deepEqual(outer.slice(1).map((each) => Math.round(each * 100) / 100), [20, 200, 247.35]);
  });

  it('is not misled by a box that reaches into a zone without inking it', async () => {
    const white = `0 0 0 0 k 0 0 ${pt(210)} ${pt(297)} re f`;
    // A triangle whose box overlaps the square of the bottom left mark, and whose ink does not.
    const triangle = `0 0 0 1 k ${pt(70)} ${pt(110)} m ${pt(120)} ${pt(110)} l ${pt(120)} ${pt(50)} l f`;
    const clipped = `q ${pt(80)} ${pt(80)} ${pt(20)} ${pt(20)} re W n 0 0 0 1 k 0 0 ${pt(210)} ${pt(297)} re f Q`;
    const pdf = onePage({ content: `${white} ${triangle} ${clipped} ${outline(letterF)}`, mediaBox: a4, resources: inks });
    assert.equal(readable(await prepared(pdf)), jobOfF);
  });

  it('sees ink that reaches half a millimetre into a zone', async () => {
    const pdf = onePage({ content: `0 0 0 0.3 k ${pt(90)} ${pt(31.5)} ${pt(20)} ${pt(40)} re f ${outline(letterF)}`, mediaBox: a4, resources: inks });
    const result = await prepare(pdf);
    assert.ok(!result.ok);
    assert.equal(result.failure.code, 'ARTWORK_IN_KEEP_CLEAR_ZONE');
  });

  it('gives the same bytes for the same file', async () => {
    const pdf = onePage({ content: outline(letterF), mediaBox: a4, resources: inks });
    const [one, other] = await Promise.all([prepared(pdf), prepared(pdf)]);
    assert.deepEqual(one, other);
  });

  for (const [code, pdf, detail] of [
    ['NO_CUT_PATHS', onePage({ content: `/Die CS 1 SCN ${pt(80)} ${pt(100)} 50 50 re S`, mediaBox: a4, resources: inks }), /DieLine/],
    ['CUT_OUTSIDE_MARKS', onePage({ content: outline([30, 100, 90, 100, 90, 130]), mediaBox: a4, resources: inks }), /x 30, y 100 mm it is 21 mm outside/],
    ['ARTWORK_IN_KEEP_CLEAR_ZONE', onePage({ content: `0 0 0 1 k ${pt(100)} ${pt(5)} ${pt(20)} ${pt(40)} re f ${outline(letterF)}`, mediaBox: a4, resources: inks }), /leading edge/],
    ['PAGE_TOO_SMALL', onePage({ content: outline(letterF), resources: inks }), /100 × 100 mm/],
    ['NOT_A_PDF', Uint8Array.from(Buffer.from('GIF89a')), /PDF/],
  ] as const) {
    it(`refuses with ${code}`, async () => {
      const result = await prepare(pdf);
      assert.ok(!result.ok);
      assert.equal(result.failure.code, code);
      assert.match(result.failure.detail, detail);
    });
  }
});
