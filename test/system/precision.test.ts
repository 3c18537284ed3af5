import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCutter, type DrawingReport } from '../../firmware-sim/index.ts';
import { drawingJson } from '../../firmware-sim/drawing.ts';
import { Plotter } from '../../firmware-sim/plotter.ts';
import { stepSizes, type StepsPerMm } from '../../src/gpgl/index.ts';
import { prepareSheet } from '../../src/prepare/compute.ts';
import { pdfTools } from '../../src/prepare/pdf-tools.ts';
import { input } from '../prepare/stand-in.ts';
import { eventually, prepare, startKerf } from '../support/kerf.ts';
import { farthestMm } from './precision-distance.ts';
import { inks, knownPage, pageDescription, penOfTool, type KnownPage, type PageDescription } from './precision-pages.ts';

/** Rounding to whole steps takes a corner half a step off along each axis; the rest are the chords of curves and the four
 * decimals of the drawing. With the finest step that makes 0.02 mm, with the coarsest rounding alone is 0.071 mm. */
function boundMm(stepsPerMm: StepsPerMm): number {
  return Math.SQRT1_2 / stepsPerMm + 0.0129;
}

/** Mark 1 of the default layout: 50 mm from the right edge, 35 mm above the leading one. Written out here: what the sheet room says is what is tested. */
function toPage(points: readonly (readonly number[])[], { widthMm }: PageDescription): number[] {
  return points.flatMap(([feedMm = NaN, carriageMm = NaN]) => [widthMm - 50 - carriageMm, 35 + feedMm]);
}

function assertDrawn(drawing: DrawingReport, page: KnownPage, description: PageDescription, limitMm: number): void {
  for (const [tool, pen] of Object.entries(penOfTool)) {
    const known = page.outlines.filter((outline) => outline.tool === tool).map(({ points }) => points);
    const strokes = drawing.strokes.filter((stroke) => stroke.pen === pen).map(({ points }) => toPage(points, description));
    const missing = farthestMm(known, strokes);
    assert.ok(missing <= limitMm, `${tool}: a point of the page is ${missing} mm from what was cut`);
    const surplus = farthestMm(strokes, known);
    assert.ok(surplus <= limitMm, `${tool}: a point of the cut is ${surplus} mm from what the page has`);
  }
}

async function drawn(page: KnownPage, stepsPerMm: StepsPerMm): Promise<DrawingReport> {
  const result = await prepareSheet(input({ pdf: page.pdf, stepsPerMm, cutSpotColors: inks }), pdfTools);
  assert.ok(result.ok, result.ok ? '' : `${result.failure.code}: ${result.failure.detail}`);
  const plotter = new Plotter({ stepMm: 1 / stepsPerMm, maxSpeedMmPerS: 600, maxAccelerationLevel: 3, chainsWithCommas: false });
  plotter.lexer.push(Buffer.from(result.prepared.commandSequence), 0, false);
  plotter.lexer.end();
  assert.equal(plotter.lexer.error, undefined);
  return drawingJson({ title: '', motions: plotter.motions, marks: plotter.marks });
}

describe('the cut of a page whose geometry is known', () => {
  for (const stepsPerMm of stepSizes) {
    it(`lies within ${boundMm(stepsPerMm).toFixed(3)} mm of it at steps of ${1 / stepsPerMm} mm, whatever matrices, forms, boxes and turns it was drawn through`, async () => {
      await fc.assert(fc.asyncProperty(pageDescription, async (description) => {
        const page = knownPage(description);
        assertDrawn(await drawn(page, stepsPerMm), page, description, boundMm(stepsPerMm));
      }), { numRuns: stepsPerMm === 100 ? 100 : 30, seed: 19593 + stepsPerMm });
    });
  }

  it('lies within 0.02 mm of it after the whole way: upload, store, scan, TCP, cutter', async (t) => {
    const cutter = createCutter({ model: 'FC9000-140', tcpPort: 0, timeScale: 10_000, stepMm: 0.01 });
    assert.ok((await cutter.start()).ok);
    t.after(() => cutter.stop());
    const kerf = await startKerf({
      CUTTERS: `one=127.0.0.1:${cutter.addresses().tcp?.port ?? 0}`, GPGL_STEPS_PER_MM: '100', CUT_SPOT_COLORS: inks.join(','),
    });
    t.after(() => kerf.stop());
    for (const [index, description] of fc.sample(pageDescription, { numRuns: 3, seed: 4 }).entries()) {
      const page = knownPage(description);
      const answer = await prepare(kerf.url, new Uint8Array(page.pdf));
      assert.equal(answer.status, 200, await (answer.status === 200 ? '' : answer.text()));
      assert.ok(cutter.panel.scan(answer.headers.get('X-Barcode') ?? '').ok);
      await eventually('the job is cut', () => (cutter.received()[index]?.result === 'cut' && cutter.state().state === 0 ? true : undefined));
      const drawing = cutter.drawingJson(index);
      assert.ok(drawing.ok);
      assertDrawn(drawing.value, page, description, 0.02);
    }
  });
});
