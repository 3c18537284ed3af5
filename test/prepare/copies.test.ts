import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { geometryOf, listOf, polylinesOf } from '../support/paths.ts';
import { prepareSheet } from '../../src/prepare/compute.ts';
import { pdfTools } from '../../src/prepare/pdf-tools.ts';
import type { PreparedSheet, PrepareInput, PrepareRefusal } from '../../src/prepare/index.ts';
import { onePage, PdfBuilder, pt, separation } from '../pdf/builder.ts';
import { complaints } from '../pdf/pictures.ts';
import { needs } from '../support/tools.ts';
import { input } from './stand-in.ts';

/** A page of 80 × 60 mm as it is seen, turned, cropped and with a UserUnit of 2: an F and a crease. */
const cell = { widthMm: 80, heightMm: 60 };
const letter = [[20, 10], [20, 50], [50, 50], [50, 43], [28, 43], [28, 33], [42, 33], [42, 26], [28, 26], [28, 10]] as const;
const crease = [[60, 5], [72, 55]] as const;

function page(entries = '', more: { content?: string; builder?: PdfBuilder } = {}): Uint8Array {
  // Turned by 90 degrees: x of the page as it is seen runs up the file's page, y runs to its left.
  const at = ([x, y]: readonly [number, number]): string => `${pt((cell.heightMm - y) / 2 + 100)} ${pt(x / 2 - 30)}`;
  const path = (points: readonly (readonly [number, number])[]): string => points.map((point, index) => `${at(point)} ${index === 0 ? 'm' : 'l'}`).join(' ');
  return onePage({
    content: `/Cut CS 1 SCN ${path(letter)} s /Crease CS 1 SCN ${path(crease)} S ${more.content ?? ''}`, mediaBox: `[0 ${pt(-100)} ${pt(300)} ${pt(200)}]`,
    resources: `/ColorSpace << /Cut ${separation('CutContour')} /Crease ${separation('Crease')} >>`,
    pageEntries: `/Rotate 90 /UserUnit 2 /CropBox [${pt(100)} ${pt(-30)} ${pt(130)} ${pt(10)}] ${entries}`, ...(more.builder === undefined ? {} : { builder: more.builder }),
  });
}

const sheetChoices = { copiesX: 3, copiesY: 4, gapXMm: 3, gapYMm: 2.5, marksFromSideMm: 53, markLengthMm: 15 };
// Margins; 6 mm beside the copies; squares of 15 + 6 mm before and behind them.
const sheetSize = { widthMm: 2 * 53 + 2 * 6 + 3 * 80 + 2 * 3, heightMm: 35 + 50 + 2 * 21 + 4 * 60 + 3 * 2.5 };
const mark1 = { xMm: sheetSize.widthMm - 53, yMm: 35 };

function ask(pdf: Uint8Array, more: Partial<PrepareInput> = {}): ReturnType<typeof prepareSheet> {
  return prepareSheet(input({ pdf, cutSpotColors: ['CutContour', 'Crease'], stepsPerMm: 100, sheet: sheetChoices, ...more }), pdfTools);
}

async function prepared(pdf: Uint8Array): Promise<PreparedSheet> {
  const result = await ask(pdf);
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.prepared;
}

async function refusal(pdf: Uint8Array, more: Partial<PrepareInput>): Promise<PrepareRefusal> {
  const result = await ask(pdf, more);
  assert.ok(!result.ok);
  return result.failure;
}

/** What the job cuts with a tool, in the frame of the sheet: from the mark frame by the formula of the reference. */
function cutsOf({ commandSequence }: PreparedSheet, pen: number): [number, number][][] {
  return polylinesOf(geometryOf(commandSequence, 100)).filter((line) => line.pen === pen).map(({ pointsMm }) =>
    Array.from({ length: pointsMm.length / 2 }, (_, at) => [mark1.xMm - (pointsMm[2 * at + 1] ?? NaN), mark1.yMm + (pointsMm[2 * at] ?? NaN)]));
}

function nearest([x, y]: readonly [number, number], points: readonly (readonly [number, number])[]): number {
  return Math.min(...points.map(([px, py]) => Math.hypot(px - x, py - y)));
}

