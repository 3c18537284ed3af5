import type { ToolPaths } from '../gpgl/index.ts';
import type { KeepClearZone, SheetLayout } from './layout.ts';
import { rect, shownMm, type Offender, type RectMm, type SheetFailure } from './shapes.ts';

/** Coordinates come from floating point: an edge at exactly the limit is inside. */
const toleranceMm = 1e-6;

export interface Offence {
  readonly path: number;
  readonly xMm: number;
  readonly yMm: number;
  /** How far over the limit. */
  readonly byMm: number;
}

/**
 * Whether all cut geometry (page frame) lies inside the mark rectangle with its margin (else CUT_OUTSIDE_MARKS) and
 * outside the keep-clear zones (unless the options allow it; else ARTWORK_IN_KEEP_CLEAR_ZONE: a visible contour there disturbs the scan of the
 * marks, and a blade there comes near them). Null: it does. Names the worst place.
 */
export function checkCutInside(paths: ToolPaths, layout: SheetLayout): SheetFailure | null {
  const margin = layout.options.cutInsideMarksMm;
  const { x0Mm, y0Mm, x1Mm, y1Mm } = layout.markRectMm;
  const allowed = rect(x0Mm + margin, y0Mm + margin, x1Mm - margin, y1Mm - margin);
  // Most paths are far from every limit: a look at their boxes settles them.
  const boxes = boxesOf(paths);
  const leaving = leavingBoxed(paths, boxes, allowed, toleranceMm);
  if (leaving !== null) {
    const { worst: outside, offenders } = leaving;
    const detail = `${nameOf(paths, outside.path)} leaves the registration marks: at x ${shownMm(outside.xMm)}, y ${shownMm(outside.yMm)} mm it is `
      + `${shownMm(outside.byMm)} mm outside the area for cutting, which is x ${shownMm(allowed.x0Mm)} to ${shownMm(allowed.x1Mm)}, `
      + `y ${shownMm(allowed.y0Mm)} to ${shownMm(allowed.y1Mm)} mm.`;
    return { code: 'CUT_OUTSIDE_MARKS', detail, offenders };
  }
  // The strip of the leading edge is outside the marks altogether.
  for (const zone of layout.options.cutInMarkSquares === 'allow' ? [] : layout.keepClearZones) {
    const inside = worstWithin(paths, boxes, zone, 0, paths.count);
    if (inside !== null) {
      const detail = `${nameOf(paths, inside.path)} enters ${zone.name}: at x ${shownMm(inside.xMm)}, y ${shownMm(inside.yMm)} mm it is `
        + `${shownMm(inside.byMm)} mm within x ${shownMm(zone.rectMm.x0Mm)} to ${shownMm(zone.rectMm.x1Mm)}, `
        + `y ${shownMm(zone.rectMm.y0Mm)} to ${shownMm(zone.rectMm.y1Mm)} mm, which must stay clear.`;
      return { code: 'ARTWORK_IN_KEEP_CLEAR_ZONE', detail, offenders: offendersOf(paths, boxes, (path) => worstWithin(paths, boxes, zone, path, path + 1) !== null) };
    }
  }
  return null;
}

/** Paths that leave a rectangle by more than the tolerance, and where the worst of them is; null: none does. */
export function leavingPaths(paths: ToolPaths, allowed: RectMm, byMoreThanMm: number): Leaving | null {
  return leavingBoxed(paths, boxesOf(paths), allowed, byMoreThanMm);
}

export interface Leaving {
  readonly worst: Offence;
  readonly offenders: readonly Offender[];
}

function leavingBoxed(paths: ToolPaths, boxes: Float64Array, allowed: RectMm, byMoreThanMm: number): Leaving | null {
  const worst = worstOutside(paths, boxes, allowed, byMoreThanMm, 0, paths.count);
  if (worst === null) return null;
  return { worst, offenders: offendersOf(paths, boxes, (path) => worstOutside(paths, boxes, allowed, byMoreThanMm, path, path + 1) !== null) };
}

function nameOf({ count, tools }: ToolPaths, index: number): string {
  return `Cut path ${index + 1} of ${count} (${tools[index] ?? 'cut'})`;
}

/** More would hide the page they are marked on. */
const mostOffenders = 50;

function offendersOf(paths: ToolPaths, boxes: Float64Array, offends: (path: number) => boolean): Offender[] {
  const found: Offender[] = [];
  for (let path = 0; path < paths.count && found.length < mostOffenders; path++) {
    if (offends(path)) found.push({ kind: 'cut-path', description: nameOf(paths, path), boxMm: boxAt(boxes, path) });
  }
  return found;
}

