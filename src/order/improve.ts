import { Neighbours } from './neighbours.ts';
import { leastGainMm, type Place, type Stops } from './stops.ts';

/** Neighbours of each end that are tried. */
const perPoint = 10;
/** Paths that may be moved together. */
const longestMove = 3;
/** Steps of work for each path: more than nearly all pages take until nothing is left to gain. */
const workPerPath = 2000;
/** About two seconds. */
const mostWork = 4e8;
/** Beyond, nearest first has to do: for a million paths the tables of neighbours and the work were a third of the time. */
const improvedAtMost = 300_000;
/** No longer part of the order is turned or passed over: it costs its length. */
const reach = 25_000;

/**
 * Shortens the way: parts of the order are turned round (2-opt), and up to three paths are moved elsewhere, turned or not
 * (Or-opt), each only where it brings a path next to one of its nearest neighbours and makes the whole shorter. `order` and
 * the stops are changed in place. `to`: where the tool goes afterwards; null: it is not known. `containers`: what each path
 * must come before, and does in `order`; null: any order will do.
 *
 * Guarantee: never longer than before. Bounded by work, not by time: the same paths give the same order.
 */
export function improve(stops: Stops, order: Int32Array, from: Place, to: Place | null, containers: readonly (readonly number[])[] | null = null): void {
  if (order.length < 2 || order.length > improvedAtMost) return;
  const tour = new Tour(stops, order, from, to, containers);
  tour.run(Math.min(order.length * workPerPath, mostWork));
  tour.write(stops, order);
}

/**
 * Paths by their place in the first order: path k has the ends 2k and 2k + 1, of which it is entered at 2k unless it is
 * turned. Place 0 of the tour is where the tool comes from and the last one where it goes to.
 */
class Tour {
  readonly #count: number;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #isClosed: Uint8Array;
  readonly #isTurned: Uint8Array;
  readonly #tour: Int32Array;
  readonly #placeOf: Int32Array;
  readonly #isEndFree: boolean;
  readonly #neighbours: Neighbours;
  /** By path: the paths that must come later. */
  readonly #later: readonly (readonly number[])[] | null;
  readonly #queue: Int32Array;
  readonly #isQueued: Uint8Array;
  #head = 0;
  #queued = 0;
  #work = 0;

  constructor(stops: Stops, order: Int32Array, from: Place, to: Place | null, containers: readonly (readonly number[])[] | null) {
    const count = order.length;
    this.#count = count;
    this.#x = new Float64Array((count + 2) * 2);
    this.#y = new Float64Array((count + 2) * 2);
    this.#isClosed = new Uint8Array(count + 2);
    this.#isTurned = new Uint8Array(count + 2);
    this.#isEndFree = to === null;
    const owner = new Int32Array(count * 2);
    for (let k = 0; k < count; k++) {
      const index = order[k] ?? 0;
      this.#put(k, stops.enterX[index] ?? 0, stops.enterY[index] ?? 0, stops.leaveX[index] ?? 0, stops.leaveY[index] ?? 0);
      const isClosed = stops.isClosed(index);
      this.#isClosed[k] = isClosed ? 1 : 0;
      owner[k * 2] = k;
      owner[k * 2 + 1] = isClosed ? -1 : k;
    }
    const end = to ?? from;
    this.#put(count, from.x, from.y, from.x, from.y);
    this.#put(count + 1, end.x, end.y, end.x, end.y);
    this.#neighbours = new Neighbours(this.#x.subarray(0, count * 2), this.#y.subarray(0, count * 2), owner, Math.min(perPoint, count - 1));
    this.#later = containers === null ? null : renumbered(containers, order);
    this.#tour = new Int32Array(count + 2);
    this.#placeOf = new Int32Array(count + 2);
    this.#queue = new Int32Array(count);
    this.#isQueued = new Uint8Array(count + 2);
    this.#tour[0] = count;
    this.#placeOf[count] = 0;
    this.#tour[count + 1] = count + 1;
    this.#placeOf[count + 1] = count + 1;
    for (let k = 0; k < count; k++) {
      this.#tour[k + 1] = k;
      this.#placeOf[k] = k + 1;
      this.#touch(k);
    }
  }

  run(workLimit: number): void {
    while (this.#queued > 0 && this.#work < workLimit) {
      const k = this.#queue[this.#head] ?? 0;
      this.#head = this.#head + 1 === this.#count ? 0 : this.#head + 1;
      this.#queued--;
      this.#isQueued[k] = 0;
      while (this.#work < workLimit && (this.#improveAfter(k) || this.#improveBefore(k)));
    }
  }

  write(stops: Stops, order: Int32Array): void {
    const before = order.slice();
    for (let place = 1; place <= this.#count; place++) {
      const k = this.#tour[place] ?? 0;
      const index = before[k] ?? 0;
      order[place - 1] = index;
      if (this.#isTurned[k] === 1) stops.turn(index);
    }
  }

  #put(k: number, enterX: number, enterY: number, leaveX: number, leaveY: number): void {
    this.#x[k * 2] = enterX;
    this.#y[k * 2] = enterY;
    this.#x[k * 2 + 1] = leaveX;
    this.#y[k * 2 + 1] = leaveY;
  }

  #touch(k: number): void {
    if (k >= this.#count || this.#isQueued[k] === 1) return;
    this.#isQueued[k] = 1;
    const at = this.#head + this.#queued;
    this.#queue[at >= this.#count ? at - this.#count : at] = k;
    this.#queued++;
  }

  #at(place: number): number {
    return this.#tour[place] ?? 0;
  }

