import { previewCommands, type MarkBlock } from '../gpgl/index.ts';
import { defaultSheetOptions, leavingPaths, markType, shownMm, toMarkFrame, type SheetSize } from '../sheet/index.ts';
import { cutJob } from './cut-job.ts';
import { jobGeometry, previewedCommands } from './job-geometry.ts';
import { ofPdf } from './of-pdf.ts';
import { refusedPage } from './preview/sheet-record.ts';
import type { PageReading } from '../pdf/index.ts';
import type { PdfTools } from './pdf-face.ts';
import type { CutImportResult, CutPdf, PrepareRefusal } from './types.ts';

/** PDF boxes are in points with few decimals: a cut along the edge of the page is inside. */
const edgeToleranceMm = 0.01;

/**
 * Reads a PDF that holds nothing but the cut: every stroked path is cut, whatever its colour. The page as it is seen is
 * the rectangle of the registration marks, and its bottom right corner is mark 1 (api-decisions.md section 5).
 * Refuses cuts that leave the page: the cutter knows nothing of what lies outside the marks. Runs in the worker: it blocks.
 */
export async function importCutPdf<Document extends SheetSize>(input: CutPdf, tools: PdfTools<Document>): Promise<CutImportResult> {
  const opened = await tools.openPdf(input.pdf);
  if (!opened.ok) return { ok: false, failure: ofPdf(opened.failure) };
  const { document } = opened;
  const read = tools.readPage(document, { cutSpotColors: input.cutSpotColors ?? [], cutPaths: 'all-strokes' });
  const made = read.ok ? importReading(read.reading, input) : { ok: false as const, failure: ofPdf(read.failure) };
  return made.ok ? made : { ok: false, failure: { ...made.failure, page: { ...refusedPage(document, null), cut_paths: 'all-strokes' } } };
}

function importReading(reading: PageReading, { stepsPerMm, order }: CutPdf): CutImportResult {
  const failure = reading.paths.count === 0 ? noStrokes() : leavesPage(reading);
  if (failure !== null) return { ok: false, failure };
  const { widthMm, heightMm } = reading;
  const markBlock: MarkBlock = { armMm: defaultSheetOptions.armMm, markType, feedDistanceMm: heightMm, carriageDistanceMm: widthMm };
  const made = cutJob(toMarkFrame(reading.paths, { originMm: { xMm: widthMm, yMm: 0 } }), { markBlock, stepsPerMm, order });
  if (!made.ok) return made;
  const { commandSequence } = made.job;
  return {
    ok: true,
    imported: {
      commandSequence,
      commandPreview: previewCommands(commandSequence, previewedCommands),
      geometry: jobGeometry(made.job, reading.segmentCount, stepsPerMm),
      segmentCount: reading.segmentCount,
      warnings: [...reading.warnings, ...made.warnings],
      page: { widthMm, heightMm },
    },
  };
}

function noStrokes(): PrepareRefusal {
  return { code: 'NO_CUT_PATHS', detail: 'The page has no stroked paths; the strokes of a cut PDF are what is cut. Fills, text and images are not.' };
}

function leavesPage({ paths, widthMm, heightMm }: PageReading): PrepareRefusal | null {
  const leaving = leavingPaths(paths, { x0Mm: 0, y0Mm: 0, x1Mm: widthMm, y1Mm: heightMm }, edgeToleranceMm);
  if (leaving === null) return null;
  const { worst: { path, xMm, yMm, byMm }, offenders } = leaving;
  const detail = `Cut path ${path + 1} of ${paths.count} leaves the page, which is the rectangle of the registration marks: at x ${shownMm(xMm)}, `
    + `y ${shownMm(yMm)} mm it is ${shownMm(byMm)} mm outside ${shownMm(widthMm)} × ${shownMm(heightMm)} mm.`;
  return { code: 'CUT_OUTSIDE_MARKS', detail, offenders };
}
