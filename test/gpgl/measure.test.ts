import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  boundsMm, cutLengthMm, defaultMotion, encodeJob, estimateSeconds, previewCommands, segmentCount, toolPathsOf, travelLengthMm,
  type Geometry, type ToolPath,
} from '../../src/gpgl/index.ts';
import { geometryOf } from '../support/paths.ts';

function geometry(paths: readonly ToolPath[]): Geometry {
  return geometryOf(encodeJob({ stepsPerMm: 10, markBlock: null, paths: toolPathsOf(paths) }), 10);
}

function cut(closed: boolean, ...numbers: number[]): ToolPath {
  return { tool: 'cut', closed, pointsMm: Float64Array.from(numbers) };
}

describe('measuring a job', () => {
  it('gives bounds, cut length, travel and segments of a square and a line', () => {
    const read = geometry([cut(true, 30, 40, 70, 40, 70, 80, 30, 80), cut(false, 30, 44, 33, 48)]);
    assert.deepEqual(boundsMm(read), { minXMm: 30, minYMm: 40, maxXMm: 70, maxYMm: 80 });
    assert.ok(Math.abs(cutLengthMm(read) - 165) < 1e-9);
    assert.ok(Math.abs(travelLengthMm(read) - (50 + 4 + Math.hypot(33, 48))) < 1e-9);
    assert.equal(segmentCount(read), 5);
  });

  it('has no bounds where nothing is drawn', () => {
    assert.equal(boundsMm(geometry([])), null);
  });

  it('estimates the measured CE6000 zigzag within a tenth', () => {
    const points: number[] = [];
    for (let pass = 0; pass <= 21; pass++) points.push(pass % 2 === 0 ? 0 : 120, pass * 0.1);
    points.push(pass40(points), 2.2);
    const zigzag = geometry([cut(false, ...points)]);
    const motion = { ...defaultMotion, toolSeconds: 0 };
    for (const [speed, measured] of [[100, 30], [300, 22], [640, 21]] as const) {
      const seconds = estimateSeconds(zigzag, { ...motion, cutSpeedMmPerS: speed });
      assert.ok(Math.abs(seconds - measured) < measured * 0.1, `${seconds} s at ${speed} mm/s, measured ${measured}`);
    }
  });

  it('takes longer where the same length has corners', () => {
    const straight = estimateSeconds(geometry([cut(false, 0, 0, 400, 0)]));
    const stairs: number[] = [];
    for (let step = 0; step <= 20; step++) stairs.push(Math.ceil(step / 2) * 20, Math.floor(step / 2) * 20);
    assert.ok(estimateSeconds(geometry([cut(false, ...stairs)])) > straight * 2);
  });

  it('does not stop at the joints of a fine polygon', () => {
    const circle: number[] = [];
    for (let part = 0; part < 360; part++) circle.push(100 + 50 * Math.cos(part * Math.PI / 180), 100 + 50 * Math.sin(part * Math.PI / 180));
    const seconds = estimateSeconds(geometry([cut(true, ...circle)]), { ...defaultMotion, toolSeconds: 0 });
    assert.ok(seconds < 6, `${seconds} s for a circle of 314 mm`);
  });

  it('gives a circle about the same time whether its points are fine or as dense as the steps', () => {
    const seconds = [60, 5000].map((parts) => {
      const circle: number[] = [];
      for (let part = 0; part < parts; part++) circle.push(100 + 5 * Math.cos(part * 2 * Math.PI / parts), 100 + 5 * Math.sin(part * 2 * Math.PI / parts));
      return estimateSeconds(geometry([cut(true, ...circle)]), { ...defaultMotion, toolSeconds: 0 });
    });
    assert.ok((seconds[1] ?? NaN) < (seconds[0] ?? NaN) * 1.5, seconds.join(' and '));
  });

  it('does not lose a way out and back on the same line', () => {
    const once = estimateSeconds(geometry([cut(false, 0, 0, 300, 0)]));
    assert.ok(estimateSeconds(geometry([cut(false, 0, 0, 300, 0, 0, 0.1, 300, 0.1)])) > once * 1.9);
  });

  it('previews the first commands readably, also of bytes that are no GP-GL', () => {
    const bytes = encodeJob({ stepsPerMm: 10, markBlock: null, paths: toolPathsOf([cut(false, 0, 0, ...Array.from({ length: 60 }, (_, index) => index + 1))]) });
    const lines = previewCommands(bytes, 3);
    assert.deepEqual(lines.slice(0, 2), ['J1', 'M0,0']);
    assert.match(lines[2] ?? '', /^D10,20,.*…$/u);
    assert.deepEqual(previewCommands(Uint8Array.of(0x1b, 0x41, 0x03, 0xff), 5), ['\\x1bA', '\\xff']);
  });

  it('writes and reads a million points in seconds', () => {
    const points = new Float64Array(2_000_000);
    for (let index = 0; index < points.length; index++) points[index] = (index * 7919) % 30011 / 10;
    const before = performance.now();
    const read = geometry([{ tool: 'cut', closed: false, pointsMm: points }]);
    assert.equal(segmentCount(read), 999_999);
    const took = performance.now() - before;
    assert.ok(took < 5000, `${took} ms`);
  });
});

/** 2560 mm are 21 passes of 120 mm and one of 40. */
function pass40(points: readonly number[]): number {
  const last = points[points.length - 2] ?? 0;
  return last === 0 ? 40 : last - 40;
}
