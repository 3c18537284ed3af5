/**
 * One PDF becomes a cut job, in a process of its own. Bundled by process.ts.
 * usage: command paths|job|sheet <PDF> <output>
 * paths: the points of the cut paths; job: the cut alone, as a PDF to be cut; sheet: the job and the marked PDF, <output>.pdf
 * Prints how much memory it had at most, in kB.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { openPdf, readPage } from '../../src/pdf/index.ts';

async function main([what, file = '', output = '']: readonly string[]): Promise<void> {
  const page = { pdf: readFileSync(file), stepsPerMm: 10, cutSpotColors: ['CutContour'] } as const;
  if (what === 'paths') await writePaths(page, output);
  else if (what === 'sheet') await writeSheet(page, output);
  else await writeJob(page, output);
  process.stdout.write(`${process.resourceUsage().maxRSS}\n`);
}

interface PageToCut {
  readonly pdf: Uint8Array;
  readonly stepsPerMm: 10;
  readonly cutSpotColors: readonly string[];
}

/** The reading alone: x and y of every point, in millimetres. */
async function writePaths(page: PageToCut, output: string): Promise<void> {
  const opened = await openPdf(page.pdf);
  if (!opened.ok) throw new Error(opened.failure.detail);
  const read = readPage(opened.document, page);
  if (!read.ok) throw new Error(read.failure.detail);
  writeFileSync(output, read.reading.paths.pointsMm);
}

async function writeJob(page: PageToCut, output: string): Promise<void> {
  const [{ importCutPdf }, { pdfTools }] = await Promise.all([import('../../src/prepare/cut-import.ts'), import('../../src/prepare/pdf-tools.ts')]);
  const result = await importCutPdf(page, pdfTools);
  if (!result.ok) throw new Error(result.failure.detail);
  writeFileSync(output, result.imported.commandSequence);
}

async function writeSheet(page: PageToCut, output: string): Promise<void> {
  const [{ prepareSheet }, { pdfTools }] = await Promise.all([import('../../src/prepare/compute.ts'), import('../../src/prepare/pdf-tools.ts')]);
  const result = await prepareSheet({ ...page, linkInfo: 'A0200ROLL', cutLayers: 'hide' }, pdfTools);
  if (!result.ok) throw new Error(result.failure.detail);
  writeFileSync(output, result.prepared.commandSequence);
  writeFileSync(`${output}.pdf`, result.prepared.markedPdf);
}

void main(process.argv.slice(2));
