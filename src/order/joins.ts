import { PathsWriter, type ToolPaths } from '../gpgl/index.ts';
import { bucketOf, inBuckets, type Buckets } from './buckets.ts';

/** Ends nearer than this are in the same place for any cutter (the finest step is 0.01 mm). */
const samePlaceMm = 0.001;

/** In a crowded spot no more ends within reach than these are compared, and no more ends of a cell looked at. */
const mostCompared = 64;
const mostLooked = 1024;

/**
 * Open paths whose ends touch become one, of the same tool: what was drawn in pieces is cut in one go. A chain whose own ends touch
 * is closed. Where more than two ends meet, pairs are made in the order of the paths. No point is moved: ends that are
 * apart, though within the tolerance, are joined by a straight piece.
 */
export function joined(paths: ToolPaths, toleranceMm: number): ToolPaths {
  const open = openPaths(paths);
  if (open.length === 0) return paths;
  const links = linksOf(paths, open, Math.max(toleranceMm, samePlaceMm));
  return links === null ? paths : new Chains(paths, open, links).written();
}

function openPaths({ count, closed, first }: ToolPaths): Int32Array {
  const open = new Int32Array(count);
  let found = 0;
  for (let path = 0; path < count; path++) {
    if (closed[path] === 0 && (first[path + 1] ?? 0) - (first[path] ?? 0) >= 2) open[found++] = path;
  }
  return open.subarray(0, found);
}

/** Of each end the one it is joined to; −1: none. The ends of the open path k are 2k, where it begins, and 2k + 1. Null: none is joined. */
function linksOf(paths: ToolPaths, open: Int32Array, reachMm: number): Int32Array | null {
  const ends = new Ends(paths, open, reachMm);
  const links = new Int32Array(open.length * 2).fill(-1);
  let linked = 0;
  const link = (end: number, other: number): void => {
    linked++;
    links[end] = other;
    links[other] = end;
    ends.remove(end);
    ends.remove(other);
  };
  for (let place = 0; place < open.length; place++) {
    if (returnsToItsStart(paths, open[place] ?? 0, reachMm)) link(place * 2, place * 2 + 1);
  }
  for (let end = 0; end < links.length; end++) {
    if (links[end] !== -1) continue;
    const other = ends.nearest(end);
    if (other !== -1) link(end, other);
  }
  return linked > 0 ? links : null;
}

/** Cells this wide at least: nearly always what is near to an end is in its own cell. Never narrower than twice the reach, so that it is in four of them at most. */
const leastCellMm = 0.16;

class Ends {
  readonly #tools: ToolPaths['tools'];
  readonly #open: Int32Array;
  readonly #reachMm: number;
  readonly #cellMm: number;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  /** Of each bucket, those that are left. */
  readonly #buckets: Buckets;
  readonly #slotOf: Int32Array;

  constructor(paths: ToolPaths, open: Int32Array, reachMm: number) {
    const count = open.length * 2;
    this.#tools = paths.tools;
    this.#open = open;
    this.#reachMm = reachMm;
    this.#cellMm = Math.max(leastCellMm, reachMm * 2);
    this.#x = new Float64Array(count);
    this.#y = new Float64Array(count);
    for (let end = 0; end < count; end++) {
      const point = endPoint(paths, open[end >> 1] ?? 0, end & 1);
      this.#x[end] = paths.pointsMm[point * 2] ?? 0;
      this.#y[end] = paths.pointsMm[point * 2 + 1] ?? 0;
    }
    this.#buckets = inBuckets(this.#x, this.#y, this.#cellMm);
    this.#slotOf = new Int32Array(count);
    for (let slot = 0; slot < count; slot++) this.#slotOf[this.#buckets.slots[slot] ?? 0] = slot;
  }