  #enter(k: number): number {
    return k * 2 + (this.#isTurned[k] ?? 0);
  }

  #leave(k: number): number {
    return k * 2 + 1 - (this.#isTurned[k] ?? 0);
  }

  #between(one: number, other: number): number {
    const deltaX = (this.#x[one] ?? 0) - (this.#x[other] ?? 0);
    const deltaY = (this.#y[one] ?? 0) - (this.#y[other] ?? 0);
    return Math.sqrt(deltaX * deltaX + deltaY * deltaY);
  }

  /** From an end of a path into the path at a place; that into a free end costs nothing. */
  #into(end: number, enter: number, place: number): number {
    return place > this.#count && this.#isEndFree ? 0 : this.#between(end, enter);
  }

  /** From the path at a place to the next. */
  #step(place: number): number {
    return this.#into(this.#leave(this.#at(place)), this.#enter(this.#at(place + 1)), place + 1);
  }

  /** Tries to bring a near path behind this one. */
  #improveAfter(k: number): boolean {
    const place = this.#placeOf[k] ?? 0;
    const step = this.#step(place);
    const leave = this.#leave(k);
    const { perPoint: most, of } = this.#neighbours;
    const first = this.#neighbours.nearerThan(this.#isClosed[k] === 1 ? k * 2 : leave, step);
    for (let rank = 0; rank < most; rank++) {
      const point = of[first + rank] ?? -1;
      if (point === -1) return false;
      const near = this.#between(leave, point);
      if (near >= step - leastGainMm) return false;
      this.#work++;
      const other = point >> 1;
      const otherPlace = this.#placeOf[other] ?? 0;
      const isClosed = this.#isClosed[other] === 1;
      if (isClosed || point === this.#leave(other)) {
        if (this.#turnBetween(Math.min(place, otherPlace), Math.max(place, otherPlace))) return true;
        if (this.#moveBackwards(place, otherPlace, true)) return true;
      }
      if ((isClosed || point === this.#enter(other)) && this.#moveBackwards(place, otherPlace - 1, false)) return true;
    }
    return false;
  }

  /** Tries to bring a near path before this one. */
  #improveBefore(k: number): boolean {
    const place = this.#placeOf[k] ?? 0;
    const step = this.#step(place - 1);
    const enter = this.#enter(k);
    const { perPoint: most, of } = this.#neighbours;
    const first = this.#neighbours.nearerThan(this.#isClosed[k] === 1 ? k * 2 : enter, step);
    for (let rank = 0; rank < most; rank++) {
      const point = of[first + rank] ?? -1;
      if (point === -1) return false;
      const near = this.#between(enter, point);
      if (near >= step - leastGainMm) return false;
      this.#work++;
      const other = point >> 1;
      const otherPlace = this.#placeOf[other] ?? 0;
      const isClosed = this.#isClosed[other] === 1;
      if (isClosed || point === this.#enter(other)) {
        if (this.#turnBetween(Math.min(place, otherPlace) - 1, Math.max(place, otherPlace) - 1)) return true;
        if (this.#moveForwards(place, otherPlace - 1, true)) return true;
      }
      if ((isClosed || point === this.#leave(other)) && this.#moveForwards(place, otherPlace, false)) return true;
    }
    return false;
  }

  /** Turns the part behind place `low` up to place `high`, if that is a gain. */
  #turnBetween(low: number, high: number): boolean {
    if (high - low > reach || high === low) return false;
    const before = this.#at(low);
    const first = this.#at(low + 1);
    const last = this.#at(high);
    const after = this.#at(high + 1);
    const gain = this.#step(low) + this.#step(high)
      - this.#between(this.#leave(before), this.#leave(last)) - this.#into(this.#enter(first), this.#enter(after), high + 1);
    if (gain < leastGainMm || !this.#mayTurn(low + 1, high)) return false;
    let left = low + 1;
    let right = high;
    while (left <= right) {
      const one = this.#at(left);
      const other = this.#at(right);
      this.#settle(left, other);
      this.#isTurned[other] = 1 - (this.#isTurned[other] ?? 0);
      if (left < right) {
        this.#settle(right, one);
        this.#isTurned[one] = 1 - (this.#isTurned[one] ?? 0);
      }
      left++;
      right--;
    }
    this.#work += (high - low) >> 2;
    this.#touch(before);
    this.#touch(first);
    this.#touch(last);
    this.#touch(after);
    return true;
  }

  /** Moves up to three paths that end with the one at `place` behind place `target`, if that is a gain. */
  #moveBackwards(place: number, target: number, isTurned: boolean): boolean {
    const leave = this.#leave(this.#at(place));
    const next = this.#enter(this.#at(place + 1));
    const behind = this.#leave(this.#at(target));
    const ahead = this.#enter(this.#at(target + 1));
    const stepOn = this.#into(leave, next, place + 1);
    const stepThere = this.#into(behind, ahead, target + 1);
    const newStep = isTurned ? this.#between(behind, leave) : this.#into(leave, ahead, target + 1);
    for (let low = place; low > place - longestMove; low--) {
      if (low < 1 || (target >= low - 1 && target <= place)) return false;
      const enter = this.#enter(this.#at(low));
      const former = this.#leave(this.#at(low - 1));
      const opened = newStep + (isTurned ? this.#into(enter, ahead, target + 1) : this.#between(behind, enter));
      const gain = this.#between(former, enter) + stepOn + stepThere - this.#into(former, next, place + 1) - opened;
      if (gain >= leastGainMm && this.#move(low, place, target, isTurned)) return true;
    }
    return false;
  }

  /** The same with paths that begin with it. */
  #moveForwards(place: number, target: number, isTurned: boolean): boolean {
    const enter = this.#enter(this.#at(place));
    const former = this.#leave(this.#at(place - 1));
    const behind = this.#leave(this.#at(target));
    const ahead = this.#enter(this.#at(target + 1));
    const stepHere = this.#between(former, enter);
    const stepThere = this.#into(behind, ahead, target + 1);
    const newStep = isTurned ? this.#into(enter, ahead, target + 1) : this.#between(behind, enter);
    for (let high = place; high < place + longestMove; high++) {
      if (high > this.#count || (target >= place - 1 && target <= high)) return false;
      const leave = this.#leave(this.#at(high));
      const next = this.#enter(this.#at(high + 1));
      const opened = newStep + (isTurned ? this.#between(behind, leave) : this.#into(leave, ahead, target + 1));
      const gain = stepHere + this.#into(leave, next, high + 1) + stepThere - this.#into(former, next, high + 1) - opened;
      if (gain >= leastGainMm && this.#move(place, high, target, isTurned)) return true;
    }
    return false;
  }

  #move(low: number, high: number, target: number, isTurned: boolean): boolean {
    if (Math.abs(target - low) > reach || !this.#mayMove(low, high, target, isTurned)) return false;
    for (const each of [low - 1, low, high, high + 1, target, target + 1]) this.#touch(this.#at(each));
    this.#shift(low, high, target, isTurned);
    return true;
  }

  #shift(low: number, high: number, target: number, isTurned: boolean): void {
    const length = high - low + 1;
    const moved = this.#tour.slice(low, high + 1);
    if (target > high) for (let place = high + 1; place <= target; place++) this.#settle(place - length, this.#at(place));
    else for (let place = low - 1; place > target; place--) this.#settle(place + length, this.#at(place));
    const start = target > high ? target - length + 1 : target + 1;
    for (let each = 0; each < length; each++) {
      const k = moved[isTurned ? length - 1 - each : each] ?? 0;
      this.#settle(start + each, k);
      if (isTurned) this.#isTurned[k] = 1 - (this.#isTurned[k] ?? 0);
    }
    this.#work += Math.abs(target - low) >> 2;
  }

  /** No path of these places must come before another of them. */
  #mayTurn(low: number, high: number): boolean {
    return this.#later === null || this.#isFree(low, high, low, high);
  }

  #mayMove(low: number, high: number, target: number, isTurned: boolean): boolean {
    if (this.#later === null) return true;
    if (isTurned && high > low && !this.#isFree(low, high, low, high)) return false;
    return target > high ? this.#isFree(low, high, high + 1, target) : this.#isFree(target + 1, low - 1, low, high);
  }

  /** No path of the first places must come before one of the second. */
  #isFree(low: number, high: number, from: number, to: number): boolean {
    this.#work += (high - low) >> 2;
    for (let place = low; place <= high; place++) {
      for (const later of this.#later?.[this.#at(place)] ?? []) {
        const laterPlace = this.#placeOf[later] ?? 0;
        if (laterPlace >= from && laterPlace <= to) return false;
      }
    }
    return true;
  }

  #settle(place: number, k: number): void {
    this.#tour[place] = k;
    this.#placeOf[k] = place;
  }
}

/** The paths by their place in the order, instead of their index. */
function renumbered(containers: readonly (readonly number[])[], order: Int32Array): readonly (readonly number[])[] {
  const placeOf = new Int32Array(containers.length);
  order.forEach((index, place) => {
    placeOf[index] = place;
  });
  return Array.from(order, (index) => (containers[index] ?? []).map((outer) => placeOf[outer] ?? 0));
}
