import { PointGrid } from './point-grid.ts';
import type { Place, Stops } from './stops.ts';

const nothing: readonly number[] = [];

/** A closed path is offered at this many of its points; the nearest of all is looked for once it is chosen. */
const startsOfClosed = 4;

/** Always the nearest path next, from the end or point that is nearest. `containers`: which may come only after it, by path;
 * null: none has to wait. The stops of the members are set. */
export function nearestFirst(stops: Stops, members: Int32Array, containers: readonly (readonly number[])[] | null, from: Place): Int32Array {
  const offers = offersOf(stops, members);
  const grid = new PointGrid(offers.x, offers.y, containers === null);
  const waiting = new Int32Array(stops.count);
  if (containers !== null) for (const index of members) {
    for (const outer of containers[index] ?? nothing) waiting[outer] = (waiting[outer] ?? 0) + 1;
  }
  const offer = (at: number): void => {
    for (let point = offers.first[at] ?? 0; point < (offers.first[at + 1] ?? 0); point++) grid.add(point);
  };
  const placeOf = new Int32Array(stops.count);
  members.forEach((index, at) => {
    placeOf[index] = at;
    if (containers !== null && waiting[index] === 0) offer(at);
  });
  const order = new Int32Array(members.length);
  let { x, y } = from;
  for (let done = 0; done < order.length; done++) {
    const found = grid.nearest(x, y);
    const at = offers.member[found] ?? 0;
    const index = members[at] ?? 0;
    for (let point = offers.first[at] ?? 0; point < (offers.first[at + 1] ?? 0); point++) grid.remove(point);
    if (stops.isClosed(index)) stops.approach(index, x, y);
    else stops.startAt(index, found === offers.first[at] ? 0 : (stops.first[index + 1] ?? 0) - (stops.first[index] ?? 0) - 1);
    order[done] = index;
    x = stops.leaveX[index] ?? 0;
    y = stops.leaveY[index] ?? 0;
    for (const outer of containers?.[index] ?? nothing) {
      const left = (waiting[outer] ?? 0) - 1;
      waiting[outer] = left;
      if (left === 0) offer(placeOf[outer] ?? 0);
    }
  }
  return order;
}

/** The same without a table, for a few paths of which none has to wait. */
export function nearestOfFew(stops: Stops, members: Int32Array, from: Place): Int32Array {
  const order = members.slice();
  let { x, y } = from;
  for (let place = 0; place < order.length; place++) {
    let nearest = place;
    let shortest = Infinity;
    for (let at = place; at < order.length; at++) {
      const square = stops.approach(order[at] ?? 0, x, y);
      if (square >= shortest) continue;
      shortest = square;
      nearest = at;
    }
    const index = order[nearest] ?? 0;
    order[nearest] = order[place] ?? 0;
    order[place] = index;
    x = stops.leaveX[index] ?? 0;
    y = stops.leaveY[index] ?? 0;
  }
  return order;
}

/** Points at which paths may be begun. Those of `members[at]` are `first[at]` to `first[at + 1] − 1`. */
interface Offers {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly member: Int32Array;
  readonly first: Int32Array;
}

function offersOf(stops: Stops, members: Int32Array): Offers {
  let most = 0;
  for (const index of members) most += stops.isClosed(index) ? Math.min(startsOfClosed, (stops.first[index + 1] ?? 0) - (stops.first[index] ?? 0)) : 2;
  const x = new Float64Array(most);
  const y = new Float64Array(most);
  const member = new Int32Array(most);
  const first = new Int32Array(members.length + 1);
  let offers = 0;
  for (let at = 0; at < members.length; at++) {
    const index = members[at] ?? 0;
    const begin = stops.first[index] ?? 0;
    const count = (stops.first[index + 1] ?? 0) - begin;
    const stride = stops.isClosed(index) ? Math.max(1, Math.ceil(count / startsOfClosed)) : Math.max(1, count - 1);
    for (let point = 0; point < count; point += stride) {
      x[offers] = stops.pointsMm[(begin + point) * 2] ?? 0;
      y[offers] = stops.pointsMm[(begin + point) * 2 + 1] ?? 0;
      member[offers] = at;
      offers++;
    }
    first[at + 1] = offers;
  }
  return { x: x.subarray(0, offers), y: y.subarray(0, offers), member, first };
}
