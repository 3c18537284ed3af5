import { checkCutInside, isLinkInfo, overlayOf, toMarkFrame, type SheetLayout, type SheetSize } from '../sheet/index.ts';
import { cutJob } from './cut-job.ts';
import { around, artworkOffenders, shared, shownRect, suspicions } from './keep-clear.ts';
import { ofPdf } from './of-pdf.ts';
import type { PageReading } from '../pdf/index.ts';
import type { PdfTools } from './pdf-face.ts';
import { preflightReport } from './preflight.ts';
import { sheetOf, type SheetOfPage, type SheetOfResult } from './sheet-of.ts';
import { refusedPage, sheetRecord, type RefusedPage } from './preview/sheet-record.ts';
import type { PreparedSheet, PrepareInput, PrepareRefusal, PrepareResult } from './types.ts';

/**
 * Print PDF in, marked PDF and cut job out, as one computation: both come from one layout, and the job has been read
 * back before anybody sees it. Every refusal is a value; a rejection is a bug. Runs in the worker: it blocks.
 */
export async function prepareSheet<Document extends SheetSize>(input: PrepareInput, pdf: PdfTools<Document>): Promise<PrepareResult> {
  if (!isLinkInfo(input.linkInfo)) {
    return refused('INVALID_BARCODE', `"${input.linkInfo}" is no barcode link info: it has exactly 9 characters of 0-9 and A-Z, and the first is not G.`);
  }
  const opened = await pdf.openPdf(input.pdf);
  if (!opened.ok) return { ok: false, failure: ofPdf(opened.failure), report: null };
  const read = pdf.readPage(opened.document, { cutSpotColors: input.cutSpotColors });
  if (!read.ok) {
    const failure = ofPdf(read.failure);
    if (read.reading === null) return { ok: false, failure: { ...failure, page: refusedPage(opened.document, null) }, report: null };
    const page = pageOf(read.reading, sheetOf(read.reading, input.linkInfo, input.sheet));
    return { ok: false, failure: { ...failure, page }, report: preflightReport(read.reading, read.failure, read.reading.warnings) };
  }
  const { reading } = read;
  const made = await makeSheet(input, opened.document, reading, pdf);
  return made.ok
    ? { ...made, report: preflightReport(reading, null, made.prepared.warnings) }
    : { ok: false, failure: { ...made.failure, page: pageOf(reading, made.found) }, report: preflightReport(reading, made.failure, reading.warnings) };
}

type Made =
  | { readonly ok: true; readonly prepared: PreparedSheet }
  | { readonly ok: false; readonly failure: PrepareRefusal; readonly found: SheetOfResult };

/** For a picture of it. */
function pageOf(reading: PageReading, found: SheetOfResult): RefusedPage {
  return found.ok ? refusedPage(reading, found.sheet.layout, found.sheet.arrangement?.copiesMm) : refusedPage(reading, null);
}

async function makeSheet<Document>(input: PrepareInput, document: Document, reading: PageReading, pdf: PdfTools<Document>): Promise<Made> {
  const found = sheetOf(reading, input.linkInfo, input.sheet);
  if (reading.cutSource === null || reading.paths.count === 0) return { ok: false, failure: noCutPaths(reading), found };
  if (!found.ok) return { ok: false, failure: found.failure, found };
  const { sheet } = found;
  const { layout } = sheet;
  const failure = await misplaced(input, reading, sheet, pdf);
  if (failure !== null) return { ok: false, failure, found };
  const job = cutJob(toMarkFrame(sheet.paths, layout), { markBlock: layout.markBlock, stepsPerMm: input.stepsPerMm, order: input.order, conditions: input.conditions });
  if (!job.ok) return { ok: false, failure: job.failure, found };
  const marked = await write(document, sheet, input, pdf);
  if (!marked.ok) return { ok: false, failure: marked.failure, found };
  return {
    ok: true,
    prepared: {
      ...job.job,
      linkInfo: input.linkInfo,
      markedPdf: new Uint8Array(marked.bytes),
      stepsPerMm: input.stepsPerMm,
      vector: layout.vector,
      cutSource: reading.cutSource,
      segmentCount: sheet.segmentCount,
      warnings: [...reading.warnings, ...sheet.warnings, ...job.warnings],
      sheet: { widthMm: layout.widthMm, heightMm: layout.heightMm },
      layout: sheetRecord(layout),
    },
  };
}

