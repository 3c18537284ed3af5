import { Cells, roundingInCells } from './cells.ts';

/** In a crowded cell no more points than these are looked at. */
const mostLooked = 64;

/**
 * Of each point its nearest others, without those that have the same owner. Points whose owner is −1 are left out. They are
 * looked for when they are asked for, and as far as they are: on a sheet of rows nearly always the next of the row is the nearest.
 */
export class Neighbours {
  readonly perPoint: number;
  /** Those of point p stand from p · perPoint on, nearest first, up to the first −1. */
  readonly of: Int32Array;
  /** Of each point, how far its neighbours are known. */
  readonly #knownMm: Float64Array;
  /** Of the point that is looked around: how many were found, and how far they are, squared. */
  #found = 0;
  readonly #squares: Float64Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #owner: Int32Array;
  readonly #cells: Cells;

  constructor(x: Float64Array, y: Float64Array, owner: Int32Array, perPoint: number) {
    const members = new Int32Array(owner.length);
    let count = 0;
    for (let point = 0; point < owner.length; point++) {
      if (owner[point] !== -1) members[count++] = point;
    }
    this.perPoint = perPoint;
    this.of = new Int32Array(owner.length * perPoint);
    this.#knownMm = new Float64Array(owner.length).fill(-1);
    this.#squares = new Float64Array(perPoint);
    this.#x = x;
    this.#y = y;
    this.#owner = owner;
    this.#cells = new Cells(x, y, members.subarray(0, count));
  }

  /** Where in `of` those of a point begin, once all that are nearer than this are there, as many as there is room for. */
  nearerThan(point: number, distanceMm: number): number {
    const first = point * this.perPoint;
    if ((this.#knownMm[point] ?? 0) >= distanceMm) return first;
    const reachedMm = this.#around(point, distanceMm);
    if (this.#found < this.perPoint) this.of[first + this.#found] = -1;
    const isFull = this.#found === this.perPoint && (this.#squares[this.perPoint - 1] ?? 0) < reachedMm * reachedMm;
    this.#knownMm[point] = isFull ? Infinity : reachedMm;
    return first;
  }

  /** Answers how far it looked: it looks at whole cells, at least as far as it is told. */
  #around(point: number, distanceMm: number): number {
    const cells = this.#cells;
    const most = this.perPoint;
    const x = this.#x[point] ?? 0;
    const y = this.#y[point] ?? 0;
    this.#found = 0;
    const column = cells.columnOf(x);
    const row = cells.rowOf(y);
    const left = Math.max(0, cells.columnOf(x - distanceMm));
    const right = Math.min(cells.columns - 1, cells.columnOf(x + distanceMm));
    const bottom = Math.max(0, cells.rowOf(y - distanceMm));
    const top = Math.min(cells.rows - 1, cells.rowOf(y + distanceMm));
    const last = Math.max(column - left, row - bottom, right - column, top - row);
    for (let ring = 0; ring <= last; ring++) {
      if (this.#found === most && ring > 0 && ((ring - 1) * cells.size) ** 2 >= (this.#squares[most - 1] ?? 0)) break;
      const from = Math.max(left, column - ring);
      const to = Math.min(right, column + ring);
      const end = Math.min(top, row + ring);
      for (let each = Math.max(bottom, row - ring); each <= end; each++) {
        const isWhole = each === row - ring || each === row + ring;
        // Between its first and last row a ring is two columns.
        const step = isWhole ? 1 : 2 * ring;
        for (let at = isWhole || column - ring >= left ? from : column + ring; at <= to; at += step) this.#look(each * cells.columns + at, point);
      }
    }
    const toSidesMm = Math.min(x - cells.minX - left * cells.size, cells.minX + (right + 1) * cells.size - x);
    const upAndDownMm = Math.min(y - cells.minY - bottom * cells.size, cells.minY + (top + 1) * cells.size - y);
    return Math.max(distanceMm, Math.min(toSidesMm, upAndDownMm) - roundingInCells * cells.size);
  }

  #look(cell: number, point: number): void {
    const { first, slots } = this.#cells;
    const from = first[cell] ?? 0;
    const end = Math.min(first[cell + 1] ?? 0, from + mostLooked);
    const x = this.#x[point] ?? 0;
    const y = this.#y[point] ?? 0;
    const owner = this.#owner[point];
    const most = this.perPoint;
    for (let slot = from; slot < end; slot++) {
      const other = slots[slot] ?? 0;
      if (this.#owner[other] === owner) continue;
      const deltaX = (this.#x[other] ?? 0) - x;
      const deltaY = (this.#y[other] ?? 0) - y;
      const square = deltaX * deltaX + deltaY * deltaY;
      if (this.#found < most) this.#found++;
      else if (square >= (this.#squares[most - 1] ?? 0)) continue;
      this.#insert(other, square, point * most);
    }
  }

  /** The last of those found is new, or gives way. */
  #insert(other: number, square: number, first: number): void {
    let rank = this.#found - 1;
    while (rank > 0 && (this.#squares[rank - 1] ?? 0) > square) {
      this.#squares[rank] = this.#squares[rank - 1] ?? 0;
      this.of[first + rank] = this.of[first + rank - 1] ?? 0;
      rank--;
    }
    this.#squares[rank] = square;
    this.of[first + rank] = other;
  }
}
