import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toolPathsOf } from '../../src/gpgl/index.ts';
import {
  arrangeCopies, checkCopiedPoints, checkCopiesApart, choiceConflicts, choiceRanges, defaultSheetOptions, isSingle, layoutSheet, overlayOf, repeatPaths, sheetOptionsOf,
  type Arrangement, type MeasuredChoice, type RectMm, type SheetChoices, type SheetLayout,
} from '../../src/sheet/index.ts';
import { listOf } from '../support/paths.ts';

const link = 'A0200ROLL';

function within(inner: RectMm, outer: RectMm): boolean {
  const byMm = 1e-6;
  return inner.x0Mm >= outer.x0Mm - byMm && inner.y0Mm >= outer.y0Mm - byMm && inner.x1Mm <= outer.x1Mm + byMm && inner.y1Mm <= outer.y1Mm + byMm;
}

/** They share an area or an edge. */
function touches(one: RectMm, other: RectMm): boolean {
  return one.x0Mm <= other.x1Mm && one.x1Mm >= other.x0Mm && one.y0Mm <= other.y1Mm && one.y1Mm >= other.y0Mm;
}

function apart(one: readonly RectMm[], other: readonly RectMm[]): boolean {
  return one.every((each) => other.every((against) => !touches(each, against)));
}

/** Marks, Start Mark, bars and text as they are printed, from nothing but the overlay's own rectangles. */
function assertSheet(layout: SheetLayout): void {
  const { options, markArmsMm, barsMm, startMarkMm, readableText, markBlock, vector } = layout;
  const page = { x0Mm: 0, y0Mm: 0, x1Mm: layout.widthMm, y1Mm: layout.heightMm };
  const text = { x0Mm: readableText.xMm, y0Mm: readableText.yMm, x1Mm: barsMm.at(-1)?.x0Mm ?? 0, y1Mm: readableText.yMm + readableText.heightMm };
  assert.equal(overlayOf(layout).rectsMm.length, 8 + 1 + 65);
  assert.ok([...overlayOf(layout).rectsMm, text].every((each) => within(each, page)), 'all is on the page');
  const marks = [0, 1, 2, 3].map((mark) => markArmsMm.slice(2 * mark, 2 * mark + 2));
  for (const [index, mark] of marks.entries()) {
    for (const other of marks.slice(index + 1)) assert.ok(apart(mark, other), 'marks are apart');
    assert.ok(mark.every((arm) => layout.keepClearZones.some(({ rectMm }, zone) => zone > 0 && within(arm, rectMm))), 'each mark is in its square');
  }
  const strip = layout.keepClearZones[0]?.rectMm ?? page;
  assert.ok(apart(markArmsMm, [{ ...strip, y1Mm: strip.y1Mm - 1e-6 }]), 'marks are out of the strip');
  assert.ok(apart(barsMm, [startMarkMm]) && barsMm.every((bar, at) => at === 0 || bar.x1Mm < (barsMm[at - 1]?.x0Mm ?? 0)), 'bars are apart');
  assert.ok(Math.abs(startMarkMm.x0Mm - (barsMm[0]?.x1Mm ?? 0) - options.quietZoneMm) < 1e-9, 'a quiet zone before the bars');
  assert.ok(within({ ...startMarkMm, x0Mm: text.x0Mm }, strip), 'the barcode is in its strip');
  // What the cutter is told, found again in what is printed: a corner is where the centre lines of two arms meet.
  const corners = marks.map(([across, along]) => ({ xMm: ((along?.x0Mm ?? 0) + (along?.x1Mm ?? 0)) / 2, yMm: ((across?.y0Mm ?? 0) + (across?.y1Mm ?? 0)) / 2 }));
  const [mark1, left, far] = corners;
  assert.ok(mark1 !== undefined && left !== undefined && far !== undefined);
  assert.ok(Math.abs(markBlock.carriageDistanceMm - (mark1.xMm - left.xMm)) < 1e-9 && Math.abs(markBlock.feedDistanceMm - (far.yMm - mark1.yMm)) < 1e-9);
  assert.ok(Math.min(markBlock.carriageDistanceMm, markBlock.feedDistanceMm) >= 60 - 0.011);
  assert.ok(Math.abs(vector.fx / 10 - (mark1.yMm - startMarkMm.y1Mm)) <= 0.05 + 1e-9 && Math.abs(vector.fy / 10 - (startMarkMm.x1Mm - mark1.xMm)) <= 0.05 + 1e-9);
  const [across] = marks[0] ?? [];
  const outward = options.markType === 1;
  assert.equal(markBlock.markType, options.markType);
  assert.ok(Math.abs((outward ? (across?.x1Mm ?? 0) - mark1.xMm : mark1.xMm - (across?.x0Mm ?? 0)) - markBlock.armMm) < 1e-9, 'arms of the length and in the direction that is told');
}

