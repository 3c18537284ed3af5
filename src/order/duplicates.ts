import { selectedPaths, type ToolPaths } from '../gpgl/index.ts';

/** Points nearer than this are the same point to any cutter (the finest step is 0.01 mm). */
const perMm = 1000;

/** Without the paths that a former one with the same tool already cuts: the same points in the same order, backwards,
 * or, for closed paths, from another start. A closed path that passes its smallest point twice may keep its twin. */
export function withoutDuplicates(paths: ToolPaths): ToolPaths {
  const distinct = new Distinct(paths);
  const kept = new Int32Array(paths.count);
  let count = 0;
  for (let path = 0; path < paths.count; path++) {
    if (distinct.add(path)) kept[count++] = path;
  }
  return count === paths.count ? paths : selectedPaths(paths, kept.subarray(0, count));
}

/** Paths by a sum of their points, in an open table: with a list for each sum a million paths would be a million lists. */
class Distinct {
  readonly #paths: ToolPaths;
  readonly #mask: number;
  /** The path, plus 1; 0: free. */
  readonly #table: Int32Array;
  readonly #sums: Int32Array;
  readonly #canonical = new Map<number, Float64Array>();

  constructor(paths: ToolPaths) {
    this.#paths = paths;
    this.#mask = 2 ** Math.ceil(Math.log2(Math.max(1, paths.count) * 2)) - 1;
    this.#table = new Int32Array(this.#mask + 1);
    this.#sums = new Int32Array(paths.count);
  }

  /** False: it has a twin here. */
  add(path: number): boolean {
    const sum = sumOf(this.#paths, path);
    this.#sums[path] = sum;
    let slot = (sum ^ (sum >>> 15)) & this.#mask;
    for (let other = (this.#table[slot] ?? 0) - 1; other !== -1; other = (this.#table[slot] ?? 0) - 1) {
      if (this.#sums[other] === sum && this.#areTwins(other, path)) return false;
      slot = (slot + 1) & this.#mask;
    }
    this.#table[slot] = path + 1;
    return true;
  }

  #areTwins(one: number, other: number): boolean {
    const { tools, closed } = this.#paths;
    return tools[one] === tools[other] && closed[one] === closed[other] && equal(this.#canonicalOf(one), this.#canonicalOf(other));
  }

  #canonicalOf(path: number): Float64Array {
    const points = this.#canonical.get(path) ?? canonicalPoints(this.#paths, path);
    this.#canonical.set(path, points);
    return points;
  }
}

/** The same for every start and direction. */
function sumOf({ pointsMm, first, closed }: ToolPaths, path: number): number {
  const start = (first[path] ?? 0) * 2;
  const end = (first[path + 1] ?? 0) * 2;
  const isClosed = closed[path] === 1;
  let sum = end - start;
  let former = mixedAt(pointsMm, end - 2);
  for (let at = start; at < end; at += 2) {
    const mixed = mixedAt(pointsMm, at);
    // Each point, and with it its neighbour: other ways through the same points are told apart.
    if (isClosed || at > start) sum = (sum + Math.imul(former ^ mixed, 0x27d4eb2f)) | 0;
    sum = (sum + mixed) | 0;
    former = mixed;
  }
  return sum;
}

function mixedAt(pointsMm: Float64Array, at: number): number {
  const mixed = Math.imul(Math.round((pointsMm[at] ?? 0) * perMm), 0x9e3779b1) ^ Math.imul(Math.round((pointsMm[at + 1] ?? 0) * perMm), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
}

/** Whole micrometres, from the smallest point of a closed path, in the direction that reads smaller. */
function canonicalPoints({ pointsMm, first, closed }: ToolPaths, path: number): Float64Array {
  const isClosed = closed[path] === 1;
  const points = pointsMm.slice((first[path] ?? 0) * 2, (first[path + 1] ?? 0) * 2);
  for (let at = 0; at < points.length; at++) points[at] = Math.round((points[at] ?? 0) * perMm) + 0;
  const count = points.length / 2;
  const start = isClosed ? smallest(points, count) : 0;
  const forward = walk(points, count, start, 1);
  const backward = walk(points, count, isClosed ? start : count - 1, -1);
  return isSmaller(backward, forward) ? backward : forward;
}

function smallest(points: Float64Array, count: number): number {
  let best = 0;
  for (let index = 1; index < count; index++) {
    const deltaX = (points[index * 2] ?? 0) - (points[best * 2] ?? 0);
    if (deltaX < 0 || (deltaX === 0 && (points[index * 2 + 1] ?? 0) < (points[best * 2 + 1] ?? 0))) best = index;
  }
  return best;
}

function walk(points: Float64Array, count: number, start: number, step: 1 | -1): Float64Array {
  const walked = new Float64Array(count * 2);
  let from = start;
  for (let index = 0; index < count; index++) {
    walked[index * 2] = points[from * 2] ?? 0;
    walked[index * 2 + 1] = points[from * 2 + 1] ?? 0;
    from += step;
    if (from === count) from = 0;
    else if (from < 0) from = count - 1;
  }
  return walked;
}

function isSmaller(one: Float64Array, other: Float64Array): boolean {
  for (let at = 0; at < one.length; at++) {
    const delta = (one[at] ?? 0) - (other[at] ?? 0);
    if (delta !== 0) return delta < 0;
  }
  return false;
}

function equal(one: Float64Array, other: Float64Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) {
    if (one[at] !== other[at]) return false;
  }
  return true;
}
