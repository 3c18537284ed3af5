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
    const byLevel = new Map<number, number[]>();
    extents.area.forEach((area, index) => {
      if (area === 0) return;
      const level = Math.max(smallestLevel, Math.ceil(Math.log2(extents.sizeOf(index))));
      const members = byLevel.get(level);
      if (members === undefined) byLevel.set(level, [index]);
      else members.push(index);
    });
    this.#levels = [...byLevel].sort(([one], [other]) => other - one).map(([level, members]) => {
      const size = 2 ** level;
      const cellOf = (at: Float64Array, item: number): number => Math.floor((at[members[item] ?? 0] ?? 0) / size);
      const buckets = inBuckets(members.length, (item) => cellOf(extents.minX, item), (item) => cellOf(extents.minY, item));
      return { size, buckets: { ...buckets, slots: buckets.slots.map((item) => members[item] ?? 0) } };
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