const of = (choice: MeasuredChoice, most = choiceRanges[choice].most) => fc.double({ min: choiceRanges[choice].least, max: most, noNaN: true });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyChoices: fc.Arbitrary<SheetChoices> = fc.record({
  marksFromSideMm: maybe(of('marksFromSideMm', 200)), marksFromRearMm: maybe(of('marksFromRearMm', 200)), marksBehindBandMm: maybe(of('marksBehindBandMm', 60)),
  markType: maybe(fc.constantFrom(1, 2)), markLengthMm: maybe(of('markLengthMm')), markThicknessMm: maybe(of('markThicknessMm')),
  copiesX: maybe(fc.integer({ min: 1, max: 8 })), copiesY: maybe(fc.integer({ min: 1, max: 8 })), gapXMm: maybe(of('gapXMm', 50)), gapYMm: maybe(of('gapYMm', 50)),
}).filter((choices) => choiceConflicts(choices).length === 0);
const page = fc.record({ widthMm: fc.double({ min: 5, max: 600, noNaN: true }), heightMm: fc.double({ min: 5, max: 600, noNaN: true }) });

function arranged(size: { widthMm: number; heightMm: number }, choices: SheetChoices): Arrangement {
  const result = arrangeCopies(size, choices, sheetOptionsOf(choices));
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.arrangement;
}

describe('choices for a sheet', () => {
  it('that nobody made are the validated layout', () => {
    assert.deepEqual(sheetOptionsOf({}), defaultSheetOptions);
    assert.deepEqual(choiceConflicts({ barcodeEdge: 'front' }), []);
    assert.ok(isSingle({}) && isSingle({ copiesX: 1, gapXMm: 5 }) && !isSingle({ copiesY: 2 }));
  });

  it('within the rules give a sheet whose parts are apart, on the page, and where the cutter is told they are', () => {
    let laidOut = 0;
    fc.assert(fc.property(fc.record({ widthMm: fc.double({ min: 150, max: 1600, noNaN: true }), heightMm: fc.double({ min: 100, max: 3000, noNaN: true }) }), anyChoices, (size, choices) => {
      const result = layoutSheet(size, link, sheetOptionsOf(choices));
      if (result.ok) {
        laidOut += 1;
        assertSheet(result.layout);
      } else assert.equal(result.failure.code, 'PAGE_TOO_SMALL');
    }), { numRuns: 300 });
    assert.ok(laidOut > 40, `${laidOut} of 300 pages were large enough`);
  });

  it('of type 1 move the front marks back until their arms leave the barcode alone, unless a distance is chosen', () => {
    assert.equal(sheetOptionsOf({ markType: 1 }).marksBehindBandMm, 23);
    assert.equal(sheetOptionsOf({ markType: 1, markLengthMm: 4 }).marksBehindBandMm, 7);
    assert.deepEqual(choiceConflicts({ markType: 1, marksBehindBandMm: 22.9 }).map(({ choice }) => choice), ['marksBehindBandMm']);
    assert.deepEqual(choiceConflicts({ markType: 1, marksBehindBandMm: 23 }), []);
    assert.deepEqual(choiceConflicts({ barcodeEdge: 'both', markType: 1, marksBehindBandMm: 5 }).map(({ choice }) => choice), ['barcodeEdge', 'marksBehindBandMm']);
  });
});

