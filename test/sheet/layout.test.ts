import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toolPathsOf } from '../../src/gpgl/index.ts';
import { keepClearZones, layoutSheet, markToPage, overlayOf, pageToMark, toMarkFrame, type RectMm, type SheetLayout } from '../../src/sheet/index.ts';
import { listOf } from '../support/paths.ts';

function layout(widthMm = 210, heightMm = 297, link = 'A0200ROLL'): SheetLayout {
  const result = layoutSheet({ widthMm, heightMm }, link);
  assert.ok(result.ok);
  return result.layout;
}

function numbers({ x0Mm, y0Mm, x1Mm, y1Mm }: RectMm): number[] {
  return [x0Mm, y0Mm, x1Mm, y1Mm];
}

describe('laying out a sheet', () => {
  it('puts the marks and the Start Mark of an A4 page where the field has validated them', () => {
    const sheet = layout();
    assert.deepEqual(numbers(sheet.startMarkMm), [150, 20, 200, 29]);
    assert.deepEqual(numbers(sheet.markRectMm), [50, 35, 160, 247]);
    assert.deepEqual(sheet.originMm, { xMm: 160, yMm: 35 });
    assert.deepEqual(sheet.markBlock, { armMm: 20, markType: 2, feedDistanceMm: 212, carriageDistanceMm: 110 });
    assert.deepEqual(sheet.vector, { fx: 60, fy: 400, rx: 0, ry: 0 });
  });

  it('draws arms that point inward, centred on the corner lines, with filled corners', () => {
    const [across, along] = layout().markArmsMm;
    assert.ok(across !== undefined && along !== undefined);
    assert.deepEqual(numbers(across), [140, 34.65, 160.35, 35.35]);
    assert.deepEqual(numbers(along), [159.65, 34.65, 160.35, 55]);
    const all = layout().markArmsMm;
    assert.equal(all.length, 8);
    assert.deepEqual([Math.min(...all.map((arm) => arm.x0Mm)), Math.max(...all.map((arm) => arm.x1Mm))], [49.65, 160.35]);
    assert.deepEqual([Math.min(...all.map((arm) => arm.y0Mm)), Math.max(...all.map((arm) => arm.y1Mm))], [34.65, 247.35]);
  });

  it('tells the cutter the distances of what is drawn, whatever the page and the options', () => {
    const millimetres = (min: number, max: number) => fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => tenths / 10);
    fc.assert(fc.property(millimetres(200, 1600), millimetres(200, 3000), millimetres(5, 12), (widthMm, heightMm, marksBehindBandMm) => {
      const result = layoutSheet({ widthMm, heightMm }, 'F00000001', { marksBehindBandMm });
      assert.ok(result.ok);
      const { markArmsMm, startMarkMm, vector, markBlock } = result.layout;
      const cornerX = Math.max(...markArmsMm.map((arm) => arm.x1Mm)) - 0.35;
      const cornerY = Math.min(...markArmsMm.map((arm) => arm.y0Mm)) + 0.35;
      assert.equal(vector.fx, Math.round((cornerY - startMarkMm.y1Mm) * 10));
      assert.equal(vector.fy, Math.round((startMarkMm.x1Mm - cornerX) * 10));
      assert.ok(Math.abs(markBlock.carriageDistanceMm - (widthMm - 100)) < 1e-9);
    }));
  });

  it('keeps the leading strip and a square around each mark clear', () => {
    assert.deepEqual(keepClearZones(layout()).map(({ rectMm }) => numbers(rectMm)), [
      [0, 0, 210, 32], [134, 9, 186, 61], [24, 9, 76, 61], [24, 221, 76, 273], [134, 221, 186, 273],
    ]);
  });

  it('fits the readable text into the 25 mm left of the bars, also of the widest and the narrowest code', () => {
    for (const link of ['WWWWWWWWW', 'A0200ROLL', 'IIIIIIIII']) {
      const { readableText } = layout(192.75, 297, link);
      assert.equal(readableText.text, `${link}-F`);
      assert.ok(readableText.xMm >= -1e-9 && readableText.xMm < 25);
      assert.ok(readableText.heightMm > 2.5 && readableText.heightMm <= 4.24);
      assert.equal(readableText.yMm, 22);
    }
  });

  it('prints marks, Start Mark, 65 bars and the text', () => {
    const overlay = overlayOf(layout());
    assert.equal(overlay.rectsMm.length, 8 + 1 + 65);
    assert.equal(overlay.texts.length, 1);
  });

  it('says what a page needs that is too small', () => {
    for (const [widthMm, heightMm] of [[192.7, 297], [210, 144.9], [Number.NaN, 297]] as const) {
      const result = layoutSheet({ widthMm, heightMm }, 'A0200ROLL');
      assert.ok(!result.ok);
      assert.equal(result.failure.code, 'PAGE_TOO_SMALL');
      assert.match(result.failure.detail, /at least 192\.75 × 145 mm/);
    }
    assert.ok(layoutSheet({ widthMm: 192.75, heightMm: 145 }, 'A0200ROLL').ok);
  });

  it('refuses a link info that a cutter would not report', () => {
    const result = layoutSheet({ widthMm: 210, heightMm: 297 }, 'G0200ROLL');
    assert.ok(!result.ok);
    assert.equal(result.failure.code, 'INVALID_BARCODE');
  });
});

describe('the frames of page and marks', () => {
  it('puts mark 1 at the origin, the feed up the page and the carriage to the left', () => {
    const sheet = layout();
    assert.deepEqual(pageToMark({ xMm: 160, yMm: 35 }, sheet), { feedMm: 0, carriageMm: 0 });
    assert.deepEqual(pageToMark({ xMm: 60, yMm: 100 }, sheet), { feedMm: 65, carriageMm: 100 });
    const [moved] = listOf(toMarkFrame(toolPathsOf([{ tool: 'crease', closed: true, pointsMm: Float64Array.of(60, 100, 160, 36) }]), sheet));
    assert.deepEqual(moved, { tool: 'crease', closed: true, pointsMm: Float64Array.of(65, 100, 1, 0) });
  });

  it('are inverse to each other', () => {
    const length = fc.double({ min: -1000, max: 3000, noNaN: true });
    fc.assert(fc.property(length, length, (xMm, yMm) => {
      const back = markToPage(pageToMark({ xMm, yMm }, layout()), layout());
      assert.ok(Math.abs(back.xMm - xMm) < 1e-9 && Math.abs(back.yMm - yMm) < 1e-9);
    }));
  });
});
