import { annotationsWithAppearance, printedAnnotations } from './annotations.ts';
import { Interpreter } from './interpreter.ts';
import type { ContentEnd } from './interpreter.ts';
import type { PdfDocument } from './open.ts';
import { PdfStream, isArray } from './objects.ts';
import { guarded, refuse } from './refusal.ts';
import type { Unsupported } from './findings.ts';
import type { CutSelection, PaintListener } from './session.ts';
import { NO_STANDING, ReadingSession } from './session.ts';
import type { PageReading, PaintedObject, PdfRefusal } from './types.ts';

export interface ReadOptions {
  /** The setting CUT_SPOT_COLORS; ['CutContour'] by default there. */
  readonly cutSpotColors: readonly string[];
  /** 'all-strokes': every stroked path is cut, whatever its colour and layer, beside what is marked as a cut. For files that
   * hold nothing but the cut. Default 'marked'. */
  readonly cutPaths?: CutSelection;
}

export type ReadResult =
  | { readonly ok: true; readonly reading: PageReading }
  /** The reading is null where the page could not be read to its end. */
  | { readonly ok: false; readonly failure: PdfRefusal; readonly reading: PageReading | null };

/** Reads the cut paths of the page and what else it paints. No cut path at all is no failure: `paths` is empty then, and
 * `seen` says what was passed over and why.
 * Failures: PDF_TOO_COMPLEX, PDF_UNREADABLE, UNSUPPORTED_CUT_CONTENT (text, images or patterns are the only cut content). */
export function readPage(document: PdfDocument, options: ReadOptions): ReadResult {
  const result = guarded(() => read(document, options));
  if (!result.ok) return { ...result, reading: null };
  const { reading, unsupported, objects } = result.value;
  if (reading.segmentCount > 0 || unsupported === null) return { ok: true, reading };
  const detail = `${unsupported.detail} It is the only cut content of the page, and only paths can be cut: convert it to paths.`;
  return { ok: false, failure: { code: 'UNSUPPORTED_CUT_CONTENT', detail, objects }, reading };
}

function read(document: PdfDocument, options: ReadOptions): { reading: PageReading; unsupported: Unsupported | null; objects: readonly PaintedObject[] } {
  const { session } = interpretPage(document, options.cutSpotColors, null, options.cutPaths);
  const { findings, sink } = session;
  listUnused(document, session);
  readAnnotations(document, session);
  noteDamage(document, session);
  const reading = {
    facts: document.facts,
    widthMm: document.widthMm,
    heightMm: document.heightMm,
    paths: sink.paths(),
    cutSource: findings.cutSource(),
    segmentCount: sink.segmentCount,
    painted: session.painted.list(),
    seen: findings.seen(),
    warnings: [...document.warnings, ...findings.warningList()],
  };
  return { reading, unsupported: findings.unsupported, objects: findings.unsupportedObjects };
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

/** What an annotation shows is no cut, but where it prints it is ink like any other. */
function readAnnotations(document: PdfDocument, session: ReadingSession): void {
  const count = annotationsWithAppearance(document).length;
  if (count === 0) return;
  const { frame } = document.page;
  for (const { subtype, box } of printedAnnotations(document, session.layers)) {
    session.painted.add('annotation', Math.max(box.x0, 0), Math.max(box.y0, 0), Math.min(box.x1, frame.widthMm), Math.min(box.y1, frame.heightMm), `annotation (${subtype})`);
  }
  session.findings.warn('ANNOTATIONS_IGNORED', '', () => `The page has ${count} annotations with an appearance; no cut paths are looked for in them.`);
}
