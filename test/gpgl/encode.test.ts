import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeJob, toolPathsOf, type JobToEncode, type StepsPerMm, type Tool, type ToolPath } from '../../src/gpgl/index.ts';
import { geometryOf, polylinesOf } from '../support/paths.ts';

const marks = { armMm: 20, markType: 2, feedDistanceMm: 160, carriageDistanceMm: 116 };

function path(tool: Tool, closed: boolean, ...numbers: number[]): ToolPath {
  return { tool, closed, pointsMm: Float64Array.from(numbers) };
}

function readable(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').replaceAll('\x03', '␃');
}

function encode(job: Omit<JobToEncode, 'paths'> & { readonly paths: readonly ToolPath[] }): Uint8Array {
  return encodeJob({ ...job, paths: toolPathsOf(job.paths) });
}

describe('encoding a job', () => {
  it('gives the FC9000 four-point job of the reference, byte for byte', () => {
    const bytes = encode({ stepsPerMm: 10, markBlock: marks, paths: [path('cut', true, 30, 15, 70, 15, 70, 55, 30, 55)] });
    assert.equal(readable(bytes),
      'TB99␃TB51,200␃TB52,2␃TB54,0,0␃TB55,1␃TB24,1600,1160␃TB99␃J1␃M300,150␃D700,150,700,550,300,550,300,150␃M0,0␃TB0␃');
  });

  it('leaves out every registration command where there are no marks', () => {
    assert.equal(readable(encode({ stepsPerMm: 40, markBlock: null, paths: [path('cut', false, 0, 0, 1, -1)] })), 'J1␃M0,0␃D40,-40␃M0,0␃');
  });

  it('rounds to the nearest step, halves up, and never writes a negative zero', () => {
    assert.equal(readable(encode({ stepsPerMm: 10, markBlock: null, paths: [path('cut', false, -0.04, 0.05, 0.149, -0.15, -0.25, 3)] })),
      'J1␃M0,1␃D1,-1,-2,30␃M0,0␃');
  });

  it('writes points that fall on the same step once, and leaves out a path that is one point', () => {
    const paths = [path('cut', true, 5, 5, 5.01, 5.01, 5.02, 5), path('cut', false, 1, 1, 1.01, 1.01, 2, 2, 2, 2.02)];
    assert.equal(readable(encode({ stepsPerMm: 10, markBlock: null, paths })), 'J1␃M10,10␃D20,20␃M0,0␃');
  });

  it('selects a pen only where the tool changes, from the table it is given', () => {
    const paths = [path('crease', false, 0, 0, 1, 0), path('cut', false, 0, 0, 1, 0), path('cut', false, 0, 1, 1, 1)];
    const pens = { 'cut': 1, 'kiss-cut': 1, 'perforation': 1, 'crease': 5 };
    assert.equal(readable(encode({ stepsPerMm: 10, markBlock: null, paths, pens })), 'J5␃M0,0␃D10,0␃J1␃M0,0␃D10,0␃M0,10␃D10,10␃M0,0␃');
  });

  it('continues a long path in a further D, without a move between', () => {
    const bytes = encode({ stepsPerMm: 10, markBlock: null, pairsPerDraw: 2, paths: [path('cut', true, 0, 0, 1, 0, 1, 1, 0, 1)] });
    assert.equal(readable(bytes), 'J1␃M0,0␃D10,0,10,10␃D0,10,0,0␃M0,0␃');
    assert.equal(polylinesOf(geometryOf(bytes, 10)).length, 1);
  });

  it('throws on a tool condition that the commands are not documented for', () => {
    const usual = { speedCmPerS: 30, accelerationLevel: 2, forceLevel: 14 };
    for (const wrong of [{ speedCmPerS: 0 }, { speedCmPerS: 61 }, { accelerationLevel: 4 }, { forceLevel: 1.5 }]) {
      const condition = { ...usual, ...wrong };
      const conditions = { 'cut': condition, 'kiss-cut': usual, 'perforation': usual, 'crease': usual };
      assert.throws(() => encode({ stepsPerMm: 10, markBlock: null, conditions, paths: [path('cut', false, 0, 0, 1, 0)] }), RangeError);
    }
  });

  it('throws on coordinates that are not finite', () => {
    assert.throws(() => encode({ stepsPerMm: 10, markBlock: null, paths: [path('cut', false, 0, 0, Number.NaN, 1)] }), RangeError);
  });

  it('survives the way back within half a step, whatever the paths', () => {
    const tool = fc.constantFrom<Tool>('cut', 'kiss-cut', 'perforation', 'crease');
    const coordinate = fc.double({ min: -5000, max: 50000, noNaN: true });
    const points = fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 40 });
    const paths = fc.array(fc.record({ tool, closed: fc.boolean(), pointsMm: points.map((pairs) => Float64Array.from(pairs.flat())) }), { maxLength: 8 });
    const steps = fc.constantFrom<StepsPerMm>(10, 20, 40, 100);
    fc.assert(fc.property(paths, steps, fc.integer({ min: 1, max: 7 }), (drawn, stepsPerMm, pairsPerDraw) => {
      const read = geometryOf(encode({ stepsPerMm, markBlock: marks, paths: drawn, pairsPerDraw }), stepsPerMm);
      assert.deepEqual(read.markBlock, marks);
      const half = 0.5 / stepsPerMm + 1e-9;
      const distinct = drawn.map((each) => withoutRepeats(each, stepsPerMm)).filter((each) => each.pairs.length > 1);
      assert.equal(polylinesOf(read).length, distinct.length);
      distinct.forEach(({ pairs }, index) => {
        const got = polylinesOf(read)[index]?.pointsMm ?? new Float64Array();
        assert.equal(got.length, pairs.length * 2);
        pairs.forEach(([x, y], at) => {
          assert.ok(Math.abs((got[at * 2] ?? NaN) - x) <= half && Math.abs((got[at * 2 + 1] ?? NaN) - y) <= half);
        });
      });
    }), { numRuns: 200 });
  });
});

/** The points that are left when neighbours on the same step are one: a second, slower way to the same answer. */
function withoutRepeats(drawn: ToolPath, stepsPerMm: StepsPerMm): { readonly pairs: [number, number][] } {
  const all: [number, number][] = [];
  for (let at = 0; at < drawn.pointsMm.length; at += 2) all.push([drawn.pointsMm[at] ?? NaN, drawn.pointsMm[at + 1] ?? NaN]);
  const first = all[0];
  if (drawn.closed && first !== undefined) all.push(first);
  const key = ([x, y]: [number, number]) => `${Math.floor(x * stepsPerMm + 0.5)}/${Math.floor(y * stepsPerMm + 0.5)}`;
  const pairs = all.filter((pair, index) => index === 0 || key(pair) !== key(all[index - 1] ?? pair));
  return { pairs };
}
