import type { GraphicsState } from './graphics-state.ts';
import type { PathRun } from './path-run.ts';

/** Operators of a recorded path. */
export const MOVE = 0;
export const LINE = 1;
export const CURVE = 2;
export const CLOSE = 3;

// Far below a cutter's step; only what is the same point up to rounding counts as one.
const SAME_POINT_MM = 1e-6;
const MANY_NUMBERS = 65_536;

/** The path under construction, in page millimetres: the matrix is applied as it is built, because `cm` may not come
 * between construction and painting. The box is that of all its points, control points included. */
export class PathBuffer {
  /** Operators in runs of the same one: which, and how many of it. */
  runOps = new Uint8Array(16);
  runLengths = new Int32Array(16);
  runCount = 0;
  opCount = 0;
  // Small at first: growing must have happened before the loops that write here are compiled, or they are compiled twice.
  coordinates = new Float64Array(64);
  coordinateCount = 0;
  x0 = Infinity;
  y0 = Infinity;
  x1 = -Infinity;
  y1 = -Infinity;
  /** More was built than is kept; only the box is complete. */
  overflowed = false;
  onlyRectangles = true;
  /** A line leads to the point it starts from, or control points of a curve are the same. */
  mayHaveEmptyLines = false;
  private readonly maxCoordinates: number;
  private open = false;
  private startX = 0;
  private startY = 0;

  constructor(maxPoints: number) {
    this.maxCoordinates = maxPoints * 2 + 8;
  }

  clear(): void {
    this.runCount = 0;
    this.opCount = 0;
    this.coordinateCount = 0;
    this.x0 = Infinity;
    this.y0 = Infinity;
    this.x1 = -Infinity;
    this.y1 = -Infinity;
    this.overflowed = false;
    this.onlyRectangles = true;
    this.mayHaveEmptyLines = false;
    this.open = false;
  }

  move(x: number, y: number): void {
    this.startX = x;
    this.startY = y;
    this.open = true;
    if (this.runCount > 0 && this.runOps[this.runCount - 1] === MOVE) this.dropMove();
    this.add(MOVE, 2);
    this.point(x, y);
  }

  line(x: number, y: number): void {
    this.onlyRectangles = false;
    if (!this.begin(x, y)) return;
    const last = this.coordinateCount;
    if (isSamePoint(x - (this.coordinates[last - 2] ?? 0), y - (this.coordinates[last - 1] ?? 0))) this.mayHaveEmptyLines = true;
    this.add(LINE, 2);
    this.point(x, y);
  }

  /** How many numbers may be written behind the coordinates as they are; none where a line would not start at the last of them. */
  room(): number {
    return this.open && !this.overflowed ? this.coordinates.length - this.coordinateCount : 0;
  }

  /** Lines and curves whose points were written there, and the box that the path has with them. */
  addWritten({ operators, operatorCount, coordinateCount, mayHaveEmptyLines, x0, y0, x1, y1 }: PathRun): void {
    this.onlyRectangles = false;
    if (mayHaveEmptyLines) this.mayHaveEmptyLines = true;
    let runStart = 0;
    for (let i = 1; i <= operatorCount; i += 1) {
      if (i < operatorCount && operators[i] === operators[runStart]) continue;
      this.addRun(operators[runStart] ?? LINE, i - runStart);
      runStart = i;
    }
    this.coordinateCount = coordinateCount;
    this.x0 = x0;
    this.y0 = y0;
    this.x1 = x1;
    this.y1 = y1;
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

  /** One subpath of lines alone. */
  isPolyline(): boolean {
    return this.runOps[0] === MOVE && this.runOps[1] === LINE && this.runCount === (this.endsClosed() ? 3 : 2);
  }

  endsClosed(): boolean {
    return this.runOps[this.runCount - 1] === CLOSE;
  }

  /** Gives the coordinates away; the path is to be cleared before more is built. */
  release(): Float64Array {
    const released = this.coordinates;
    this.coordinates = new Float64Array(64);
    return released;
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

  private dropMove(): void {
    this.runCount -= 1;
    this.opCount -= 1;
    this.coordinateCount = Math.max(0, this.coordinateCount - 2);
  }

  private add(op: number, coordinateCount: number): void {
    if (this.overflowed) return;
    if (this.coordinateCount + coordinateCount > this.coordinates.length) {
      if (this.coordinateCount + coordinateCount > this.maxCoordinates) {
        this.overflowed = true;
        return;
      }
      const larger = new Float64Array(largerLength(this.coordinates.length, this.maxCoordinates));
      larger.set(this.coordinates);
      this.coordinates = larger;
    }
    this.addRun(op, 1);
  }

  private addRun(op: number, length: number): void {
    this.opCount += length;
    const last = this.runCount - 1;
    if (last >= 0 && this.runOps[last] === op) {
      this.runLengths[last] = (this.runLengths[last] ?? 0) + length;
      return;
    }
    if (this.runCount === this.runOps.length) this.widenRuns();
    this.runOps[this.runCount] = op;
    this.runLengths[this.runCount] = length;
    this.runCount += 1;
  }

  private widenRuns(): void {
    const ops = new Uint8Array(this.runOps.length * 2);
    ops.set(this.runOps);
    this.runOps = ops;
    const lengths = new Int32Array(this.runLengths.length * 2);
    lengths.set(this.runLengths);
    this.runLengths = lengths;
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

/** Whether two points that are so far apart count as one. */
export function isSamePoint(dx: number, dy: number): boolean {
  return isSameDistance(dx * dx + dy * dy);
}

/** The same, of the square of their distance. */
export function isSameDistance(squared: number): boolean {
  return squared < SAME_POINT_MM * SAME_POINT_MM;
}

/** Twice as many numbers; where they are many, as many as there may be. What is never written to takes no memory, whereas each
 * step of growing copies everything into memory that is fresh. */
function largerLength(length: number, most: number): number {
  let larger = length * 2;
  if (larger > MANY_NUMBERS) while (larger < most) larger *= 2;
  return larger;
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
