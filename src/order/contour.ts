import type { ToolPaths } from '../gpgl/index.ts';

/** The boxes of many paths, and what they enclose. */
export class Extents {
  readonly minX: Float64Array;
  readonly minY: Float64Array;
  readonly maxX: Float64Array;
  readonly maxY: Float64Array;
  /** Of closed paths; 0 of open ones. */
  readonly area: Float64Array;

  constructor(paths: ToolPaths) {
    const { count } = paths;
    this.minX = new Float64Array(count);
    this.minY = new Float64Array(count);
    this.maxX = new Float64Array(count);
    this.maxY = new Float64Array(count);
    this.area = new Float64Array(count);
    for (let index = 0; index < count; index++) this.#measure(paths, index);
  }

  isWithin(inner: number, outer: number): boolean {
    return (this.minX[outer] ?? 0) <= (this.minX[inner] ?? 0) && (this.minY[outer] ?? 0) <= (this.minY[inner] ?? 0)
      && (this.maxX[outer] ?? 0) >= (this.maxX[inner] ?? 0) && (this.maxY[outer] ?? 0) >= (this.maxY[inner] ?? 0);
  }

  /** The longer side of its box. */
  sizeOf(index: number): number {
    return Math.max((this.maxX[index] ?? 0) - (this.minX[index] ?? 0), (this.maxY[index] ?? 0) - (this.minY[index] ?? 0));
  }

  #measure({ pointsMm, first, closed }: ToolPaths, index: number): void {
    let minX = Infinity;
    let minY = Infinity;
    let maxX = -Infinity;
    let maxY = -Infinity;
    let twice = 0;
    const last = (first[index + 1] ?? 0) * 2 - 2;
    let fromX = pointsMm[last] ?? 0;
    let fromY = pointsMm[last + 1] ?? 0;
    for (let at = (first[index] ?? 0) * 2; at <= last; at += 2) {
      const x = pointsMm[at] ?? 0;
      const y = pointsMm[at + 1] ?? 0;
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
      twice += fromX * y - x * fromY;
      fromX = x;
      fromY = y;
    }
    this.minX[index] = minX;
    this.minY[index] = minY;
    this.maxX[index] = maxX;
    this.maxY[index] = maxY;
    this.area[index] = closed[index] === 1 ? Math.abs(twice) / 2 : 0;
  }
}

/** At the height of the middle of its steepest piece, midway along the widest stretch within; of an open path that middle. */
export function innerPoint({ pointsMm, first, closed }: ToolPaths, index: number): { readonly x: number; readonly y: number } {
  const start = (first[index] ?? 0) * 2;
  const end = (first[index + 1] ?? 0) * 2;
  if (end - start < 4) return { x: pointsMm[start] ?? 0, y: pointsMm[start + 1] ?? 0 };
  const steepest = steepestPiece(pointsMm, start, end);
  const x = ((pointsMm[steepest] ?? 0) + (pointsMm[steepest + 2] ?? 0)) / 2;
  const y = ((pointsMm[steepest + 1] ?? 0) + (pointsMm[steepest + 3] ?? 0)) / 2;
  if (closed[index] !== 1) return { x, y };
  const crossings: number[] = [];
  let ax = pointsMm[end - 2] ?? 0;
  let ay = pointsMm[end - 1] ?? 0;
  for (let at = start; at < end; at += 2) {
    const bx = pointsMm[at] ?? 0;
    const by = pointsMm[at + 1] ?? 0;
    if ((ay <= y) !== (by <= y)) crossings.push(ax + ((y - ay) / (by - ay)) * (bx - ax));
    ax = bx;
    ay = by;
  }
  crossings.sort((one, other) => one - other);
  let best = x;
  let widest = 0;
  for (let crossing = 0; crossing + 1 < crossings.length; crossing += 2) {
    const left = crossings[crossing] ?? x;
    const right = crossings[crossing + 1] ?? x;
    if (right - left > widest) {
      widest = right - left;
      best = (left + right) / 2;
    }
  }
  return { x: best, y };
}

function steepestPiece(pointsMm: Float64Array, start: number, end: number): number {
  let steepest = start;
  let height = -1;
  for (let at = start; at + 3 < end; at += 2) {
    const rise = Math.abs((pointsMm[at + 3] ?? 0) - (pointsMm[at + 1] ?? 0));
    if (rise > height) {
      height = rise;
      steepest = at;
    }
  }
  return steepest;
}

/** Whether a point is inside a closed path, by the even-odd rule. */
export type InsideTest = (x: number, y: number) => boolean;

