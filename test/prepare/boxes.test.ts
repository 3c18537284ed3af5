import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prepareSheet } from '../../src/prepare/compute.ts';
import { pdfTools } from '../../src/prepare/pdf-tools.ts';
import type { PreparedSheet } from '../../src/prepare/types.ts';
import { openPdf } from '../../src/pdf/index.ts';
import { pt } from '../pdf/builder.ts';
import { cutPage } from '../pdf/shapes.ts';
import { input } from './stand-in.ts';

const square = `/C CS 1 SCN ${pt(80)} ${pt(100)} ${pt(40)} ${pt(30)} re S`;
const a4 = `[0 0 ${pt(210)} ${pt(297)}]`;

async function prepared(pdf: Uint8Array): Promise<PreparedSheet> {
  const result = await prepareSheet(input({ pdf }), pdfTools);
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.prepared;
}

/** What the overlay draws, as it stands in the marked file. */
function overlayOf({ markedPdf }: PreparedSheet): string {
  const text = Buffer.from(markedPdf).toString('latin1');
  return /0 0 0 1 k\n(?:[-\d. ]+ re\n)+f\n/.exec(text)?.[0] ?? assert.fail('there is an overlay');
}

describe('marks and cut', () => {
  it('stay true to scale where the trim box, the bleed box or the art box is smaller than the page', async () => {
    const plain = await prepared(cutPage(square, { mediaBox: a4 }));
    const boxes = ['Trim', 'Bleed', 'Art'].map((box) => `/${box}Box [${pt(15)} ${pt(15)} ${pt(195)} ${pt(282)}]`).join(' ');
    const trimmed = await prepared(cutPage(square, { mediaBox: a4, pageEntries: boxes }));
    assert.deepEqual(Buffer.from(trimmed.commandSequence), Buffer.from(plain.commandSequence));
    assert.equal(overlayOf(trimmed), overlayOf(plain));
    const opened = await openPdf(trimmed.markedPdf);
    assert.ok(opened.ok);
    assert.deepEqual([opened.document.widthMm, opened.document.heightMm].map((side) => Math.round(side * 100) / 100), [210, 297]);
  });

  it('are the same for a page that is scaled by UserUnit', async () => {
    const plain = await prepared(cutPage(square, { mediaBox: a4 }));
    const half = (mm: number): string => pt(mm / 2);
    const scaled = await prepared(cutPage(`/C CS 1 SCN ${half(80)} ${half(100)} ${half(40)} ${half(30)} re S`, { mediaBox: `[0 0 ${half(210)} ${half(297)}]`, pageEntries: '/UserUnit 2' }));
    assert.deepEqual(Buffer.from(scaled.commandSequence), Buffer.from(plain.commandSequence));
    assert.equal(overlayOf(scaled), overlayOf(plain));
  });
});
