import type { CutSpeed, Geometry } from './geometry.ts';

/** How a machine moves. The defaults are one CE6000-60 and round figures where nothing was measured. */
export interface MotionModel {
  /** Where the job names no speed: the tool condition of the machine, which nobody here knows. */
  readonly cutSpeedMmPerS: number;
  /** Of which a job's speed from 1 to 10 is so many tenths; no cut is faster. */
  readonly maxSpeedMmPerS: number;
  readonly travelSpeedMmPerS: number;
  /** At level 1, and where the job names no level; the levels multiply it. */
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
  // The panel of the CE6000-60, section 5.1.
  maxSpeedMmPerS: 640,
  // TOOL UP SPEED 40 cm/s, gpgl-and-data-link.md section 5.3.
  travelSpeedMmPerS: 400,
  // Fits the CE6000 zigzag of section 5.3: 30, 22 and 21 s at 100, 300 and 640 mm/s.
  accelerationMmPerS2: 470,
  // Ours: twice the coarsest step, so that the stairs of rounded coordinates are no corners.
  cornerDeviationMm: 0.2,
  // Ours.
  toolSeconds: 0.1,
  // The middle of 7–24 s, section 5.3.
  markScanSeconds: 15,
};

/**
 * Seconds a machine needs for a job: the scan of the marks, the travel, the cuts, at the speeds and accelerations the
 * job names. Trapezoids of speed over each straight piece; at a junction the speed is limited by the angle between the
 * pieces (the arc that stays within the corner deviation), and by what can be reached and stopped over the pieces before and after.
 */
export function estimateSeconds(geometry: Geometry, motion: MotionModel = defaultMotion): number {
  const stroke = new Stroke(motion.cornerDeviationMm);
  let seconds = geometry.markBlock === null ? 0 : motion.markScanSeconds;
  let x = 0;
  let y = 0;
  const { count, first, pointsMm, conditions, conditionOf } = geometry.strokes;
  const motions = conditions.map(({ speed, accelerationLevel }) => ({ limit: cutSpeed(speed, motion), acceleration: motion.accelerationMmPerS2 * (accelerationLevel ?? 1) }));
  for (let index = 0; index < count; index++) {
    const { limit, acceleration } = motions[conditionOf[index] ?? 0] ?? { limit: motion.cutSpeedMmPerS, acceleration: motion.accelerationMmPerS2 };
    const start = (first[index] ?? 0) * 2;
    const last = (first[index + 1] ?? 0) * 2 - 2;
    seconds += travelSeconds(distance((pointsMm[start] ?? 0) - x, (pointsMm[start + 1] ?? 0) - y), acceleration, motion);
    seconds += stroke.seconds(pointsMm, start, last, limit, acceleration) + motion.toolSeconds;
    x = pointsMm[last] ?? 0;
    y = pointsMm[last + 1] ?? 0;
  }
  return seconds + travelSeconds(distance(x, y), motion.accelerationMmPerS2, motion);
}

function cutSpeed(speed: CutSpeed | null, { cutSpeedMmPerS, maxSpeedMmPerS }: MotionModel): number {
  switch (speed?.unit) {
    case undefined: return cutSpeedMmPerS;
    case 'mm/s': return Math.min(speed.value, maxSpeedMmPerS);
    case 'share of the maximum': return speed.value * maxSpeedMmPerS;
  }
}

/** As Math.hypot, which is many times slower for the sake of numbers no sheet has. */
function distance(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}

function travelSeconds(lengthMm: number, acceleration: number, motion: MotionModel): number {
  return pieceSeconds(lengthMm, 0, 0, motion.travelSpeedMmPerS, acceleration);
}

/** From `entry` to `exit` over a length, as fast as acceleration and the limit allow. */
function pieceSeconds(lengthMm: number, entry: number, exit: number, limit: number, acceleration: number): number {
  if (lengthMm <= 0) return 0;
  const entrySquare = entry * entry;
  const exitSquare = exit * exit;
  const peakSquare = acceleration * lengthMm + (entrySquare + exitSquare) / 2;
  if (peakSquare <= limit * limit) return (2 * Math.sqrt(peakSquare) - entry - exit) / acceleration;
  const ramps = (2 * limit * limit - entrySquare - exitSquare) / (2 * acceleration);
  return (2 * limit - entry - exit) / acceleration + (lengthMm - ramps) / limit;
}

/** Times one stroke after the other. Its memory serves them all: a sheet may have a hundred thousand. */
class Stroke {
  readonly #deviationMm: number;
  /** Chords that leave an arc by half the deviation on either side meet at corners that are taken at the arc's own speed. */
  readonly #toleranceMm: number;
  #points = new Float64Array(512);
  /** Of the piece from each point to the next. */
  #lengths = new Float64Array(256);
  /** The squares of the speeds at the points: until the last step of all there is no need for the speeds, and for a root each. */
  #squares = new Float64Array(256);

  constructor(deviationMm: number) {
    this.#deviationMm = deviationMm;
    this.#toleranceMm = deviationMm / 2;
  }

