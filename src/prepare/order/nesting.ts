import type { ToolPath } from '../../gpgl/index.ts';

interface Extent {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
  readonly area: number;
}

/** Entries in the table of edges, over all its rows: bounds its memory at 32 MB however long the edges are. */
const mostEntries = 8_000_000;
const mostRows = 4096;

/**
 * For each path the closed paths that contain it, without those that contain one of them: contours that overlap may
 * share their contents. A path is within a contour when the middle of its first piece is, by the even-odd rule, and
 * its box is within the contour's: paths that cross a contour have no say in the order.
 */
export function containersOf(paths: readonly ToolPath[]): readonly (readonly number[])[] {
  const containers: (readonly number[])[] = paths.map(() => nothing);
  if (!paths.some(({ closed }) => closed)) return containers;
  const extents = paths.map(extentOf);
  const edges = edgesOf(paths);
  const search: Search = { paths, extents, edges, table: tableOf(edges), crossings: new Int32Array(paths.length) };
  const covered = new Int32Array(paths.length).fill(-1);
  // From the largest on, so that the containers of a container are known.
  const bySize = extents.map(({ area }, index) => ({ area, index })).sort((one, other) => other.area - one.area);
  for (const { index } of bySize) {
    const candidates = around(index, search);
    if (candidates.length > 0) containers[index] = innermost(candidates, index, extents, containers, covered);
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

interface Search {
  readonly paths: readonly ToolPath[];
  readonly extents: readonly Extent[];
  readonly edges: Edges;
  readonly table: Table;
  /** By owner; all zero between two searches. */
  readonly crossings: Int32Array;
}

function extentOf({ pointsMm, closed }: ToolPath): Extent {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  let twice = 0;
  const last = pointsMm.length - 2;
  let fromX = pointsMm[last] ?? 0;
  let fromY = pointsMm[last + 1] ?? 0;
  for (let at = 0; at <= last; at += 2) {
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
  return { minX, minY, maxX, maxY, area: closed ? Math.abs(twice) / 2 : 0 };
}

interface Edges {
  readonly count: number;
  /** ax, ay, bx, by of each. */
  readonly ends: Float64Array;
  readonly owner: Int32Array;
  readonly minY: number;
  readonly maxY: number;
}

/** All edges of closed paths but the horizontal ones, which a horizontal ray never crosses. */
function edgesOf(paths: readonly ToolPath[]): Edges {
  const total = paths.reduce((sum, { closed, pointsMm }) => sum + (closed ? pointsMm.length / 2 : 0), 0);
  const ends = new Float64Array(total * 4);
  const owner = new Int32Array(total);
  let count = 0;
  let minY = Infinity;
  let maxY = -Infinity;
  paths.forEach(({ closed, pointsMm }, index) => {
    if (!closed) return;
    let ax = pointsMm[pointsMm.length - 2] ?? 0;
    let ay = pointsMm[pointsMm.length - 1] ?? 0;
    for (let at = 0; at + 1 < pointsMm.length; at += 2) {
      const bx = pointsMm[at] ?? 0;
      const by = pointsMm[at + 1] ?? 0;
      if (ay !== by) {
        ends.set([ax, ay, bx, by], count * 4);
        owner[count++] = index;
      }
      if (by < minY) minY = by;
      if (by > maxY) maxY = by;
      ax = bx;
      ay = by;
    }
  });
  return { count, ends, owner, minY, maxY };
}

/** Edges by the rows of y they pass: those of row r are `edge[first[r]]` to `edge[first[r + 1] − 1]`. */
interface Table {
  readonly rows: number;
  readonly rowOf: (y: number) => number;
  readonly first: Int32Array;
  readonly edge: Int32Array;
}

function tableOf(edges: Edges): Table {
  let rows = Math.min(mostRows, Math.max(1, edges.count));
  for (;;) {
    const scale = rows / Math.max(edges.maxY - edges.minY, 1e-9);
    const last = rows - 1;
    const rowOf = (y: number) => Math.min(last, Math.max(0, Math.floor((y - edges.minY) * scale)));
    const first = new Int32Array(rows + 1);
    let entries = 0;
    for (let edge = 0; edge < edges.count; edge++) {
      const [low, high] = span(edges, edge, rowOf);
      entries += high - low + 1;
      first[low] = (first[low] ?? 0) + 1;
      if (high < last) first[high + 1] = (first[high + 1] ?? 0) - 1;
    }
    if (entries > mostEntries && rows > 1) {
      rows = Math.max(1, Math.floor(rows / 4));
      continue;
    }
    return { rows, rowOf, first: starts(first, rows), edge: filled(edges, rowOf, first, entries) };
  }
}

function span(edges: Edges, edge: number, rowOf: (y: number) => number): readonly [number, number] {
  const a = rowOf(edges.ends[edge * 4 + 1] ?? 0);
  const b = rowOf(edges.ends[edge * 4 + 3] ?? 0);
  return a < b ? [a, b] : [b, a];
}

/** Turns changes of the count per row, in place, into the index of each row's first entry. */
function starts(changes: Int32Array, rows: number): Int32Array {
  let count = 0;
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    count += changes[row] ?? 0;
    changes[row] = sum;
    sum += count;
  }
  changes[rows] = sum;
  return changes;
}

function filled(edges: Edges, rowOf: (y: number) => number, first: Int32Array, entries: number): Int32Array {
  const next = first.slice();
  const table = new Int32Array(entries);
  for (let edge = 0; edge < edges.count; edge++) {
    const [low, high] = span(edges, edge, rowOf);
    for (let row = low; row <= high; row++) {
      const at = next[row] ?? 0;
      table[at] = edge;
      next[row] = at + 1;
    }
  }
  return table;
}

/** The contours around a path: those with an odd number of edges left of its point. */
function around(self: number, { paths, extents, edges, table, crossings }: Search): number[] {
  const extent = extents[self];
  const pointsMm = paths[self]?.pointsMm;
  if (extent === undefined || pointsMm === undefined) return [];
  const x = ((pointsMm[0] ?? 0) + (pointsMm[2] ?? 0)) / 2;
  const y = ((pointsMm[1] ?? 0) + (pointsMm[3] ?? 0)) / 2;
  if (y < edges.minY || y > edges.maxY) return [];
  const row = table.rowOf(y);
  const to = table.first[row + 1] ?? 0;
  const seen: number[] = [];
  for (let at = table.first[row] ?? 0; at < to; at++) {
    const edge = table.edge[at] ?? 0;
    const ay = edges.ends[edge * 4 + 1] ?? 0;
    const by = edges.ends[edge * 4 + 3] ?? 0;
    if ((ay <= y) === (by <= y)) continue;
    const ax = edges.ends[edge * 4] ?? 0;
    const bx = edges.ends[edge * 4 + 2] ?? 0;
    if (ax + ((y - ay) / (by - ay)) * (bx - ax) >= x) continue;
    const owner = edges.owner[edge] ?? 0;
    if (crossings[owner] === 0) seen.push(owner);
    crossings[owner] = (crossings[owner] ?? 0) + 1;
  }
  return seen.filter((owner) => {
    const isOdd = (crossings[owner] ?? 0) % 2 === 1;
    crossings[owner] = 0;
    const outer = extents[owner];
    // A larger area on every step upwards: no path can come to wait for itself.
    return isOdd && outer !== undefined && outer.area > extent.area && contains(outer, extent);
  });
}

function contains(outer: Extent, inner: Extent): boolean {
  return outer.minX <= inner.minX && outer.minY <= inner.minY && outer.maxX >= inner.maxX && outer.maxY >= inner.maxY;
}
