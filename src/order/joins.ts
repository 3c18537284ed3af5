import type { ToolPath } from '../gpgl/index.ts';
import { bucketOf, inBuckets, type Buckets } from './buckets.ts';
import { reversed } from './stops.ts';

/** Ends nearer than this are in the same place for any cutter (the finest step is 0.01 mm). */
const samePlaceMm = 0.001;

/** In a crowded spot no more ends than these are looked at. */
const mostLooked = 64;

/**
 * Open paths whose ends touch become one, of the same tool: what was drawn in pieces is cut in one go. A chain whose own ends touch
 * is closed. Where more than two ends meet, pairs are made in the order of the paths. No point is moved: ends that are
 * apart, though within the tolerance, are joined by a straight piece.
 */
export function joined(paths: readonly ToolPath[], toleranceMm: number): ToolPath[] {
  const open = paths.flatMap((path, index) => (isOpenLine(path) ? [index] : []));
  if (open.length === 0) return [...paths];
  const links = linksOf(open.map((index) => paths[index]).filter((path) => path !== undefined), toleranceMm);
  const isDone = new Uint8Array(open.length);
  const placeOf = new Map(open.map((index, place) => [index, place]));
  return paths.flatMap((path, index) => {
    const place = placeOf.get(index);
    if (place === undefined) return [path];
    if (isDone[place] === 1) return [];
    return [chainOf(place, links, isDone, (at) => paths[open[at] ?? 0] ?? path)];
  });
}

function isOpenLine({ pointsMm, closed }: ToolPath): boolean {
  return !closed && pointsMm.length >= 4;
}

/** Of each end the one it is joined to; −1: none. The ends of path k are 2k, where it begins, and 2k + 1. */
function linksOf(paths: readonly ToolPath[], toleranceMm: number): Int32Array {
  const reachMm = Math.max(toleranceMm, samePlaceMm);
  const ends = new Ends(paths, reachMm);
  const links = new Int32Array(paths.length * 2).fill(-1);
  const link = (end: number, other: number): void => {
    links[end] = other;
    links[other] = end;
    ends.remove(end);
    ends.remove(other);
  };
  paths.forEach((path, index) => {
    if (returnsToItsStart(path, reachMm)) link(index * 2, index * 2 + 1);
  });
  for (let end = 0; end < links.length; end++) {
    if (links[end] !== -1) continue;
    const other = ends.nearest(end);
    if (other !== -1) link(end, other);
  }
  return links;
}

/** Ends in cells twice as wide as the reach: what is near to one is in four cells. */
class Ends {
  readonly #paths: readonly ToolPath[];
  readonly #reachMm: number;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #buckets: Buckets;
  /** Of each bucket, how many are left; they stand first among its slots. */
  readonly #filled: Int32Array;
  readonly #slotOf: Int32Array;

  constructor(paths: readonly ToolPath[], reachMm: number) {
    const count = paths.length * 2;
    this.#paths = paths;
    this.#reachMm = reachMm;
    this.#x = new Float64Array(count);
    this.#y = new Float64Array(count);
    for (let end = 0; end < count; end++) {
      this.#x[end] = coordinateOf(paths, end, 0);
      this.#y[end] = coordinateOf(paths, end, 1);
    }
    this.#buckets = inBuckets(count, (end) => this.#cellOf(this.#x[end] ?? 0), (end) => this.#cellOf(this.#y[end] ?? 0));
    const { first, slots } = this.#buckets;
    this.#filled = Int32Array.from({ length: first.length - 1 }, (_, bucket) => (first[bucket + 1] ?? 0) - (first[bucket] ?? 0));
    this.#slotOf = new Int32Array(count);
    slots.forEach((end, slot) => {
      this.#slotOf[end] = slot;
    });
  }