type Written = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly failure: PrepareRefusal };

async function write<Document>(document: Document, { layout, arrangement }: SheetOfPage, { cutLayers }: PrepareInput, pdf: PdfTools<Document>): Promise<Written> {
  if (arrangement !== null) return pdf.writeRepeated(document, arrangement, overlayOf(layout), { cutLayers });
  return { ok: true, bytes: await pdf.writeMarked(document, overlayOf(layout), { cutLayers }) };
}

function refused(code: PrepareRefusal['code'], detail: string): PrepareResult {
  return { ok: false, failure: { code, detail }, report: null };
}

/** Names every ink and layer that was seen and not taken, since "my contour was not recognised" is what people ask. */
function noCutPaths({ seen, warnings }: PageReading): PrepareRefusal {
  const passedOver = seen.filter(({ taken }) => !taken);
  const list = passedOver.map(({ kind, name, reason }) => `${kind} "${name}" (${reason})`).join('; ');
  const what = passedOver.length === 0 ? 'The page has no spot colours and no layers with a processing step.' : `Seen and not taken: ${list}.`;
  const damage = warnings.filter(({ code }) => code === 'PDF_REPAIRED').map(({ detail }) => ` ${detail}`).join('');
  return { code: 'NO_CUT_PATHS', detail: `The page has no cut paths. ${what}${damage}` };
}

async function misplaced<Document>(
  input: PrepareInput, reading: PageReading, { layout, arrangement, paths }: SheetOfPage, pdf: PdfTools<Document>,
): Promise<PrepareRefusal | null> {
  const cut = checkCutInside(paths, layout);
  // Copies are clipped to their page, which no zone touches.
  return cut ?? (arrangement === null ? artworkInZone(input, reading, layout, pdf) : null);
}

async function artworkInZone<Document>(
  input: PrepareInput, reading: PageReading, layout: SheetLayout, pdf: PdfTools<Document>,
): Promise<PrepareRefusal | null> {
  const suspected = suspicions(reading.painted, layout.keepClearZones);
  if (suspected.length === 0) return null;
  const zones = layout.keepClearZones.filter((zone) => suspected.some((each) => each.zone === zone));
  const rendered = await pdf.inkInRegions(input.pdf, zones.map((zone) => around(zone, suspected)), { cutSpotColors: input.cutSpotColors });
  if (!rendered.ok) return ofPdf(rendered.failure);
  const inked = zones.flatMap((zone, index) => {
    const inkMm = rendered.inkMm[index] ?? null;
    return inkMm === null ? [] : [{ zone, inkMm, inZone: suspected.filter((each) => each.zone === zone) }];
  });
  for (const { zone, inkMm, inZone } of inked) {
    const object = (inZone.find((each) => shared(each.sharedMm, inkMm) !== null) ?? inZone[0])?.object;
    const what = object === undefined ? 'Something printed' : `The page's ${object.description} (${shownRect(object.boxMm)})`;
    const detail = `${what} reaches into ${zone.name}, ${shownRect(zone.rectMm)}, which must stay clear: there is ink at ${shownRect(inkMm)}.`
      + (rendered.by === 'boxes' ? ` It could not be rendered (${rendered.detail}), so its box had to decide.` : '');
    return { code: 'ARTWORK_IN_KEEP_CLEAR_ZONE', detail, offenders: artworkOffenders(inked) };
  }
  return null;
}
