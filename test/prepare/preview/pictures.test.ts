import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobRecord } from '../../../src/jobs/index.ts';
import { createPictures, createPreparer, type PictureResult } from '../../../src/prepare/index.ts';
import type { PictureInput } from '../../../src/prepare/preview/types.ts';
import { input } from '../stand-in.ts';

const picture: PictureResult = { ok: true, picture: { mediaType: 'image/png', bytes: new Uint8Array(1) } };

const job: JobRecord = {
  id: 'a', seq: 1, name: 'Job', barcode_link_info: 'F00000001', command_type: 0, vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, source: 'print-prepare', command_length: 1, command_sha256: 'x',
  command_preview: [], geometry: null, cut_source: null, warnings: [], created_at: 0,
};

const layout = { width_mm: 100, height_mm: 120, origin_mm: [50, 20], mark_rect_mm: [0, 0, 1, 1], cut_area_mm: [0, 0, 1, 1], marks_mm: [], bars_mm: [], zones: [] } as const;

/** Pictures by a worker that answers in this order; what it was asked is kept. */
function pictures(answers: PictureResult[], markedPdf: Uint8Array | null = new Uint8Array(5)) {
  const asked: PictureInput[] = [];
  const made = createPictures({
    preparer: { draw: (wanted) => { asked.push(wanted); return Promise.resolve(answers.shift() ?? picture); } },
    jobs: { commandSequence: () => new Uint8Array(3), sheet: () => ({ layout, markedPdf }) },
    shelf: { keep: () => Promise.resolve('id'), find: () => Promise.resolve(null) },
    stepsPerMm: 20, cutSpotColors: [],
  });
  return { made, asked };
}

describe('a picture of a job', () => {
  it('is drawn without the printed page where that takes too long or kills the worker', async () => {
    const { made, asked } = pictures([{ ok: false, failure: { code: 'PDF_TOO_COMPLEX', detail: 'It took 20 s.' } }]);
    assert.equal(await made.ofJob(job, 'svg'), picture);
    assert.deepEqual(asked.map(({ pdf, notes }) => [pdf.length, notes]), [[5, []], [0, ['The printed page could not be drawn: It took 20 s.']]]);
  });

  it('is put off, not tried twice, while there is no room for it', async () => {
    const { made, asked } = pictures([{ ok: false, failure: { code: 'UNAVAILABLE', detail: 'Later.' } }]);
    assert.equal((await made.ofJob(job, 'png')).ok, false);
    assert.equal(asked.length, 1);
  });

  it('says that a large page was not kept', async () => {
    const { made, asked } = pictures([], null);
    await made.ofJob(job, 'svg');
    assert.match(asked[0]?.notes.join() ?? '', /too large to be kept/);
  });

  it('counts in the steps of its job, or of the service', async () => {
    const { made, asked } = pictures([]);
    const geometry = { steps_per_mm: 100, bounds_mm: { x0: 0, y0: 0, x1: 1, y1: 1 }, segments: 1, cut_length_mm: 1, travel_length_mm: 1, estimate_seconds: 1 };
    await made.ofJob({ ...job, geometry }, 'svg');
    await made.ofJob(job, 'svg');
    assert.deepEqual(asked.map(({ cuts }) => cuts.kind === 'sequence' && cuts.stepsPerMm), [100, 20]);
  });
});

describe('a refusal', () => {
  it('has a picture where the page could be read, and where it was refused for what is on it', async () => {
    const { made } = pictures([]);
    const page = { page_mm: [100, 120], copies_mm: [[0, 0]], sheet: null } as const;
    const kept = (code: string, more: object): Promise<string | null> => made.keepRefusal({ pdf: new Uint8Array(1), fileName: 'a.pdf', failure: { code, detail: '', ...more } });
    assert.equal(await kept('PAGE_TOO_SMALL', { page }), 'id');
    assert.equal(await kept('PAGE_TOO_SMALL', {}), null);
    assert.equal(await kept('INVALID_PARAMETER', { page }), null);
  });
});

describe('the worker', () => {
  const wanted = (title: string): PictureInput => ({
    format: 'png', title, ground: null, copiesMm: null, pdf: new Uint8Array(8), commandSequence: new Uint8Array(0), cuts: { kind: 'page', cutSpotColors: [] }, offenders: [], notes: [],
  });

  it('draws when nothing else waits, and lets only a few pictures wait', async () => {
    const clock = { after: (ms: number, action: () => void) => { const timer = setTimeout(action, ms); return () => clearTimeout(timer); } };
    const room = createPreparer({ workerUrl: new URL('../workers/stand-in-worker.ts', import.meta.url), clock, waitingPicturesLimit: 2 });
    try {
      const order: string[] = [];
      const noted = async <T>(name: string, work: Promise<T>): Promise<T> => work.finally(() => order.push(name));
      const all = [noted('first', room.draw(wanted('1'))), noted('second', room.draw(wanted('2')))];
      const third = await room.draw(wanted('3'));
      assert.ok(!third.ok);
      assert.equal(third.failure.code, 'UNAVAILABLE');
      const sheet = noted('sheet', room.prepare(input()));
      const drawn = await Promise.all(all);
      assert.ok((await sheet).ok);
      assert.deepEqual(order, ['sheet', 'first', 'second']);
      assert.deepEqual(drawn.map((each) => each.ok && Buffer.from(each.picture.bytes).toString()), ['1', '2']);
    } finally {
      await room.stop();
    }
  });
});