  remove(end: number): void {
    const { first, slots, mask } = this.#buckets;
    const bucket = bucketOf(this.#cellOf(this.#x[end] ?? 0), this.#cellOf(this.#y[end] ?? 0), mask);
    const filled = (this.#filled[bucket] ?? 0) - 1;
    this.#filled[bucket] = filled;
    const slot = this.#slotOf[end] ?? 0;
    const last = slots[(first[bucket] ?? 0) + filled] ?? 0;
    slots[slot] = last;
    this.#slotOf[last] = slot;
  }

  /** Of another path with the same tool; −1: there is none within reach. */
  nearest(end: number): number {
    const x = (this.#x[end] ?? 0) / (this.#reachMm * 2);
    const y = (this.#y[end] ?? 0) / (this.#reachMm * 2);
    const column = Math.floor(x);
    const row = Math.floor(y);
    const besideColumn = x - column < 0.5 ? column - 1 : column + 1;
    const besideRow = y - row < 0.5 ? row - 1 : row + 1;
    let best = this.#nearestIn(column, row, end, -1);
    best = this.#nearestIn(besideColumn, row, end, best);
    best = this.#nearestIn(column, besideRow, end, best);
    return this.#nearestIn(besideColumn, besideRow, end, best);
  }

  #nearestIn(column: number, row: number, end: number, former: number): number {
    const { first, slots, mask } = this.#buckets;
    const bucket = bucketOf(column, row, mask);
    const from = first[bucket] ?? 0;
    const until = from + Math.min(this.#filled[bucket] ?? 0, mostLooked);
    let best = former;
    for (let slot = from; slot < until; slot++) {
      const other = slots[slot] ?? 0;
      if (other >> 1 === end >> 1 || this.#paths[other >> 1]?.tool !== this.#paths[end >> 1]?.tool) continue;
      const apart = this.#apart(end, other);
      const shortest = best === -1 ? this.#reachMm : this.#apart(end, best);
      if (apart < shortest || (apart === shortest && (best === -1 || other < best))) best = other;
    }
    return best;
  }

  #apart(end: number, other: number): number {
    return Math.hypot((this.#x[other] ?? 0) - (this.#x[end] ?? 0), (this.#y[other] ?? 0) - (this.#y[end] ?? 0));
  }

  #cellOf(coordinateMm: number): number {
    return Math.floor(coordinateMm / (this.#reachMm * 2));
  }
}

function coordinateOf(paths: readonly ToolPath[], end: number, axis: 0 | 1): number {
  const pointsMm = paths[end >> 1]?.pointsMm ?? new Float64Array(0);
  return pointsMm[(end & 1) === 0 ? axis : pointsMm.length - 2 + axis] ?? 0;
}

/** Its ends touch, and something lies between them. */
function returnsToItsStart({ pointsMm }: ToolPath, reachMm: number): boolean {
  const { length } = pointsMm;
  const awayMm = (at: number): number => Math.hypot((pointsMm[at] ?? 0) - (pointsMm[0] ?? 0), (pointsMm[at + 1] ?? 0) - (pointsMm[1] ?? 0));
  if (length < 6 || awayMm(length - 2) > reachMm) return false;
  for (let at = 2; at < length - 2; at += 2) {
    if (awayMm(at) > reachMm) return true;
  }
  return false;
}

/** The chain that this path belongs to, from its loose end, or all around. */
function chainOf(place: number, links: Int32Array, isDone: Uint8Array, pathAt: (place: number) => ToolPath): ToolPath {
  let first = place * 2;
  let isRing = false;
  for (let before = links[first] ?? -1; before !== -1; before = links[first] ?? -1) {
    first = before ^ 1;
    if (first === place * 2) {
      isRing = true;
      break;
    }
  }
  const pieces: Float64Array[] = [];
  for (let end = first; end !== -1 && isDone[end >> 1] !== 1; end = links[end ^ 1] ?? -1) {
    isDone[end >> 1] = 1;
    const { pointsMm } = pathAt(end >> 1);
    pieces.push((end & 1) === 0 ? pointsMm : reversed(pointsMm));
  }
  const path = pathAt(place);
  if (pieces.length === 1 && !isRing) return path;
  return { tool: path.tool, closed: isRing, pointsMm: strung(pieces, isRing) };
}

/** One after the other, without repeating the point where two meet. */
function strung(pieces: readonly Float64Array[], isRing: boolean): Float64Array {
  const points = new Float64Array(pieces.reduce((total, { length }) => total + length, 0));
  let length = 0;
  for (const piece of pieces) {
    const isSame = length > 0 && isSamePlace(points, length - 2, piece, 0);
    for (let at = isSame ? 2 : 0; at < piece.length; at++) points[length++] = piece[at] ?? 0;
  }
  if (isRing && length > 2 && isSamePlace(points, length - 2, points, 0)) length -= 2;
  return points.slice(0, length);
}

function isSamePlace(one: Float64Array, at: number, other: Float64Array, otherAt: number): boolean {
  return Math.hypot((one[at] ?? 0) - (other[otherAt] ?? 0), (one[at + 1] ?? 0) - (other[otherAt + 1] ?? 0)) <= samePlaceMm;
}
