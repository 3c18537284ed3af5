import type { Box, Matrix } from './matrix.ts';
import { intersect, toBox } from './matrix.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfRef, isArray } from './objects.ts';
import { refuse, tooComplex } from './refusal.ts';

export const MM_PER_POINT = 25.4 / 72;

/** The page and what it inherits from the nodes above it. */
export interface Page {
  readonly ref: PdfRef | null;
  /** It hangs in a page tree, not in the catalogue itself. */
  readonly inTree: boolean;
  readonly dict: PdfDict;
  readonly resources: PdfDict;
  readonly frame: PageFrame;
  /** Attributes of the nodes above it. */
  readonly inherited: ReadonlyMap<string, PdfObject>;
}

export interface PageFrame {
  readonly widthMm: number;
  readonly heightMm: number;
  /** From default user space to the page frame in millimetres; crop origin, Rotate and UserUnit included. */
  readonly toMm: Matrix;
  readonly rotate: 0 | 90 | 180 | 270;
}

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
// More nodes than a single-page file has any use for.
const MAX_NODES = 20_000;

interface Leaf {
  readonly ref: PdfRef | null;
  readonly inTree: boolean;
  readonly dict: PdfDict;
  readonly inherited: ReadonlyMap<string, PdfObject>;
}

/** The only page of the document. Refuses none or several, and a tree that contains itself. The declared Count is not
 * trusted; the leaves are counted, up to the second. */
export function findPage(store: ObjectStore, catalog: PdfDict): Page {
  const walk = new TreeWalk(store);
  walk.visit(catalog.get('Pages'), new Map(), 0);
  const [leaf, second] = walk.leaves;
  if (leaf === undefined) refuse('PDF_UNREADABLE', 'The PDF has no page.');
  if (second !== undefined) {
    const pages = store.dict(catalog, 'Pages');
    const count = pages === null ? null : store.number(pages, 'Count');
    const counted = count !== null && Number.isInteger(count) && count > 1 ? `${count} pages` : 'more than one page';
    refuse('MULTIPLE_PAGES', `The PDF has ${counted}. Send each page as a file of its own.`);
  }
  const valueOf = (key: string): PdfObject => store.resolve(leaf.dict.get(key) ?? leaf.inherited.get(key) ?? null);
  const resources = valueOf('Resources');
  return {
    ref: leaf.ref,
    inTree: leaf.inTree,
    dict: leaf.dict,
    inherited: leaf.inherited,
    resources: resources instanceof PdfDict ? resources : new PdfDict(),
    frame: frameOf(boxOf(store, valueOf('MediaBox')), boxOf(store, valueOf('CropBox')), valueOf('Rotate'), store.value(leaf.dict, 'UserUnit')),
  };
}

class TreeWalk {
  readonly leaves: Leaf[] = [];
  private readonly onPath = new Set<number>();
  private nodes = 0;
  private readonly store: ObjectStore;

  constructor(store: ObjectStore) {
    this.store = store;
  }

  visit(node: PdfObject, inherited: ReadonlyMap<string, PdfObject>, depth: number): void {
    if (this.leaves.length > 1) return;
    this.nodes += 1;
    if (this.nodes > MAX_NODES || depth > 200) tooComplex('nodes in the page tree', MAX_NODES);
    const ref = node instanceof PdfRef ? node : null;
    if (ref !== null && this.onPath.has(ref.num)) refuse('PDF_UNREADABLE', 'The page tree of the PDF contains itself.');
    const dict = this.store.resolve(node);
    if (!(dict instanceof PdfDict)) return;
    const kids = this.store.array(dict, 'Kids');
    if (kids === null || this.store.name(dict, 'Type') === 'Page') {
      if (this.store.name(dict, 'Type') !== 'Pages') this.leaves.push({ ref, inTree: depth > 0, dict, inherited });
      return;
    }
    const passedOn = new Map(inherited);
    for (const key of INHERITED) if (dict.get(key) !== null) passedOn.set(key, dict.get(key));
    if (ref !== null) this.onPath.add(ref.num);
    for (const kid of kids) this.visit(kid, passedOn, depth + 1);
    if (ref !== null) this.onPath.delete(ref.num);
  }
}

function boxOf(store: ObjectStore, object: PdfObject): Box | null {
  if (!isArray(object)) return null;
  const numbers = object.slice(0, 4).map((item) => store.resolve(item));
  return toBox(numbers.every((value) => typeof value === 'number') ? numbers : null);
}

/** The frame is the crop box within the media box; a box without area counts as absent, as viewers treat it. Trim, bleed and
 * art boxes have no influence: they say where to cut the product, not how large the sheet is. */
export function frameOf(mediaBox: Box | null, cropBox: Box | null, rotation: PdfObject, unit: PdfObject): PageFrame {
  const media = mediaBox !== null && hasArea(mediaBox) ? mediaBox : { x0: 0, y0: 0, x1: 612, y1: 792 };
  const cropped = cropBox === null ? media : intersect(media, cropBox);
  const { x0, y0, x1, y1 } = hasArea(cropped) ? cropped : media;
  const userUnit = typeof unit === 'number' && unit > 0 && Number.isFinite(unit) ? unit : 1;
  const k = MM_PER_POINT * userUnit;
  const width = (x1 - x0) * k;
  const height = (y1 - y0) * k;
  const turns = typeof rotation === 'number' ? ((Math.round(rotation / 90) % 4) + 4) % 4 : 0;
  if (turns === 1) return { widthMm: height, heightMm: width, toMm: [0, -k, k, 0, -y0 * k, x1 * k], rotate: 90 };
  if (turns === 2) return { widthMm: width, heightMm: height, toMm: [-k, 0, 0, -k, x1 * k, y1 * k], rotate: 180 };
  if (turns === 3) return { widthMm: height, heightMm: width, toMm: [0, k, -k, 0, y1 * k, -x0 * k], rotate: 270 };
  return { widthMm: width, heightMm: height, toMm: [k, 0, 0, k, -x0 * k, -y0 * k], rotate: 0 };
}

function hasArea(box: Box): boolean {
  return box.x1 - box.x0 > 1e-6 && box.y1 - box.y0 > 1e-6 && Number.isFinite(box.x1 - box.x0) && Number.isFinite(box.y1 - box.y0);
}