describe('copies by step and repeat', () => {
  it('stand in rows and columns, apart by their gaps, within the marks and clear of every zone', () => {
    fc.assert(fc.property(page, anyChoices.filter((choices) => !isSingle(choices)), (size, choices) => {
      const result = arrangeCopies(size, choices, sheetOptionsOf(choices));
      if (!result.ok) {
        assert.equal(result.failure.code, 'INVALID_PARAMETER');
        return;
      }
      const { arrangement } = result;
      const laidOut = layoutSheet(arrangement, link, sheetOptionsOf(choices));
      assert.ok(laidOut.ok, 'the sheet is large enough by construction');
      assertSheet(laidOut.layout);
      const { copiesX = 1, copiesY = 1, gapXMm = 0, gapYMm = 0 } = choices;
      assert.equal(arrangement.copiesMm.length, copiesX * copiesY);
      const first = arrangement.copiesMm[0];
      assert.ok(first !== undefined);
      const open = laidOut.layout.keepClearZones.map(({ rectMm }) => rectMm).map(({ x0Mm, y0Mm, x1Mm, y1Mm }) => ({ x0Mm: x0Mm + 1e-6, y0Mm: y0Mm + 1e-6, x1Mm: x1Mm - 1e-6, y1Mm: y1Mm - 1e-6 }));
      for (const [index, { xMm, yMm }] of arrangement.copiesMm.entries()) {
        assert.ok(Math.abs(xMm - first.xMm - (index % copiesX) * (size.widthMm + gapXMm)) < 1e-6);
        assert.ok(Math.abs(yMm - first.yMm - Math.floor(index / copiesX) * (size.heightMm + gapYMm)) < 1e-6);
        const copy = { x0Mm: xMm, y0Mm: yMm, x1Mm: xMm + size.widthMm, y1Mm: yMm + size.heightMm };
        const { x0Mm, y0Mm, x1Mm, y1Mm } = laidOut.layout.markRectMm;
        assert.ok(within(copy, { x0Mm: x0Mm + 1, y0Mm: y0Mm + 1, x1Mm: x1Mm - 1, y1Mm: y1Mm - 1 }), 'inside the marks, with the margin of a cut');
        assert.ok(apart([copy], open), 'clear of the zones');
      }
    }), { numRuns: 200 });
  });

  it('take no more room than they need: 302 × 303 mm for 3 × 4 pages of 60 × 40 mm', () => {
    const { widthMm, heightMm, copiesMm } = arranged({ widthMm: 60, heightMm: 40 }, { copiesX: 3, copiesY: 4, gapXMm: 5, gapYMm: 2 });
    assert.deepEqual([widthMm, heightMm], [302, 303]);
    assert.deepEqual([copiesMm[0], copiesMm[11]], [{ xMm: 56, yMm: 61 }, { xMm: 186, yMm: 187 }]);
  });

  it('that are few and small stand in the middle of the marks of the smallest sheet', () => {
    const { widthMm, heightMm, copiesMm } = arranged({ widthMm: 10, heightMm: 6 }, { copiesX: 2 });
    assert.deepEqual([widthMm, heightMm], [192.75, 145]);
    assert.deepEqual(copiesMm, [{ xMm: 86.375, yMm: 62 }, { xMm: 96.375, yMm: 62 }]);
  });

  it('that no page of a PDF can hold are refused, naming the direction', () => {
    for (const [choices, choice] of [[{ copiesX: 60 }, 'copiesX'], [{ copiesY: 60 }, 'copiesY']] as const) {
      const result = arrangeCopies({ widthMm: 90, heightMm: 90 }, choices, sheetOptionsOf(choices));
      assert.ok(!result.ok);
      assert.deepEqual([result.failure.code, result.failure.choice], ['INVALID_PARAMETER', choice]);
      assert.match(result.failure.detail, /5080 mm/);
    }
    assert.equal(arrangeCopies({ widthMm: Number.NaN, heightMm: 90 }, { copiesX: 2 }, defaultSheetOptions).ok, false);
  });

  it('may not make a job of more than two million points', () => {
    const paths = toolPathsOf([{ tool: 'cut', closed: true, pointsMm: new Float64Array(2 * 500) }]);
    assert.equal(checkCopiedPoints(paths, 4000), null);
    assert.match(checkCopiedPoints(paths, 4001)?.detail ?? '', /2000500.*at most 2000000/);
  });

  it('may not cut into each other: a cut ends at the middle of the gap', () => {
    const reaching = (byMm: number) => toolPathsOf([{ tool: 'crease', closed: false, pointsMm: Float64Array.of(5, 5, 60 + byMm, 5, 60, -byMm) }]);
    const size = { widthMm: 60, heightMm: 40 };
    assert.equal(checkCopiesApart(reaching(0.01), size, {}), null);
    assert.equal(checkCopiesApart(reaching(2.5), size, { gapXMm: 5, gapYMm: 5 }), null);
    const failure = checkCopiesApart(reaching(2.6), size, { gapXMm: 5, gapYMm: 6 });
    assert.equal(failure?.code, 'CUT_OUTSIDE_MARKS');
    assert.match(failure.detail, /Cut path 1 of 1 \(crease\).*x 62\.6, y 5 mm.*5 mm across and 6 mm along/);
  });

  it('are cut like the page, each at its place', () => {
    const paths = [{ tool: 'cut', closed: true, pointsMm: Float64Array.of(1, 2, 3, 4, 5, 1) }, { tool: 'crease', closed: false, pointsMm: Float64Array.of(0, 0, 9, 9) }] as const;
    assert.deepEqual(listOf(repeatPaths(toolPathsOf(paths), [{ xMm: 0, yMm: 0 }, { xMm: 100, yMm: 50 }])), [
      ...paths, { tool: 'cut', closed: true, pointsMm: Float64Array.of(101, 52, 103, 54, 105, 51) }, { tool: 'crease', closed: false, pointsMm: Float64Array.of(100, 50, 109, 59) },
    ]);
  });
});
