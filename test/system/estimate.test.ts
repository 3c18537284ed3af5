import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { encodeJob, estimateSeconds, toolPathsOf, type MarkBlock, type StepsPerMm, type ToolPath } from '../../src/gpgl/index.ts';
import { geometryOf } from '../support/paths.ts';
import { bench, stream, untilStream } from '../firmware-sim/helpers.ts';
import { circle, flower, grid, line, polygon, wave, zigzag } from './sheets.ts';

// Kerf's model of motion against the simulator's own, which shares no code with it and takes corners by another rule. The table
// stands in docs/decisions/time-estimate.md, with what the differences come from; who changes a model changes the table.

const square = (x: number, y: number): ToolPath => polygon(x - 10, y - 10, x + 10, y - 10, x + 10, y + 10, x - 10, y + 10);

interface Row {
  readonly job: string;
  readonly paths: readonly ToolPath[];
  readonly stepsPerMm?: StepsPerMm;
  /** Kerf's seconds over the simulator's: a CE6000-60, an FC9000-140. */
  readonly ratios: readonly [number, number];
}

const rows: readonly Row[] = [
  { job: 'a line of 1 m', paths: [line(0, 0, 1000, 0)], ratios: [1.01, 1.18] },
  { job: 'the measured zigzag', paths: [zigzag()], ratios: [1.01, 1.82] },
  { job: 'a square of 400 mm', paths: [polygon(0, 0, 400, 0, 400, 400, 0, 400)], ratios: [0.99, 1.29] },
  { job: '100 squares of 20 mm', paths: grid(10, 10, 30, square), ratios: [0.94, 1.79] },
  { job: 'a circle, radius 50 mm, steps of 0.1 mm', paths: [circle(60, 60, 50, 120)], ratios: [1.10, 1.79] },
  { job: 'a circle, radius 50 mm, steps of 0.01 mm', paths: [circle(60, 60, 50, 120)], stepsPerMm: 100, ratios: [1.03, 1.68] },
  { job: 'a circle, radius 5 mm', paths: [circle(60, 60, 5, 36)], ratios: [1.04, 1.99] },
  { job: '1,000 round stickers, radius 8 mm', paths: grid(40, 25, 20, (x, y) => circle(x, y, 8, 48)), ratios: [1.14, 2.06] },
  { job: 'a wave, a point every 0.1 mm, steps of 0.1 mm', paths: [wave(1000, 10_000)], ratios: [1.01, 1.18] },
  { job: 'a wave, a point every 0.1 mm, steps of 0.01 mm', paths: [wave(1000, 10_000)], stepsPerMm: 100, ratios: [1.23, 1.46] },
  { job: '100 flowers of 1,000 segments, steps of 0.1 mm', paths: grid(10, 10, 60, (x, y) => flower(x, y, 28, 1000)), ratios: [1.76, 2.63] },
  { job: '100 flowers of 1,000 segments, steps of 0.01 mm', paths: grid(10, 10, 60, (x, y) => flower(x, y, 28, 1000)), stepsPerMm: 100, ratios: [1.89, 2.99] },
];

function kerfSeconds(job: Uint8Array, stepsPerMm: StepsPerMm): number {
  return estimateSeconds(geometryOf(job, stepsPerMm));
}

/** From the first byte to idle again, by the cutter's own clock, which the test turns. */
async function cutterSeconds(t: TestContext, model: string, job: Uint8Array, stepsPerMm: StepsPerMm): Promise<number> {
  const set = await bench(t, { model, stepMm: 1 / stepsPerMm });
  await untilStream(set);
  let beganMs = Number.NaN;
  let endedMs = Number.NaN;
  set.cutter.observe((event) => {
    if (event.kind === 'state' && event.to === 5) beganMs = set.clock.now();
    if (event.kind === 'finished') endedMs = set.clock.now();
  });
  await stream(set.port, Buffer.from(job));
  // No state is left before it was reported.
  await set.ask('\x1b.d1:');
  set.clock.advance(24 * 3_600_000);
  return (endedMs - beganMs) / 1000;
}

async function ratio(t: TestContext, model: string, job: Uint8Array, stepsPerMm: StepsPerMm = 10): Promise<number> {
  return kerfSeconds(job, stepsPerMm) / await cutterSeconds(t, model, job, stepsPerMm);
}

const cutters = ['CE6000-60', 'FC9000-140'] as const;

describe('the estimate of a job against the time the simulated cutter takes', () => {
  for (const { job, paths, stepsPerMm = 10, ratios } of rows) {
    for (const [index, model] of cutters.entries()) {
      const expected = ratios[index] ?? NaN;
      it(`${job}: ${expected} times that of a ${model}`, async (t) => {
        const found = await ratio(t, model, encodeJob({ stepsPerMm, markBlock: null, paths: toolPathsOf(paths) }), stepsPerMm);
        assert.ok(Math.abs(found - expected) <= 0.01, `${found}`);
      });
    }
  }

  it('is within a tenth where both know the speed and the acceleration, whatever they are', async (t) => {
    const drawn = 'J1␃M0,0␃D4000,0,4000,3000,0,3000,0,0␃M0,0␃';
    for (const conditions of ['!105␃*1,12␃', '!120␃*2,12␃', '!130␃*3,12␃', '!160␃*2,12␃']) {
      const found = await ratio(t, 'CE6000-60', Buffer.from(`${conditions}${drawn}`.replaceAll('␃', '\x03')));
      assert.ok(found > 0.9 && found < 1.1, `${conditions} ${found}`);
    }
  });

  it('differs by the scan of the marks by no more than the scan may differ, whatever the sheet', async (t) => {
    for (const [feedDistanceMm, carriageDistanceMm] of [[60, 60], [400, 300], [2000, 580]] as const) {
      const markBlock: MarkBlock = { armMm: 20, markType: 2, feedDistanceMm, carriageDistanceMm };
      const [bare = NaN, marked = NaN] = await Promise.all([null, markBlock].map(async (block) => {
        const job = encodeJob({ stepsPerMm: 10, markBlock: block, paths: toolPathsOf([polygon(10, 10, 40, 10, 40, 40)]) });
        return kerfSeconds(job, 10) - await cutterSeconds(t, 'CE6000-60', job, 10);
      }));
      assert.ok(Math.abs(marked - bare) <= 9, `${feedDistanceMm} × ${carriageDistanceMm}: ${marked - bare} s`);
    }
  });
});
