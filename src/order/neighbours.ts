import { Cells } from './cells.ts';

/** Of each point its nearest others, nearest first: those of point p stand from p · perPoint on, −1 where there are no more. */
export interface Neighbours {
  readonly perPoint: number;
  readonly of: Int32Array;
}

/** In a crowded cell no more points than these are looked at. */
const mostLooked = 64;

/** Without those that have the same owner. Points whose owner is −1 are left out. */
export function neighboursOf(x: Float64Array, y: Float64Array, owner: Int32Array, perPoint: number): Neighbours {
  const members = new Int32Array(owner.length);
  let count = 0;
  for (let point = 0; point < owner.length; point++) {
    if (owner[point] !== -1) members[count++] = point;
  }
  const search = new Search(x, y, owner, members.subarray(0, count), perPoint);
  const of = new Int32Array(owner.length * perPoint).fill(-1);
  for (let at = 0; at < count; at++) {
    const point = members[at] ?? 0;
    const found = search.around(point);
    for (let rank = 0; rank < found; rank++) of[point * perPoint + rank] = search.points[rank] ?? -1;
  }
  return { perPoint, of };
}

class Search {
  readonly points: Int32Array;
  readonly #squares: Float64Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #owner: Int32Array;
  readonly #cells: Cells;
  #found = 0;

  constructor(x: Float64Array, y: Float64Array, owner: Int32Array, members: Int32Array, perPoint: number) {
    this.#x = x;
    this.#y = y;
    this.#owner = owner;
    this.#cells = new Cells(x, y, members);
    this.points = new Int32Array(perPoint);
    this.#squares = new Float64Array(perPoint);
  }

  around(point: number): number {
    const { columns, rows, size } = this.#cells;
    const most = this.points.length;
    this.#found = 0;
    const column = this.#cells.columnOf(this.#x[point] ?? 0);
    const row = this.#cells.rowOf(this.#y[point] ?? 0);
    const last = Math.max(column, row, columns - 1 - column, rows - 1 - row);
    for (let ring = 0; ring <= last; ring++) {
      if (this.#found === most && ring > 0 && ((ring - 1) * size) ** 2 >= (this.#squares[most - 1] ?? 0)) break;
      const left = Math.max(0, column - ring);
      const right = Math.min(columns - 1, column + ring);
      for (let each = Math.max(0, row - ring); each <= Math.min(rows - 1, row + ring); each++) {
        const isWhole = each === row - ring || each === row + ring;
        // Between its first and last row a ring is two columns.
        const step = isWhole ? 1 : 2 * ring;
        for (let at = isWhole || column - ring >= 0 ? left : column + ring; at <= right; at += step) this.#look(each * columns + at, point);
      }
    }
    return this.#found;
  }

  #look(cell: number, point: number): void {
    const { first, slots } = this.#cells;
    const from = first[cell] ?? 0;
    const end = Math.min(first[cell + 1] ?? 0, from + mostLooked);
    const x = this.#x[point] ?? 0;
    const y = this.#y[point] ?? 0;
    const owner = this.#owner[point];
    const most = this.points.length;
    for (let slot = from; slot < end; slot++) {
      const other = slots[slot] ?? 0;
      if (this.#owner[other] === owner) continue;
      const deltaX = (this.#x[other] ?? 0) - x;
      const deltaY = (this.#y[other] ?? 0) - y;
      const square = deltaX * deltaX + deltaY * deltaY;
      if (this.#found < most) this.#found++;
      else if (square >= (this.#squares[most - 1] ?? 0)) continue;
      this.#insert(other, square);
    }
  }

  /** The last of those found is new, or gives way. */
  #insert(other: number, square: number): void {
    let rank = this.#found - 1;
    while (rank > 0 && (this.#squares[rank - 1] ?? 0) > square) {
      this.#squares[rank] = this.#squares[rank - 1] ?? 0;
      this.points[rank] = this.points[rank - 1] ?? 0;
      rank--;
    }
    this.#squares[rank] = square;
    this.points[rank] = other;
  }
}