/** Of each path x0, y0, x1, y1. */
function boxesOf({ count, first, pointsMm }: ToolPaths): Float64Array {
  const boxes = new Float64Array(count * 4);
  for (let path = 0; path < count; path++) {
    let x0Mm = Infinity;
    let y0Mm = Infinity;
    let x1Mm = -Infinity;
    let y1Mm = -Infinity;
    const end = (first[path + 1] ?? 0) * 2;
    for (let at = (first[path] ?? 0) * 2; at < end; at += 2) {
      const xMm = pointsMm[at] ?? 0;
      const yMm = pointsMm[at + 1] ?? 0;
      if (xMm < x0Mm) x0Mm = xMm;
      if (yMm < y0Mm) y0Mm = yMm;
      if (xMm > x1Mm) x1Mm = xMm;
      if (yMm > y1Mm) y1Mm = yMm;
    }
    boxes[path * 4] = x0Mm;
    boxes[path * 4 + 1] = y0Mm;
    boxes[path * 4 + 2] = x1Mm;
    boxes[path * 4 + 3] = y1Mm;
  }
  return boxes;
}

function boxAt(boxes: Float64Array, path: number): RectMm {
  return rect(boxes[path * 4] ?? 0, boxes[path * 4 + 1] ?? 0, boxes[path * 4 + 2] ?? 0, boxes[path * 4 + 3] ?? 0);
}

/** Of the paths from one index to another. Corners suffice: the area is convex. */
function worstOutside({ first, pointsMm }: ToolPaths, boxes: Float64Array, allowed: RectMm, byMoreThanMm: number, from: number, to: number): Offence | null {
  let worst: Offence | null = null;
  let limit = byMoreThanMm;
  for (let path = from; path < to; path++) {
    const box = path * 4;
    if ((boxes[box] ?? 0) >= allowed.x0Mm && (boxes[box + 1] ?? 0) >= allowed.y0Mm && (boxes[box + 2] ?? 0) <= allowed.x1Mm && (boxes[box + 3] ?? 0) <= allowed.y1Mm) continue;
    const end = (first[path + 1] ?? 0) * 2;
    for (let at = (first[path] ?? 0) * 2; at < end; at += 2) {
      const xMm = pointsMm[at] ?? 0;
      const yMm = pointsMm[at + 1] ?? 0;
      const byMm = Math.max(allowed.x0Mm - xMm, xMm - allowed.x1Mm, allowed.y0Mm - yMm, yMm - allowed.y1Mm);
      if (byMm > limit) {
        limit = byMm;
        worst = { path, xMm, yMm, byMm };
      }
    }
  }
  return worst;
}

function worstWithin(paths: ToolPaths, boxes: Float64Array, zone: KeepClearZone, from: number, to: number): Offence | null {
  const { x0Mm, y0Mm, x1Mm, y1Mm } = zone.rectMm;
  // Along the edge is outside.
  const open = rect(x0Mm + toleranceMm, y0Mm + toleranceMm, x1Mm - toleranceMm, y1Mm - toleranceMm);
  let worst: Offence | null = null;
  let limit = 0;
  for (let path = from; path < to; path++) {
    const box = path * 4;
    if ((boxes[box] ?? 0) > open.x1Mm || (boxes[box + 1] ?? 0) > open.y1Mm || (boxes[box + 2] ?? 0) < open.x0Mm || (boxes[box + 3] ?? 0) < open.y0Mm) continue;
    eachSegment(paths, path, (ax, ay, bx, by) => {
      const within = clip(ax, ay, bx, by, open);
      if (within === null) return;
      for (const part of [within.from, (within.from + within.to) / 2, within.to]) {
        const xMm = ax + part * (bx - ax);
        const yMm = ay + part * (by - ay);
        const byMm = Math.min(xMm - x0Mm, x1Mm - xMm, yMm - y0Mm, y1Mm - yMm);
        if (byMm > limit) {
          limit = byMm;
          worst = { path, xMm, yMm, byMm };
        }
      }
    });
  }
  return worst;
}

function eachSegment({ pointsMm, first, closed }: ToolPaths, path: number, visit: (ax: number, ay: number, bx: number, by: number) => void): void {
  const start = (first[path] ?? 0) * 2;
  const last = (first[path + 1] ?? 0) * 2 - 2;
  for (let at = start; at < last; at += 2) visit(pointsMm[at] ?? 0, pointsMm[at + 1] ?? 0, pointsMm[at + 2] ?? 0, pointsMm[at + 3] ?? 0);
  if (closed[path] === 1) visit(pointsMm[last] ?? 0, pointsMm[last + 1] ?? 0, pointsMm[start] ?? 0, pointsMm[start + 1] ?? 0);
}

/** The part of a segment within a rectangle, as fractions of its length. */
function clip(ax: number, ay: number, bx: number, by: number, area: RectMm): { readonly from: number; readonly to: number } | null {
  if ((ax < area.x0Mm && bx < area.x0Mm) || (ax > area.x1Mm && bx > area.x1Mm)) return null;
  if ((ay < area.y0Mm && by < area.y0Mm) || (ay > area.y1Mm && by > area.y1Mm)) return null;
  let from = 0;
  let to = 1;
  for (const [start, delta, low, high] of [[ax, bx - ax, area.x0Mm, area.x1Mm], [ay, by - ay, area.y0Mm, area.y1Mm]] as const) {
    if (delta === 0) continue;
    const enter = (delta > 0 ? low - start : high - start) / delta;
    const leave = (delta > 0 ? high - start : low - start) / delta;
    from = Math.max(from, enter);
    to = Math.min(to, leave);
  }
  return from <= to ? { from, to } : null;
}
