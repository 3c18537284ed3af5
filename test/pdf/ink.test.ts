import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RectMm } from '../../src/pdf/index.ts';
import { inkInRegions } from '../../src/pdf/index.ts';
import { PT, PdfBuilder, onePage } from './builder.ts';
import { CUT_CONTOUR, cutPage } from './shapes.ts';

const CORNER: RectMm = { x0Mm: 0, y0Mm: 0, x1Mm: 30, y1Mm: 20 };

async function inkAt(bytes: Uint8Array, ...regions: RectMm[]): Promise<readonly (RectMm | null)[]> {
  return inkBy('rendering', bytes, regions);
}

async function inkBy(by: 'rendering' | 'boxes', bytes: Uint8Array, regions: readonly RectMm[]): Promise<readonly (RectMm | null)[]> {
  const result = await inkInRegions(bytes, regions, { cutSpotColors: CUT_CONTOUR });
  assert.ok(result.ok, JSON.stringify(result));
  assert.equal(result.by, by, result.detail);
  return result.inkMm;
}

const mm = (...values: number[]) => values.map((value) => (value * PT).toFixed(4)).join(' ');

describe('ink in a region', () => {
  it('is found with its box, in millimetres of the page as it is seen', async () => {
    const [ink] = await inkAt(onePage({ content: `0.5 g ${mm(10, 5, 8, 6)} re f` }), CORNER);
    assert.ok(ink !== null && ink !== undefined);
    for (const [found, wanted] of [[ink.x0Mm, 10], [ink.y0Mm, 5], [ink.x1Mm, 18], [ink.y1Mm, 11]] as const) assert.ok(Math.abs(found - wanted) < 0.2, JSON.stringify(ink));
    const [turned] = await inkAt(onePage({ content: `${mm(10, 5, 8, 6)} re f`, pageEntries: '/Rotate 90' }), { x0Mm: 0, y0Mm: 70, x1Mm: 30, y1Mm: 100 });
    assert.ok(turned !== null && turned !== undefined);
    assert.ok(Math.abs(turned.x0Mm - 5) < 0.2 && Math.abs(turned.y1Mm - 90) < 0.2, JSON.stringify(turned));
  });

  it('is not a white background, an empty corner of a curve, what a clip hides, or what ends at the edge', async () => {
    assert.deepEqual(await inkAt(onePage({ content: `1 g ${mm(0, 0, 100, 100)} re f 0 0 0 0 k ${mm(0, 0, 30, 30)} re f` }), CORNER), [null]);
    assert.deepEqual(await inkAt(onePage({ content: `${mm(100, 50)} m ${mm(100, 77.6, 77.6, 100, 50, 100)} c ${mm(22.4, 100, 0, 77.6, 0, 50)} c ${mm(0, 22.4, 22.4, 0, 50, 0)} c ${mm(77.6, 0, 100, 22.4, 100, 50)} c f` }), { x0Mm: 0, y0Mm: 0, x1Mm: 12, y1Mm: 12 }), [null]);
    assert.deepEqual(await inkAt(onePage({ content: `${mm(50, 50, 9, 9)} re W n ${mm(0, 0, 100, 100)} re f` }), CORNER), [null]);
    assert.deepEqual(await inkAt(onePage({ content: `${mm(30, 0, 50, 100)} re f ${mm(0, 20, 100, 50)} re f` }), CORNER), [null]);
  });

  it('is not a cut path, by spot colour or by layer, nor anything hidden', async () => {
    assert.deepEqual(await inkAt(cutPage(`/C CS 1 SCN /C cs 1 scn 9 w ${mm(5, 5, 10, 10)} re S ${mm(5, 5, 10, 10)} re B`), CORNER), [null]);
    const builder = new PdfBuilder();
    const cut = builder.put('<< /Type /OCG /Name (Cut) /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >> >>');
    const off = builder.put('<< /Type /OCG /Name (Off) >>');
    const layered = onePage({
      content: `/OC /L BDC ${mm(5, 5, 10, 10)} re S BT /F 20 Tf 20 20 Td (note) Tj ET EMC /OC /O BDC ${mm(5, 5, 10, 10)} re f EMC`, builder,
      resources: `/Properties << /L ${cut} 0 R /O ${off} 0 R >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>`,
      catalogEntries: `/OCProperties << /OCGs [${cut} 0 R ${off} 0 R] /D << /ON [${cut} 0 R] /OFF [${off} 0 R] >> >>`,
    });
    assert.deepEqual(await inkAt(layered, CORNER), [null]);
  });

  it('is artwork drawn by the same form that elsewhere draws a cut', async () => {
    const builder = new PdfBuilder();
    const form = builder.stream(`${mm(5, 5, 5, 5)} re S`, '/Type /XObject /Subtype /Form /BBox [0 0 300 300]');
    const bytes = cutPage(`q /C CS 1 SCN /F Do Q q 1 0 0 1 ${mm(10, 0)} cm 0 G /F Do Q`, { builder, resources: `/XObject << /F ${form} 0 R >>` });
    const [ink] = await inkAt(bytes, CORNER);
    assert.ok(ink !== null && ink !== undefined);
  });

  it('is text and images too', async () => {
    const builder = new PdfBuilder();
    const image = builder.stream('\u0000', '/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray');
    const bytes = onePage({
      content: `BT /F ${mm(6)} Tf ${mm(4, 4)} Td (Hxg) Tj ET q ${mm(5)} 0 0 ${mm(5)} ${mm(90, 90)} cm /I Do Q`, builder,
      resources: `/XObject << /I ${image} 0 R >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>`,
    });
    const [text, picture, nothing] = await inkAt(bytes, CORNER, { x0Mm: 80, y0Mm: 80, x1Mm: 100, y1Mm: 100 }, { x0Mm: 40, y0Mm: 40, x1Mm: 60, y1Mm: 60 });
    assert.ok(text !== null && picture !== null && nothing === null);
  });

  it('is wherever an image lies that the renderer leaves out: of too many pixels, or without its bits per component', async () => {
    const elsewhere = { x0Mm: 50, y0Mm: 50, x1Mm: 90, y1Mm: 90 };
    for (const entries of ['/Width 9000 /Height 9000 /BitsPerComponent 8', '/Width 9000 /Height 9000 /ImageMask true', '/Width 1 /Height 1']) {
      const builder = new PdfBuilder();
      const image = builder.stream('\0', `/Type /XObject /Subtype /Image ${entries} ${entries.includes('Mask') ? '' : '/ColorSpace /DeviceGray'}`);
      const [ink, nothing] = await inkBy('boxes', onePage({ builder, content: `q ${mm(20, 0, 0, 50, 10, 5)} cm /I Do Q`, resources: `/XObject << /I ${image} 0 R >>` }), [CORNER, elsewhere]);
      assert.ok(ink !== null && ink !== undefined && Math.abs(ink.x0Mm - 10) < 0.01 && Math.abs(ink.y1Mm - 20) < 0.01, JSON.stringify(ink));
      assert.equal(nothing, null);
    }
  });

  it('is not between two such images, nor where a clip hides one', async () => {
    const builder = new PdfBuilder();
    const image = builder.stream('', '/Type /XObject /Subtype /Image /Width 9000 /Height 9000 /BitsPerComponent 8 /ColorSpace /DeviceGray');
    const content = `q ${mm(9, 0, 0, 9, 40, 0)} cm /I Do Q q ${mm(9, 0, 0, 9, 0, 40)} cm /I Do Q q ${mm(50, 50, 9, 9)} re W n ${mm(20, 0, 0, 20, 5, 5)} cm /I Do Q`;
    assert.deepEqual(await inkAt(onePage({ builder, content, resources: `/XObject << /I ${image} 0 R >>` }), CORNER), [null]);
  });

  it('is everywhere where a pattern holds such an image', async () => {
    const builder = new PdfBuilder();
    const image = builder.stream('', '/Type /XObject /Subtype /Image /Width 9000 /Height 9000 /BitsPerComponent 8 /ColorSpace /DeviceGray');
    const pattern = builder.stream('q 9 0 0 9 0 0 cm /I Do Q', `/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << /XObject << /I ${image} 0 R >> >>`);
    assert.deepEqual(await inkBy('boxes', onePage({ builder, content: `/Pattern cs /P scn ${mm(0, 0, 90, 90)} re f`, resources: `/Pattern << /P ${pattern} 0 R >>` }), [CORNER]), [CORNER]);
  });

  it('in a region outside the page, or without area, is none', async () => {
    assert.deepEqual(await inkAt(onePage({ content: '0 0 999 999 re f' }), { x0Mm: 200, y0Mm: 0, x1Mm: 220, y1Mm: 20 }, { x0Mm: 5, y0Mm: 5, x1Mm: 5, y1Mm: 9 }), [null, null]);
  });

  it('is drawn with a bounded number of pixels', async () => {
    const result = await inkInRegions(onePage({ content: '0 0 5 5 re f', mediaBox: '[0 0 14400 14400]', pageEntries: '/UserUnit 5' }), [{ x0Mm: 0, y0Mm: 0, x1Mm: 25_400, y1Mm: 25_400 }], { cutSpotColors: [], maxPixels: 250_000 });
    assert.ok(result.ok);
  });

  it('refuses as opening does', async () => {
    const result = await inkInRegions(Buffer.from('no PDF'), [CORNER], { cutSpotColors: [] });
    assert.ok(!result.ok && result.failure.code === 'NOT_A_PDF');
  });
});
