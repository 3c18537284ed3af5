import type { GraphicsState } from './graphics-state.ts';

/** Operators of a recorded path. */
export const MOVE = 0;
export const LINE = 1;
export const CURVE = 2;
export const CLOSE = 3;

/** The path under construction, in page millimetres: the matrix is applied as it is built, because `cm` may not come
 * between construction and painting. The box is that of all its points, control points included. */
export class PathBuffer {
  ops = new Uint8Array(1024);
  coordinates = new Float64Array(4096);
  opCount = 0;
  coordinateCount = 0;
  x0 = Infinity;
  y0 = Infinity;
  x1 = -Infinity;
  y1 = -Infinity;
  /** More was built than is kept; only the box is complete. */
  overflowed = false;
  onlyRectangles = true;
  private readonly maxCoordinates: number;
  private open = false;
  private startX = 0;
  private startY = 0;

  constructor(maxPoints: number) {
    this.maxCoordinates = maxPoints * 2 + 8;
  }

  clear(): void {
    this.opCount = 0;
    this.coordinateCount = 0;
    this.x0 = Infinity;
    this.y0 = Infinity;
    this.x1 = -Infinity;
    this.y1 = -Infinity;
    this.overflowed = false;
    this.onlyRectangles = true;
    this.open = false;
  }

  move(x: number, y: number): void {
    this.startX = x;
    this.startY = y;
    this.open = true;
    if (this.opCount > 0 && this.ops[this.opCount - 1] === MOVE) this.dropLast();
    this.add(MOVE, 2);
    this.point(x, y);
  }

  line(x: number, y: number): void {
    this.onlyRectangles = false;
    if (!this.begin(x, y)) return;
    this.add(LINE, 2);
    this.point(x, y);
  }

  curve(x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): void {
    this.onlyRectangles = false;
    if (!this.begin(x1, y1)) return;
    this.add(CURVE, 6);
    this.point(x1, y1);
    this.point(x2, y2);
    this.point(x3, y3);
  }

  close(): void {
    if (!this.open || this.opCount === 0) return;
    this.add(CLOSE, 0);
    this.open = false;
  }

  rectangle(x0: number, y0: number, x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): void {
    const onlyRectangles = this.onlyRectangles;
    this.move(x0, y0);
    this.line(x1, y1);
    this.line(x2, y2);
    this.line(x3, y3);
    this.close();
    this.onlyRectangles = onlyRectangles;
  }

  /** A line after a closed subpath starts at that one's first point; a line without any point is started where it goes. */
  private begin(x: number, y: number): boolean {
    if (this.open) return true;
    if (this.opCount === 0) {
      this.move(x, y);
      return false;
    }
    this.move(this.startX, this.startY);
    return true;
  }

  private dropLast(): void {
    this.opCount -= 1;
    this.coordinateCount = Math.max(0, this.coordinateCount - 2);
  }

  private add(op: number, coordinateCount: number): void {
    if (this.overflowed) return;
    if (this.opCount >= this.ops.length) {
      const larger = new Uint8Array(this.ops.length * 2);
      larger.set(this.ops);
      this.ops = larger;
    }
    if (this.coordinateCount + coordinateCount > this.coordinates.length) {
      if (this.coordinateCount + coordinateCount > this.maxCoordinates) {
        this.overflowed = true;
        return;
      }
      const larger = new Float64Array(this.coordinates.length * 2);
      larger.set(this.coordinates);
      this.coordinates = larger;
    }
    this.ops[this.opCount] = op;
    this.opCount += 1;
  }

  private point(x: number, y: number): void {
    if (x < this.x0) this.x0 = x;
    if (x > this.x1) this.x1 = x;
    if (y < this.y0) this.y0 = y;
    if (y > this.y1) this.y1 = y;
    if (this.overflowed) return;
    this.coordinates[this.coordinateCount] = x;
    this.coordinates[this.coordinateCount + 1] = y;
    this.coordinateCount += 2;
  }
}

export function addCurve(path: PathBuffer, state: GraphicsState, x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): void {
  const { a, b, c, d, e, f } = state;
  path.curve(a * x1 + c * y1 + e, b * x1 + d * y1 + f, a * x2 + c * y2 + e, b * x2 + d * y2 + f, a * x3 + c * y3 + e, b * x3 + d * y3 + f);
}

export function addRectangle(path: PathBuffer, state: GraphicsState, x: number, y: number, width: number, height: number): void {
  const { a, b, c, d, e, f } = state;
  const x0 = a * x + c * y + e;
  const y0 = b * x + d * y + f;
  const acrossX = a * width;
  const acrossY = b * width;
  const upX = c * height;
  const upY = d * height;
  path.rectangle(x0, y0, x0 + acrossX, y0 + acrossY, x0 + acrossX + upX, y0 + acrossY + upY, x0 + upX, y0 + upY);
}
