import type { ToolPaths } from '../gpgl/index.ts';
import { Extents } from './contour.ts';
import { improve } from './improve.ts';
import { nearestFirst, nearestOfFew } from './nearest.ts';
import { Stops, type Place } from './stops.ts';
import { treeOf, type Tree } from './tree.ts';

/** An order of paths, each turned as it is to be cut, and where the tool then is. */
export interface Tour {
  readonly paths: ToolPaths;
  readonly end: Place;
}

export type Containers = readonly (readonly number[])[] | null;

/** Always the nearest of the paths that may come next: a contour waits for all that lies within it. */
export function greedyTour(paths: ToolPaths, containers: Containers, from: Place): Tour {
  const stops = new Stops(paths);
  return tourOf(stops, nearestFirst(stops, everyOne(paths.count), containers, from), from);
}

/**
 * Nearest first, then shortened. What lies within a contour is a tour of its own, cut right before the contour; for the
 * tour around it, the two are one stop. So no change can put a contour before its contents.
 * `to`: where the tool goes afterwards; null: it is not known.
 */
export function shortenedTour(paths: ToolPaths, containers: Containers, from: Place, to: Place | null): Tour {
  if (containers !== null) {
    const nested = new Stops(paths);
    const flat = new Stops(paths);
    const nestedOrder = new NestedOrder(nested, treeOf(containers, new Extents(paths).area), from).run(to);
    const flatOrder = nearestFirst(flat, everyOne(paths.count), containers, from);
    startAnew(nested, nestedOrder, from, to);
    startAnew(flat, flatOrder, from, to);
    // On a sheet of equal rows nearest first is hard to beat.
    return flat.raisedMm(flatOrder, from, to) < nested.raisedMm(nestedOrder, from, to)
      ? polished(flat, flatOrder, containers, from, to) : polished(nested, nestedOrder, containers, from, to);
  }
  const stops = new Stops(paths);
  const order = shortened(stops, everyOne(paths.count), from, to);
  startAnew(stops, order, from, to);
  return tourOf(stops, order, from);
}

function polished(stops: Stops, order: Int32Array, containers: readonly (readonly number[])[], from: Place, to: Place | null): Tour {
  improve(stops, order, from, to, containers);
  startAnew(stops, order, from, to);
  return tourOf(stops, order, from);
}

function everyOne(count: number): Int32Array {
  const all = new Int32Array(count);
  for (let index = 0; index < count; index++) all[index] = index;
  return all;
}

function tourOf(stops: Stops, order: Int32Array, from: Place): Tour {
  const last = order.at(-1);
  const end = last === undefined ? from : { x: stops.leaveX[last] ?? 0, y: stops.leaveY[last] ?? 0 };
  return { paths: stops.arranged(order), end };
}

/** What a contour holds is mostly a few holes: the order of the whole is shortened once more. */
const few = 8;

function arranged(stops: Stops, members: Int32Array, from: Place, to: Place | null): Int32Array {
  return members.length <= few ? nearestOfFew(stops, members, from) : shortened(stops, members, from, to);
}

function shortened(stops: Stops, members: Int32Array, from: Place, to: Place | null): Int32Array {
  const order = nearestFirst(stops, members, null, from);
  improve(stops, order, from, to);
  return order;
}

/** Closed paths begin where their neighbours in the order want them. */
function startAnew(stops: Stops, order: Int32Array, from: Place, to: Place | null): void {
  let { x, y } = from;
  for (let place = 0; place < order.length; place++) {
    const index = order[place] ?? 0;
    const next = order[place + 1];
    const nextX = next === undefined ? to?.x ?? x : stops.enterX[next] ?? 0;
    const nextY = next === undefined ? to?.y ?? y : stops.enterY[next] ?? 0;
    stops.startBetween(index, x, y, nextX, nextY);
    x = stops.leaveX[index] ?? 0;
    y = stops.leaveY[index] ?? 0;
  }
}

/** What is still to be done, the next on top: a set of paths of one turn, or a path whose contents are done. */
type Task =
  | { readonly kind: 'members'; readonly members: Int32Array; readonly to: Place | null }
  | { readonly kind: 'path'; readonly index: number; readonly to: Place | null };

class NestedOrder {
  readonly #stops: Stops;
  readonly #turns: readonly (readonly Int32Array[])[];
  readonly #order: number[] = [];
  // Not recursion: contours may lie in each other by thousands.
  readonly #tasks: Task[] = [];
  #x: number;
  #y: number;

  constructor(stops: Stops, { turns }: Tree, from: Place) {
    this.#stops = stops;
    this.#x = from.x;
    this.#y = from.y;
    this.#turns = turns;
  }

  run(to: Place | null): Int32Array {
    this.#pushTurns(this.#stops.count, to);
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      if (task.kind === 'path') this.#cut(task.index, task.to);
      else this.#arrange(task.members, task.to);
    }
    return Int32Array.from(this.#order);
  }

  #pushTurns(index: number, to: Place | null): void {
    const turns = this.#turns[index] ?? [];
    // Only where the last turn leads is known.
    for (let turn = turns.length - 1; turn >= 0; turn--) {
      this.#tasks.push({ kind: 'members', members: turns[turn] ?? new Int32Array(0), to: turn === turns.length - 1 ? to : null });
    }
  }

  #arrange(members: Int32Array, to: Place | null): void {
    const from = { x: this.#x, y: this.#y };
    const order = arranged(this.#stops, members, from, to);
    startAnew(this.#stops, order, from, to);
    let next = to;
    for (let place = order.length - 1; place >= 0; place--) {
      const index = order[place] ?? 0;
      const start = { x: this.#stops.enterX[index] ?? 0, y: this.#stops.enterY[index] ?? 0 };
      this.#tasks.push({ kind: 'path', index, to: next });
      this.#pushTurns(index, start);
      next = start;
    }
  }

  #cut(index: number, to: Place | null): void {
    this.#stops.startBetween(index, this.#x, this.#y, to?.x ?? this.#x, to?.y ?? this.#y);
    this.#order.push(index);
    this.#x = this.#stops.leaveX[index] ?? 0;
    this.#y = this.#stops.leaveY[index] ?? 0;
  }
}
