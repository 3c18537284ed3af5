import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Plotter } from '../../firmware-sim/plotter.ts';
import { stepSizes, toolPathsOf, type ToolConditions, type ToolPath } from '../../src/gpgl/index.ts';
import { cutJob, type CutJobOptions } from '../../src/prepare/cut-job.ts';
import type { CutJob } from '../../src/prepare/types.ts';
import { cutPath } from './stand-in.ts';

const markBlock = { armMm: 20, markType: 2, feedDistanceMm: 212, carriageDistanceMm: 110 };

const vinyl: ToolConditions = {
  'cut': { speedCmPerS: 30, accelerationLevel: 2, forceLevel: 14 },
  'kiss-cut': { speedCmPerS: 40, accelerationLevel: 3, forceLevel: 8 },
  'perforation': { speedCmPerS: 10, accelerationLevel: 1, forceLevel: 14 },
  'crease': { speedCmPerS: 5, accelerationLevel: 1, forceLevel: 20 },
};

function made(paths: readonly ToolPath[], more: Partial<CutJobOptions> = {}): CutJob {
  const result = cutJob(toolPathsOf(paths), { markBlock, stepsPerMm: 10, ...more });
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.job;
}

function readable(job: CutJob): string {
  return Buffer.from(job.commandSequence).toString('latin1').replaceAll('\x03', '␃');
}

function drawn({ commandSequence }: CutJob): Plotter {
  const plotter = new Plotter({ stepMm: 0.1, maxSpeedMmPerS: 600, maxAccelerationLevel: 3, chainsWithCommas: false });
  plotter.lexer.push(Buffer.from(commandSequence), 0, false);
  plotter.lexer.end();
  assert.equal(plotter.lexer.error, undefined);
  return plotter;
}

const square = cutPath([10, 10, 20, 10, 20, 20, 10, 20]);
const sheet = [square, cutPath([30, 10, 40, 10, 40, 20, 30, 20], { tool: 'kiss-cut' }), cutPath([5, 5, 50, 5], { tool: 'crease', closed: false })];

describe('the tool conditions of a job', () => {
  it('follow each change of the tool, and the simulated cutter cuts with them', () => {
    const job = made(sheet, { conditions: vinyl });
    assert.deepEqual(readable(job).split('␃').filter((command) => /^[J!*]/.test(command)), ['J4', '!105', '*1,20', 'J2', '!140', '*3,8', 'J1', '!130', '*2,14']);
    assert.deepEqual(drawn(job).motions.filter(({ down }) => down).map(({ pen, speedMmPerS, accelerationLevel, forceLevel }) => [pen, speedMmPerS, accelerationLevel, forceLevel]), [
      [4, 50, 1, 20], [2, 400, 3, 8], [1, 300, 2, 14],
    ]);
  });

  it('are left to the operator where no material is chosen', () => {
    assert.doesNotMatch(readable(made(sheet)), /[!*]/);
    assert.deepEqual(drawn(made(sheet)).motions.filter(({ down }) => down).map(({ forceLevel }) => forceLevel), [null, null, null]);
  });

  it('count for the time it takes', () => {
    const slow = { ...vinyl, cut: { speedCmPerS: 1, accelerationLevel: 1, forceLevel: 14 } };
    // 40 mm at 1 cm/s alone are 4 s.
    assert.ok(made([square], { conditions: slow }).estimateSeconds > made([square], { conditions: vinyl }).estimateSeconds + 3);
  });
});

describe('the overcut of a job', () => {
  const order = { joinToleranceMm: 0.02, overcutMm: 0.5 };

  it('is drawn without raising the tool, and counts as cut', () => {
    const job = made([square], { order });
    assert.match(readable(job), /␃M100,100␃D200,100,200,200,100,200,100,100,105,100␃M0,0␃/);
    assert.ok(Math.abs(job.cutLengthMm - 40.5) < 1e-9);
  });

  it('survives the round trip at every step size, whatever the contours', () => {
    const coordinate = fc.double({ min: 0, max: 90, noNaN: true });
    const contour = fc.record({
      tool: fc.constantFrom('cut' as const, 'kiss-cut' as const, 'crease' as const), closed: fc.boolean(),
      pointsMm: fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 12 }).map((points) => Float64Array.from(points.flat())),
    });
    fc.assert(fc.property(fc.array(contour, { maxLength: 8 }), fc.constantFrom(...stepSizes), fc.double({ min: 0, max: 3, noNaN: true }), (paths, stepsPerMm, overcutMm) => {
      const result = cutJob(toolPathsOf(paths), { markBlock, stepsPerMm, order: { joinToleranceMm: 0.02, overcutMm }, conditions: vinyl });
      if (!result.ok) assert.equal(result.failure.code, 'NO_CUT_PATHS');
    }), { numRuns: 300 });
  });
});
