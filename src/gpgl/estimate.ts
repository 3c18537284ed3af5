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
  // Ours: a quarter of a 0.2 mm kerf.
  cornerDeviationMm: 0.05,
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

function polylineSeconds({ pointsMm }: Polyline, motion: MotionModel): number {
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