  /** The stroke whose points are at `start` to `last` of the numbers. */
  seconds(pointsMm: Float64Array, start: number, last: number, limit: number, acceleration: number): number {
    // Without this, a curve of points as dense as the steps would be all corners.
    const pieces = this.#straighten(pointsMm, start, last) - 1;
    if (pieces < 1) return 0;
    const lengths = this.#lengths;
    const squares = this.#squares;
    const limitSquare = limit * limit;
    let square = 0;
    for (let joint = 1; joint < pieces; joint++) {
      squares[joint - 1] = square;
      square = Math.min(square + 2 * acceleration * (lengths[joint - 1] ?? 0), limitSquare, this.#cornerSquare(joint, acceleration));
    }
    squares[pieces - 1] = square;
    let seconds = 0;
    let exit = 0;
    for (let piece = pieces - 1; piece >= 0; piece--) {
      const length = lengths[piece] ?? 0;
      const entry = Math.sqrt(Math.min(squares[piece] ?? 0, exit * exit + 2 * acceleration * length));
      seconds += pieceSeconds(length, entry, exit, limit, acceleration);
      exit = entry;
    }
    return seconds;
  }

  /** The square of the speed of an arc that touches both pieces at a joint and passes the corner at the deviation. */
  #cornerSquare(joint: number, acceleration: number): number {
    const points = this.#points;
    const at = joint * 2;
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    const product = (this.#lengths[joint - 1] ?? 0) * (this.#lengths[joint] ?? 0);
    if (product === 0) return 0;
    const dot = (x - (points[at - 2] ?? 0)) * ((points[at + 2] ?? 0) - x) + (y - (points[at - 1] ?? 0)) * ((points[at + 3] ?? 0) - y);
    const cosTurn = Math.min(1, Math.max(-1, dot / product));
    // Half the angle between the pieces: 0 where the path turns back, a right angle where it goes straight on.
    const sinHalf = Math.sqrt((1 + cosTurn) / 2);
    if (sinHalf > 0.999999) return Infinity;
    return (acceleration * this.#deviationMm * sinHalf) / (1 - sinHalf);
  }

  /** Keeps fewer points, none left out further from the path than the tolerance: from each point kept, as far as a
   * straight line passes all points between within it and without turning back. Answers how many were kept. */
  #straighten(pointsMm: Float64Array, start: number, last: number): number {
    let kept = 0;
    let fromX = 0;
    let fromY = 0;
    for (let anchor = start; ; anchor = lineEnd(pointsMm, anchor, last, this.#toleranceMm)) {
      if (kept === this.#lengths.length) this.#grow();
      const x = pointsMm[anchor] ?? 0;
      const y = pointsMm[anchor + 1] ?? 0;
      this.#points[kept * 2] = x;
      this.#points[kept * 2 + 1] = y;
      if (kept > 0) this.#lengths[kept - 1] = distance(x - fromX, y - fromY);
      fromX = x;
      fromY = y;
      kept++;
      if (anchor >= last) return kept;
    }
  }

  #grow(): void {
    const points = new Float64Array(this.#points.length * 2);
    points.set(this.#points);
    this.#points = points;
    const lengths = new Float64Array(points.length / 2);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    this.#squares = new Float64Array(points.length / 2);
  }
}

/** The last point that one straight line from the anchor may go to. Between the two directions `low` and `high` (the
 * latter counter-clockwise of the former) a line passes every point so far within the tolerance. */
function lineEnd(pointsMm: Float64Array, anchor: number, last: number, toleranceMm: number): number {
  const anchorX = pointsMm[anchor] ?? 0;
  const anchorY = pointsMm[anchor + 1] ?? 0;
  let lowX = 0;
  let lowY = 0;
  let highX = 0;
  let highY = 0;
  let isBounded = false;
  let farthest = 0;
  for (let at = anchor + 2; at <= last; at += 2) {
    const x = (pointsMm[at] ?? 0) - anchorX;
    const y = (pointsMm[at + 1] ?? 0) - anchorY;
    const away = distance(x, y);
    if (away < farthest - toleranceMm) return at - 2;
    if (away > farthest) farthest = away;
    if (away <= toleranceMm) continue;
    if (isBounded && (lowX * y - lowY * x < 0 || x * highY - y * highX < 0 || x * (lowX + highX) + y * (lowY + highY) < 0)) return at - 2;
    // The two tangents from the anchor to the circle of the tolerance around the point.
    const along = Math.sqrt(away * away - toleranceMm * toleranceMm);
    const rightX = x * along + y * toleranceMm;
    const rightY = y * along - x * toleranceMm;
    const leftX = x * along - y * toleranceMm;
    const leftY = y * along + x * toleranceMm;
    if (!isBounded || lowX * rightY - lowY * rightX > 0) {
      lowX = rightX;
      lowY = rightY;
    }
    if (!isBounded || leftX * highY - leftY * highX > 0) {
      highX = leftX;
      highY = leftY;
    }
    isBounded = true;
  }
  return last;
}
