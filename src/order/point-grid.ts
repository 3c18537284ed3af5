import { Cells } from './cells.ts';

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
  readonly #cellOf: Int32Array;
  readonly #slotOf: Int32Array;
  #cells: Cells;
  /** Live points of each cell; they stand first among its slots. */
  #filled: Int32Array;
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
    this.#cellOf = new Int32Array(x.length);
    this.#slotOf = new Int32Array(x.length);
    this.#cells = new Cells(x, y, new Int32Array(0));
    this.#filled = new Int32Array(0);
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
    const cell = this.#cellOf[point] ?? 0;
    const filled = (this.#filled[cell] ?? 0) - 1;
    this.#filled[cell] = filled;
    const slot = this.#slotOf[point] ?? 0;
    const last = this.#cells.slots[(this.#cells.first[cell] ?? 0) + filled] ?? 0;
    this.#cells.slots[slot] = last;
    this.#slotOf[last] = slot;
  }

  /** −1: there is none. */
  nearest(x: number, y: number): number {
    if (this.#live === 0) return -1;
    if (this.#left * 3 < this.#builtFor) this.#build();
    const { columns, rows, size } = this.#cells;
    this.#best = -1;
    this.#square = Infinity;
    const column = this.#cells.columnOf(x);
    const row = this.#cells.rowOf(y);
    // Rings are counted from the cell of the place, which may be far outside the grid.
    const first = Math.max(0, -column, column - columns + 1, -row, row - rows + 1);
    const last = Math.max(column, row, columns - 1 - column, rows - 1 - row);
    for (let ring = first; ring <= last; ring++) {
      // What is in this ring is at least the cells between away.
      if (ring > 0 && ((ring - 1) * size) ** 2 >= this.#square) break;
      this.#ring(column, row, ring, x, y);
    }
    return this.#best;
  }

  #ring(column: number, row: number, ring: number, x: number, y: number): void {
    const { columns, rows } = this.#cells;
    const top = row + ring;
    const bottom = row - ring;
    const from = Math.max(0, column - ring);
    const to = Math.min(columns - 1, column + ring);
    if (bottom >= 0 && bottom < rows) {
      for (let each = from; each <= to; each++) this.#look(bottom * columns + each, x, y);
    }
    if (top !== bottom && top >= 0 && top < rows) {
      for (let each = from; each <= to; each++) this.#look(top * columns + each, x, y);
    }
    const left = column - ring;
    const right = column + ring;
    const end = Math.min(rows - 1, top - 1);
    for (let each = Math.max(0, bottom + 1); each <= end; each++) {
      if (left >= 0 && left < columns) this.#look(each * columns + left, x, y);
      if (right !== left && right >= 0 && right < columns) this.#look(each * columns + right, x, y);
    }
  }

  #look(cell: number, x: number, y: number): void {
    const from = this.#cells.first[cell] ?? 0;
    const end = from + Math.min(this.#filled[cell] ?? 0, mostLooked);
    for (let slot = from; slot < end; slot++) {
      const point = this.#cells.slots[slot] ?? 0;
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
    const cell = this.#cells.rowOf(this.#y[point] ?? 0) * this.#cells.columns + this.#cells.columnOf(this.#x[point] ?? 0);
    const filled = this.#filled[cell] ?? 0;
    const slot = (this.#cells.first[cell] ?? 0) + filled;
    this.#cells.slots[slot] = point;
    this.#filled[cell] = filled + 1;
    this.#cellOf[point] = cell;
    this.#slotOf[point] = slot;
  }

  #build(): void {
    const members = new Int32Array(this.#left);
    let count = 0;
    for (let point = 0; point < this.#state.length; point++) {
      if (this.#state[point] !== gone) members[count++] = point;
    }
    this.#cells = new Cells(this.#x, this.#y, members);
    this.#filled = new Int32Array(this.#cells.columns * this.#cells.rows);
    this.#builtFor = count;
    if (this.#live === count) {
      this.#takeOver();
      return;
    }
    for (const point of members) {
      if (this.#state[point] === live) this.#place(point);
    }
  }

  /** All points can be found: they stand where the cells have put them. */
  #takeOver(): void {
    const { first, slots } = this.#cells;
    for (let cell = 0; cell < this.#filled.length; cell++) {
      const from = first[cell] ?? 0;
      const end = first[cell + 1] ?? 0;
      this.#filled[cell] = end - from;
      for (let slot = from; slot < end; slot++) {
        const point = slots[slot] ?? 0;
        this.#cellOf[point] = cell;
        this.#slotOf[point] = slot;
      }
    }
  }
}
