import type { ToolPath } from '../gpgl/index.ts';
import { PointGrid } from './grid.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A closed path is offered at this many of its points; the nearest of all is looked for once it is chosen. */
const startsOfClosed = 8;

/** Cuts the nearest path next, from the end or point that is nearest; a contour waits for all that it
 * contains. The order's cost grows about with n·log n: candidates stand in a grid that is rebuilt as it empties. */
export function nearestFirst(
  paths: readonly ToolPath[], containers: readonly (readonly number[])[], from: Place,
): { readonly paths: ToolPath[]; readonly end: Place } {
  const waiting = new Int32Array(paths.length);
  for (const outer of containers.flat()) waiting[outer] = (waiting[outer] ?? 0) + 1;
  const grid = new PointGrid();
  const offer = (index: number): void => {
    const path = paths[index];
    if (path !== undefined) offerStarts(grid, path, index);
  };
  paths.forEach((_, index) => {
    if (waiting[index] === 0) offer(index);
  });
  const ordered: ToolPath[] = [];
  let place = from;
  for (;;) {
    const found = grid.nearest(place.x, place.y);
    if (found === null) return { paths: ordered, end: place };
    grid.remove(found.owner);
    const path = paths[found.owner];
    if (path === undefined) continue;
    const next = startedAt(path, found.tag, place);
    ordered.push(next.path);
    place = next.end;
    for (const outer of containers[found.owner] ?? []) {
      const left = (waiting[outer] ?? 0) - 1;
      waiting[outer] = left;
      if (left === 0) offer(outer);
    }
  }
}

function offerStarts(grid: PointGrid, { pointsMm, closed }: ToolPath, owner: number): void {
  const count = Math.floor(pointsMm.length / 2);
  const stride = closed ? Math.max(1, Math.ceil(count / startsOfClosed)) : Math.max(1, count - 1);
  for (let index = 0; index < count; index += stride) grid.add(owner, index, pointsMm[index * 2] ?? 0, pointsMm[index * 2 + 1] ?? 0);
}

function startedAt(path: ToolPath, start: number, place: Place): { readonly path: ToolPath; readonly end: Place } {
  const { pointsMm } = path;
  const first = path.closed ? nearestPoint(pointsMm, place) : start;
  let turned = path;
  if (path.closed && first > 0) turned = { ...path, pointsMm: rotated(pointsMm, first) };
  else if (!path.closed && first > 0) turned = { ...path, pointsMm: reversed(pointsMm) };
  const last = path.closed ? 0 : turned.pointsMm.length - 2;
  return { path: turned, end: { x: turned.pointsMm[last] ?? 0, y: turned.pointsMm[last + 1] ?? 0 } };
}

function nearestPoint(pointsMm: Float64Array, { x, y }: Place): number {
  let best = 0;
  let bestSquare = Infinity;
  for (let at = 0; at + 1 < pointsMm.length; at += 2) {
    const square = ((pointsMm[at] ?? 0) - x) ** 2 + ((pointsMm[at + 1] ?? 0) - y) ** 2;
    if (square < bestSquare) {
      bestSquare = square;
      best = at / 2;
    }
  }
  return best;
}

function rotated(pointsMm: Float64Array, first: number): Float64Array {
  const turned = new Float64Array(pointsMm.length);
  turned.set(pointsMm.subarray(first * 2));
  turned.set(pointsMm.subarray(0, first * 2), pointsMm.length - first * 2);
  return turned;
}

function reversed(pointsMm: Float64Array): Float64Array {
  const turned = new Float64Array(pointsMm.length);
  for (let at = 0; at + 1 < pointsMm.length; at += 2) {
    turned[at] = pointsMm[pointsMm.length - 2 - at] ?? 0;
    turned[at + 1] = pointsMm[pointsMm.length - 1 - at] ?? 0;
  }
  return turned;
}
