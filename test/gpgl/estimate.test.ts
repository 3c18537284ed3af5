import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultMotion, estimateSeconds, type Geometry } from '../../src/gpgl/index.ts';
import { geometryOf, polylinesOf } from '../support/paths.ts';

function geometry(job: string): Geometry {
  return geometryOf(Buffer.from(job.replaceAll('␃', '\x03'), 'latin1'), 10);
}

const seconds = (job: string): number => estimateSeconds(geometry(job), { ...defaultMotion, toolSeconds: 0 });

describe('the conditions a job names', () => {
  it('are read with the strokes they are for', () => {
    const read = polylinesOf(geometry('M0,0␃D9,0␃J2␃!130␃*2,12␃M0,0␃D9,0␃!5␃D18,0␃'));
    assert.deepEqual(read.map(({ pen, speed, accelerationLevel }) => ({ pen, speed, accelerationLevel })), [
      { pen: 0, speed: null, accelerationLevel: null },
      { pen: 2, speed: { unit: 'mm/s', value: 300 }, accelerationLevel: 2 },
      { pen: 2, speed: { unit: 'share of the maximum', value: 0.5 }, accelerationLevel: 2 },
    ]);
    assert.deepEqual(read.map(({ pointsMm }) => [...pointsMm]), [[0, 0, 0.9, 0], [0, 0, 0.9, 0], [0.9, 0, 1.8, 0]]);
  });

  it('that name a tool are for that tool alone', () => {
    const read = polylinesOf(geometry('!110,1␃!120,2␃*3,10,2␃J2␃M0,0␃D9,0␃J1␃M0,0␃D9,0␃J3␃M0,0␃D9,0␃'));
    assert.deepEqual(read.map(({ speed, accelerationLevel }) => [speed?.value, accelerationLevel]), [[200, 3], [100, null], [undefined, null]]);
  });

  it('set the time: a metre at 10 cm/s, at its speed and with its ramps', () => {
    const a = defaultMotion.accelerationMmPerS2;
    const back = 1000 / 400 + 400 / a;
    assert.ok(Math.abs(seconds('!110␃M0,0␃D10000,0␃') - (1000 / 100 + 100 / a + back)) < 1e-9);
    assert.ok(Math.abs(seconds('!110␃*2,9␃M0,0␃D10000,0␃') - (1000 / 100 + 100 / (2 * a) + back)) < 1e-9);
    assert.ok(Math.abs(seconds('!5␃M0,0␃D10000,0␃') - (1000 / 320 + 320 / a + back)) < 1e-9);
  });

  it('do not make a machine faster than its maximum', () => {
    assert.equal(seconds('!260␃M0,0␃D10000,0␃'), seconds('!10␃M0,0␃D10000,0␃'));
  });

  it('do not change the time where they say what is presumed anyway', () => {
    assert.ok(Math.abs(seconds('!130␃*1,9␃M0,0␃D900,0,900,900,0,900,0,0␃') - seconds('M0,0␃D900,0,900,900,0,900,0,0␃')) < 1e-9);
  });
});
