import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createPreparer, type CutImportResult, type ImportedCut } from '../../src/prepare/index.ts';
import { onePage } from '../pdf/builder.ts';

const pt = (mm: number): string => (mm * 72 / 25.4).toFixed(6);
const polygon = (points: readonly (readonly [number, number])[]): string => `${points.map(([x, y], i) => `${pt(x)} ${pt(y)} ${i === 0 ? 'm' : 'l'}`).join(' ')} h S`;

const preparer = createPreparer({
  workerUrl: new URL('../../src/prepare/worker.ts', import.meta.url),
  clock: {
    after: (ms, action) => {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  },
});
after(() => preparer.stop());

const importCut = (content: string, more: Partial<Parameters<typeof onePage>[0]> = {}): Promise<CutImportResult> =>
  preparer.importCutPdf({ pdf: onePage({ content, mediaBox: `[0 0 ${pt(160)} ${pt(100)}]`, ...more }), stepsPerMm: 10 });

async function imported(...args: Parameters<typeof importCut>): Promise<ImportedCut> {
  const result = await importCut(...args);
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.imported;
}

async function refusal(...args: Parameters<typeof importCut>): Promise<{ code: string; detail: string }> {
  const result = await importCut(...args);
  assert.ok(!result.ok, 'a refusal was expected');
  return result.failure;
}

const lines = (cut: ImportedCut): string[] => Buffer.from(cut.commandSequence).toString('latin1').split('\x03').slice(0, -1);

describe('a cut PDF', () => {
  it('becomes a job whose marks are the page box and whose origin is its bottom right corner', async () => {
    const cut = await imported(polygon([[30, 20], [50, 20], [50, 70]]));
    assert.deepEqual(lines(cut), [
      'TB99', 'TB51,200', 'TB52,2', 'TB54,0,0', 'TB55,1', 'TB24,1000,1600', 'TB99',
      'J1', 'M200,1100', 'D700,1100,200,1300,200,1100', 'M0,0', 'TB0',
    ]);
    assert.equal(cut.page.widthMm.toFixed(3), '160.000');
    assert.equal(cut.segmentCount, 3);
    assert.deepEqual(cut.geometry.bounds_mm, { x0: 20, y0: 110, x1: 70, y1: 130 });
    assert.equal(cut.geometry.steps_per_mm, 10);
    assert.deepEqual(cut.warnings, []);
  });

  it('is taken as it is seen: cropped and turned', async () => {
    const cropped = { pageEntries: `/CropBox [${pt(10)} ${pt(10)} ${pt(150)} ${pt(90)}] /Rotate 90` };
    const cut = await imported(polygon([[30, 20], [50, 20], [50, 70]]), cropped);
    // Turned by 90° clockwise, the page is 80 mm wide and 140 mm high; (x, y) is seen at (y − 10, 150 − x).
    assert.ok(lines(cut).includes('TB24,1400,800'));
    assert.deepEqual(cut.geometry.bounds_mm, { x0: 100, y0: 20, x1: 120, y1: 70 });
  });

  it('may be cut along the edge of its page, and not beyond', async () => {
    assert.equal((await importCut(polygon([[0, 0], [160, 0], [160, 100], [0, 100]]))).ok, true);
    const { code, detail } = await refusal(polygon([[30, 20], [50, 20], [50, 101]]));
    assert.equal(code, 'CUT_OUTSIDE_MARKS');
    assert.match(detail, /y 101 mm it is 1 mm outside/);
  });

  it('without strokes is refused', async () => {
    assert.equal((await refusal('0 0 1 rg 20 20 50 50 re f')).code, 'NO_CUT_PATHS');
    assert.equal((await refusal('')).code, 'NO_CUT_PATHS');
  });

  it('that is no PDF is refused', async () => {
    const result = await preparer.importCutPdf({ pdf: Buffer.from('solid cube'), stepsPerMm: 10 });
    assert.equal(result.ok ? 'ok' : result.failure.code, 'NOT_A_PDF');
  });
});