/** Below this many edges looking at all of them is as fast as a table. */
const fewEdges = 32;
const mostRows = 4096;
/** Entries of a table for each edge, at most on average: a comb of tall edges gets few rows. */
const entriesPerEdge = 8;

/** Built once for a contour and asked often: a contour of a million edges may hold thousands of paths. */
export function insideTest(paths: ToolPaths, index: number, minY: number, maxY: number): InsideTest {
  const pointsMm = paths.pointsMm.subarray((paths.first[index] ?? 0) * 2, (paths.first[index + 1] ?? 0) * 2);
  const count = pointsMm.length / 2;
  if (count <= fewEdges) {
    return (x, y) => {
      let isInside = false;
      for (let edge = 0; edge < count; edge++) {
        if (crossesLeft(pointsMm, edge, count, x, y)) isInside = !isInside;
      }
      return isInside;
    };
  }
  const table = tableOf(pointsMm, count, minY, maxY);
  return (x, y) => {
    const row = table.rowOf(y);
    const to = table.first[row + 1] ?? 0;
    let isInside = false;
    for (let at = table.first[row] ?? 0; at < to; at++) {
      if (crossesLeft(pointsMm, table.edge[at] ?? 0, count, x, y)) isInside = !isInside;
    }
    return isInside;
  };
}

/** Whether the edge from this point to the next crosses the height y left of x. */
function crossesLeft(pointsMm: Float64Array, edge: number, count: number, x: number, y: number): boolean {
  const next = edge + 1 === count ? 0 : edge + 1;
  const ay = pointsMm[edge * 2 + 1] ?? 0;
  const by = pointsMm[next * 2 + 1] ?? 0;
  if ((ay <= y) === (by <= y)) return false;
  const ax = pointsMm[edge * 2] ?? 0;
  return ax + ((y - ay) / (by - ay)) * ((pointsMm[next * 2] ?? 0) - ax) < x;
}

/** Edges by the rows of y they pass: those of row r are `edge[first[r]]` to `edge[first[r + 1] − 1]`. */
interface Table {
  readonly rowOf: (y: number) => number;
  readonly first: Int32Array;
  readonly edge: Int32Array;
}

function tableOf(pointsMm: Float64Array, count: number, minY: number, maxY: number): Table {
  const height = Math.max(maxY - minY, 1e-9);
  for (let rows = Math.min(mostRows, count); ; rows = Math.ceil(rows / 4)) {
    const last = rows - 1;
    const rowOf = (y: number): number => Math.min(last, Math.max(0, Math.floor(((y - minY) / height) * rows)));
    const { first, entries } = rowStarts(pointsMm, count, rows, rowOf);
    if (entries > count * entriesPerEdge && rows > 1) continue;
    return { rowOf, first, edge: filled(pointsMm, count, rowOf, first, entries) };
  }
}

function span(pointsMm: Float64Array, edge: number, count: number, rowOf: (y: number) => number): readonly [number, number] {
  const a = rowOf(pointsMm[edge * 2 + 1] ?? 0);
  const b = rowOf(pointsMm[(edge + 1 === count ? 0 : edge + 1) * 2 + 1] ?? 0);
  return a < b ? [a, b] : [b, a];
}

function rowStarts(pointsMm: Float64Array, count: number, rows: number, rowOf: (y: number) => number): { readonly first: Int32Array; readonly entries: number } {
  const first = new Int32Array(rows + 1);
  // First the change of the count from row to row, …
  for (let edge = 0; edge < count; edge++) {
    const [low, high] = span(pointsMm, edge, count, rowOf);
    first[low] = (first[low] ?? 0) + 1;
    first[high + 1] = (first[high + 1] ?? 0) - 1;
  }
  // … then the sum of the counts before each row.
  let inRow = 0;
  let entries = 0;
  for (let row = 0; row < rows; row++) {
    inRow += first[row] ?? 0;
    first[row] = entries;
    entries += inRow;
  }
  first[rows] = entries;
  return { first, entries };
}

function filled(pointsMm: Float64Array, count: number, rowOf: (y: number) => number, first: Int32Array, entries: number): Int32Array {
  const next = first.slice();
  const table = new Int32Array(entries);
  for (let edge = 0; edge < count; edge++) {
    const [low, high] = span(pointsMm, edge, count, rowOf);
    for (let row = low; row <= high; row++) {
      const at = next[row] ?? 0;
      table[at] = edge;
      next[row] = at + 1;
    }
  }
  return table;
}
