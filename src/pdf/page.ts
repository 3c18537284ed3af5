import type { Box, Matrix } from './matrix.ts';
import { intersect, toBox } from './matrix.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfRef, isArray } from './objects.ts';
import { refuse, tooComplex } from './refusal.ts';
import type { PageFacts, PdfWarning, RectMm } from './types.ts';

export const MM_PER_POINT = 25.4 / 72;

/** The page and what it inherits from the nodes above it. */
export interface Page {
  readonly ref: PdfRef | null;
  /** It hangs in a page tree, not in the catalogue itself. */
  readonly inTree: boolean;
  /** With the boxes and the rotation that the frame goes by, where those it came with can be read in several ways. */
  readonly dict: PdfDict;
  readonly resources: PdfDict;
  readonly frame: PageFrame;
  readonly boxesMm: PageFacts['boxesMm'];
  readonly warnings: readonly PdfWarning[];
  /** Attributes of the nodes above it. */
  readonly inherited: ReadonlyMap<string, PdfObject>;
}

export interface PageFrame {
  readonly widthMm: number;
  readonly heightMm: number;
  /** From default user space to the page frame in millimetres; crop origin, Rotate and UserUnit included. */
  readonly toMm: Matrix;
  readonly rotate: 0 | 90 | 180 | 270;
  readonly userUnit: number;
}

const LETTER: Box = { x0: 0, y0: 0, x1: 612, y1: 792 };
// Ten times the longest roll. Beyond it coordinates would leave what a cutter can count.
const MAX_SIDE_MM = 500_000;
const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
// More nodes than a single-page file has any use for.
const MAX_NODES = 20_000;
const MAX_DEPTH = 200;

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
  const media = boxOf(store, valueOf('MediaBox'));
  const crop = boxOf(store, valueOf('CropBox'));
  const frame = frameOf(media, crop, valueOf('Rotate'), store.value(leaf.dict, 'UserUnit'));
  const own = (key: string): RectMm | null => rectMm(boxOf(store, store.value(leaf.dict, key)), frame);
  const made = unambiguous(leaf.dict, media, crop, valueOf('CropBox'), valueOf('Rotate'));
  return {
    ref: leaf.ref,
    inTree: leaf.inTree,
    dict: made.dict,
    inherited: leaf.inherited,
    resources: resources instanceof PdfDict ? resources : new PdfDict(),
    frame,
    boxesMm: { media: rectMm(media, frame), crop: rectMm(crop, frame), bleed: own('BleedBox'), trim: own('TrimBox'), art: own('ArtBox') },
    warnings: made.warnings,
  };
}

function rectMm(box: Box | null, { userUnit }: PageFrame): RectMm | null {
  if (box === null || !hasArea(box)) return null;
  const k = MM_PER_POINT * userUnit;
  return { x0Mm: box.x0 * k, y0Mm: box.y0 * k, x1Mm: box.x1 * k, y1Mm: box.y1 * k };
}

/** Viewers make different things of boxes and rotations that are none, and the marks must be where Kerf counts from on each
 * of them: the page is marked with the values that were taken, and a warning says so. */
function unambiguous(page: PdfDict, media: Box | null, crop: Box | null, statedCrop: PdfObject, rotation: PdfObject): { dict: PdfDict; warnings: PdfWarning[] } {
  const warnings: PdfWarning[] = [];
  let dict = page;
  const taken = media !== null && hasArea(media) ? media : LETTER;
  if (taken === LETTER) {
    dict = dict.with({ MediaBox: corners(LETTER) });
    warnings.push({ code: 'PAGE_SIZE_ASSUMED', detail: 'The page states no usable MediaBox; US Letter, 215.9 × 279.4 mm, is assumed, as viewers do.' });
  }
  if (statedCrop !== null && (crop === null || !hasArea(intersect(taken, crop)))) {
    dict = dict.with({ CropBox: corners(taken) });
    warnings.push({ code: 'PAGE_BOX_IGNORED', detail: 'The CropBox of the page has no area within the MediaBox; the whole MediaBox is taken.' });
  }
  if (rotation !== null && turnsOf(rotation) === null) {
    dict = dict.with({ Rotate: 0 });
    warnings.push({ code: 'PAGE_ROTATION_IGNORED', detail: 'The page is turned by what is no multiple of 90 degrees; it is taken as not turned.' });
  }
  return { dict, warnings };
}

function corners({ x0, y0, x1, y1 }: Box): PdfObject {
  return [x0, y0, x1, y1];
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
    if (this.nodes > MAX_NODES) tooComplex('nodes in the page tree', MAX_NODES);
    if (depth > MAX_DEPTH) tooComplex('levels of the page tree', MAX_DEPTH);
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
  const media = mediaBox !== null && hasArea(mediaBox) ? mediaBox : LETTER;
  const cropped = cropBox === null ? media : intersect(media, cropBox);
  const { x0, y0, x1, y1 } = hasArea(cropped) ? cropped : media;
  const userUnit = typeof unit === 'number' && unit > 0 && Number.isFinite(unit) ? unit : 1;
  const k = MM_PER_POINT * userUnit;
  const width = (x1 - x0) * k;
  const height = (y1 - y0) * k;
  if (!(Math.max(width, height) <= MAX_SIDE_MM)) {
    refuse('PDF_UNREADABLE', `The page states a size of ${inMetres(width)} × ${inMetres(height)} m; no sheet is longer than ${MAX_SIDE_MM / 1000} m. Check MediaBox and UserUnit.`);
  }
  const turns = turnsOf(rotation) ?? 0;
  if (turns === 1) return { widthMm: height, heightMm: width, toMm: [0, -k, k, 0, -y0 * k, x1 * k], rotate: 90, userUnit };
  if (turns === 2) return { widthMm: width, heightMm: height, toMm: [-k, 0, 0, -k, x1 * k, y1 * k], rotate: 180, userUnit };
  if (turns === 3) return { widthMm: height, heightMm: width, toMm: [0, k, -k, 0, y1 * k, -x0 * k], rotate: 270, userUnit };
  return { widthMm: width, heightMm: height, toMm: [k, 0, 0, k, -x0 * k, -y0 * k], rotate: 0, userUnit };
}

function inMetres(lengthMm: number): string {
  return (lengthMm / 1000).toPrecision(3);
}

/** Quarter turns clockwise, 0 to 3; null for what is no multiple of 90 degrees. */
function turnsOf(rotation: PdfObject): number | null {
  if (typeof rotation !== 'number' || rotation % 90 !== 0) return null;
  return (((rotation / 90) % 4) + 4) % 4;
}

function hasArea(box: Box): boolean {
  return box.x1 - box.x0 > 1e-6 && box.y1 - box.y0 > 1e-6 && Number.isFinite(box.x1 - box.x0) && Number.isFinite(box.y1 - box.y0);
}
