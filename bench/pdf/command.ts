/**
 * One PDF becomes a cut job, in a process of its own. Bundled by process.ts.
 * usage: command job|sheet <PDF> <output>     job: the cut alone; sheet: the marked PDF too, <output>.pdf
 * Prints how much memory it had at most, in kB.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { importCutPdf } from '../../src/prepare/cut-import.ts';
import { prepareSheet } from '../../src/prepare/compute.ts';
import { pdfTools } from '../../src/prepare/pdf-tools.ts';

const [what, file = '', output = ''] = process.argv.slice(2);
const pdf = new Uint8Array(readFileSync(file));
const page = { pdf, stepsPerMm: 10, cutSpotColors: ['CutContour'] } as const;
if (what === 'sheet') {
  const result = await prepareSheet({ ...page, linkInfo: 'A0200ROLL', cutLayers: 'hide' }, pdfTools);
  if (!result.ok) throw new Error(result.failure.detail);
  writeFileSync(output, result.prepared.commandSequence);
  writeFileSync(`${output}.pdf`, result.prepared.markedPdf);
} else {
  const result = await importCutPdf(page, pdfTools);
  if (!result.ok) throw new Error(result.failure.detail);
  writeFileSync(output, result.imported.commandSequence);
}
process.stdout.write(`${process.resourceUsage().maxRSS}\n`);
