import { Cells, roundingInCells } from './cells.ts';

/** In a crowded cell no more points than these are looked at: thousands of lines may meet in one place. */
const mostLooked = 512;

const waiting = 0;
const live = 1;
const gone = 2;

/** Points that come and go, for "which is nearest". It is built over all of them; those that were added and not removed
 * can be found. Built again over what is left when two thirds are gone. */
export class PointGrid {
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #state: Uint8Array;
  readonly #slotOf: Int32Array;
  #cells: Cells;
  /** Of each cell, behind its last slot with a live point; they stand first among its slots. */
  #end: Int32Array;
  #builtFor = 0;
  #left: number;
  #live = 0;
  #best = -1;
  #square = Infinity;

  /** `allAdded`: every point can be found from the start. */
  constructor(x: Float64Array, y: Float64Array, allAdded = false) {
    this.#x = x;
    this.#y = y;
    this.#left = x.length;
    this.#state = new Uint8Array(x.length).fill(allAdded ? live : waiting);
    this.#live = allAdded ? x.length : 0;
    this.#slotOf = new Int32Array(x.length);
    this.#cells = new Cells(x, y, new Int32Array(0));
    this.#end = new Int32Array(0);
    this.#build();
  }

  add(point: number): void {
    if (this.#state[point] !== waiting) return;
    this.#state[point] = live;
    this.#live++;
    this.#place(point);
  }

  remove(point: number): void {
    const state = this.#state[point];
    if (state === gone) return;
    this.#state[point] = gone;
    this.#left--;
    if (state !== live) return;
    this.#live--;
    const cell = this.#cells.cellOf(this.#x[point] ?? 0, this.#y[point] ?? 0);
    const lastSlot = (this.#end[cell] ?? 0) - 1;
    this.#end[cell] = lastSlot;
    const { slots } = this.#cells;
    const slot = this.#slotOf[point] ?? 0;
    const last = slots[lastSlot] ?? 0;
    slots[slot] = last;
    this.#slotOf[last] = slot;
  }

  /** −1: there is none. */
  nearest(x: number, y: number): number {
    if (this.#live === 0) return -1;
    if (this.#left * 3 < this.#builtFor) this.#build();
    const { columns, rows, size, minX, minY } = this.#cells;
    this.#best = -1;
    this.#square = Infinity;
    const column = this.#cells.columnOf(x);
    const row = this.#cells.rowOf(y);
    // To the edges of its own cell, less a little for rounding.
    const toLeft = x - minX - (column + roundingInCells) * size;
    const toRight = (1 - 2 * roundingInCells) * size - toLeft;
    const toBottom = y - minY - (row + roundingInCells) * size;
    const toTop = (1 - 2 * roundingInCells) * size - toBottom;
    const toEdge = Math.min(toLeft, toRight, toBottom, toTop);
    // Rings are counted from the cell of the place, which may be far outside the grid.
    const first = Math.max(0, -column, column - columns + 1, -row, row - rows + 1);
    const last = Math.max(column, row, columns - 1 - column, rows - 1 - row);
    if (first === 0) this.#look(row * columns + column, x, y);
    for (let ring = Math.max(1, first); ring <= last; ring++) {
      const between = (ring - 1) * size;
      if (this.#isTooFar(between + toEdge)) break;
      const left = column - ring;
      const right = column + ring;
      if (!this.#isTooFar(between + toBottom)) this.#row(row - ring, left, right, x, y);
      if (!this.#isTooFar(between + toTop)) this.#row(row + ring, left, right, x, y);
      const isLeft = left >= 0 && left < columns && !this.#isTooFar(between + toLeft);
      const isRight = right >= 0 && right < columns && !this.#isTooFar(between + toRight);
      if (!isLeft && !isRight) continue;
      const end = Math.min(rows - 1, row + ring - 1);
      for (let each = Math.max(0, row - ring + 1); each <= end; each++) {
        if (isLeft) this.#look(each * columns + left, x, y);
        if (isRight) this.#look(each * columns + right, x, y);
      }
    }
    return this.#best;
  }

  /** Nothing so far away can be nearer than what was found. */
  #isTooFar(away: number): boolean {
    return away > 0 && away * away >= this.#square;
  }

  #row(row: number, left: number, right: number, x: number, y: number): void {
    const { columns, rows } = this.#cells;
    if (row < 0 || row >= rows) return;
    const to = row * columns + Math.min(columns - 1, right);
    for (let cell = row * columns + Math.max(0, left); cell <= to; cell++) this.#look(cell, x, y);
  }

  #look(cell: number, x: number, y: number): void {
    const { first, slots } = this.#cells;
    const from = first[cell] ?? 0;
    const end = Math.min(this.#end[cell] ?? 0, from + mostLooked);
    for (let slot = from; slot < end; slot++) {
      const point = slots[slot] ?? 0;
      const deltaX = (this.#x[point] ?? 0) - x;
      const deltaY = (this.#y[point] ?? 0) - y;
      const square = deltaX * deltaX + deltaY * deltaY;
      if (square < this.#square) {
        this.#square = square;
        this.#best = point;
      }
    }
  }

  #place(point: number): void {
    const cell = this.#cells.cellOf(this.#x[point] ?? 0, this.#y[point] ?? 0);
    const slot = this.#end[cell] ?? 0;
    this.#cells.slots[slot] = point;
    this.#end[cell] = slot + 1;
    this.#slotOf[point] = slot;
  }

  #build(): void {
    const members = new Int32Array(this.#left);
    let count = 0;
    for (let point = 0; point < this.#state.length; point++) {
      if (this.#state[point] !== gone) members[count++] = point;
    }
    this.#cells = new Cells(this.#x, this.#y, members);
    this.#builtFor = count;
    if (this.#live === count) {
      // All points can be found: they stand where the cells have put them.
      const { slots } = this.#cells;
      this.#end = this.#cells.first.slice(1);
      for (let slot = 0; slot < count; slot++) this.#slotOf[slots[slot] ?? 0] = slot;
      return;
    }
    this.#end = this.#cells.first.slice(0, -1);
    for (const point of members) {
      if (this.#state[point] === live) this.#place(point);
    }
  }
}
