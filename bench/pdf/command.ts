/**
 * One PDF becomes a cut job, in a process of its own. Bundled by process.ts.
 * usage: command paths|job|sheet <PDF> <output>
 * paths: the points of the cut paths; job: the cut alone, as a PDF to be cut; sheet: the job and the marked PDF, <output>.pdf
 * Prints how much memory it had at most, in kB.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { openPdf, readPage } from '../../src/pdf/index.ts';

const [what, file = '', output = ''] = process.argv.slice(2);
const pdf = readFileSync(file);
const page = { pdf, stepsPerMm: 10, cutSpotColors: ['CutContour'] } as const;
if (what === 'paths') {
  writeFileSync(output, await cutPaths());
} else if (what === 'sheet') {
  const [{ prepareSheet }, { pdfTools }] = await Promise.all([import('../../src/prepare/compute.ts'), import('../../src/prepare/pdf-tools.ts')]);
  const result = await prepareSheet({ ...page, linkInfo: 'A0200ROLL', cutLayers: 'hide' }, pdfTools);
  if (!result.ok) throw new Error(result.failure.detail);
  writeFileSync(output, result.prepared.commandSequence);
  writeFileSync(`${output}.pdf`, result.prepared.markedPdf);
} else {
  const [{ importCutPdf }, { pdfTools }] = await Promise.all([import('../../src/prepare/cut-import.ts'), import('../../src/prepare/pdf-tools.ts')]);
  const result = await importCutPdf(page, pdfTools);
  if (!result.ok) throw new Error(result.failure.detail);
  writeFileSync(output, result.imported.commandSequence);
}

/** The reading alone: x and y of every point, in millimetres. */
async function cutPaths(): Promise<Uint8Array> {
  const opened = await openPdf(pdf);
  if (!opened.ok) throw new Error(opened.failure.detail);
  const read = readPage(opened.document, page);
  if (!read.ok) throw new Error(read.failure.detail);
  const { pointsMm } = read.reading.paths;
  return new Uint8Array(pointsMm.buffer, pointsMm.byteOffset, pointsMm.byteLength);
}

process.stdout.write(`${process.resourceUsage().maxRSS}\n`);
