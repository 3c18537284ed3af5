import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PT, onePage, separation } from './builder.ts';
import { LETTER_F, assertContour, assertPoints, cutPage, open, pairs, polygon, read } from './shapes.ts';

const STROKED_F = `/C CS 1 SCN ${polygon(LETTER_F, PT)} S`;

/** A matrix that draws what is given in seen millimetres onto a page of w × h points with that Rotate. */
function placed(rotate: number, w: number, h: number): string {
  const matrices: Record<number, string> = {
    0: `${PT} 0 0 ${PT} 0 0`,
    90: `0 ${PT} ${-PT} 0 ${w} 0`,
    180: `${-PT} 0 0 ${-PT} ${w} ${h}`,
    270: `0 ${-PT} ${PT} 0 0 ${h}`,
  };
  return `${matrices[rotate] ?? ''} cm`;
}

describe('the page frame', () => {
  for (const rotate of [0, 90, 180, 270]) {
    it(`shows the letter F upright where it is seen, Rotate ${rotate}`, async () => {
      const [w, h] = [100 * PT, 120 * PT];
      const reading = await read(cutPage(`${placed(rotate, w, h)} /C CS 1 SCN ${polygon(LETTER_F, 1)} S`, {
        mediaBox: `[0 0 ${w} ${h}]`, pageEntries: `/Rotate ${rotate}`,
      }));
      assertPoints(reading.paths[0], LETTER_F);
      assert.deepEqual([reading.widthMm, reading.heightMm].map(Math.round), rotate % 180 === 0 ? [100, 120] : [120, 100]);
    });
  }

  it('takes a negative or large Rotate modulo 360', async () => {
    const [w, h] = [100 * PT, 120 * PT];
    for (const [rotate, same] of [[-90, 270], [450, 90]] as const) {
      const reading = await read(cutPage(`${placed(same, w, h)} /C CS 1 SCN ${polygon(LETTER_F, 1)} S`, {
        mediaBox: `[0 0 ${w} ${h}]`, pageEntries: `/Rotate ${rotate}`,
      }));
      assertPoints(reading.paths[0], LETTER_F);
    }
  });

  it('begins at the corner of the crop box, which ends at the media box', async () => {
    const content = `1 0 0 1 ${15 * PT} ${25 * PT} cm ${STROKED_F}`;
    const reading = await read(cutPage(content, {
      mediaBox: `[${5 * PT} ${5 * PT} ${110 * PT} ${140 * PT}]`, pageEntries: `/CropBox [${15 * PT} ${25 * PT} ${300 * PT} ${145 * PT}]`,
    }));
    assertPoints(reading.paths[0], LETTER_F);
    assert.ok(Math.abs(reading.widthMm - 95) < 1e-6 && Math.abs(reading.heightMm - 115) < 1e-6);
  });

  it('accepts boxes whose corners are swapped, and ignores a crop box that misses the media box', async () => {
    const reading = await read(cutPage(STROKED_F, { mediaBox: `[${100 * PT} ${120 * PT} 0 0]`, pageEntries: '/CropBox [5000 5000 6000 6000]' }));
    assertPoints(reading.paths[0], LETTER_F);
  });

  it('scales by UserUnit', async () => {
    const reading = await read(cutPage(`/C CS 1 SCN ${polygon(LETTER_F, PT / 2)} S`, { mediaBox: `[0 0 ${50 * PT} ${60 * PT}]`, pageEntries: '/UserUnit 2' }));
    assertPoints(reading.paths[0], LETTER_F);
    assert.ok(Math.abs(reading.widthMm - 100) < 1e-6);
  });

  it('does not care about a smaller trim box, bleed box or art box', async () => {
    const boxes = ['Trim', 'Bleed', 'Art'].map((box) => `/${box}Box [${10 * PT} ${10 * PT} ${90 * PT} ${90 * PT}]`).join(' ');
    const reading = await read(cutPage(STROKED_F, { pageEntries: boxes }));
    assertPoints(reading.paths[0], LETTER_F);
    assert.ok(Math.abs(reading.widthMm - 100) < 1e-4);
  });

  it('inherits boxes, rotation and resources from the nodes above the page', async () => {
    const bytes = Buffer.from(onePage({ content: `/C CS 1 SCN ${polygon(LETTER_F, PT)} S` })).toString('latin1');
    const moved = bytes
      .replace(/\/MediaBox \[[^\]]*\] \/Resources <<\s*>>/, '')
      .replace('/Type /Pages', `/Type /Pages /MediaBox [0 0 ${(100 * PT).toFixed(4)} ${(120 * PT).toFixed(4)}] /Resources << /ColorSpace << /C ${separation('CutContour')} >> >>`);
    const reading = await read(Buffer.from(moved, 'latin1'));
    assertPoints(reading.paths[0], LETTER_F);
    assert.equal(Math.round(reading.heightMm), 120);
  });
});

describe('files of real writers', () => {
  const files = [
    'reportlab', 'ghostscript-1.4', 'ghostscript-1.7', 'cairo-step', 'inkscape', 'scribus', 'qpdf-object-streams', 'qpdf-linearized', 'encrypted-r3',
    'encrypted-r4', 'encrypted-r6', 'encrypted-r6-owner-empty',
  ];
  for (const name of files) {
    it(`${name}: the letter F and the circle are where they were drawn`, async () => {
      const document = await open(readFileSync(new URL(`../fixtures/pdf/${name}.pdf`, import.meta.url)));
      assert.deepEqual(document.warnings, []);
      const reading = await read(readFileSync(new URL(`../fixtures/pdf/${name}.pdf`, import.meta.url)));
      assert.equal(reading.paths.length, 2);
      assert.equal(reading.cutSource, name === 'cairo-step' ? 'processing-steps' : 'spot-color');
      // Ghostscript rounds to tenths of its device unit, Cairo to a hundredth of a millimetre or so.
      assertContour(reading.paths[0], LETTER_F, name.startsWith('ghostscript') ? 0.02 : 0.005);
      const circle = reading.paths[1];
      assert.ok(circle?.closed);
      for (const [x, y] of pairs(circle)) assert.ok(Math.abs(Math.hypot(x - 75, y - 30) - 5) < 0.025, `${x}, ${y}`);
      assert.ok(reading.painted.length >= 1, 'the artwork is seen too');
    });
  }
});
