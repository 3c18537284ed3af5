import type { ToolPath } from '../gpgl/index.ts';
import type { KeepClearZone, SheetLayout } from './layout.ts';
import { rect, shownMm, touches, type Offender, type RectMm, type SheetFailure } from './shapes.ts';

/** Coordinates come from floating point: an edge at exactly the limit is inside. */
const toleranceMm = 1e-6;

interface Offence {
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
export function checkCutInside(paths: readonly ToolPath[], layout: SheetLayout): SheetFailure | null {
  const margin = layout.options.cutInsideMarksMm;
  const { x0Mm, y0Mm, x1Mm, y1Mm } = layout.markRectMm;
  const allowed = rect(x0Mm + margin, y0Mm + margin, x1Mm - margin, y1Mm - margin);
  // Most paths are far from every limit: a look at their boxes settles them.
  const boxes = paths.map(boxOf);
  const outside = worstOutside(paths, boxes, allowed);
  if (outside !== null) {
    const detail = `${nameOf(paths, outside.path)} leaves the registration marks: at x ${shownMm(outside.xMm)}, y ${shownMm(outside.yMm)} mm it is `
      + `${shownMm(outside.byMm)} mm outside the area for cutting, which is x ${shownMm(allowed.x0Mm)} to ${shownMm(allowed.x1Mm)}, `
      + `y ${shownMm(allowed.y0Mm)} to ${shownMm(allowed.y1Mm)} mm.`;
    return { code: 'CUT_OUTSIDE_MARKS', detail, offenders: offenders(paths, (path) => worstOutside([path], [boxOf(path)], allowed) !== null) };
  }
  // The strip of the leading edge is outside the marks altogether.
  for (const zone of layout.options.cutInMarkSquares === 'allow' ? [] : layout.keepClearZones) {
    const inside = worstWithin(paths, boxes, zone);
    if (inside !== null) {
      const detail = `${nameOf(paths, inside.path)} enters ${zone.name}: at x ${shownMm(inside.xMm)}, y ${shownMm(inside.yMm)} mm it is `
        + `${shownMm(inside.byMm)} mm within x ${shownMm(zone.rectMm.x0Mm)} to ${shownMm(zone.rectMm.x1Mm)}, `
        + `y ${shownMm(zone.rectMm.y0Mm)} to ${shownMm(zone.rectMm.y1Mm)} mm, which must stay clear.`;
      return { code: 'ARTWORK_IN_KEEP_CLEAR_ZONE', detail, offenders: offenders(paths, (path) => worstWithin([path], [boxOf(path)], zone) !== null) };
    }
  }
  return null;
}

function nameOf(paths: readonly ToolPath[], index: number): string {
  return `Cut path ${index + 1} of ${paths.length} (${paths[index]?.tool ?? 'cut'})`;
}

/** More would hide the page they are marked on. */
const mostOffenders = 50;

function offenders(paths: readonly ToolPath[], offends: (path: ToolPath) => boolean): Offender[] {
  const found: Offender[] = [];
  for (const [index, path] of paths.entries()) {
    if (found.length === mostOffenders) break;
    if (offends(path)) found.push({ kind: 'cut-path', description: nameOf(paths, index), boxMm: boxOf(path) });
  }
  return found;
}

function boxOf({ pointsMm }: ToolPath): RectMm {
  let x0Mm = Infinity;
  let y0Mm = Infinity;
  let x1Mm = -Infinity;
  let y1Mm = -Infinity;
  for (let at = 0; at + 1 < pointsMm.length; at += 2) {
    const xMm = pointsMm[at] ?? 0;
    const yMm = pointsMm[at + 1] ?? 0;
    if (xMm < x0Mm) x0Mm = xMm;
    if (yMm < y0Mm) y0Mm = yMm;
    if (xMm > x1Mm) x1Mm = xMm;
    if (yMm > y1Mm) y1Mm = yMm;
  }
  return rect(x0Mm, y0Mm, x1Mm, y1Mm);
}

/** Corners suffice: the area is convex. */
function worstOutside(paths: readonly ToolPath[], boxes: readonly RectMm[], allowed: RectMm): Offence | null {
  let worst: Offence | null = null;
  let limit = toleranceMm;
  paths.forEach(({ pointsMm }, path) => {
    const box = boxes[path];
    if (box !== undefined && box.x0Mm >= allowed.x0Mm && box.x1Mm <= allowed.x1Mm && box.y0Mm >= allowed.y0Mm && box.y1Mm <= allowed.y1Mm) return;
    for (let at = 0; at + 1 < pointsMm.length; at += 2) {
      const xMm = pointsMm[at] ?? 0;
      const yMm = pointsMm[at + 1] ?? 0;
      const byMm = Math.max(allowed.x0Mm - xMm, xMm - allowed.x1Mm, allowed.y0Mm - yMm, yMm - allowed.y1Mm);
      if (byMm > limit) {
        limit = byMm;
        worst = { path, xMm, yMm, byMm };
      }
    }
  });
  return worst;
}

function worstWithin(paths: readonly ToolPath[], boxes: readonly RectMm[], zone: KeepClearZone): Offence | null {
  const { x0Mm, y0Mm, x1Mm, y1Mm } = zone.rectMm;
  // Along the edge is outside.
  const open = rect(x0Mm + toleranceMm, y0Mm + toleranceMm, x1Mm - toleranceMm, y1Mm - toleranceMm);
  let worst: Offence | null = null;
  let limit = 0;
  paths.forEach((each, path) => {
    const box = boxes[path];
    if (box === undefined || !touches(box, open)) return;
    eachSegment(each, (ax, ay, bx, by) => {
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
  });
  return worst;
}

function eachSegment({ pointsMm, closed }: ToolPath, visit: (ax: number, ay: number, bx: number, by: number) => void): void {
  const count = Math.floor(pointsMm.length / 2);
  const end = closed ? count : count - 1;
  for (let index = 0; index < end; index++) {
    const next = index + 1 === count ? 0 : index + 1;
    visit(pointsMm[index * 2] ?? 0, pointsMm[index * 2 + 1] ?? 0, pointsMm[next * 2] ?? 0, pointsMm[next * 2 + 1] ?? 0);
  }
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
