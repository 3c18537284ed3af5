import { MOST_DRAWN_PIXELS } from './limits.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfDict } from './objects.ts';
import { PdfName, isArray } from './objects.ts';

/** Filters whose data says how many bits a sample has. */
const SELF_DESCRIBING = new Set(['DCTDecode', 'DCT', 'JPXDecode']);

/** Whether the renderer (pdf.js) draws an image at all: those of too many pixels, and those that do not say their bits per component,
 * it leaves out without a word, where printers do draw them. */
export function isDrawn(store: ObjectStore, image: PdfDict): boolean {
  const pixels = (store.number(image, 'Width') ?? 0) * (store.number(image, 'Height') ?? 0);
  if (pixels > MOST_DRAWN_PIXELS) return false;
  if (store.value(image, 'ImageMask') === true || store.number(image, 'BitsPerComponent') !== null) return true;
  const filters = store.value(image, 'Filter');
  const last = isArray(filters) ? store.resolve(filters.at(-1) ?? null) : filters;
  return last instanceof PdfName && SELF_DESCRIBING.has(last.text);
}