  remove(end: number): void {
    const { end: ends, slots, mask } = this.#buckets;
    const bucket = bucketOf(this.#cellOf(this.#x[end] ?? 0), this.#cellOf(this.#y[end] ?? 0), mask);
    const lastSlot = (ends[bucket] ?? 0) - 1;
    ends[bucket] = lastSlot;
    const slot = this.#slotOf[end] ?? 0;
    const last = slots[lastSlot] ?? 0;
    slots[slot] = last;
    this.#slotOf[last] = slot;
  }

  /** Of another path with the same tool; −1: there is none within reach. */
  nearest(end: number): number {
    const x = (this.#x[end] ?? 0) / this.#cellMm;
    const y = (this.#y[end] ?? 0) / this.#cellMm;
    const column = Math.floor(x);
    const row = Math.floor(y);
    const reach = this.#reachMm / this.#cellMm;
    const besideColumn = column + besideOf(x - column, reach);
    const besideRow = row + besideOf(y - row, reach);
    let best = this.#nearestIn(column, row, end, -1);
    if (besideColumn !== column) best = this.#nearestIn(besideColumn, row, end, best);
    if (besideRow !== row) best = this.#nearestIn(column, besideRow, end, best);
    if (besideColumn !== column && besideRow !== row) best = this.#nearestIn(besideColumn, besideRow, end, best);
    return best;
  }

  #nearestIn(column: number, row: number, end: number, former: number): number {
    const { first, end: ends, slots, mask } = this.#buckets;
    const bucket = bucketOf(column, row, mask);
    const from = first[bucket] ?? 0;
    const until = Math.min(ends[bucket] ?? 0, from + mostLooked);
    let compared = 0;
    let best = former;
    let shortest = best === -1 ? this.#reachMm : this.#apart(end, best);
    for (let slot = from; slot < until && compared < mostCompared; slot++) {
      const other = slots[slot] ?? 0;
      if (other >> 1 === end >> 1) continue;
      const apart = this.#apart(end, other);
      if (apart <= this.#reachMm) compared++;
      if (apart > shortest || (apart === shortest && best !== -1 && other > best)) continue;
      if (this.#toolOf(other) !== this.#toolOf(end)) continue;
      best = other;
      shortest = apart;
    }
    return best;
  }

  #apart(end: number, other: number): number {
    const x = (this.#x[other] ?? 0) - (this.#x[end] ?? 0);
    const y = (this.#y[other] ?? 0) - (this.#y[end] ?? 0);
    return Math.sqrt(x * x + y * y);
  }

  #toolOf(end: number): ToolPaths['tools'][number] | undefined {
    return this.#tools[this.#open[end >> 1] ?? 0];
  }

  #cellOf(coordinateMm: number): number {
    return Math.floor(coordinateMm / this.#cellMm);
  }
}

/** From a place in a cell the side on which the next cell is within reach, the nearer one; 0: neither. Both as shares of its width. */
function besideOf(place: number, reach: number): -1 | 0 | 1 {
  if (place < 0.5) return place <= reach ? -1 : 0;
  return place >= 1 - reach ? 1 : 0;
}

/** The first point of a path, or its last. */
function endPoint({ first }: ToolPaths, path: number, side: number): number {
  return side === 0 ? first[path] ?? 0 : (first[path + 1] ?? 0) - 1;
}

/** Its ends touch, and something lies between them. */
function returnsToItsStart({ pointsMm, first }: ToolPaths, path: number, reachMm: number): boolean {
  const start = (first[path] ?? 0) * 2;
  const last = (first[path + 1] ?? 0) * 2 - 2;
  const awayMm = (at: number): number => Math.hypot((pointsMm[at] ?? 0) - (pointsMm[start] ?? 0), (pointsMm[at + 1] ?? 0) - (pointsMm[start + 1] ?? 0));
  if (last - start < 4 || awayMm(last) > reachMm) return false;
  for (let at = start + 2; at < last; at += 2) {
    if (awayMm(at) > reachMm) return true;
  }
  return false;
}

/** Writes all paths, and each chain once, where its first path was. */
class Chains {
  readonly #paths: ToolPaths;
  readonly #open: Int32Array;
  readonly #links: Int32Array;
  readonly #isDone: Uint8Array;
  readonly #writer: PathsWriter;
  /** Where the chain that is being written began, and where it has come to. */
  #isBegun = false;
  #firstX = 0;
  #firstY = 0;
  #x = 0;
  #y = 0;

  constructor(paths: ToolPaths, open: Int32Array, links: Int32Array) {
    this.#paths = paths;
    this.#open = open;
    this.#links = links;
    this.#isDone = new Uint8Array(open.length);
    this.#writer = new PathsWriter(paths.count, paths.pointsMm.length / 2);
  }

  written(): ToolPaths {
    const { count, first, pointsMm, tools, closed } = this.#paths;
    for (let path = 0, place = 0; path < count; path++) {
      if (this.#open[place] === path) {
        if (this.#isDone[place] !== 1) this.#chain(place);
        place++;
        continue;
      }
      this.#writer.points(pointsMm, (first[path] ?? 0) * 2, (first[path + 1] ?? 0) * 2);
      this.#writer.end(tools[path] ?? 'cut', closed[path] === 1);
    }
    return this.#writer.take();
  }

  /** The chain that this path belongs to, from its loose end, or all around. */
  #chain(place: number): void {
    const { first: start, isRing } = this.#startOf(place);
    this.#isBegun = false;
    for (let end = start; end !== -1 && this.#isDone[end >> 1] !== 1;) {
      this.#isDone[end >> 1] = 1;
      // Where a ring meets its own beginning, the point is not repeated.
      const next = this.#links[end ^ 1] ?? -1;
      this.#piece(end, isRing && (next === -1 || this.#isDone[next >> 1] === 1));
      end = next;
    }
    this.#writer.end(this.#paths.tools[this.#open[place] ?? 0] ?? 'cut', isRing);
  }

  #startOf(place: number): { readonly first: number; readonly isRing: boolean } {
    let first = place * 2;
    for (let before = this.#links[first] ?? -1; before !== -1; before = this.#links[first] ?? -1) {
      first = before ^ 1;
      if (first === place * 2) return { first, isRing: true };
    }
    return { first, isRing: false };
  }

  /** One path of the chain, entered at this end, without repeating the point where two meet. */
  #piece(end: number, closesRing: boolean): void {
    const path = this.#open[end >> 1] ?? 0;
    const from = endPoint(this.#paths, path, end & 1);
    const to = endPoint(this.#paths, path, 1 - (end & 1));
    const step = from < to ? 1 : -1;
    const { pointsMm } = this.#paths;
    for (let point = from; point !== to + step; point += step) {
      const x = pointsMm[point * 2] ?? 0;
      const y = pointsMm[point * 2 + 1] ?? 0;
      if (!this.#isBegun) {
        this.#isBegun = true;
        this.#firstX = x;
        this.#firstY = y;
      } else if (point === from && isSamePlace(x, y, this.#x, this.#y)) continue;
      else if (closesRing && point === to && isSamePlace(x, y, this.#firstX, this.#firstY)) continue;
      this.#writer.point(x, y);
      this.#x = x;
      this.#y = y;
    }
  }
}

function isSamePlace(x: number, y: number, otherX: number, otherY: number): boolean {
  return Math.hypot(x - otherX, y - otherY) <= samePlaceMm;
}
