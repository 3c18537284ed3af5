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
    const { pointsMm } = this;
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    const isClosed = this.#isClosed[index] === 1;
    const stride = isClosed ? strideOver(end - first) : Math.max(2, end - first - 2);
    let best = first;
    let nearest = Infinity;
    const look = (from: number, until: number, step: number): void => {
      for (let at = from; at < until; at += step) {
        const deltaX = (pointsMm[at] ?? 0) - x;
        const deltaY = (pointsMm[at + 1] ?? 0) - y;
        const square = deltaX * deltaX + deltaY * deltaY;
        if (square >= nearest) continue;
        nearest = square;
        best = at;
      }
    };
    look(first, end, stride);
    if (isClosed && stride > 2) lookAround(look, best, stride, first, end);
    this.startAt(index, (best - first) / 2);
    return nearest;
  }

  /** A closed path begins where the way from one place to it and on to the other is shortest; never where it is longer than now. */
  startBetween(index: number, fromX: number, fromY: number, toX: number, toY: number): void {
    if (this.#isClosed[index] !== 1) return;
    const { pointsMm } = this;
    const first = (this.first[index] ?? 0) * 2;
    const end = (this.first[index + 1] ?? 0) * 2;
    let best = first + (this.#start[index] ?? 0) * 2;
    let shortest = wayOver(pointsMm[best] ?? 0, pointsMm[best + 1] ?? 0, fromX, fromY, toX, toY) - leastGainMm;
    const look = (from: number, until: number, step: number): void => {
      for (let at = from; at < until; at += step) {
        const way = wayOver(pointsMm[at] ?? 0, pointsMm[at + 1] ?? 0, fromX, fromY, toX, toY);
        if (way >= shortest) continue;
        shortest = way;
        best = at;
      }
    };
    const stride = strideOver(end - first);
    look(first, end, stride);
    if (stride > 2) lookAround(look, best, stride, first, end);
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

/** On both sides of a point of a closed path, also over its beginning. */
function lookAround(look: (from: number, until: number, step: number) => void, around: number, stride: number, first: number, end: number): void {
  look(Math.max(first, around - stride), Math.min(end, around + stride), 2);
  if (around - stride < first) look(end - (first - around + stride), end, 2);
}

function wayOver(x: number, y: number, fromX: number, fromY: number, toX: number, toY: number): number {
  return Math.sqrt((x - fromX) * (x - fromX) + (y - fromY) * (y - fromY)) + Math.sqrt((x - toX) * (x - toX) + (y - toY) * (y - toY));
}
