import type { ToolPaths } from '../gpgl/index.ts';
import { bucketOf, inBuckets, type Buckets } from './buckets.ts';
import { Extents, innerPoint, insideTest, type InsideTest } from './contour.ts';

/**
 * For each path the closed paths that contain it, without those that contain one of them: contours that overlap may
 * share their contents. A path is within a contour when a point of it is (of a closed path an inner point, so
 * that contours may share edges), by the even-odd rule, and its box is within the contour's: paths that cross a contour
 * have no say in the order. null: no path contains another.
 */
export function containersOf(paths: ToolPaths): readonly (readonly number[])[] | null {
  if (paths.count < 2 || !paths.closed.includes(1)) return null;
  const extents = new Extents(paths);
  const boxes = new Boxes(extents);
  const tests: (InsideTest | undefined)[] = [];
  const isInside = (x: number, y: number, outer: number): boolean => {
    const test = tests[outer] ?? insideTest(paths, outer, extents.minY[outer] ?? 0, extents.maxY[outer] ?? 0);
    tests[outer] = test;
    return test(x, y);
  };
  const boxed = boxedPaths(boxes, paths.count);
  if (boxed.length === 0) return null;
  const containers = new Array<readonly number[]>(paths.count).fill(nothing);
  const covered = new Int32Array(paths.count).fill(-1);
  let isAnyWithin = false;
  // From the largest on, so that the containers of a container are known; and one at a time, since in a nest of n there are n²/2.
  for (const index of boxed.sort((one, other) => (extents.area[other] ?? 0) - (extents.area[one] ?? 0) || one - other)) {
    const { x, y } = innerPoint(paths, index);
    const within = innermost(boxes.around(index), index, extents.area, (outer) => isInside(x, y, outer), containers, covered);
    if (within.length === 0) continue;
    containers[index] = within;
    isAnyWithin = true;
  }
  return isAnyWithin ? containers : null;
}

/** Those that may lie within another, by their boxes: mostly a few, or none, and nothing else has to be sorted. */
function boxedPaths(boxes: Boxes, count: number): Int32Array {
  const boxed = new Int32Array(count);
  let found = 0;
  for (let index = 0; index < count; index++) {
    if (boxes.around(index, 1).length > 0) boxed[found++] = index;
  }
  return boxed.subarray(0, found);
}

const nothing: readonly number[] = [];

/** Of the candidates that hold the path those that are not above another of them. `covered` is stamped with `self`. */
function innermost(
  candidates: readonly number[], self: number, area: Float64Array, holds: (candidate: number) => boolean, containers: readonly (readonly number[])[], covered: Int32Array,
): readonly number[] {
  const taken: number[] = [];
  const consider = (candidate: number): void => {
    if (covered[candidate] === self) return;
    covered[candidate] = self;
    if (!holds(candidate)) return;
    taken.push(candidate);
    const climb = [candidate];
    for (let next = climb.pop(); next !== undefined; next = climb.pop()) {
      for (const above of containers[next] ?? nothing) {
        if (covered[above] === self) continue;
        covered[above] = self;
        climb.push(above);
      }
    }
  };
  const areaOf = (candidate: number): number => area[candidate] ?? 0;
  // Mostly the smallest contour is within all the others, and nothing is left to be sorted.
  if (candidates.length > 0) consider(candidates.reduce((best, candidate) => areaOf(candidate) < areaOf(best) ? candidate : best));
  const left = candidates.filter((candidate) => covered[candidate] !== self);
  for (const candidate of left.sort((one, other) => areaOf(one) - areaOf(other))) consider(candidate);
  return taken;
}

/** Cells of smaller edge than this are not told apart. */
const smallestLevel = -3;
const noLevel = -(2 ** 15);

/** The power of two that a box fits into; no level: nothing can be within it. */
function levelsOf(extents: Extents): Int16Array {
  const levels = new Int16Array(extents.area.length).fill(noLevel);
  for (let index = 0; index < levels.length; index++) {
    if (extents.area[index] !== 0) levels[index] = Math.max(smallestLevel, Math.ceil(Math.log2(extents.sizeOf(index))));
  }
  return levels;
}

/** Each level that there is. */
function fromLargest(levels: Int16Array): number[] {
  const found = new Set<number>();
  let former = noLevel;
  for (const level of levels) {
    // Mostly they come in long rows of the same.
    if (level !== former && level !== noLevel) found.add(level);
    former = level;
  }
  return [...found].sort((one, other) => other - one);
}

function placesOf(levels: Int16Array, level: number): Int32Array {
  const places = new Int32Array(levels.length);
  let found = 0;
  for (let place = 0; place < levels.length; place++) {
    if (levels[place] === level) places[found++] = place;
  }
  return places.subarray(0, found);
}

function taken(values: Float64Array, indices: Int32Array): Float64Array {
  const some = new Float64Array(indices.length);
  for (let at = 0; at < indices.length; at++) some[at] = values[indices[at] ?? 0] ?? 0;
  return some;
}

interface Level {
  readonly size: number;
  /** Of paths. */
  readonly buckets: Buckets;
}

/** Boxes of closed paths by where they are and how large: one table for each power of two, its cells as large as the
 * largest of its boxes. A box stands at the cell of its lower left corner, so a place is in it or beside it. */
class Boxes {
  readonly #extents: Extents;
  readonly #levels: Level[];
  readonly #looked = new Int32Array(4);

  constructor(extents: Extents) {
    this.#extents = extents;
    const levelOf = levelsOf(extents);
    this.#levels = fromLargest(levelOf).map((level) => {
      const size = 2 ** level;
      const members = placesOf(levelOf, level);
      const buckets = inBuckets(taken(extents.minX, members), taken(extents.minY, members), size);
      for (let slot = 0; slot < members.length; slot++) buckets.slots[slot] = members[buckets.slots[slot] ?? 0] ?? 0;
      return { size, buckets };
    });
  }

  /** The larger boxes that this one lies in, `atMost` so many. A larger area on every step upwards: no path can come to wait for itself. */
  around(index: number, atMost = Infinity): readonly number[] {
    const extents = this.#extents;
    let found: number[] | null = null;
    const x = extents.minX[index] ?? 0;
    const y = extents.minY[index] ?? 0;
    const area = extents.area[index] ?? 0;
    const largest = extents.sizeOf(index);
    for (const { size, buckets: { mask, first, end, slots } } of this.#levels) {
      if (size < largest) break;
      const column = Math.floor(x / size);
      const row = Math.floor(y / size);
      for (let cell = 0; cell < 4; cell++) {
        const bucket = this.#newBucket(cell, column, row, mask);
        if (bucket === -1) continue;
        const until = end[bucket] ?? 0;
        for (let at = first[bucket] ?? 0; at < until; at++) {
          const outer = slots[at] ?? 0;
          if ((extents.area[outer] ?? 0) <= area || !extents.isWithin(index, outer)) continue;
          if (found === null) found = [outer];
          else found.push(outer);
          if (found.length === atMost) return found;
        }
      }
    }
    return found ?? nothing;
  }

  /** The bucket of the cell or of one beside it; −1: it was there already, since cells may share one. */
  #newBucket(cell: number, column: number, row: number, mask: number): number {
    const bucket = bucketOf(column - (cell & 1), row - (cell >> 1), mask);
    for (let former = 0; former < cell; former++) {
      if (this.#looked[former] === bucket) {
        this.#looked[cell] = -1;
        return -1;
      }
    }
    this.#looked[cell] = bucket;
    return bucket;
  }
}
