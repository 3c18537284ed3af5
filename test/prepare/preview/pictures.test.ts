import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobRecord } from '../../../src/jobs/index.ts';
import { createPictures, createPreparer, type PictureResult, type RefusedFile } from '../../../src/prepare/index.ts';
import type { KeptRefusal } from '../../../src/prepare/preview/refusal-shelf.ts';
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
  let kept: KeptRefusal | null = null;
  const made = createPictures({
    preparer: { draw: (wanted) => { asked.push(wanted); return Promise.resolve(answers.shift() ?? picture); } },
    jobs: { commandSequence: () => new Uint8Array(3), sheet: () => ({ layout, markedPdf }) },
    shelf: {
      keep: (refusal, pdf) => {
        kept = { record: { kept_at: 0, ...refusal }, pdf };
        return Promise.resolve('id');
      },
      find: () => Promise.resolve(kept),
    },
    stepsPerMm: 20, cutSpotColors: [], baseUrl: 'https://kerf.example',
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
  const page = { page_mm: [100, 120], copies_mm: [[0, 0]], sheet: null, cut_paths: 'all-strokes' } as const;
  const file = { pdf: new Uint8Array(7), fileName: 'a.pdf' };
  const links = { svg: 'https://kerf.example/previews/id.svg', png: 'https://kerf.example/previews/id.png' };

  it('has a picture where it is about the file, whether or not its page could be read', async () => {
    const { made } = pictures([]);
    assert.deepEqual(await made.keepRefusal({ ...file, failure: { code: 'PAGE_TOO_SMALL', detail: '', page } }), links);
    assert.deepEqual(await made.keepRefusal({ ...file, failure: { code: 'MULTIPLE_PAGES', detail: '' } }), links);
    assert.equal(await made.keepRefusal({ ...file, failure: { code: 'INVALID_NAME', detail: '' } }), null);
    assert.equal(await made.keepRefusal({ ...file, failure: { code: 'UNAVAILABLE', detail: '' } }), null);
  });

  it('is drawn as it was read, or with what pdf.js makes of the page, or without the page', async () => {
    const { made, asked } = pictures([]);
    const drawn = async (failure: RefusedFile['failure']): Promise<PictureInput> => {
      await made.keepRefusal({ ...file, failure });
      assert.ok(await made.ofRefusal('id', 'svg'));
      const last = asked.at(-1);
      assert.ok(last !== undefined);
      return last;
    };
    const read = await drawn({ code: 'CUT_OUTSIDE_MARKS', detail: 'It leaves.', page });
    assert.deepEqual([read.ground?.widthMm, read.pdf.length, read.cuts, read.notes], [100, 7, { kind: 'page', cutSpotColors: [], cutPaths: 'all-strokes' }, ['It leaves.']]);
    const unknown = await drawn({ code: 'MULTIPLE_PAGES', detail: 'It has 2 pages.' });
    assert.deepEqual([unknown.ground, unknown.copiesMm, unknown.pdf.length, unknown.notes], [null, null, 7, ['It has 2 pages.', 'The first page is shown.']]);
    const endless = await drawn({ code: 'PDF_TOO_COMPLEX', detail: 'It is endless.', page });
    assert.deepEqual([endless.ground?.heightMm, endless.pdf.length, endless.notes], [120, 0, ['It is endless.', 'The page itself is not shown.']]);
  });
});

describe('the worker', () => {
  const wanted = (title: string): PictureInput => ({
    format: 'png', title, ground: null, copiesMm: null, pdf: new Uint8Array(8), commandSequence: new Uint8Array(0), cuts: { kind: 'page', cutSpotColors: [], cutPaths: 'marked' }, offenders: [], notes: [],
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
