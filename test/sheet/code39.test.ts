import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import bwip from 'bwip-js/node';
import fc from 'fast-check';
import { code39Text, isLinkInfo, layoutSheet, type RectMm } from '../../src/sheet/index.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const linkInfo = fc.tuple(
  fc.constantFrom(...Array.from(alphabet.replace('G', ''))),
  fc.array(fc.constantFrom(...Array.from(alphabet)), { minLength: 8, maxLength: 8 }),
).map(([first, rest]) => first + rest.join(''));

function barsOf(link: string): readonly RectMm[] {
  const result = layoutSheet({ widthMm: 210, heightMm: 297 }, link);
  assert.ok(result.ok);
  return result.layout.barsMm;
}

/** Reads drawn bars from right to left by their widths alone, with the reader's arithmetic instead of the writer's
 * table: in the 40 characters with two wide bars, the wide bars say the row and the wide space the column. */
function decode(bars: readonly RectMm[]): string {
  const rightToLeft = [...bars].sort((one, other) => other.x1Mm - one.x1Mm);
  assert.equal(rightToLeft.length % 5, 0);
  let text = '';
  for (let first = 0; first < rightToLeft.length; first += 5) {
    const five = rightToLeft.slice(first, first + 5);
    const wideBars = five.map(({ x0Mm, x1Mm }) => isWide(x1Mm - x0Mm));
    const wideSpaces = five.slice(1).map((bar, index) => isWide((five[index]?.x0Mm ?? NaN) - bar.x1Mm));
    const gapBefore = first === 0 ? 0.5 : (rightToLeft[first - 1]?.x0Mm ?? NaN) - (five[0]?.x1Mm ?? NaN);
    assert.ok(Math.abs(gapBefore - 0.5) < 1e-9, `gap of ${gapBefore} mm`);
    text += characterOf(wideBars, wideSpaces);
  }
  return text;
}

function isWide(widthMm: number): boolean {
  assert.ok(Math.abs(widthMm - 0.5) < 1e-9 || Math.abs(widthMm - 1.25) < 1e-9, `an element of ${widthMm} mm`);
  return widthMm > 0.8;
}

function characterOf(wideBars: readonly boolean[], wideSpaces: readonly boolean[]): string {
  if (wideSpaces.filter(Boolean).length === 3) {
    assert.ok(!wideBars.some(Boolean));
    return '%+/$'.charAt(wideSpaces.indexOf(false));
  }
  assert.equal(wideSpaces.filter(Boolean).length, 1);
  assert.equal(wideBars.filter(Boolean).length, 2);
  // Bars weigh 1, 2, 4, 7 and 0; a sum of 11 stands for 0, as in two-of-five codes.
  const weights = [1, 2, 4, 7, 0];
  const sum = wideBars.reduce((total, wide, index) => total + (wide ? weights[index] ?? NaN : 0), 0);
  const row = sum === 11 ? 10 : sum;
  return (['UVWXYZ-. *', '1234567890', 'ABCDEFGHIJ', 'KLMNOPQRST'][wideSpaces.indexOf(true)] ?? '').charAt(row - 1);
}

describe('the barcode', () => {
  it('has the check characters of the reference', () => {
    assert.equal(code39Text('A0200ROLL', 'F'), '*A0200ROLLFY*');
    assert.equal(code39Text('ABC123XYZ', 'R'), '*ABC123XYZR$*');
    assert.equal(code39Text('A0100ABCD', null), '*A0100ABCDE*');
  });

  it('reads back from its drawn bars, right to left', () => {
    assert.equal(decode(barsOf('A0200ROLL')), '*A0200ROLLFY*');
    fc.assert(fc.property(linkInfo, (link) => {
      assert.equal(decode(barsOf(link)), code39Text(link, 'F'));
    }));
  });

  it('has the same elements as a library writes for every character', () => {
    const text = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    for (let from = 0; from < text.length; from += 9) {
      const link = text.slice(from, from + 9).replace(/^G/, 'H');
      const [drawn] = bwip.raw({ bcid: 'code39', text: `${link}F`, includecheck: true });
      assert.ok(drawn !== undefined && 'sbs' in drawn);
      const widths = [...drawn.sbs];
      const narrow = Math.min(...widths);
      const theirs = widths.map((width) => width > narrow);
      const ours: boolean[] = [];
      const bars = barsOf(link);
      bars.forEach((bar, index) => {
        const before = bars[index - 1];
        if (before !== undefined) ours.push(before.x0Mm - bar.x1Mm > 0.8);
        ours.push(bar.x1Mm - bar.x0Mm > 0.8);
      });
      assert.deepEqual(ours, theirs.slice(0, ours.length));
    }
  });

  it('is 93.75 mm long and begins 7 mm left of the Start Mark', () => {
    const bars = barsOf('A0200ROLL');
    assert.equal(bars[0]?.x1Mm, 210 - 60 - 7);
    assert.ok(Math.abs((bars.at(-1)?.x0Mm ?? NaN) - (210 - 160.75)) < 1e-9);
    assert.ok(bars.every(({ y0Mm, y1Mm }) => y0Mm === 20 && y1Mm === 29));
  });

  it('knows a link info from what looks like one', () => {
    assert.deepEqual(['A0200ROLL', 'Z00000000', '000000000'].map(isLinkInfo), [true, true, true]);
    assert.deepEqual(['G0200ROLL', 'A0200ROL', 'A0200ROLLX', 'a0200ROLL', 'A0200ROL-', 'A0200ROLL\n', ''].map(isLinkInfo), Array(7).fill(false));
  });
});
