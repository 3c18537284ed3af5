import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeJob, toolPathsOf } from '../../src/gpgl/index.ts';
import { roundTrip } from '../../src/prepare/round-trip.ts';
import { cutPath } from './stand-in.ts';

const marks = { armMm: 20, markType: 2, feedDistanceMm: 212, carriageDistanceMm: 110 };
const paths = toolPathsOf([cutPath([10, 10, 20, 10, 20, 25.05]), cutPath([30, 30, 40, 40], { closed: false, tool: 'crease' })]);

function changed(from: string, to: string): Uint8Array {
  const text = Buffer.from(encodeJob({ stepsPerMm: 10, markBlock: marks, paths })).toString('latin1');
  assert.ok(text.includes(from), `${from} is not in ${text}`);
  return Buffer.from(text.replace(from, to), 'latin1');
}

describe('reading a finished job back', () => {
  it('passes a job that says what the page says', () => {
    assert.ok(roundTrip(changed('J1', 'J1'), paths, marks, 10).ok);
  });

  for (const [what, from, to] of [
    ['a coordinate that is a step off', 'M100,100', 'M100,101'],
    ['swapped axes', 'D200,100,', 'D100,200,'],
    ['a missing point', ',200,251', ''],
    ['a point too many', 'D200,100,', 'D200,100,210,110,'],
    ['a path too many', 'M0,0', 'M0,0\x03D5,5\x03M0,0'],
    ['a first point of its own', 'M100,100', 'M90,90\x03D100,100'],
    ['a missing path', 'M300,300\x03D400,400\x03', ''],
    ['a lifted tool', 'D200,100,', 'D200,100\x03M200,100\x03D'],
    ['another pen', 'J4', 'J2'],
    ['a tool condition that nobody ordered', 'J4', 'J4\x03!110'],
    ['other marks', 'TB24,2120', 'TB24,2121'],
    ['an arc', 'J4', 'W0,0,5,5,0,360\x03J4'],
    ['bytes that are no GP-GL', 'J4', 'J4x'],
  ] as const) {
    it(`refuses ${what}`, () => {
      const result = roundTrip(changed(from, to), paths, marks, 10);
      assert.ok(!result.ok);
      assert.match(result.detail, /defect of Kerf/);
    });
  }
});
