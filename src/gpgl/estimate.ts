import { NumberWriter } from './bytes.ts';
import type { Geometry, Polyline } from './geometry.ts';

/** How a machine moves. The defaults are one CE6000-60 and round figures where nothing was measured. */
export interface MotionModel {
  readonly cutSpeedMmPerS: number;
  readonly travelSpeedMmPerS: number;
  readonly accelerationMmPerS2: number;
  /** How far the tool may run wide of a corner: sets the speed at which a corner may be taken. */
  readonly cornerDeviationMm: number;
  /** Raising and lowering the tool once. */
  readonly toolSeconds: number;
  readonly markScanSeconds: number;
}

export const defaultMotion: MotionModel = {
  // A usual condition for vinyl; ours.
  cutSpeedMmPerS: 300,
  // TOOL UP SPEED 40 cm/s, gpgl-and-data-link.md section 5.3.
  travelSpeedMmPerS: 400,
  // Fits the CE6000 zigzag of section 5.3: 30, 22 and 21 s at 100, 300 and 640 mm/s.
  accelerationMmPerS2: 470,
  // Ours: the coarsest step, so that the stairs of rounded coordinates are no corners.
  cornerDeviationMm: 0.1,
  // Ours.
  toolSeconds: 0.1,
  // The middle of 7–24 s, section 5.3.
  markScanSeconds: 15,
};

/**
 * Seconds a machine needs for a job: the scan of the marks, the travel, the cuts. Trapezoids of speed over each
 * straight piece; at a junction the speed is limited by the angle between the pieces (the arc that stays within the
 * corner deviation), and by what can be reached and stopped over the pieces before and after.
 */
export function estimateSeconds(geometry: Geometry, motion: MotionModel = defaultMotion): number {
  let seconds = geometry.markBlock === null ? 0 : motion.markScanSeconds;
  let x = 0;
  let y = 0;
  for (const polyline of geometry.polylines) {
    const { pointsMm } = polyline;
    seconds += travelSeconds(Math.hypot((pointsMm[0] ?? 0) - x, (pointsMm[1] ?? 0) - y), motion);
    seconds += polylineSeconds(polyline, motion) + motion.toolSeconds;
    x = pointsMm[pointsMm.length - 2] ?? 0;
    y = pointsMm[pointsMm.length - 1] ?? 0;
  }
  return seconds + travelSeconds(Math.hypot(x, y), motion);
}

function travelSeconds(lengthMm: number, motion: MotionModel): number {
  return pieceSeconds(lengthMm, 0, 0, motion.travelSpeedMmPerS, motion.accelerationMmPerS2);
}

/** From `entry` to `exit` over a length, as fast as acceleration and the limit allow. */
function pieceSeconds(lengthMm: number, entry: number, exit: number, limit: number, acceleration: number): number {
  if (lengthMm <= 0) return 0;
  const peak = Math.min(limit, Math.sqrt((2 * acceleration * lengthMm + entry * entry + exit * exit) / 2));
  const ramps = (2 * peak * peak - entry * entry - exit * exit) / (2 * acceleration);
  return (2 * peak - entry - exit) / acceleration + Math.max(0, lengthMm - ramps) / peak;
}

function polylineSeconds(polyline: Polyline, motion: MotionModel): number {
  // Without this, a curve of points as dense as the steps would be all corners.
  const pointsMm = straightened(polyline.pointsMm, motion.cornerDeviationMm);
  const pieces = pointsMm.length / 2 - 1;
  if (pieces < 1) return 0;
  const lengths = new Float64Array(pieces);
  for (let piece = 0; piece < pieces; piece++) {
    const at = piece * 2;
    lengths[piece] = Math.hypot((pointsMm[at + 2] ?? 0) - (pointsMm[at] ?? 0), (pointsMm[at + 3] ?? 0) - (pointsMm[at + 1] ?? 0));
  }
  const acceleration = motion.accelerationMmPerS2;
  const speeds = new Float64Array(pieces + 1);
  for (let joint = 1; joint < pieces; joint++) {
    const reached = Math.sqrt((speeds[joint - 1] ?? 0) ** 2 + 2 * acceleration * (lengths[joint - 1] ?? 0));
    speeds[joint] = Math.min(reached, cornerSpeed(pointsMm, joint, motion));
  }
  let seconds = 0;
  for (let piece = pieces - 1; piece >= 0; piece--) {
    const exit = speeds[piece + 1] ?? 0;
    const stoppable = Math.sqrt(exit ** 2 + 2 * acceleration * (lengths[piece] ?? 0));
    const entry = Math.min(speeds[piece] ?? 0, stoppable);
    speeds[piece] = entry;
    seconds += pieceSeconds(lengths[piece] ?? 0, entry, exit, motion.cutSpeedMmPerS, acceleration);
  }
  return seconds;
}

