import { LayerReader } from '../layers.ts';
import type { PdfDocument } from '../open.ts';
import { PdfDict, PdfName, PdfRef, PdfStream } from '../objects.ts';
import type { PdfObject } from '../objects.ts';
import { interpretPage, pageContent } from '../read-page.ts';
import type { ContentOwner, PaintedPath, ReadingSession } from '../session.ts';
import type { RectMm } from '../types.ts';
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
 * ends a path and keeps its clip, and cut layers are off), and paths that do not come near a region do not either, so that
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
  for (const [owner, of] of operators) dropIn(document, changes, owner, of);
  switchLayersOff(document, changes);
  return { bytes: save(document, changes), session };
}

function reaches({ x0, y0, x1, y1 }: PaintedPath, region: RectMm): boolean {
  return x1 >= region.x0Mm && x0 <= region.x1Mm && y1 >= region.y0Mm && y0 <= region.y1Mm;
}

function dropIn(document: PdfDocument, changes: Changes, owner: ContentOwner, operators: ReadonlyMap<number, PaintOperator>): void {
  const { store, page } = document;
  const ref = owner === 'page' ? page.ref : store.refOf(owner);
  const original = owner === 'page' ? pageContent(document) : store.streamBytes(owner);
  if (ref === null || original === null) return;
  const bytes = Uint8Array.from(original);
  for (const [start, { length, droppable }] of operators) {
    if (!droppable) continue;
    bytes.fill(32, start, start + length);
    bytes[start] = 0x6e;
  }
  if (owner === 'page') {
    changes.put(page.dict.with({ Contents: changes.put(new PdfStream(new PdfDict(), bytes)) }), ref);
    return;
  }
  const entries = new Map(owner.dict.map);
  for (const key of ['Filter', 'DecodeParms', 'DP', 'F']) entries.delete(key);
  changes.put(new PdfStream(new PdfDict(entries), bytes), ref);
}

function switchLayersOff(document: PdfDocument, changes: Changes): void {
  const { store, catalog, trailer } = document;
  const layers = new LayerReader(store, catalog).all().filter(({ step }) => step?.verdict.kind === 'tool');
  const off = layers.map(({ ref }) => ref).filter((ref) => ref !== null);
  const properties = store.dict(catalog, 'OCProperties');
  const root = trailer.get('Root');
  if (off.length === 0 || properties === null || !(root instanceof PdfRef)) return;
  const config = store.dict(properties, 'D') ?? new PdfDict();
  const numbers = new Set(off.map(({ num }) => num));
  const on = (store.array(config, 'ON') ?? []).filter((item) => !(item instanceof PdfRef && numbers.has(item.num)));
  const changed: Record<string, PdfObject> = { ON: on, OFF: [...(store.array(config, 'OFF') ?? []), ...off] };
  // What viewing or printing would switch by itself must not bring them back.
  const dict = config.with({ ...changed, AS: [], BaseState: new PdfName(store.name(config, 'BaseState') ?? 'ON') });
  changes.put(catalog.with({ OCProperties: properties.with({ D: dict }) }), root);
}
