import { previewCommands, type MarkBlock } from '../gpgl/index.ts';
import { defaultSheetOptions, markType, shownMm, toMarkFrame } from '../sheet/index.ts';
import { cutJob } from './cut-job.ts';
import { jobGeometry, previewedCommands } from './job-geometry.ts';
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
export async function importCutPdf<Document>({ pdf, stepsPerMm, cutSpotColors = [], order }: CutPdf, tools: PdfTools<Document>): Promise<CutImportResult> {
  const opened = await tools.openPdf(pdf);
  if (!opened.ok) return opened;
  const read = tools.readPage(opened.document, { cutSpotColors, cutPaths: 'all-strokes' });
  if (!read.ok) return read;
  const { reading } = read;
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
  const { pointsMm, first, count } = paths;
  for (let path = 0; path < count; path++) {
    for (let point = first[path] ?? 0; point < (first[path + 1] ?? 0); point++) {
      const xMm = pointsMm[point * 2] ?? 0;
      const yMm = pointsMm[point * 2 + 1] ?? 0;
      const byMm = Math.max(-xMm, xMm - widthMm, -yMm, yMm - heightMm);
      if (byMm <= edgeToleranceMm) continue;
      const detail = `Cut path ${path + 1} of ${count} leaves the page, which is the rectangle of the registration marks: at x ${shownMm(xMm)}, `
        + `y ${shownMm(yMm)} mm it is ${shownMm(byMm)} mm outside ${shownMm(widthMm)} × ${shownMm(heightMm)} mm.`;
      return { code: 'CUT_OUTSIDE_MARKS', detail };
    }
  }
  return null;
}
