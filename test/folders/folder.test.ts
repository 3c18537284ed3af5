import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';
import { pdfWith, quickPreparer, workshop, type Workshop, type WorkshopOptions } from './workshop.ts';

interface Bench extends Workshop {
  readonly clock: FakeClock;
  put(folder: 'cut' | 'print', name: string, content?: string): void;
  /** Names in a folder of the workshop, hidden ones left out. */
  names(folder: string): string[];
  /** Lets time pass until it is so. */
  until(what: string, isSo: () => boolean): Promise<void>;
  journal(): string[];
}

async function withBench(run: (bench: Bench) => Promise<void>, options: Partial<WorkshopOptions> = {}): Promise<void> {
  const clock = fakeClock();
  const shop = workshop({ clock, ...options });
  const bench: Bench = {
    ...shop, clock,
    put(folder, name, content = pdfWith('cut')) {
      mkdirSync(join(shop.root, folder), { recursive: true });
      writeFileSync(join(shop.root, folder, name), content);
    },
    names: (folder) => readdirSync(join(shop.root, folder)).filter((name) => !name.startsWith('.')).sort(),
    async until(what, isSo) {
      const giveUpAt = Date.now() + 20_000;
      while (Date.now() < giveUpAt) {
        if (isSo()) return;
        await clock.advance(100);
        // File operations need turns of the real event loop, however fast the fake clock runs.
        for (let each = 0; each < 5; each += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      assert.fail(`it never came about that ${what}; the journal: ${bench.journal().join(' | ')}`);
    },
    journal: () => shop.runtime.journal({ limit: 500 }).map(({ kind, message }) => `${kind}: ${message}`),
  };
  await shop.start();
  try {
    await run(bench);
  } finally {
    const stopped = shop.stop();
    await clock.advance(10_000);
    await stopped;
    rmSync(shop.root, { recursive: true, force: true });
  }
}

const idle = ({ folders }: Bench): boolean => (['ingest', 'print_prepare'] as const).every((id) => folders.state(id).inProgress === null && folders.state(id).waitingCount === 0);
const counts = ({ folders }: Bench, id: 'ingest' | 'print_prepare'): [number, number] => [folders.state(id).processedCount, folders.state(id).errorCount];

describe('the print folder', () => {
  it('turns a file into a job and a marked PDF, and moves the file to the processed ones', async () => {
    await withBench(async (bench) => {
      bench.put('print', 'Größe_ABC123456.PDF', pdfWith('x'));
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
      const [job] = bench.jobs.list({ limit: 10 });
      assert.deepEqual([job?.name, job?.barcode_link_info, job?.source], ['Grosse_ABC123456', 'ABC123456', 'print-prepare']);
      assert.deepEqual(bench.names('outbox'), ['Größe_ABC123456_ABC123456.pdf']);
      assert.match(readFileSync(join(bench.root, 'outbox', 'Größe_ABC123456_ABC123456.pdf'), 'utf8'), /marked ABC123456$/);
      assert.equal(bench.names('processed').length, 1);
      assert.match(bench.names('processed')[0] ?? '', /^Größe_ABC123456_\d{8}T\d{6}\.\d{3}Z\.PDF$/);
      assert.deepEqual([bench.names('print'), readdirSync(join(bench.root, 'print', '.kerf'))], [[], []]);
    });
  });

  it('takes files that are renamed in, the oldest first, and leaves unfinished ones alone', async () => {
    await withBench(async (bench) => {
      bench.put('print', 'late.pdf.part');
      bench.put('print', 'b.pdf');
      bench.put('print', 'a.pdf');
      await bench.until('both are done', () => counts(bench, 'print_prepare')[0] === 2);
      renameSync(join(bench.root, 'print', 'late.pdf.part'), join(bench.root, 'print', 'late.pdf'));
      await bench.until('the third is done', () => counts(bench, 'print_prepare')[0] === 3);
      assert.deepEqual(bench.jobs.list({ limit: 10 }).map(({ name }) => name), ['late', 'a', 'b']);
    });
  });

  it('refuses a PDF without its end mark after 15 quiet seconds', async () => {
    await withBench(async (bench) => {
      bench.put('print', 'half.pdf', '%PDF-1.7\nhalf');
      const begun = bench.clock.now();
      await bench.until('it is refused', () => counts(bench, 'print_prepare')[1] === 1);
      assert.ok(bench.clock.now() - begun >= 15_000);
      assert.deepEqual(bench.names('errors'), ['half.pdf', 'half.pdf.error.txt']);
      assert.match(readFileSync(join(bench.root, 'errors', 'half.pdf.error.txt'), 'utf8'), /^PDF_UNFINISHED\n.*%%EOF/);
    });
  });

  it('refuses symbolic links where they lie, says so once, and touches nothing they lead to', async () => {
    await withBench(async (bench) => {
      const outside = join(bench.root, 'outside.pdf');
      writeFileSync(outside, pdfWith('secret'));
      symlinkSync(outside, join(bench.root, 'print', 'link.pdf'));
      bench.put('print', 'a.pdf');
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
      await bench.clock.advance(60_000);
      assert.equal(bench.journal().filter((line) => line.includes('link.pdf')).length, 1);
      assert.deepEqual([bench.names('print'), readFileSync(outside, 'utf8'), bench.jobs.list({ limit: 9 }).length], [['link.pdf'], pdfWith('secret'), 1]);
    });
  });

  it('never writes over anything: what has a name keeps it', async () => {
    await withBench(async (bench) => {
      mkdirSync(join(bench.root, 'errors'), { recursive: true });
      writeFileSync(join(bench.root, 'outbox', 'a_ABC123456_ABC123456.pdf'), 'somebody’s');
      writeFileSync(join(bench.root, 'errors', 'bad.pdf'), 'somebody’s');
      bench.put('print', 'a_ABC123456.pdf');
      bench.put('print', 'bad.pdf', pdfWith('no cut'));
      await bench.until('both are done', () => counts(bench, 'print_prepare').join() === '1,1');
      assert.deepEqual(bench.names('outbox'), ['a_ABC123456_ABC123456-2.pdf', 'a_ABC123456_ABC123456.pdf']);
      assert.deepEqual(bench.names('errors'), ['bad-2.pdf', 'bad-2.pdf.error.txt', 'bad.pdf']);
      assert.equal(readFileSync(join(bench.root, 'errors', 'bad.pdf'), 'utf8'), 'somebody’s');
    });
  });

  it('tells where a picture of a refused page is, in the note and in the activity', async () => {
    const asked: string[] = [];
    const preview = { svg: '/previews/1.svg', png: '/previews/1.png' };
    const pictures: WorkshopOptions['pictures'] = {
      keepRefusal({ fileName, failure, pdf }) {
        asked.push(`${fileName} ${failure.code} ${new TextDecoder().decode(pdf).includes('no cut')}`);
        return Promise.resolve(preview);
      },
    };
    await withBench(async (bench) => {
      bench.put('print', 'p.pdf', pdfWith('no cut'));
      bench.put('cut', 'c.pdf', pdfWith('no cut'));
      await bench.until('both are refused', () => counts(bench, 'print_prepare')[1] === 1 && counts(bench, 'ingest')[1] === 1);
      assert.deepEqual(asked.sort(), ['c.pdf NO_CUT_PATHS true', 'p.pdf NO_CUT_PATHS true']);
      for (const name of ['p.pdf', 'c.pdf']) {
        assert.match(readFileSync(join(bench.root, 'errors', `${name}.error.txt`), 'utf8'), /^picture, for an hour: \/previews\/1\.png \(or \/previews\/1\.svg\)$/m);
      }
      const told = bench.runtime.journal({ limit: 500 }).filter(({ message }) => message.includes('was refused'));
      assert.deepEqual(told.map(({ data }) => [data.preview, data.preview_png]), [[preview.svg, preview.png], [preview.svg, preview.png]]);
    }, { pictures });
  });

  it('holds a file while its outbox cannot be used, says so, and goes on by itself', async () => {
    await withBench(async (bench) => {
      rmSync(join(bench.root, 'outbox'), { recursive: true });
      writeFileSync(join(bench.root, 'outbox'), 'not a folder');
      bench.put('print', 'a.pdf');
      await bench.until('the file is held', () => bench.folders.state('print_prepare').isHeld);
      await bench.clock.advance(60_000);
      assert.equal(bench.journal().filter((line) => line.startsWith('warning:')).length, 1);
      assert.equal(bench.folders.state('print_prepare').lastError?.code, 'FOLDER_UNUSABLE');
      assert.equal(bench.jobs.list({ limit: 9 }).length, 0);
      rmSync(join(bench.root, 'outbox'));
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
      assert.ok(!bench.folders.state('print_prepare').isHeld);
      assert.equal(bench.names('outbox').length, 1);
    });
  });

  it('finds its inbox again after someone removed it', async () => {
    await withBench(async (bench) => {
      rmSync(join(bench.root, 'print'), { recursive: true });
      await bench.until('it is there again', () => existsSync(join(bench.root, 'print', '.kerf')));
      bench.put('print', 'a.pdf');
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
    });
  });

  it('takes nothing while it is stopped', async () => {
    await withBench(async (bench) => {
      await bench.folders.setRunning('print_prepare', false);
      bench.put('print', 'a.pdf');
      await bench.until('the file waits', () => bench.folders.state('print_prepare').waitingCount === 1);
      await bench.clock.advance(60_000);
      assert.deepEqual([bench.names('print'), counts(bench, 'print_prepare')], [['a.pdf'], [0, 0]]);
      await bench.folders.setRunning('print_prepare', true);
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
    });
  });

  it('holds a file while preparation is not available', async () => {
    let isAvailable = false;
    const quick = quickPreparer();
    const preparer = { ...quick, prepare: (input: Parameters<typeof quick.prepare>[0]) =>
      isAvailable ? quick.prepare(input) : Promise.resolve({ ok: false, failure: { code: 'UNAVAILABLE', detail: 'Not now.' }, report: null } as const) };
    await withBench(async (bench) => {
      bench.put('print', 'a.pdf');
      await bench.until('the file is held', () => bench.folders.state('print_prepare').isHeld);
      isAvailable = true;
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
    }, { preparer });
  });

  it('writes nothing to disk while it is idle', async () => {
    await withBench(async (bench) => {
      bench.put('print', 'a.pdf');
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1 && idle(bench));
      const before = [bench.journal().length, statSync(bench.store.path, { bigint: true }).mtimeNs];
      await bench.clock.advance(600_000);
      assert.deepEqual([bench.journal().length, statSync(bench.store.path, { bigint: true }).mtimeNs], before);
    });
  });
});

describe('the cut folder', () => {
  it('takes name, barcode and vector from a sidecar, also from one that comes a little late', async () => {
    await withBench(async (bench) => {
      bench.put('cut', 'a.pdf');
      await bench.until('the file is seen', () => bench.folders.state('ingest').waitingCount === 1);
      await bench.clock.advance(1900);
      bench.put('cut', 'a.meta.json', JSON.stringify({ name: 'Sticker', barcode_link_info: 'ABC123456', regmark_fx: 77, order: 12 }));
      await bench.until('the file is done', () => counts(bench, 'ingest')[0] === 1);
      const [job] = bench.jobs.list({ limit: 10 });
      assert.deepEqual([job?.name, job?.barcode_link_info, job?.vector, job?.source], ['Sticker', 'ABC123456', { fx: 77, fy: 400, rx: 0, ry: 0 }, 'cut-folder']);
      assert.equal(bench.names('processed').length, 2);
    });
  });

  it('takes finished command sequences byte for byte, with a sidecar only', async () => {
    await withBench(async (bench) => {
      bench.put('cut', 'raw.gpgl', 'M1,2\x03\x00ÿ');
      bench.put('cut', 'raw.job.json', JSON.stringify({ barcode_link_info: 'ABC123456', command_type: 1, append_etx: true }));
      bench.put('cut', 'alone_ABC123456.gpgl', 'M1,2\x03');
      await bench.until('both are done', () => counts(bench, 'ingest').join() === '1,1');
      const [job] = bench.jobs.list({ limit: 10 });
      assert.deepEqual([job?.name, job?.command_type, Buffer.from(bench.jobs.commandSequence(job?.id ?? '') ?? []).toString()], ['raw', 1, 'M1,2\x03\x00ÿ\x03']);
      assert.match(readFileSync(join(bench.root, 'errors', 'alone_ABC123456.gpgl.error.txt'), 'utf8'), /^SIDECAR_MISSING\n/);
    });
  });

  it('says of a bad sidecar everything that is wrong with it, and takes the file again with a better one', async () => {
    await withBench(async (bench) => {
      bench.put('cut', 'a.pdf');
      bench.put('cut', 'a.json', JSON.stringify({ barcode_link_info: 'G23', command_type: 7 }));
      await bench.until('it is refused', () => counts(bench, 'ingest')[1] === 1);
      assert.deepEqual(bench.names('errors'), ['a.json', 'a.pdf', 'a.pdf.error.txt']);
      assert.match(readFileSync(join(bench.root, 'errors', 'a.pdf.error.txt'), 'utf8'), /^INVALID_SIDECAR\n.*barcode_link_info.*command_type/);
      writeFileSync(join(bench.root, 'errors', 'a.json'), JSON.stringify({ barcode_link_info: 'ABC123456' }));
      assert.deepEqual(await bench.folders.retry('ingest', 'a.pdf'), { ok: true });
      await bench.until('it is done', () => counts(bench, 'ingest')[0] === 1);
      assert.deepEqual([bench.names('errors'), bench.jobs.list({ limit: 9 }).map((job) => job.barcode_link_info)], [[], ['ABC123456']]);
    });
  });

  it('tries again only what lies in its error folder and is its own', async () => {
    await withBench(async (bench) => {
      bench.put('print', 'p.pdf', pdfWith('no cut'));
      await bench.until('it is refused', () => counts(bench, 'print_prepare')[1] === 1);
      writeFileSync(join(bench.root, 'secret.pdf'), pdfWith('x'));
      symlinkSync(join(bench.root, 'secret.pdf'), join(bench.root, 'errors', 'link.pdf'));
      const codes: unknown[] = [];
      for (const file of ['p.pdf', 'none.pdf', '../secret.pdf', 'link.pdf', 'p.pdf.error.txt']) {
        const asked = await bench.folders.retry('ingest', file);
        codes.push(asked.ok || asked.failure.code);
      }
      assert.deepEqual(codes, ['OTHER_FOLDER', 'FILE_NOT_FOUND', 'INVALID_FILE_NAME', 'FILE_NOT_FOUND', 'INVALID_FILE_NAME']);
    });
  });
});

describe('a claim folder', () => {
  it('gives files that no record knows back to the inbox', async () => {
    await withBench(async (bench) => {
      await bench.folders.stop();
      mkdirSync(join(bench.root, 'print', '.kerf', 'unknown'), { recursive: true });
      writeFileSync(join(bench.root, 'print', '.kerf', 'unknown', 'a.pdf'), pdfWith('x'));
      await bench.folders.start({ ingest: true, print_prepare: true });
      await bench.until('the file is done', () => counts(bench, 'print_prepare')[0] === 1);
      assert.deepEqual(readdirSync(join(bench.root, 'print', '.kerf')), []);
    });
  });
});
