// Curves become short straight lines; all numbers are millimetres and degrees, points are flat [x, y, x, y, …].

/** Chords stay this close to the curve: a tenth of the finest step that matters to a blade. */
const TOLERANCE_MM = 0.005;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** `d` of the arc commands: above 0 the angle of a chord, below 0 how many chords, absent: as smooth as TOLERANCE_MM asks. */
function chordCount(radiusMm: number, sweepDegrees: number, d: number | undefined): number {
  if (d !== undefined && d > 0) return Math.max(1, Math.ceil(Math.abs(sweepDegrees) / d));
  if (d !== undefined && d < 0) return Math.min(10_000, Math.ceil(-d));
  const chordDegrees = radiusMm <= TOLERANCE_MM ? 90 : (2 * Math.acos(1 - TOLERANCE_MM / radiusMm) * 180) / Math.PI;
  return Math.min(10_000, Math.max(1, Math.ceil(Math.abs(sweepDegrees) / chordDegrees)));
}

export interface Arc {
  readonly x: number;
  readonly y: number;
  /** Radii at the start and at the end: a spiral when they differ. */
  readonly r1: number;
  readonly r2: number;
  readonly start: number;
  readonly end: number;
  readonly d?: number;
}

export function arcPoints(arc: Arc): number[] {
  const sweep = arc.end - arc.start;
  const count = chordCount(Math.max(Math.abs(arc.r1), Math.abs(arc.r2)), sweep, arc.d);
  return Array.from({ length: count + 1 }, (_, index) => {
    const part = index / count;
    const angle = radians(arc.start + sweep * part);
    const radius = arc.r1 + (arc.r2 - arc.r1) * part;
    return [arc.x + radius * Math.cos(angle), arc.y + radius * Math.sin(angle)];
  }).flat();
}

export interface Ellipse {
  readonly x: number;
  readonly y: number;
  readonly rx: number;
  readonly ry: number;
  readonly start: number;
  readonly end: number;
  readonly tilt: number;
}

export function ellipsePoints(ellipse: Ellipse): number[] {
  const sweep = ellipse.end - ellipse.start;
  const count = chordCount(Math.max(ellipse.rx, ellipse.ry), sweep, undefined);
  const tilt = radians(ellipse.tilt);
  return Array.from({ length: count + 1 }, (_, index) => {
    const angle = radians(ellipse.start + (sweep * index) / count);
    const u = ellipse.rx * Math.cos(angle);
    const v = ellipse.ry * Math.sin(angle);
    return [ellipse.x + u * Math.cos(tilt) - v * Math.sin(tilt), ellipse.y + u * Math.sin(tilt) + v * Math.cos(tilt)];
  }).flat();
}

type Eight = readonly [number, number, number, number, number, number, number, number];

/** Evenly in the parameter; the count bounds the distance to the curve by its second differences. */
export function bezierPoints([x1, y1, x2, y2, x3, y3, x4, y4]: Eight): number[] {
  const bend = Math.max(Math.hypot(x1 - 2 * x2 + x3, y1 - 2 * y2 + y3), Math.hypot(x2 - 2 * x3 + x4, y2 - 2 * y3 + y4));
  const count = Math.min(10_000, Math.max(1, Math.ceil(Math.sqrt((0.75 * bend) / TOLERANCE_MM))));
  return Array.from({ length: count + 1 }, (_, index) => {
    const t = index / count;
    const s = 1 - t;
    const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    return [a * x1 + b * x2 + c * x3 + d * x4, a * y1 + b * y2 + c * y3 + d * y4];
  }).flat();
}

type Six = readonly [number, number, number, number, number, number];

/** The full circle through three points, from the first one. Undefined when they lie on a line. */
export function circlePoints([x1, y1, x2, y2, x3, y3]: Six): number[] | undefined {
  const det = 2 * (x1 * (y2 - y3) + x2 * (y3 - y1) + x3 * (y1 - y2));
  if (Math.abs(det) < 1e-9) return undefined;
  const [q1, q2, q3] = [x1 * x1 + y1 * y1, x2 * x2 + y2 * y2, x3 * x3 + y3 * y3];
  const x = (q1 * (y2 - y3) + q2 * (y3 - y1) + q3 * (y1 - y2)) / det;
  const y = (q1 * (x3 - x2) + q2 * (x1 - x3) + q3 * (x2 - x1)) / det;
  const radius = Math.hypot(x1 - x, y1 - y);
  const start = (Math.atan2(y1 - y, x1 - x) * 180) / Math.PI;
  return arcPoints({ x, y, r1: radius, r2: radius, start, end: start + 360 });
}
