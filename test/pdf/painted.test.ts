import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PaintedObject } from '../../src/pdf/index.ts';
import { PT, PdfBuilder, onePage } from './builder.ts';
import { cutPage, read } from './shapes.ts';

const FONT = '/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 65 /LastChar 66 /Widths [500 1000] /FontDescriptor << /Type /FontDescriptor /FontName /Helvetica /FontBBox [0 -200 1000 800] >> >> >>';

function mm(value: number): string {
  return (value * PT).toFixed(4);
}

function assertBox(object: PaintedObject | undefined, expected: readonly number[], toleranceMm = 0.01): void {
  assert.ok(object !== undefined);
  const { x0Mm, y0Mm, x1Mm, y1Mm } = object.boxMm;
  for (const [i, value] of [x0Mm, y0Mm, x1Mm, y1Mm].entries()) assert.ok(Math.abs(value - (expected[i] ?? NaN)) <= toleranceMm, `${JSON.stringify(object.boxMm)} is not ${JSON.stringify(expected)}`);
}

describe('what the page paints', () => {
  it('a fill has the box of its path, cut by the clip and the page', async () => {
    const { painted } = await read(onePage({ content: `${mm(10)} ${mm(10)} ${mm(20)} ${mm(30)} re f q ${mm(5)} ${mm(5)} ${mm(10)} ${mm(10)} re W n ${mm(0)} ${mm(0)} ${mm(90)} ${mm(90)} re f Q ${mm(90)} ${mm(90)} ${mm(90)} ${mm(90)} re f` }));
    assert.equal(painted.length, 3);
    assertBox(painted[0], [10, 10, 30, 40]);
    assertBox(painted[1], [5, 5, 15, 15]);
    assertBox(painted[2], [90, 90, 100, 100]);
    assert.match(painted[0]?.description ?? '', /DeviceGray/);
  });

  it('a stroke is wider by its line, under the matrix too', async () => {
    const { painted } = await read(onePage({ content: `2 0 0 2 0 0 cm ${mm(2)} w 0 J ${mm(10)} ${mm(10)} m ${mm(20)} ${mm(10)} l S` }));
    const [object] = painted;
    assert.ok(object !== undefined && object.boxMm.y0Mm <= 18 && object.boxMm.y1Mm >= 22 && object.boxMm.y1Mm < 24);
  });

  it('a line of width 0 is as wide as the thinnest line of a device', async () => {
    const { painted: [object] } = await read(onePage({ content: `0 w ${mm(10)} ${mm(10)} m ${mm(20)} ${mm(10)} l S` }));
    assertBox(object, [10, 10, 20, 10], 0.02);
    assert.ok(object !== undefined && object.boxMm.y1Mm - object.boxMm.y0Mm > 0.02);
  });

  it('text has a box by its widths, sizes, spacing, matrix and rise', async () => {
    const content = `BT /F1 ${mm(10)} Tf ${mm(20)} ${mm(30)} Td (AB) Tj ET BT /F1 1 Tf ${mm(5)} 0 0 ${mm(5)} ${mm(10)} ${mm(60)} Tm 2 Tc 100 Tz [(A) -1000 (A)] TJ ET`;
    const { painted } = await read(onePage({ content, resources: FONT }));
    // A fifth of the size more on both sides, and heights of at least 1.1 above and 0.4 below the base line.
    assertBox(painted[0], [18, 26, 37, 41]);
    assertBox(painted[1], [9, 58, 10 + 5 * (0.5 + 2 + 1 + 0.5 + 2) + 1, 65.5]);
  });

  it('moves from line to line', async () => {
    const { painted } = await read(onePage({ content: `BT /F1 10 Tf ${mm(12)} TL ${mm(5)} ${mm(50)} Td (A) Tj T* (A) Tj (A) ' 0 ${mm(-10)} TD (A) Tj ET`, resources: FONT }));
    const tops = painted.map(({ boxMm }) => Math.round(boxMm.y1Mm - (painted[0]?.boxMm.y1Mm ?? 0)));
    assert.deepEqual(tops, [0, -12, -24, -34]);
  });

  it('invisible text, transparent paint and hidden things are not painted', async () => {
    const { painted } = await read(onePage({
      content: 'BT /F1 10 Tf 3 Tr 20 20 Td (A) Tj ET /T gs 0 0 50 50 re f 0 0 5 5 re S',
      resources: `${FONT} /ExtGState << /T << /ca 0 /CA 1 >> >>`,
    }));
    assert.deepEqual(painted.map(({ description }) => description), ['stroke in DeviceGray']);
  });

  it('images and inline images have the box of their unit square', async () => {
    const builder = new PdfBuilder();
    const image = builder.stream('\u0000', '/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray');
    const content = `q ${mm(20)} 0 0 ${mm(10)} ${mm(30)} ${mm(40)} cm /I Do Q q ${mm(5)} 0 0 ${mm(5)} ${mm(1)} ${mm(1)} cm BI /W 4 /H 1 /BPC 8 /CS /G ID EI \u0001 EI Q ${mm(50)} ${mm(50)} 1 1 re f`;
    const { painted } = await read(onePage({ content, builder, resources: `/XObject << /I ${image} 0 R >>` }));
    assert.deepEqual(painted.map(({ kind }) => kind), ['image', 'image', 'path']);
    assertBox(painted[0], [30, 40, 50, 50]);
    assertBox(painted[1], [1, 1, 6, 6]);
  });

  it('the data of an inline image is no content, even where it looks like an end', async () => {
    const { painted, paths } = await read(cutPage(`q 9 0 0 9 0 0 cm BI /W 3 /H 3 /BPC 8 /CS /G ID \u0000 EI\u0000\u0080\u0001\u0002 EI Q /C CS 1 SCN 1 1 50 50 re S`));
    assert.deepEqual([painted.length, paths.length], [1, 1]);
  });

  it('the data of an inline image is skipped by its length where that is known', async () => {
    const data = 'ab EI Q\u0000\u0000';
    const { painted } = await read(onePage({ content: `BI /W 9 /H 1 /BPC 8 /CS /G ID ${data}\nEI\u0000\u0000 Q 5 5 5 5 re f` }));
    assert.deepEqual(painted.map(({ kind }) => kind), ['image', 'path']);
  });

  it('text in a font that is missing still has a box, and vertical text goes down', async () => {
    const font = '<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-V /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 >>] >>';
    const { painted } = await read(onePage({ content: `BT /Nowhere ${mm(10)} Tf ${mm(20)} ${mm(30)} Td (AB) Tj ET BT /V ${mm(10)} Tf ${mm(50)} ${mm(90)} Td <000100020003> Tj <0004> Tj ET`, resources: `/Font << /V ${font} >>` }));
    assert.ok(painted[0] !== undefined && painted[0].boxMm.x1Mm >= 30);
    assertBox(painted[1], [40, 50, 60, 100]);
    assertBox(painted[2], [40, 40, 60, 70]);
  });

  it('text in a Type 3 font has a box by what its glyphs paint, not by the box the font states', async () => {
    const builder = new PdfBuilder();
    const glyph = builder.stream('10 0 0 -5 10 20 d1 0 -5 10 25 re f');
    const font = builder.put(`<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [0.1 0 0 0.1 0 0] /CharProcs << /a ${glyph} 0 R >> /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [10] /Resources << >> >>`);
    const { painted } = await read(onePage({ content: `BT /T ${mm(10)} Tf ${mm(20)} ${mm(50)} Td (aa) Tj ET`, builder, resources: `/Font << /T ${font} 0 R >>` }));
    assertBox(painted[0], [20, 45, 50, 70]);
  });

  it('a shading fills the clip', async () => {
    const { painted } = await read(onePage({ content: `${mm(10)} ${mm(10)} ${mm(10)} ${mm(10)} re W n /S sh`, resources: '/Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 1 1] >> >>' }));
    assert.equal(painted[0]?.kind, 'shading');
    assertBox(painted[0], [10, 10, 20, 20]);
  });

  it('a form is placed by its matrix and cut by its box', async () => {
    const builder = new PdfBuilder();
    const form = builder.stream('0 0 200 200 re f', '/Type /XObject /Subtype /Form /BBox [0 0 10 10] /Matrix [2 0 0 2 0 0]');
    const { painted } = await read(onePage({ content: '1 0 0 1 100 100 cm /F Do', builder, resources: `/XObject << /F ${form} 0 R >>` }));
    assertBox(painted[0], [100, 100, 120, 120].map((value) => value / PT));
  });

  it('stays bounded for a page of very many objects, and still covers them all', async () => {
    const content = Array.from({ length: 100_000 }, (_, i) => `${i % 250} ${Math.floor(i / 400)} 1 1 re f`).join('\n');
    const { painted } = await read(onePage({ content, flate: true }));
    assert.ok(painted.length <= 32_768 && painted.length > 10_000);
    assert.ok(Math.abs(Math.max(...painted.map(({ boxMm }) => boxMm.x1Mm)) - 250 / PT) < 0.01);
  });
});
