import { Interpreter } from './interpreter.ts';
import type { ContentEnd } from './interpreter.ts';
import type { PdfDocument } from './open.ts';
import { PdfDict, PdfStream, isArray } from './objects.ts';
import { guarded, refuse } from './refusal.ts';
import type { CutSelection, PaintListener } from './session.ts';
import { NO_STANDING, ReadingSession } from './session.ts';
import type { PageReading, PdfRefusal } from './types.ts';

export interface ReadOptions {
  /** The setting CUT_SPOT_COLORS; ['CutContour'] by default there. */
  readonly cutSpotColors: readonly string[];
  /** 'all-strokes': every stroked path is cut, whatever its colour and layer, beside what is marked as a cut. For files that
   * hold nothing but the cut. Default 'marked'. */
  readonly cutPaths?: CutSelection;
}

export type ReadResult =
  | { readonly ok: true; readonly reading: PageReading }
  | { readonly ok: false; readonly failure: PdfRefusal };

/** Reads the cut paths of the page and what else it paints. No cut path at all is no failure: `paths` is empty then, and
 * `seen` says what was passed over and why.
 * Failures: PDF_TOO_COMPLEX, PDF_UNREADABLE, UNSUPPORTED_CUT_CONTENT (text, images or patterns are the only cut content). */
export function readPage(document: PdfDocument, options: ReadOptions): ReadResult {
  const result = guarded(() => read(document, options));
  return result.ok ? { ok: true, reading: result.value } : result;
}

function read(document: PdfDocument, options: ReadOptions): PageReading {
  const { session } = interpretPage(document, options.cutSpotColors, null, options.cutPaths);
  const { findings, sink } = session;
  listUnused(document, session);
  countAnnotations(document, session);
  noteDamage(document, session);
  const cutSource = findings.cutSource();
  if (sink.segmentCount === 0 && findings.unsupported !== null) {
    const { detail } = findings.unsupported;
    refuse('UNSUPPORTED_CUT_CONTENT', `${detail} It is the only cut content of the page, and only paths can be cut: convert it to paths.`);
  }
  return {
    widthMm: document.widthMm,
    heightMm: document.heightMm,
    paths: sink.paths(),
    cutSource,
    segmentCount: sink.segmentCount,
    painted: session.painted.list(),
    seen: findings.seen(),
    warnings: [...document.warnings, ...findings.warningList()],
  };
}

/** Interprets the content of the page; the session then holds what was found. */
export function interpretPage(document: PdfDocument, cutSpotColors: readonly string[], onPaint: PaintListener | null, cutPaths: CutSelection = 'marked'): { session: ReadingSession; end: ContentEnd } {
  const { store, page } = document;
  const session = new ReadingSession(store, document.catalog, cutSpotColors, onPaint, cutPaths);
  const clip = { x0: 0, y0: 0, x1: page.frame.widthMm, y1: page.frame.heightMm };
  const interpreter = new Interpreter(session, page.frame.toMm, clip, NO_STANDING, 'page', '');
  const end = interpreter.run(pageContent(document), page.resources);
  document.memo.end = end;
  return { session, end };
}

/** How the content of the page leaves its state; interpreted for it only where no reading came before. */
export function contentEnd(document: PdfDocument): ContentEnd {
  return document.memo.end ?? interpretPage(document, [], null).end;
}

/** The page's content streams, decoded and joined by line ends: a token may not span two streams. */
export function pageContent(document: PdfDocument): Uint8Array {
  const { store, page } = document;
  const contents = store.value(page.dict, 'Contents');
  const items = isArray(contents) ? contents.map((item) => store.resolve(item)) : [contents];
  const parts: Uint8Array[] = [];
  for (const item of items) {
    if (!(item instanceof PdfStream)) continue;
    const bytes = store.streamBytes(item);
    if (bytes === null) refuse('PDF_UNREADABLE', 'The content of the page is stored in a way that is not supported.');
    if (parts.length > 0) {
      parts.push(Uint8Array.of(10));
      // The same stream may be listed a million times.
      store.budget.decoded(bytes.length);
    }
    parts.push(bytes);
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

/** Inks and layers that the page could use and does not belong in the report too: a contour that was left out is looked
 * for there first. */
function listUnused(document: PdfDocument, session: ReadingSession): void {
  const { store, page } = document;
  const spaces = store.dict(page.resources, 'ColorSpace');
  if (spaces !== null) for (const key of [...spaces.map.keys()].slice(0, 1000)) session.colours.space(spaces.get(key), page.resources, 0);
  for (const layer of session.layers.all()) {
    session.findings.layer(layer);
    const step = layer.step;
    const name = step === null ? '' : `${step.group}${step.type === null ? '' : `/${step.type}`}`;
    if (step?.verdict.kind === 'not-cut') session.findings.warn('STEP_NOT_CUT', layer.name, () => `The layer "${layer.name}" is a processing step ${name}, which Kerf recognises and does not cut.`);
    if (step?.verdict.kind === 'unknown') session.findings.warn('STEP_UNKNOWN', layer.name, () => `The layer "${layer.name}" is a processing step ${name}, which is not known; it is not cut.`);
  }
}

/** A contour that ends where the data broke off looks like any other. */
function noteDamage({ store }: PdfDocument, { findings }: ReadingSession): void {
  const { damagedStreams } = store;
  if (damagedStreams === 0) return;
  findings.warn('PDF_REPAIRED', 'streams', () => `Compressed data of the PDF is damaged (streams: ${damagedStreams}); what could be read of it was used, so that cut paths may be missing, incomplete or displaced. Export it again.`);
}

function countAnnotations(document: PdfDocument, session: ReadingSession): void {
  const { store, page } = document;
  const annotations = store.array(page.dict, 'Annots') ?? [];
  let painted = 0;
  for (const item of annotations.slice(0, 10_000)) {
    const annotation = store.resolve(item);
    if (annotation instanceof PdfDict && annotation.get('AP') !== null) painted += 1;
  }
  if (painted > 0) session.findings.warn('ANNOTATIONS_IGNORED', '', () => `The page has ${painted} annotations with an appearance; they were not looked at.`);
}
