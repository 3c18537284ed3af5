import type { LayerReader } from './layers.ts';
import type { Box } from './matrix.ts';
import { mapBox, toBox } from './matrix.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict } from './objects.ts';
import type { Page } from './page.ts';

/** An annotation that is printed with the page: a comment, a stamp, a form field. */
export interface PrintedAnnotation {
  readonly object: PdfObject;
  readonly subtype: string;
  /** Page frame, millimetres. */
  readonly box: Box;
}

// A page of more annotations than this is no sheet for a cutter.
const MAX_ANNOTATIONS = 10_000;
const HIDDEN = 2;
const PRINT = 4;

/** Annotations of the page that have an appearance. */
export function annotationsWithAppearance({ store, page }: { readonly store: ObjectStore; readonly page: Page }): { object: PdfObject; dict: PdfDict }[] {
  const found: { object: PdfObject; dict: PdfDict }[] = [];
  for (const object of (store.array(page.dict, 'Annots') ?? []).slice(0, MAX_ANNOTATIONS)) {
    const dict = store.resolve(object);
    if (dict instanceof PdfDict && dict.get('AP') !== null) found.push({ object, dict });
  }
  return found;
}

/** Those with the flag Print, not hidden by flag or layer. Source: ISO 32000-1, 12.5.3. */
export function printedAnnotations(document: { readonly store: ObjectStore; readonly page: Page }, layers: LayerReader): PrintedAnnotation[] {
  const { store, page } = document;
  return annotationsWithAppearance(document).flatMap(({ object, dict }) => {
    const flags = store.number(dict, 'F') ?? 0;
    const box = toBox(store.numbers(dict, 'Rect'));
    const layer = dict.get('OC') === null ? null : layers.membership(dict.get('OC'));
    if ((flags & PRINT) === 0 || (flags & HIDDEN) !== 0 || box === null || layer?.prints === false) return [];
    return [{ object, subtype: store.name(dict, 'Subtype') ?? '', box: mapBox(box, page.frame.toMm) }];
  });
}
