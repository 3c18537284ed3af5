import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemClock, verifyJournal } from '../../src/runtime/index.ts';
import { pdfWith, workshop } from '../folders/workshop.ts';
import { eventually, temporaryDirectory } from '../support/kerf.ts';

/** The long form, 1,000 files and five kills, by the environment. */
const fileCount = Number(process.env.KERF_CRASH_FILES ?? 60);
const kills = Number(process.env.KERF_CRASH_KILLS ?? 3);

type Fate = 'printed' | 'refused' | 'cut' | 'sequence';

interface TestFile {
  readonly fate: Fate;
  readonly folder: 'print' | 'cut';
  readonly stem: string;
  readonly name: string;
  readonly content: string;
  readonly sidecar: string | null;
}

function testFile(index: number): TestFile {
  const number = String(index).padStart(5, '0');
  const fate: Fate = (['printed', 'refused', 'cut', 'sequence', 'printed'] as const)[index % 5] ?? 'printed';
  const folder = fate === 'printed' || (fate === 'refused' && index % 2 === 0) ? 'print' : 'cut';
  const stem = `file ${number}`;
  const content = fate === 'sequence' ? `H M0,${index}\x03` : pdfWith(`${number} ${fate === 'refused' ? 'no cut' : 'cut'}`);
  const sidecar = fate === 'sequence' ? JSON.stringify({ name: stem, barcode_link_info: `S${String(index).padStart(8, '0')}` }) : null;
  return { fate, folder, stem, content, sidecar, name: `${stem}.${fate === 'sequence' ? 'gpgl' : 'pdf'}` };
}

/** Files of a directory that are meant to be seen. */
const shown = (directory: string): string[] => (existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith('.')) : []);
const hidden = (directory: string): string[] => readdirSync(directory).filter((name) => name.startsWith('.') && name !== '.kerf');

describe('hot folders under SIGKILL', () => {
  it(`lose none of ${fileCount} files and do none twice over ${kills} kills`, { timeout: 60_000 + fileCount * 200 }, async () => {
    const root = temporaryDirectory('crash-folders');
    const printed = join(root, 'printed');
    for (const name of ['print', 'cut', 'outbox', 'drop', 'printed']) mkdirSync(join(root, name));
    const files = Array.from({ length: fileCount }, (_, index) => testFile(index));
    const drop = ({ folder, stem, name, content, sidecar }: TestFile): void => {
      for (const [each, text] of [...(sidecar === null ? [] : [[`${stem}.job.json`, sidecar] as const]), [name, content] as const]) {
        writeFileSync(join(root, 'drop', each), text);
        renameSync(join(root, 'drop', each), join(root, folder, each));
      }
    };
    /** As a RIP does: what appears in the outbox is taken away at once. A second one of its name would be refused. */
    const rip = (): void => {
      for (const name of shown(join(root, 'outbox'))) {
        assert.ok(!existsSync(join(printed, name)), `${name} came out twice`);
        renameSync(join(root, 'outbox', name), join(printed, name));
      }
    };
    let told = 0;
    const start = async (): Promise<ChildProcess> => {
      const child = fork(new URL('./folders-process.ts', import.meta.url), [root], { execArgv: ['--import', 'tsx'] });
      child.on('message', () => (told += 1));
      await once(child, 'message');
      return child;
    };

    files.slice(0, Math.ceil(fileCount / 2)).forEach(drop);
    const late = files.slice(Math.ceil(fileCount / 2));
    for (let kill = 0; kill < kills; kill += 1) {
      const child = await start();
      late.splice(0, Math.ceil(fileCount / 2 / kills)).forEach(drop);
      const enough = told + 2 + Math.floor(Math.random() * ((2 * fileCount) / (kills + 1)));
      await eventually('some files are done', () => {
        rip();
        return told >= enough || [...shown(join(root, 'print')), ...shown(join(root, 'cut'))].length === 0 ? true : undefined;
      });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    late.forEach(drop);
    const last = await start();
    await eventually('all files are done', () => {
      rip();
      const inHand = ['print', 'cut'].flatMap((folder) => [...shown(join(root, folder)), ...readdirSync(join(root, folder, '.kerf'))]);
      return inHand.length === 0 ? true : undefined;
    }, 20_000 + fileCount * 100);
    last.send('stop');
    await once(last, 'exit');
    rip();

    const { jobs, folders, store } = workshop({ clock: systemClock(), root });
    const all = jobs.list({ limit: 10 * fileCount });
    const [processed, errors] = [shown(join(root, 'processed')), shown(join(root, 'errors'))];
    for (const { fate, stem, name, content } of files) {
      const own = all.filter((job) => job.name === stem);
      assert.equal(own.length, fate === 'refused' ? 0 : 1, `${name} has ${own.length} jobs`);
      const kept = [...processed, ...errors].filter((each) => each.startsWith(stem) && !/\.(json|txt)$/.test(each));
      assert.deepEqual(kept.map((each) => readFileSync(join(root, fate === 'refused' ? 'errors' : 'processed', each), 'utf8')), [content], `${name} was kept ${kept.length} times`);
      const output = shown(printed).filter((each) => each.startsWith(stem));
      assert.deepEqual(output, fate === 'printed' ? [`${stem}_${own[0]?.barcode_link_info ?? ''}.pdf`] : []);
      if (fate === 'printed') assert.equal(readFileSync(join(printed, output[0] ?? ''), 'utf8'), `${content}marked ${own[0]?.barcode_link_info ?? ''}`);
      if (fate === 'refused') assert.ok(errors.includes(`${name}.error.txt`));
      if (fate === 'sequence') assert.equal(Buffer.from(jobs.commandSequence(own[0]?.id ?? '') ?? []).toString(), content);
    }
    assert.equal(new Set(all.map((job) => job.barcode_link_info)).size, all.length);
    for (const directory of ['print', 'cut', 'outbox', 'processed', 'errors']) assert.deepEqual(hidden(join(root, directory)), []);
    const states = [folders.state('ingest'), folders.state('print_prepare')];
    assert.equal(states.reduce((sum, state) => sum + state.processedCount, 0), files.filter(({ fate }) => fate !== 'refused').length);
    assert.equal(states.reduce((sum, state) => sum + state.errorCount, 0), files.filter(({ fate }) => fate === 'refused').length);
    assert.ok(verifyJournal(store, new TextEncoder().encode('a test key')).ok);
    await store.close();
  });
});
