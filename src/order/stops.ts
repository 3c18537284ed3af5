import type { ToolPath } from '../gpgl/index.ts';

/** A gain below this is rounding. */
export const leastGainMm = 1e-6;

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where the tool comes down and goes up at each path: an open path may be taken from either end, a closed one begins and
 * ends at any of its points. */
export class Stops {
  readonly paths: readonly ToolPath[];
  readonly enterX: Float64Array;
  readonly enterY: Float64Array;
  readonly leaveX: Float64Array;
  readonly leaveY: Float64Array;
  /** All points, those of a path beside each other: visiting paths in the order of a tour would else be a walk through
   * all of the memory. The points of path k are `first[k]` to `first[k + 1] − 1`. */
  readonly pointsMm: Float64Array;
  readonly first: Int32Array;
  readonly #isClosed: Uint8Array;
  readonly #start: Int32Array;
  readonly #isTurned: Uint8Array;

  /** `same`: stops of the same paths, whose points are not copied again. */
  constructor(paths: readonly ToolPath[], same?: Stops) {
    const count = paths.length;
    this.paths = paths;
    this.enterX = new Float64Array(count);
    this.enterY = new Float64Array(count);
    this.leaveX = new Float64Array(count);
    this.leaveY = new Float64Array(count);
    this.first = same?.first ?? firstPoints(paths);
    this.#isClosed = new Uint8Array(count);
    this.#start = new Int32Array(count);
    this.#isTurned = new Uint8Array(count);
    this.pointsMm = same?.pointsMm ?? allPoints(paths, this.first);
    paths.forEach(({ closed }, index) => {
      this.#isClosed[index] = closed ? 1 : 0;
      this.startAt(index, 0);
    });
  }

  isClosed(index: number): boolean {
    return this.#isClosed[index] === 1;
  }

  /** From this point on; an open path has only its first and its last. */
  startAt(index: number, point: number): void {
    const { pointsMm } = this;
    const first = (this.first[index] ?? 0) * 2;
    const last = (this.first[index + 1] ?? 0) * 2 - 2;
    const isClosed = this.#isClosed[index] === 1;
    const enter = first + point * 2;
    const leave = isClosed ? enter : point > 0 ? first : last;
    this.enterX[index] = pointsMm[enter] ?? 0;
    this.enterY[index] = pointsMm[enter + 1] ?? 0;
    this.leaveX[index] = pointsMm[leave] ?? 0;
    this.leaveY[index] = pointsMm[leave + 1] ?? 0;
    this.#start[index] = isClosed ? point : 0;
    this.#isTurned[index] = !isClosed && point > 0 ? 1 : 0;
  }

  turn(index: number): void {
    if (this.#isClosed[index] === 1) return;
    this.startAt(index, this.#isTurned[index] === 1 ? 0 : (this.first[index + 1] ?? 0) - (this.first[index] ?? 0) - 1);
  }

  /** The path begins where it is nearest to a place; how far that is, squared. */
  approach(index: number, x: number, y: number): number {
    const { pointsMm } = this;
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    const stride = this.#isClosed[index] === 1 ? 2 : Math.max(2, end - first - 2);
    let best = first;
    let nearest = Infinity;
    for (let at = first; at < end; at += stride) {
      const square = ((pointsMm[at] ?? 0) - x) ** 2 + ((pointsMm[at + 1] ?? 0) - y) ** 2;
      if (square < nearest) {
        nearest = square;
        best = at;
      }
    }
    this.startAt(index, (best - first) / 2);
    return nearest;
  }

  /** A closed path begins where the way from one place to it and on to the other is shortest. */
  startBetween(index: number, fromX: number, fromY: number, toX: number, toY: number): void {
    if (this.#isClosed[index] !== 1) return;
    const { pointsMm } = this;
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    let best = first + (this.#start[index] ?? 0) * 2;
    let shortest = wayOver(pointsMm[best] ?? 0, pointsMm[best + 1] ?? 0, fromX, fromY, toX, toY) - leastGainMm;
    for (let at = first; at < end; at += 2) {
      const way = wayOver(pointsMm[at] ?? 0, pointsMm[at + 1] ?? 0, fromX, fromY, toX, toY);
      if (way < shortest) {
        shortest = way;
        best = at;
      }
    }
    this.startAt(index, (best - first) / 2);
  }

  /** The way with the tool raised. */
  raisedMm(order: Int32Array, from: Place, to: Place | null): number {
    let { x, y } = from;
    let total = 0;
    for (const index of order) {
      total += Math.hypot((this.enterX[index] ?? 0) - x, (this.enterY[index] ?? 0) - y);
      x = this.leaveX[index] ?? 0;
      y = this.leaveY[index] ?? 0;
    }
    return to === null ? total : total + Math.hypot(to.x - x, to.y - y);
  }

  /** As it is to be cut. */
  pathOf(index: number): ToolPath {
    const path = this.paths[index];
    if (path === undefined) throw new RangeError(`there is no path ${index}`);
    const start = this.#start[index] ?? 0;
    const { tool, closed, pointsMm } = path;
    if (start > 0) return { tool, closed, pointsMm: rotated(pointsMm, start) };
    return this.#isTurned[index] === 1 ? { tool, closed, pointsMm: reversed(pointsMm) } : path;
  }
}

function firstPoints(paths: readonly ToolPath[]): Int32Array {
  const first = new Int32Array(paths.length + 1);
  paths.forEach(({ pointsMm }, index) => {
    first[index + 1] = (first[index] ?? 0) + (pointsMm.length >> 1);
  });
  return first;
}

function allPoints(paths: readonly ToolPath[], first: Int32Array): Float64Array {
  const all = new Float64Array((first[paths.length] ?? 0) * 2);
  paths.forEach(({ pointsMm }, index) => all.set(pointsMm, (first[index] ?? 0) * 2));
  return all;
}

function wayOver(x: number, y: number, fromX: number, fromY: number, toX: number, toY: number): number {
  return Math.sqrt((x - fromX) * (x - fromX) + (y - fromY) * (y - fromY)) + Math.sqrt((x - toX) * (x - toX) + (y - toY) * (y - toY));
}

// Loops: a view of a short array costs more than its copy.
function rotated(pointsMm: Float64Array, first: number): Float64Array {
  const turned = new Float64Array(pointsMm.length);
  turned.set(pointsMm.subarray(first * 2));
  turned.set(pointsMm.subarray(0, first * 2), pointsMm.length - first * 2);
  return turned;
}

export function reversed(pointsMm: Float64Array): Float64Array {
  const turned = new Float64Array(pointsMm.length);
  for (let at = 0; at + 1 < pointsMm.length; at += 2) {
    turned[at] = pointsMm[pointsMm.length - 2 - at] ?? 0;
    turned[at + 1] = pointsMm[pointsMm.length - 1 - at] ?? 0;
  }
  return turned;
}
