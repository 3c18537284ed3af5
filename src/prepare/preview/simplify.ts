/**
 * A line with fewer points that stays within `tolerance` of the one given: first and last point are kept, and whatever a
 * straight piece passes by at that distance is left out. One pass, so a line of millions of points costs no more than reading it.
 */
export function simplified(points: Float64Array, tolerance: number): Float64Array {
  const count = Math.floor(points.length / 2);
  if (count <= 2) return points;
  const kept = new Float64Array(count * 2 + 2);
  const walk = new Sleeve(points[0] ?? 0, points[1] ?? 0, tolerance);
  let length = push(kept, 0, walk.x, walk.y);
  for (let at = 2; at + 1 < points.length; at += 2) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    if (walk.takes(x, y)) continue;
    length = push(kept, length, walk.lastX, walk.lastY);
    walk.restart();
    walk.takes(x, y);
  }
  const endX = points[count * 2 - 2] ?? 0;
  const endY = points[count * 2 - 1] ?? 0;
  // A line that turned back by less than the tolerance has its farthest point behind it.
  if (walk.farthest > 0 && (walk.lastX !== endX || walk.lastY !== endY)) length = push(kept, length, walk.lastX, walk.lastY);
  length = push(kept, length, endX, endY);
  return kept.slice(0, length);
}

function push(kept: Float64Array, length: number, x: number, y: number): number {
  kept[length] = x;
  kept[length + 1] = y;
  return length + 2;
}

/** The directions in which one straight piece from (x, y) still passes every point so far within the tolerance. */
class Sleeve {
  x: number;
  y: number;
  /** The farthest point that was taken: where the piece ends when the next does not fit. */
  lastX: number;
  lastY: number;
  farthest = 0;
  readonly #tolerance: number;
  #direction = 0;
  #low = -Infinity;
  #high = Infinity;

  constructor(x: number, y: number, tolerance: number) {
    this.x = x;
    this.y = y;
    this.lastX = x;
    this.lastY = y;
    this.#tolerance = tolerance;
  }

  restart(): void {
    this.x = this.lastX;
    this.y = this.lastY;
    this.farthest = 0;
    this.#low = -Infinity;
    this.#high = Infinity;
  }

  takes(x: number, y: number): boolean {
    const distance = Math.hypot(x - this.x, y - this.y);
    if (distance < this.farthest - this.#tolerance) return false;
    if (distance <= this.#tolerance) return true;
    const angle = Math.atan2(y - this.y, x - this.x);
    if (this.farthest === 0) this.#direction = angle;
    // Measured from the first direction, so that no sleeve lies across the turn of the angles.
    const turned = turn(angle - this.#direction);
    if (turned < this.#low || turned > this.#high) return false;
    const half = Math.asin(this.#tolerance / distance);
    this.#low = Math.max(this.#low, turned - half);
    this.#high = Math.min(this.#high, turned + half);
    if (distance >= this.farthest) {
      this.farthest = distance;
      this.lastX = x;
      this.lastY = y;
    }
    return true;
  }
}

function turn(angle: number): number {
  if (angle > Math.PI) return angle - 2 * Math.PI;
  return angle < -Math.PI ? angle + 2 * Math.PI : angle;
}
