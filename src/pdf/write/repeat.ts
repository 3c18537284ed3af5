import { deflateSync } from 'node:zlib';
import type { Matrix } from '../matrix.ts';
import { IDENTITY, invert, mapBox, multiply } from '../matrix.ts';
import type { PdfDocument } from '../open.ts';
import type { PdfObject } from '../objects.ts';
import { PdfDict, PdfName, PdfStream } from '../objects.ts';
import { MM_PER_POINT } from '../page.ts';
import { contentEnd, pageContent } from '../read-page.ts';
import { guarded } from '../refusal.ts';
import type { Overlay, PdfRefusal } from '../types.ts';
import { overlayForm, withForm, wrapping, type MarkOptions } from './mark.ts';
import { placeCatalog, placePage } from './place.ts';
import { hideCutLayers } from './print-state.ts';
import { Changes, save } from './save.ts';
import { formatNumber, latin1 } from './serialize.ts';

/** A sheet that shows copies of the page, each to scale and upright as the page is seen. Lengths in the frame of the sheet. */
export interface Copies {
  readonly widthMm: number;
  readonly heightMm: number;
  /** The lower left corner of each. */
  readonly copiesMm: readonly { readonly xMm: number; readonly yMm: number }[];
}

const pointsFromMm: Matrix = [1 / MM_PER_POINT, 0, 0, 1 / MM_PER_POINT, 0, 0];

export type WriteResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly failure: PdfRefusal };

/**
 * A sheet with copies of the page and the overlay on top, in the place of the page. The content of the page becomes one form,
 * clipped to the page as it is seen, with the page's own resources and transparency group; crop origin, Rotate and UserUnit are in
 * its matrix. Layers and output intents stay with the document. What belongs to the one page goes: annotations and form
 * fields, the structure tree, thumbnails. The same input gives the same bytes.
 */
export function writeRepeated(document: PdfDocument, sheet: Copies, overlay: Overlay, options: MarkOptions = { cutLayers: 'hide' }): Promise<WriteResult> {
  const written = guarded(() => repeated(document, sheet, overlay, options));
  return Promise.resolve(written.ok ? { ok: true, bytes: written.value } : written);
}

function repeated(document: PdfDocument, sheet: Copies, overlay: Overlay, options: MarkOptions): Uint8Array {
  const changes = new Changes(document);
  // The page keeps its own resources too: forms within it that have none are looked up there.
  const copy = withForm(document, document.page.resources, 'KerfCopy', changes.put(copyForm(document)));
  const marks = withForm(document, copy.resources, 'KerfOverlay', changes.put(overlayForm(sheet, pointsFromMm, overlay)));
  const contents = changes.put(deflated(new PdfDict(), latin1(placements(sheet, copy.name, marks.name))));
  const box = [0, 0, points(sheet.widthMm), points(sheet.heightMm)];
  const page = new Map<string, PdfObject>([
    ['Type', new PdfName('Page')],
    // All that a page inherits is said here, so that nothing reaches it from the nodes above.
    ['MediaBox', box],
    ['CropBox', box],
    ['Rotate', 0],
    ['Resources', marks.resources],
    ['Contents', contents],
  ]);
  const old = document.page.dict;
  for (const key of ['Parent', 'Group']) if (old.get(key) !== null) page.set(key, old.get(key));
  // PDF/X asks for one of them; the finished size is no longer the page's.
  if (old.get('TrimBox') !== null || old.get('ArtBox') !== null) page.set('TrimBox', box);
  const catalog = withoutPageParts(placePage(document, changes, new PdfDict(page)));
  placeCatalog(document, changes, options.cutLayers === 'hide' ? hideCutLayers(document, changes, catalog) : catalog);
  return save(document, changes);
}

function copyForm(document: PdfDocument): PdfStream {
  const { frame, resources, dict: page } = document.page;
  const matrix = multiply(frame.toMm, pointsFromMm);
  const { x0, y0, x1, y1 } = mapBox({ x0: 0, y0: 0, x1: frame.widthMm, y1: frame.heightMm }, invert(frame.toMm) ?? IDENTITY);
  const dict = new Map<string, PdfObject>([
    ['Type', new PdfName('XObject')],
    ['Subtype', new PdfName('Form')],
    ['BBox', [x0, y0, x1, y1].map(rounded)],
    ['Matrix', matrix.map(rounded)],
    ['Resources', resources],
  ]);
  const group = document.store.dict(page, 'Group');
  // The group of a page is isolated (ISO 32000-1, 11.4.7); as one of a form it has to say so.
  if (group !== null) dict.set('Group', group.with({ I: true }));
  const { opening, closing } = wrapping(contentEnd(document));
  return deflated(new PdfDict(dict), Buffer.concat([latin1(opening), pageContent(document), latin1(closing)]));
}

function placements({ copiesMm }: Copies, copy: string, marks: string): string {
  let content = '';
  for (const { xMm, yMm } of copiesMm) content += `q 1 0 0 1 ${formatNumber(points(xMm))} ${formatNumber(points(yMm))} cm /${copy} Do Q\n`;
  return `${content}/${marks} Do\n`;
}

function withoutPageParts(catalog: PdfDict): PdfDict {
  const parts = ['AcroForm', 'StructTreeRoot', 'MarkInfo'];
  if (!parts.some((key) => catalog.get(key) !== null)) return catalog;
  return new PdfDict(new Map([...catalog.map].filter(([key]) => !parts.includes(key))));
}

function deflated(dict: PdfDict, content: Uint8Array): PdfStream {
  return new PdfStream(dict.with({ Filter: new PdfName('FlateDecode') }), deflateSync(content));
}

function points(lengthMm: number): number {
  return rounded(lengthMm / MM_PER_POINT);
}

/** Far below anything that is ever drawn, and without the noise of the last digits. */
function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9 + 0;
}
