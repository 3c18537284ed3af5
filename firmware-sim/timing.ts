import type { Marks, Motion } from './plotter.ts';

// How long the machine would take (gpgl-and-data-link.md section 5.3): every straight piece is a trapezoid of speed over
// time; at a corner the speed is that of the piece times the cosine of the turn, and zero from 90 degrees on; a stroke
// begins and ends at rest. Fitted to the CE6000 zigzag measurement.

export interface MachineLimits {
  readonly maxSpeedMmPerS: number;
  readonly accelerationMmPerS2: number;
}

/** TOOL UP SPEED of the panel dump: 40 cm/s. */
const TRAVEL_SPEED_MM_PER_S = 400;
/** Lowering and raising the tool, per stroke (ours). */
const TOOL_SECONDS = 0.08;
/** Mark scan: 7 to 24 s (section 5.3), growing with the way around the marks (ours). */
const SCAN_MIN_SECONDS = 7;
const SCAN_MAX_SECONDS = 24;
const SCAN_MM_PER_S = 120;

export function markScanSeconds(marks: Marks | undefined): number {
  if (marks === undefined) return 0;
  const wayMm = 2 * (marks.feedMm + marks.carriageMm);
  return Math.min(SCAN_MAX_SECONDS, SCAN_MIN_SECONDS + wayMm / SCAN_MM_PER_S);
}

export function cutSeconds(motions: readonly Motion[], limits: MachineLimits): number {
  let seconds = 0;
  for (const motion of motions) {
    const speed = Math.min(motion.down ? motion.speedMmPerS : TRAVEL_SPEED_MM_PER_S, limits.maxSpeedMmPerS);
    const acceleration = limits.accelerationMmPerS2 * Math.max(1, motion.accelerationLevel);
    seconds += polylineSeconds(motion.points, speed, acceleration) + (motion.down ? TOOL_SECONDS : 0);
  }
  return seconds;
}

/** Seconds for one polyline [x, y, …] in mm from rest to rest. */
export function polylineSeconds(points: readonly number[], speed: number, acceleration: number): number {
  const pieces = piecesOf(points);
  const junctions = junctionSpeeds(pieces, speed);
  // Backwards and forwards: no piece may begin faster than it can brake, nor end faster than it can speed up.
  for (let index = pieces.length - 1; index >= 0; index--) {
    junctions[index] = Math.min(junctions[index] ?? 0, reach(junctions[index + 1] ?? 0, acceleration, pieces[index]?.length ?? 0));
  }
  for (let index = 0; index < pieces.length; index++) {
    junctions[index + 1] = Math.min(junctions[index + 1] ?? 0, reach(junctions[index] ?? 0, acceleration, pieces[index]?.length ?? 0));
  }
  return pieces.reduce((sum, piece, index) =>
    sum + trapezoidSeconds(piece.length, junctions[index] ?? 0, junctions[index + 1] ?? 0, speed, acceleration), 0);
}

interface Piece {
  readonly length: number;
  readonly ux: number;
  readonly uy: number;
}

function piecesOf(points: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  for (let index = 2; index + 1 < points.length; index += 2) {
    const dx = (points[index] ?? 0) - (points[index - 2] ?? 0);
    const dy = (points[index + 1] ?? 0) - (points[index - 1] ?? 0);
    const length = Math.hypot(dx, dy);
    if (length > 0) pieces.push({ length, ux: dx / length, uy: dy / length });
  }
  return pieces;
}

function junctionSpeeds(pieces: readonly Piece[], speed: number): number[] {
  const speeds = [0];
  for (let index = 1; index < pieces.length; index++) {
    const before = pieces[index - 1];
    const after = pieces[index];
    const cosine = before === undefined || after === undefined ? 0 : before.ux * after.ux + before.uy * after.uy;
    speeds.push(speed * Math.min(1, Math.max(0, cosine)));
  }
  speeds.push(0);
  return speeds;
}

const reach = (from: number, acceleration: number, length: number): number => Math.sqrt(from * from + 2 * acceleration * length);

function trapezoidSeconds(length: number, from: number, to: number, max: number, acceleration: number): number {
  const peak = Math.min(max, Math.sqrt((2 * acceleration * length + from * from + to * to) / 2));
  const ramps = (2 * peak * peak - from * from - to * to) / (2 * acceleration);
  return (2 * peak - from - to) / acceleration + Math.max(0, length - ramps) / peak;
}
