export interface Candidate {
  readonly owner: number;
  /** What the caller wants to know again of this point. */
  readonly tag: number;
  readonly x: number;
  readonly y: number;
}

interface Search {
  best: Candidate | null;
  square: number;
}

const perCell = 2;
const fewest = 32;

/** Points by cells of a square grid, for "which is nearest". Removed owners leave their points behind until the grid is
 * rebuilt, which happens when half of what it was built for is gone, when twice as much has come, or when too much lies
 * outside its cells. */
export class PointGrid {
  #cells = new Map<number, Candidate[]>();
  #size = 1;
  #minX = 0;
  #minY = 0;
  #columns = 1;
  #rows = 1;
  #builtFor = 0;
  #live = 0;
  #outside: Candidate[] = [];
  readonly #pointsOf = new Map<number, number>();

  add(owner: number, tag: number, x: number, y: number): void {
    this.#pointsOf.set(owner, (this.#pointsOf.get(owner) ?? 0) + 1);
    this.#live++;
    const candidate = { owner, tag, x, y };
    if (this.#builtFor === 0 || !this.#put(candidate)) this.#outside.push(candidate);
  }

  remove(owner: number): void {
    this.#live -= this.#pointsOf.get(owner) ?? 0;
    this.#pointsOf.delete(owner);
  }

  /** null: it is empty. */
  nearest(x: number, y: number): Candidate | null {
    if (this.#live === 0) return null;
    const { length } = this.#outside;
    if ((length > fewest && length * length > this.#live) || this.#live * 2 < this.#builtFor || this.#live > this.#builtFor * 2) this.#rebuild();
    const search: Search = { best: null, square: Infinity };
    this.#look(this.#outside, x, y, search);
    const column = Math.floor((x - this.#minX) / this.#size);
    const row = Math.floor((y - this.#minY) / this.#size);
    // Rings are counted from the cell of the point, which may be far outside the grid.
    const first = Math.max(0, -column, column - this.#columns + 1, -row, row - this.#rows + 1);
    const last = Math.max(column, row, this.#columns - 1 - column, this.#rows - 1 - row);
    for (let ring = first; ring <= last; ring++) {
      // What is in this ring is at least the cells between away.
      if (ring > 0 && ((ring - 1) * this.#size) ** 2 >= search.square) break;
      this.#ring(column, row, ring, x, y, search);
    }
    return search.best;
  }

  #ring(column: number, row: number, ring: number, x: number, y: number, search: Search): void {
    const top = row + ring;
    const bottom = row - ring;
    for (let each = Math.max(0, column - ring); each <= Math.min(this.#columns - 1, column + ring); each++) {
      if (top < this.#rows && top >= 0) this.#cell(each, top, x, y, search);
      if (bottom !== top && bottom >= 0 && bottom < this.#rows) this.#cell(each, bottom, x, y, search);
    }
    for (let each = Math.max(0, bottom + 1); each <= Math.min(this.#rows - 1, top - 1); each++) {
      const left = column - ring;
      const right = column + ring;
      if (left >= 0 && left < this.#columns) this.#cell(left, each, x, y, search);
      if (right !== left && right >= 0 && right < this.#columns) this.#cell(right, each, x, y, search);
    }
  }

  #cell(column: number, row: number, x: number, y: number, search: Search): void {
    const candidates = this.#cells.get(row * this.#columns + column);
    if (candidates !== undefined) this.#look(candidates, x, y, search);
  }

  #look(candidates: Candidate[], x: number, y: number, search: Search): void {
    for (let index = candidates.length - 1; index >= 0; index--) {
      const candidate = candidates[index];
      if (candidate === undefined) continue;
      if (!this.#pointsOf.has(candidate.owner)) {
        const last = candidates.pop();
        if (last !== undefined && last !== candidate) candidates[index] = last;
        continue;
      }
      const square = (candidate.x - x) ** 2 + (candidate.y - y) ** 2;
      if (square < search.square) {
        search.square = square;
        search.best = candidate;
      }
    }
  }

  #rebuild(): void {
    const all: Candidate[] = [];
    for (const candidates of [...this.#cells.values(), this.#outside]) {
      for (const candidate of candidates) {
        if (this.#pointsOf.has(candidate.owner)) all.push(candidate);
      }
    }
    let maxX = -Infinity;
    let maxY = -Infinity;
    this.#minX = Infinity;
    this.#minY = Infinity;
    for (const { x, y } of all) {
      this.#minX = Math.min(this.#minX, x);
      this.#minY = Math.min(this.#minY, y);
      maxX = Math.max(maxX, x);
      maxY = Math.max(maxY, y);
    }
    const width = Math.max(maxX - this.#minX, 1e-6);
    const height = Math.max(maxY - this.#minY, 1e-6);
    const cells = Math.max(1, all.length / perCell);
    // A row of points gets a row of cells, never more of them than there are points.
    this.#size = Math.max(Math.sqrt((width * height) / cells), Math.max(width, height) / cells);
    this.#columns = Math.floor(width / this.#size) + 1;
    this.#rows = Math.floor(height / this.#size) + 1;
    this.#cells = new Map();
    this.#outside = [];
    this.#builtFor = all.length;
    for (const candidate of all) this.#put(candidate);
  }

  /** Whether the grid has a cell for it. */
  #put(candidate: Candidate): boolean {
    const column = Math.floor((candidate.x - this.#minX) / this.#size);
    const row = Math.floor((candidate.y - this.#minY) / this.#size);
    if (column < 0 || row < 0 || column >= this.#columns || row >= this.#rows) return false;
    const key = row * this.#columns + column;
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, [candidate]);
    else cell.push(candidate);
    return true;
  }
}
