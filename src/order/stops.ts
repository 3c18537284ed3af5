import { PathsWriter, type ToolPaths } from '../gpgl/index.ts';

/** A gain below this is rounding. */
export const leastGainMm = 1e-6;

const placesLooked = 256;

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where the tool comes down and goes up at each path: an open path may be taken from either end, a closed one begins and
 * ends at any of its points. */
export class Stops {
  readonly count: number;
  readonly enterX: Float64Array;
  readonly enterY: Float64Array;
  readonly leaveX: Float64Array;
  readonly leaveY: Float64Array;
  /** Of all paths; the points of path k are `first[k]` to `first[k + 1] − 1`. */
  readonly pointsMm: Float64Array;
  readonly first: Int32Array;
  readonly #paths: ToolPaths;
  readonly #isClosed: Uint8Array;
  readonly #start: Int32Array;
  readonly #isTurned: Uint8Array;
  /** Of the path whose start is looked for: where among all points, and how good that is. */
  #best = 0;
  #least = Infinity;

  constructor(paths: ToolPaths) {
    const { count } = paths;
    this.count = count;
    this.#paths = paths;
    this.enterX = new Float64Array(count);
    this.enterY = new Float64Array(count);
    this.leaveX = new Float64Array(count);
    this.leaveY = new Float64Array(count);
    this.first = paths.first;
    this.pointsMm = paths.pointsMm;
    this.#isClosed = paths.closed;
    this.#start = new Int32Array(count);
    this.#isTurned = new Uint8Array(count);
    for (let index = 0; index < count; index++) this.startAt(index, 0);
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
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    const isClosed = this.#isClosed[index] === 1;
    const stride = isClosed ? strideOver(end - first) : Math.max(2, end - first - 2);
    this.#best = first;
    this.#least = Infinity;
    this.#lookNear(first, end, stride, x, y);
    if (isClosed && stride > 2) {
      // On both sides of the best, also over the beginning.
      const around = this.#best;
      this.#lookNear(Math.max(first, around - stride), Math.min(end, around + stride), 2, x, y);
      if (around - stride < first) this.#lookNear(end - (first - around + stride), end, 2, x, y);
    }
    this.startAt(index, (this.#best - first) / 2);
    return this.#least;
  }

  /** A closed path begins where the way from one place to it and on to the other is shortest; never where it is longer than now. */
  startBetween(index: number, fromX: number, fromY: number, toX: number, toY: number): void {
    if (this.#isClosed[index] !== 1) return;
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    const start = first + (this.#start[index] ?? 0) * 2;
    const stride = strideOver(end - first);
    this.#best = start;
    this.#least = distance((this.pointsMm[start] ?? 0) - fromX, (this.pointsMm[start + 1] ?? 0) - fromY)
      + distance((this.pointsMm[start] ?? 0) - toX, (this.pointsMm[start + 1] ?? 0) - toY) - leastGainMm;
    this.#lookBetween(first, end, stride, fromX, fromY, toX, toY);
    if (stride > 2) {
      const around = this.#best;
      this.#lookBetween(Math.max(first, around - stride), Math.min(end, around + stride), 2, fromX, fromY, toX, toY);
      if (around - stride < first) this.#lookBetween(end - (first - around + stride), end, 2, fromX, fromY, toX, toY);
    }
    if (this.#best !== start) this.startAt(index, (this.#best - first) / 2);
  }

  /** For a point that is nearer to a place than the best so far; in squares. */
  #lookNear(from: number, until: number, step: number, x: number, y: number): void {
    const { pointsMm } = this;
    let best = this.#best;
    let least = this.#least;
    for (let at = from; at < until; at += step) {
      const deltaX = (pointsMm[at] ?? 0) - x;
      const deltaY = (pointsMm[at + 1] ?? 0) - y;
      const square = deltaX * deltaX + deltaY * deltaY;
      if (square >= least) continue;
      least = square;
      best = at;
    }
    this.#best = best;
    this.#least = least;
  }

  /** For a point over which the way from one place to another is shorter than over the best so far. */
  #lookBetween(from: number, until: number, step: number, fromX: number, fromY: number, toX: number, toY: number): void {
    const { pointsMm } = this;
    let best = this.#best;
    let least = this.#least;
    for (let at = from; at < until; at += step) {
      const x = pointsMm[at] ?? 0;
      const y = pointsMm[at + 1] ?? 0;
      const there = distance(x - fromX, y - fromY);
      if (there >= least) continue;
      const way = there + distance(x - toX, y - toY);
      if (way >= least) continue;
      least = way;
      best = at;
    }
    this.#best = best;
    this.#least = least;
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

  /** The paths in this order, each as it is to be cut. */
  arranged(order: Int32Array): ToolPaths {
    const { tools } = this.#paths;
    const writer = new PathsWriter(order.length, this.pointsMm.length / 2);
    for (const index of order) {
      this.#write(index, writer);
      writer.end(tools[index] ?? 'cut', this.#isClosed[index] === 1);
    }
    return writer.take();
  }

  #write(index: number, writer: PathsWriter): void {
    const { pointsMm } = this;
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    if (this.#isTurned[index] === 1) {
      for (let at = end - 2; at >= first; at -= 2) writer.point(pointsMm[at] ?? 0, pointsMm[at + 1] ?? 0);
      return;
    }
    const start = first + (this.#start[index] ?? 0) * 2;
    writer.points(pointsMm, start, end);
    writer.points(pointsMm, first, start);
  }
}

/** From point to point of a closed path that is searched for its best start: a long one is looked at in so many places, then around the best of them. */
function strideOver(numbers: number): number {
  return 2 * Math.max(1, Math.floor(numbers / (2 * placesLooked)));
}

/** As Math.hypot, which is many times slower for the sake of numbers no sheet has. */
function distance(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}
