import { LayerReader } from '../layers.ts';
import type { PdfDocument } from '../open.ts';
import { printedAnnotations } from '../annotations.ts';
import { PdfDict, PdfName, PdfStream } from '../objects.ts';
import { interpretPage, pageContent } from '../read-page.ts';
import type { ContentOwner, PaintedPath, ReadingSession } from '../session.ts';
import type { RectMm } from '../types.ts';
import { placeCatalog, placePage } from '../write/place.ts';
import { Changes, save } from '../write/save.ts';

interface PaintOperator {
  readonly length: number;
  /** True while each use of it may be left out: it painted cuts, or nothing near a region. */
  droppable: boolean;
}

export interface ReducedPage {
  readonly bytes: Uint8Array;
  readonly session: ReadingSession;
}

/** A copy of the file to be rendered in place of it: cut content does not paint (its operators are replaced by `n`, which
 * ends a path and keeps its clip, cut layers are off, and so is what does not print), and paths that do not come near a region do not either, so that
 * a page of a million strokes costs little. An operator that several calls of a form share is kept where any needs it. */
export function withoutCuts(document: PdfDocument, cutSpotColors: readonly string[], regionsMm: readonly RectMm[]): ReducedPage {
  const operators = new Map<ContentOwner, Map<number, PaintOperator>>();
  const { session } = interpretPage(document, cutSpotColors, (painted) => {
    let of = operators.get(painted.owner);
    if (of === undefined) operators.set(painted.owner, (of = new Map<number, PaintOperator>()));
    const droppable = painted.cutOnly || !regionsMm.some((region) => reaches(painted, region));
    const known = of.get(painted.operatorStart);
    if (known === undefined) of.set(painted.operatorStart, { length: painted.operatorLength, droppable });
    else if (!droppable) known.droppable = false;
  });
  const changes = new Changes(document);
  for (const [owner, of] of operators) if (owner !== 'page') dropInStream(document, changes, owner, of);
  const catalog = placePage(document, changes, pageWithout(document, session, changes, operators.get('page') ?? new Map<number, PaintOperator>()));
  placeCatalog(document, changes, layersAsPrinted(document, catalog));
  return { bytes: save(document, changes, 'give-up'), session };
}

function reaches({ x0, y0, x1, y1 }: PaintedPath, region: RectMm): boolean {
  return x1 >= region.x0Mm && x0 <= region.x1Mm && y1 >= region.y0Mm && y0 <= region.y1Mm;
}

function pageWithout(document: PdfDocument, session: ReadingSession, changes: Changes, operators: ReadonlyMap<number, PaintOperator>): PdfDict {
  const { page } = document;
  const dict = page.dict.with({ Annots: printedAnnotations(document, session.layers).map(({ object }) => object) });
  if (operators.size === 0) return dict;
  return dict.with({ Contents: changes.put(new PdfStream(new PdfDict(), without(pageContent(document), operators))) });
}

function dropInStream(document: PdfDocument, changes: Changes, stream: PdfStream, operators: ReadonlyMap<number, PaintOperator>): void {
  const { store } = document;
  const ref = store.refOf(stream);
  const original = store.streamBytes(stream);
  if (ref === null || original === null) return;
  const entries = new Map(stream.dict.map);
  for (const key of ['Filter', 'DecodeParms', 'DP', 'F']) entries.delete(key);
  changes.put(new PdfStream(new PdfDict(entries), without(original, operators)), ref);
}

function without(original: Uint8Array, operators: ReadonlyMap<number, PaintOperator>): Uint8Array {
  const bytes = Uint8Array.from(original);
  for (const [start, { length, droppable }] of operators) {
    if (!droppable) continue;
    bytes.fill(32, start, start + length);
    bytes[start] = 0x6e;
  }
  return bytes;
}

/** Every group is stated on or off, as it prints, and cut layers are off: no event may switch them any more. */
function layersAsPrinted(document: PdfDocument, catalog: PdfDict): PdfDict {
  const { store } = document;
  const off = new LayerReader(store, catalog).all()
    .filter(({ step, prints }) => !prints || step?.verdict.kind === 'tool')
    .map(({ ref }) => ref).filter((ref) => ref !== null);
  const properties = store.dict(catalog, 'OCProperties');
  if (properties === null) return catalog;
  const config = store.dict(properties, 'D') ?? new PdfDict();
  const changed = config.with({ BaseState: new PdfName('ON'), ON: [], OFF: off, AS: [] });
  return catalog.with({ OCProperties: properties.with({ D: changed }) });
}
