import type { PdfDocument } from '../open.ts';
import type { PdfObject } from '../objects.ts';
import { PdfDict, PdfName, PdfRef } from '../objects.ts';
import type { Changes } from './save.ts';

/** The new page in the place of the old. A page that is no object of its own, or in no page tree, gets a tree.
 * Returns the catalogue, changed where it needed to be. */
export function placePage(document: PdfDocument, changes: Changes, page: PdfDict): PdfDict {
  const { ref, inTree, inherited } = document.page;
  if (ref !== null && inTree) {
    changes.put(page, ref);
    return document.catalog;
  }
  const tree = changes.reserve();
  const kid = changes.put(new PdfDict(new Map([...inherited, ...page.map, ['Parent', tree]])), ref ?? changes.reserve());
  changes.put(new PdfDict(new Map<string, PdfObject>([['Type', new PdfName('Pages')], ['Kids', [kid]], ['Count', 1]])), tree);
  return document.catalog.with({ Type: new PdfName('Catalog'), Pages: tree });
}

/** The catalogue in its place, where it changed; a file whose trailer names none, or one that is lost, gets one. */
export function placeCatalog(document: PdfDocument, changes: Changes, catalog: PdfDict): void {
  const root = document.trailer.get('Root');
  const isThere = document.store.dict(document.trailer, 'Root') !== null;
  if (!(root instanceof PdfRef && isThere)) changes.root = changes.put(catalog.with({ Type: new PdfName('Catalog') }));
  else if (catalog !== document.catalog) changes.put(catalog, root);
}
