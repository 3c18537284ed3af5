import type { ToolPath } from '../gpgl/index.ts';
import { extentOf, innerPoint, insideTest, isWithin, type Extent, type InsideTest } from './contour.ts';

/**
 * For each path the closed paths that contain it, without those that contain one of them: contours that overlap may
 * share their contents. A path is within a contour when a point of it is (of a closed path an inner point, so
 * that contours may share edges), by the even-odd rule, and its box is within the contour's: paths that cross a contour
 * have no say in the order.
 */
export function containersOf(paths: readonly ToolPath[]): readonly (readonly number[])[] {
  const containers: (readonly number[])[] = paths.map(() => nothing);
  if (!paths.some(({ closed }) => closed)) return containers;
  const extents = paths.map(extentOf);
  const boxes = new Boxes();
  const tests: (InsideTest | undefined)[] = paths.map(() => undefined);
  extents.forEach((extent, index) => {
    if (extent.area > 0) boxes.add(index, extent);
  });
  const isInside = (x: number, y: number, outer: number): boolean => {
    const path = paths[outer];
    const extent = extents[outer];
    if (path === undefined || extent === undefined) return false;
    const test = tests[outer] ?? insideTest(path, extent);
    tests[outer] = test;
    return test(x, y);
  };
  const covered = new Int32Array(paths.length).fill(-1);
  // From the largest on, so that the containers of a container are known.
  const bySize = extents.map(({ area }, index) => ({ area, index })).sort((one, other) => other.area - one.area);
  for (const { index } of bySize) {
    const path = paths[index];
    const extent = extents[index];
    if (path === undefined || extent === undefined) continue;
    const { x, y } = innerPoint(path);
    const around = boxes.at(x, y).filter((outer) => {
      const box = extents[outer];
      // A larger area on every step upwards: no path can come to wait for itself.
      return box !== undefined && box.area > extent.area && isWithin(extent, box) && isInside(x, y, outer);
    });
    if (around.length > 0) containers[index] = innermost(around, index, extents, containers, covered);
  }
  return containers;
}

const nothing: readonly number[] = [];

/** Of the candidates those that are not above another of them. `covered` is stamped with `self`. */
function innermost(
  candidates: readonly number[], self: number, extents: readonly Extent[], containers: readonly (readonly number[])[], covered: Int32Array,
): readonly number[] {
  const taken: number[] = [];
  // Few turns, so no sorting: mostly the smallest contour is within all the others.
  for (let left = candidates; left.length > 0; left = left.filter((candidate) => covered[candidate] !== self)) {
    const smallest = left.reduce((best, candidate) => (extents[candidate]?.area ?? 0) < (extents[best]?.area ?? 0) ? candidate : best);
    taken.push(smallest);
    const climb = [smallest];
    covered[smallest] = self;
    for (let next = climb.pop(); next !== undefined; next = climb.pop()) {
      for (const above of containers[next] ?? nothing) {
        if (covered[above] === self) continue;
        covered[above] = self;
        climb.push(above);
      }
    }
  }
  return taken;
}

/** Cells of smaller edge than this are not told apart. */
const smallestLevel = -3;

/** Boxes by where they are and how large: each stands in at most four cells of a grid whose cells are as large as it, with
 * one grid for each power of two, so that a point is near few boxes that do not hold it. */
class Boxes {
  readonly #levels = new Map<number, Map<number, number[]>>();

  add(index: number, { minX, minY, maxX, maxY }: Extent): void {
    const level = Math.max(smallestLevel, Math.ceil(Math.log2(Math.max(maxX - minX, maxY - minY))));
    const size = 2 ** level;
    const cells = this.#levels.get(level) ?? new Map<number, number[]>();
    this.#levels.set(level, cells);
    for (let column = Math.floor(minX / size); column <= Math.floor(maxX / size); column++) {
      for (let row = Math.floor(minY / size); row <= Math.floor(maxY / size); row++) {
        const key = keyOf(column, row);
        const cell = cells.get(key);
        if (cell === undefined) cells.set(key, [index]);
        else cell.push(index);
      }
    }
  }

  /** All boxes that may hold the point, and some that do not. */
  at(x: number, y: number): number[] {
    const found: number[] = [];
    for (const [level, cells] of this.#levels) {
      const size = 2 ** level;
      for (const index of cells.get(keyOf(Math.floor(x / size), Math.floor(y / size))) ?? nothing) found.push(index);
    }
    return found;
  }
}

/** Unique for sheets up to a kilometre; beyond it, cells may share a list, which costs time only. */
function keyOf(column: number, row: number): number {
  return column * 2 ** 25 + row;
}