describe('copies of a page on a sheet, with the job that cuts them', () => {
  it('are cut within 0.02 mm of where each is printed, creases first', async () => {
    const sheet = await prepared(page());
    assert.ok(Math.abs(sheet.sheet.widthMm - sheetSize.widthMm) < 1e-4 && Math.abs(sheet.sheet.heightMm - sheetSize.heightMm) < 1e-4, JSON.stringify(sheet.sheet));
    const [letters, creases] = [cutsOf(sheet, 1), cutsOf(sheet, 4)];
    assert.deepEqual([letters.length, creases.length], [12, 12]);
    for (let copy = 0; copy < 12; copy += 1) {
      const x0 = 53 + 6 + (copy % 3) * 83;
      const y0 = 35 + 21 + Math.floor(copy / 3) * 62.5;
      for (const [points, lines] of [[letter, letters], [crease, creases]] as const) {
        const moved = points.map(([x, y]) => [x + x0, y + y0] as const);
        const ofCopy = lines.filter((line) => line.every(([x, y]) => x > x0 && x < x0 + 80 && y > y0 && y < y0 + 60));
        assert.equal(ofCopy.length, 1, `copy ${copy} is cut once`);
        assert.ok(moved.every((point) => nearest(point, ofCopy.flat()) < 0.02), `copy ${copy}: every corner is cut`);
      }
    }
    const text = Buffer.from(sheet.commandSequence).toString('latin1');
    assert.ok(text.indexOf('J4') < text.indexOf('J1'));
  });

  it('are printed in the file where they are cut', needs('qpdf'), async () => {
    const sheet = await prepared(page());
    assert.equal(complaints(sheet.markedPdf), '');
    const opened = await pdfTools.openPdf(sheet.markedPdf);
    assert.ok(opened.ok);
    const read = pdfTools.readPage(opened.document, { cutSpotColors: ['CutContour', 'Crease'] });
    assert.ok(read.ok);
    const printed = listOf(read.reading.paths).map(({ pointsMm }) => [pointsMm[0] ?? NaN, pointsMm[1] ?? NaN] as const);
    assert.equal(printed.length, 24);
    const cut = [...cutsOf(sheet, 1), ...cutsOf(sheet, 4)].flat();
    assert.ok(printed.every((point) => nearest(point, cut) < 0.02));
    assert.equal(sheet.segmentCount, 12 * 11);
  });

  it('may be painted to their edges and beyond, since no copy reaches a zone', async () => {
    const artwork = page('', { content: '0 0 1 rg -9999 -9999 20000 20000 re f' });
    assert.equal((await prepared(artwork)).warnings.some(({ code }) => code === 'ANNOTATIONS_DROPPED'), false);
    assert.equal((await refusal(artwork, { sheet: {} })).code, 'PAGE_TOO_SMALL', 'the page alone is no sheet');
  });

  it('come without annotations, and say so', async () => {
    const builder = new PdfBuilder();
    const look = builder.stream('0 0 9 9 re f', '/Type /XObject /Subtype /Form /BBox [0 0 9 9]');
    const note = builder.put(`<< /Type /Annot /Subtype /Stamp /F 4 /Rect [290 -80 300 -70] /AP << /N ${look} 0 R >> >>`);
    const sheet = await prepared(page(`/Annots [${note} 0 R]`, { builder }));
    assert.ok(sheet.warnings.some(({ code }) => code === 'ANNOTATIONS_DROPPED'), JSON.stringify(sheet.warnings));
    assert.doesNotMatch(Buffer.from(sheet.markedPdf.subarray(sheet.markedPdf.length - 3000)).toString('latin1'), /Annots/);
  });

  it('that would cut into each other, or make too large a sheet, are refused with numbers', async () => {
    const reaching = page('', { content: `/Cut CS 1 SCN ${pt(99)} ${pt(-20)} m ${pt(105)} ${pt(-20)} l S` });
    const failure = await refusal(reaching, {});
    assert.equal(failure.code, 'CUT_OUTSIDE_MARKS');
    assert.match(failure.detail, /Cut path 3 of 3.*y 62 mm.*3 mm across and 2\.5 mm/);
    const many = await refusal(page(), { sheet: { copiesX: 70, copiesY: 2 } });
    assert.deepEqual([many.code, many.choice], ['INVALID_PARAMETER', 'copiesX']);
  });
});
