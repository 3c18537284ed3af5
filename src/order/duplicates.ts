import type { ToolPath } from '../gpgl/index.ts';

/** Points nearer than this are the same point to any cutter (the finest step is 0.01 mm). */
const perMm = 1000;

/** Without the paths that a former one with the same tool already cuts: the same points in the same order, backwards,
 * or, for closed paths, from another start. A closed path that passes its smallest point twice may keep its twin. */
export function withoutDuplicates(paths: readonly ToolPath[]): ToolPath[] {
  const alike = new Map<number, number[]>();
  const canonical = new Map<number, Float64Array>();
  const canonicalOf = (index: number, path: ToolPath): Float64Array => {
    const points = canonical.get(index) ?? canonicalPoints(path);
    canonical.set(index, points);
    return points;
  };
  return paths.filter((path, index) => {
    const key = sumOf(path);
    const others = alike.get(key);
    if (others === undefined) {
      alike.set(key, [index]);
      return true;
    }
    const isTwin = others.some((other) => {
      const former = paths[other];
      return former?.tool === path.tool && former.closed === path.closed && former.pointsMm.length === path.pointsMm.length
        && equal(canonicalOf(other, former), canonicalOf(index, path));
    });
    if (!isTwin) others.push(index);
    return !isTwin;
  });
}

/** The same for every start and direction. */
function sumOf({ pointsMm, closed }: ToolPath): number {
  let sum = pointsMm.length;
  let former = mixedAt(pointsMm, pointsMm.length - 2);
  for (let at = 0; at + 1 < pointsMm.length; at += 2) {
    const mixed = mixedAt(pointsMm, at);
    // Each point, and with it its neighbour: other ways through the same points are told apart.
    if (closed || at > 0) sum = (sum + Math.imul(former ^ mixed, 0x27d4eb2f)) | 0;
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
function canonicalPoints({ pointsMm, closed }: ToolPath): Float64Array {
  const points = new Float64Array(pointsMm.length);
  for (let at = 0; at < points.length; at++) points[at] = Math.round((pointsMm[at] ?? 0) * perMm) + 0;
  const count = Math.floor(points.length / 2);
  const start = closed ? smallest(points, count) : 0;
  const forward = walk(points, count, start, 1);
  const backward = walk(points, count, closed ? start : count - 1, -1);
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
  for (let at = 0; at < one.length; at++) {
    if (one[at] !== other[at]) return false;
  }
  return true;
}
