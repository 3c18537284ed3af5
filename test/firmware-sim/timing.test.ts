import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { models } from '../../firmware-sim/index.ts';
import { markScanSeconds, polylineSeconds } from '../../firmware-sim/timing.ts';

const acceleration = models.find((model) => model.name === 'CE6000-60')?.accelerationMmPerS2 ?? Number.NaN;

describe('the time model', () => {
  it('takes as long for a zigzag of 120 mm passes, 2560 mm in all, as a CE6000 did (section 5.3)', () => {
    const zigzag = [0, 0];
    for (let pass = 1; pass <= 21; pass++) zigzag.push(pass * 0.001, pass % 2 === 1 ? 120 : 0);
    zigzag.push(0.022, 40);
    for (const [speed, measured] of [[100, 30], [300, 22], [640, 21]] as const) {
      const seconds = polylineSeconds(zigzag, speed, acceleration);
      assert.ok(Math.abs(seconds - measured) < 1.2, `${speed} mm/s: ${seconds.toFixed(1)} s, measured ${measured} s`);
    }
  });

  it('does not slow down on a straight line that is cut into pieces', () => {
    const pieces = Array.from({ length: 101 }, (_, index) => [index, 0]).flat();
    assert.ok(Math.abs(polylineSeconds(pieces, 300, 1000) - polylineSeconds([0, 0, 100, 0], 300, 1000)) < 1e-9);
  });

  it('stops at a right angle, not at a shallow one', () => {
    const straight = polylineSeconds([0, 0, 200, 0], 300, 1000);
    assert.ok(polylineSeconds([0, 0, 100, 0, 100, 100], 300, 1000) > straight + 0.2);
    assert.ok(polylineSeconds([0, 0, 100, 0, 200, 2], 300, 1000) < straight + 0.01);
  });

  it('scans marks in 7 to 24 s', () => {
    const marks = { points: 4, armMm: 20, type: 2 } as const;
    assert.equal(markScanSeconds(undefined), 0);
    const small = markScanSeconds({ ...marks, feedMm: 60, carriageMm: 60 });
    assert.ok(small >= 7 && small < 12);
    assert.equal(markScanSeconds({ ...marks, feedMm: 3000, carriageMm: 1300 }), 24);
  });
});
