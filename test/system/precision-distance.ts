/** Distances between outlines, in millimetres. An outline is a polyline x0, y0, x1, y1, … */

const cellMm = 1;

const cellOf = (column: number, row: number): number => column * 1e6 + row;

/** The pieces of outlines by the cells of a grid they pass, so that the nearest one is looked for nearby only. */
export class Outlines {
  readonly #cells = new Map<number, number[]>();
  readonly #pieces: (readonly [number, number, number, number])[] = [];

  constructor(outlines: readonly (readonly number[])[]) {
    for (const outline of outlines) {
      for (let at = 2; at + 1 < outline.length; at += 2) {
        this.#add(outline[at - 2] ?? NaN, outline[at - 1] ?? NaN, outline[at] ?? NaN, outline[at + 1] ?? NaN);
      }
    }
  }

  /** Exact up to the width of a cell; Infinity beyond. */
  distance(x: number, y: number): number {
    const [column, row] = [Math.floor(x / cellMm), Math.floor(y / cellMm)];
    let squared = Infinity;
    for (let i = column - 1; i <= column + 1; i++) {
      for (let j = row - 1; j <= row + 1; j++) {
        for (const piece of this.#cells.get(cellOf(i, j)) ?? []) squared = Math.min(squared, this.#squaredTo(piece, x, y));
      }
    }
    return squared <= cellMm * cellMm ? Math.sqrt(squared) : Infinity;
  }

  #add(ax: number, ay: number, bx: number, by: number): void {
    this.#pieces.push([ax, ay, bx, by]);
    const parts = Math.ceil(Math.hypot(bx - ax, by - ay) / (cellMm / 2)) + 1;
    for (let part = 0; part <= parts; part++) {
      const key = cellOf(Math.floor((ax + (bx - ax) * part / parts) / cellMm), Math.floor((ay + (by - ay) * part / parts) / cellMm));
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, [this.#pieces.length - 1]);
      else if (cell.at(-1) !== this.#pieces.length - 1) cell.push(this.#pieces.length - 1);
    }
  }

  #squaredTo(piece: number, x: number, y: number): number {
    const [ax, ay, bx, by] = this.#pieces[piece] ?? [NaN, NaN, NaN, NaN];
    const squared = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = squared === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared));
    return (x - ax - share * (bx - ax)) ** 2 + (y - ay - share * (by - ay)) ** 2;
  }
}

/** How far the farthest point of the one set of outlines is from the other set. */
export function farthestMm(from: readonly (readonly number[])[], to: readonly (readonly number[])[]): number {
  const outlines = new Outlines(to);
  let worst = 0;
  for (const points of from) {
    for (let at = 2; at + 1 < points.length; at += 2) {
      const [ax, ay, bx, by] = [points[at - 2] ?? NaN, points[at - 1] ?? NaN, points[at] ?? NaN, points[at + 1] ?? NaN];
      const parts = Math.ceil(Math.hypot(bx - ax, by - ay) / 0.25);
      for (let part = 0; part <= parts; part++) {
        worst = Math.max(worst, outlines.distance(ax + (bx - ax) * part / parts, ay + (by - ay) * part / parts));
      }
    }
  }
  return worst;
}
