import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCutInside, layoutSheet, type SheetOptions } from '../../src/sheet/index.ts';
import { toolPathsOf } from '../../src/gpgl/index.ts';

/** A4: marks x 50–160, y 35–247, so cutting is allowed from 51 to 159 and from 36 to 246. */
function check(...paths: readonly (readonly number[])[]) {
  return checkWith({}, ...paths);
}

function checkWith(options: Partial<SheetOptions>, ...paths: readonly (readonly number[])[]) {
  const result = layoutSheet({ widthMm: 210, heightMm: 297 }, 'A0200ROLL', options);
  assert.ok(result.ok);
  return checkCutInside(toolPathsOf(paths.map((points) => ({ tool: 'cut', closed: true, pointsMm: Float64Array.from(points) }))), result.layout);
}

describe('where cutting is allowed', () => {
  it('accepts a path up to exactly 1 mm inside the marks', () => {
    assert.equal(check([51, 80, 159, 80, 159, 200, 51, 200], [80, 36, 130, 36, 130, 246, 80, 246]), null);
  });

  it('refuses a path nearer than that, and names the worst point', () => {
    assert.equal(check([50.9, 80, 100, 80, 100, 100])?.code, 'CUT_OUTSIDE_MARKS');
    const failure = check([60, 80, 90, 80, 90, 100], [60, 80, 170, 80, 165, 100]);
    assert.ok(failure !== null);
    assert.equal(failure.code, 'CUT_OUTSIDE_MARKS');
    assert.match(failure.detail, /^Cut path 2 of 2 \(cut\).* x 170, y 80 mm it is 11 mm outside.* x 51 to 159, y 36 to 246 mm/);
  });

  it('refuses a path within the square of a mark', () => {
    const failure = check([100, 100, 110, 100, 110, 110], [60, 50, 90, 50, 90, 100]);
    assert.ok(failure !== null);
    assert.equal(failure.code, 'ARTWORK_IN_KEEP_CLEAR_ZONE');
    assert.match(failure.detail, /^Cut path 2 of 2 .*bottom left registration mark: at x 60, y 50 mm it is 11 mm within/);
  });

  it('tells of every path that is in the wrong place, with its box', () => {
    const outside = check([60, 80, 90, 80, 90, 100], [60, 80, 170, 80, 165, 100], [40, 90, 70, 90, 70, 95]);
    assert.deepEqual(outside?.offenders, [
      { kind: 'cut-path', description: 'Cut path 2 of 3 (cut)', boxMm: { x0Mm: 60, y0Mm: 80, x1Mm: 170, y1Mm: 100 } },
      { kind: 'cut-path', description: 'Cut path 3 of 3 (cut)', boxMm: { x0Mm: 40, y0Mm: 90, x1Mm: 70, y1Mm: 95 } },
    ]);
    const inSquare = check([100, 100, 110, 100, 110, 110], [60, 50, 90, 50, 90, 100]);
    assert.deepEqual(inSquare?.offenders?.map(({ description }) => description), ['Cut path 2 of 2 (cut)']);
  });

  it('accepts it there where the options allow it, but not beyond the marks', () => {
    assert.equal(checkWith({ cutInMarkSquares: 'allow' }, [51, 36, 159, 36, 159, 246, 51, 246]), null);
    assert.equal(checkWith({ cutInMarkSquares: 'allow' }, [51, 35.9, 159, 36, 159, 246, 51, 246])?.code, 'CUT_OUTSIDE_MARKS');
  });

  it('sees a straight piece that crosses a square with both ends outside, the closing piece too', () => {
    assert.equal(check([80, 40, 120, 90, 55, 70])?.code, 'ARTWORK_IN_KEEP_CLEAR_ZONE');
    assert.equal(check([77, 40, 120, 90, 90, 80, 55, 62])?.code, 'ARTWORK_IN_KEEP_CLEAR_ZONE');
    assert.equal(check([77, 40, 120, 90, 55, 62, 77, 62]), null);
  });

  it('accepts a path along the edge of a square', () => {
    assert.equal(check([76, 40, 100, 40, 100, 61, 76, 61]), null);
  });
});
