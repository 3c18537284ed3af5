const perCell = 2;

/** By which edges of cells may be missed: places are told from them in floating point. */
export const roundingInCells = 1e-3;

/** A square grid over points, with about two of them in a cell. */
export class Cells {
  readonly minX: number;
  readonly minY: number;
  readonly size: number;
  readonly columns: number;
  readonly rows: number;
  /** The points of cell c are `slots[first[c]]` to `slots[first[c + 1] − 1]`. */
  readonly first: Int32Array;
  readonly slots: Int32Array;

  constructor(x: Float64Array, y: Float64Array, members: Int32Array) {
    let minX = Infinity;
    let minY = Infinity;
    let maxX = -Infinity;
    let maxY = -Infinity;
    for (const point of members) {
      const px = x[point] ?? 0;
      const py = y[point] ?? 0;
      if (px < minX) minX = px;
      if (px > maxX) maxX = px;
      if (py < minY) minY = py;
      if (py > maxY) maxY = py;
    }
    const isEmpty = members.length === 0;
    this.minX = isEmpty ? 0 : minX;
    this.minY = isEmpty ? 0 : minY;
    const width = Math.max(isEmpty ? 0 : maxX - minX, 1e-6);
    const height = Math.max(isEmpty ? 0 : maxY - minY, 1e-6);
    const wanted = Math.max(1, members.length / perCell);
    // A row of points gets a row of cells, never more of them than there are points.
    this.size = Math.max(Math.sqrt((width * height) / wanted), Math.max(width, height) / wanted);
    this.columns = Math.floor(width / this.size) + 1;
    this.rows = Math.floor(height / this.size) + 1;
    this.first = new Int32Array(this.columns * this.rows + 1);
    this.slots = new Int32Array(members.length);
    this.#fill(x, y, members);
  }

  /** May lie outside the grid. */
  columnOf(x: number): number {
    return Math.floor((x - this.minX) / this.size);
  }

  rowOf(y: number): number {
    return Math.floor((y - this.minY) / this.size);
  }

  /** Of a place within the grid. */
  cellOf(x: number, y: number): number {
    return this.rowOf(y) * this.columns + this.columnOf(x);
  }

  #fill(x: Float64Array, y: Float64Array, members: Int32Array): void {
    const { first, slots } = this;
    const cellOf = new Int32Array(members.length);
    for (let at = 0; at < members.length; at++) {
      const point = members[at] ?? 0;
      const cell = this.cellOf(x[point] ?? 0, y[point] ?? 0);
      cellOf[at] = cell;
      first[cell] = (first[cell] ?? 0) + 1;
    }
    for (let cell = 1; cell < first.length; cell++) first[cell] = (first[cell] ?? 0) + (first[cell - 1] ?? 0);
    // From the last on, each cell is filled towards its first slot.
    for (let at = members.length - 1; at >= 0; at--) {
      const cell = cellOf[at] ?? 0;
      const slot = (first[cell] ?? 0) - 1;
      slots[slot] = members[at] ?? 0;
      first[cell] = slot;
    }
  }
}