/** The path with fewer points, none left out further from it than the tolerance: from each point kept, as far as a
 * straight line passes all points between within the tolerance and without turning back. */
function straightened(pointsMm: Float64Array, toleranceMm: number): Float64Array {
  const kept = new NumberWriter(256);
  const keep = (at: number): void => {
    kept.push(pointsMm[at] ?? 0);
    kept.push(pointsMm[at + 1] ?? 0);
  };
  const last = pointsMm.length - 2;
  let anchor = 0;
  keep(anchor);
  while (anchor < last) {
    anchor = reach(pointsMm, anchor, toleranceMm);
    keep(anchor);
  }
  return kept.copyFrom(0);
}

/** The last point that one straight line from the anchor may go to. */
function reach(pointsMm: Float64Array, anchor: number, toleranceMm: number): number {
  const anchorX = pointsMm[anchor] ?? 0;
  const anchorY = pointsMm[anchor + 1] ?? 0;
  let reference = Number.NaN;
  let low = -Infinity;
  let high = Infinity;
  let farthest = 0;
  for (let at = anchor + 2; at + 1 < pointsMm.length; at += 2) {
    const deltaX = (pointsMm[at] ?? 0) - anchorX;
    const deltaY = (pointsMm[at + 1] ?? 0) - anchorY;
    const distance = Math.hypot(deltaX, deltaY);
    if (distance < farthest - toleranceMm) return at - 2;
    farthest = Math.max(farthest, distance);
    if (distance <= toleranceMm) continue;
    const direction = Math.atan2(deltaY, deltaX);
    if (Number.isNaN(reference)) reference = direction;
    const turn = Math.atan2(Math.sin(direction - reference), Math.cos(direction - reference));
    if (turn < low || turn > high) return at - 2;
    const half = Math.asin(toleranceMm / distance);
    low = Math.max(low, turn - half);
    high = Math.min(high, turn + half);
  }
  return pointsMm.length - 2;
}

/** The speed of an arc that touches both pieces and passes the corner at the deviation. */
function cornerSpeed(pointsMm: Float64Array, joint: number, motion: MotionModel): number {
  const at = joint * 2;
  const inX = (pointsMm[at] ?? 0) - (pointsMm[at - 2] ?? 0);
  const inY = (pointsMm[at + 1] ?? 0) - (pointsMm[at - 1] ?? 0);
  const outX = (pointsMm[at + 2] ?? 0) - (pointsMm[at] ?? 0);
  const outY = (pointsMm[at + 3] ?? 0) - (pointsMm[at + 1] ?? 0);
  const product = Math.hypot(inX, inY) * Math.hypot(outX, outY);
  if (product === 0) return 0;
  const cosTurn = Math.min(1, Math.max(-1, (inX * outX + inY * outY) / product));
  // Half the angle between the pieces: 0 where the path turns back, a right angle where it goes straight on.
  const sinHalf = Math.sqrt((1 + cosTurn) / 2);
  if (sinHalf > 0.999999) return motion.cutSpeedMmPerS;
  const radius = (motion.cornerDeviationMm * sinHalf) / (1 - sinHalf);
  return Math.min(motion.cutSpeedMmPerS, Math.sqrt(motion.accelerationMmPerS2 * radius));
}
