import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createRefusalShelf, type RefusalShelf } from '../../../src/prepare/index.ts';
import type { RefusalShelfOptions } from '../../../src/prepare/preview/refusal-shelf.ts';
import { eventually } from '../../support/kerf.ts';
import { fakeClock, type FakeClock } from '../../support/fake-clock.ts';

const hourMs = 3_600_000;

const refusal = {
  file_name: 'a.pdf', code: 'PAGE_TOO_SMALL', detail: 'It is small.', cut_spot_colors: ['CutContour'],
  page: {
    page_mm: [100, 120], copies_mm: [[0, 0]], cut_paths: 'marked',
    sheet: { width_mm: 100, height_mm: 120, origin_mm: [50, 20], mark_rect_mm: [0, 0, 1, 1], cut_area_mm: [0, 0, 1, 1], marks_mm: [[0, 0, 1, 1]], bars_mm: [], zones: [{ name: 'z', rect_mm: [0, 0, 1, 1] }] },
  },
  offenders: [{ kind: 'ink', description: 'Ink', boxMm: { x0Mm: 0, y0Mm: 0, x1Mm: 1, y1Mm: 1 } }],
} as const;

interface Bench {
  readonly directory: string;
  readonly clock: FakeClock;
  readonly shelf: RefusalShelf;
  /** The shelf of the next start of the service. */
  readonly next: () => RefusalShelf;
  readonly files: () => string[];
}

function bench(more: Partial<RefusalShelfOptions> = {}): Bench {
  const directory = join(mkdtempSync(join(tmpdir(), 'kerf-shelf-')), 'previews');
  const clock = fakeClock();
  let ids = 0;
  const next = (): RefusalShelf => createRefusalShelf({ directory, clock, newId: () => `id-${ids++}`, ...more });
  return { directory, clock, shelf: next(), next, files: () => existsSync(directory) ? readdirSync(directory).sort() : [] };
}

const keep = async (shelf: RefusalShelf, bytes = 10): Promise<string> => {
  const id = await shelf.keep(refusal, new Uint8Array(bytes));
  assert.ok(id !== null);
  return id;
};

describe('the refused files that are kept for their pictures', () => {
  it('are found as they were, for an hour and no longer', async () => {
    const { shelf, clock, files } = bench();
    const id = await keep(shelf);
    await clock.advance(hourMs - 1);
    const found = await shelf.find(id);
    assert.deepEqual(found, { record: { kept_at: found?.record.kept_at, ...refusal }, pdf: new Uint8Array(10) });
    await clock.advance(1);
    assert.equal(await shelf.find(id), null);
    await eventually('the files are gone', () => files().length === 0 || undefined);
  });

  it('are as many as may be and as large as may be; the oldest go first', async () => {
    const byNumber = bench({ mostRefusals: 2 });
    const three = [await keep(byNumber.shelf), await keep(byNumber.shelf), await keep(byNumber.shelf)];
    assert.deepEqual(await Promise.all(three.map(async (id) => (await byNumber.shelf.find(id)) !== null)), [false, true, true]);
    assert.deepEqual(byNumber.files(), ['id-1.json', 'id-1.pdf', 'id-2.json', 'id-2.pdf']);
    const bySize = bench({ mostBytes: 25 });
    const sizes = [await keep(bySize.shelf), await keep(bySize.shelf), await keep(bySize.shelf, 16)];
    assert.deepEqual(await Promise.all(sizes.map(async (id) => (await bySize.shelf.find(id)) !== null)), [false, false, true]);
    const large = await keep(bySize.shelf, 26);
    assert.equal((await bySize.shelf.find(large))?.pdf.length, 0, 'the refusal alone: the file is too large for all of the shelf');
    assert.ok(await bySize.shelf.find(sizes[2] ?? ''));
  });

  it('are there after a restart for the rest of their hour; older ones and fragments are removed', async () => {
    const { shelf, clock, files, next, directory } = bench();
    const old = await keep(shelf);
    await clock.advance(hourMs / 2);
    const young = await keep(shelf);
    shelf.stop();
    await clock.advance(hourMs / 2);
    writeFileSync(join(directory, 'half.pdf'), 'no record');
    writeFileSync(join(directory, 'broken.json'), '{"kept_at":1}');
    writeFileSync(join(directory, 'broken.pdf'), '');
    writeFileSync(join(directory, 'README'), 'of somebody else');
    const again = next();
    await again.start();
    assert.equal(await again.find(old), null);
    assert.ok(await again.find(young));
    assert.deepEqual(files(), ['README', `${young}.json`, `${young}.pdf`]);
    await clock.advance(hourMs / 2);
    assert.equal(await again.find(young), null);
  });

  it('of a clock that ran ahead are removed at the start', async () => {
    const { shelf, clock, files, next } = bench();
    await keep(shelf);
    shelf.stop();
    clock.jumpTo(clock.now() - 5 * hourMs);
    await next().start();
    assert.deepEqual(files(), []);
  });

  it('leave nothing on the disk while there are none', async () => {
    const { shelf, clock, directory } = bench();
    await shelf.start();
    await clock.advance(10 * hourMs);
    assert.equal(await shelf.find('id-0'), null);
    shelf.stop();
    assert.ok(!existsSync(directory));
  });

  it('that cannot be written are not kept, and that is all', async () => {
    const { shelf, directory } = bench();
    writeFileSync(directory, 'a file where the directory should be');
    assert.equal(await shelf.keep(refusal, new Uint8Array(10)), null);
    assert.equal(await shelf.find('id-0'), null);
  });
});
