import type { PathBuffer } from './path-buffer.ts';
import { CLOSE, CURVE, LINE, isSamePoint } from './path-buffer.ts';
import { tooComplex } from './refusal.ts';
import type { CutPaths, Tool } from './types.ts';

/** How far a chord may leave its curve. pdf-cut-paths.md section 2 allows 0.02 mm, but to the finest step (0.01 mm) too, which takes a corner another
 * 0.0071 mm off: with this much the cut is within 0.02 mm of the page. */
export const FLATTENING_TOLERANCE_MM = 0.0125;
// Writers round to 3 or 4 decimals of a point; two ends that differ by this little were one.
const CLOSING_MM = 1e-3;
const MANY_NUMBERS = 65_536;
/** Below this many, calling to copy them costs more than copying. */
const FEW_NUMBERS = 64;

/** Collects cut paths: curves flattened, repeated points and subpaths without length dropped. One buffer for all points. */
export class CutSink {
  private points: Float64Array = new Float64Array(4096);
  private length = 0;
  private pathStart = 0;
  /** Per path, in columns: its tool, whether it is closed, and where its points end; they begin where the last ones ended. */
  private readonly tools: Tool[] = [];
  private readonly closings: number[] = [];
  private readonly ends: number[] = [];
  private segments = 0;
  private readonly maxPoints: number;
  private readonly toleranceMm: number;

  constructor(maxPoints: number, toleranceMm: number = FLATTENING_TOLERANCE_MM) {
    this.maxPoints = maxPoints;
    this.toleranceMm = toleranceMm;
  }

  get segmentCount(): number {
    return this.segments;
  }

  /** Takes the path over; `filled` closes each subpath, as filling does. Returns how many paths were kept. */
  take(path: PathBuffer, tool: Tool, filled: boolean): number {
    if (path.overflowed) tooComplex('points in cut paths', this.maxPoints);
    const before = this.tools.length;
    this.pathStart = this.length;
    if (this.adopt(path)) this.finish(tool, filled || path.endsClosed());
    else this.copy(path, tool, filled);
    return this.tools.length - before;
  }

  /** The points of a long first path become those of the sink, uncopied, where none is to be left out. */
  private adopt(path: PathBuffer): boolean {
    const { coordinateCount } = path;
    if (this.length > 0 || coordinateCount < MANY_NUMBERS || coordinateCount > this.maxPoints * 2 || !path.isPolyline() || path.mayHaveEmptyLines) return false;
    this.points = path.release().subarray(0, this.maxPoints * 2 + 2);
    this.length = coordinateCount;
    return true;
  }

  private copy(path: PathBuffer, tool: Tool, filled: boolean): void {
    const { runOps, runLengths, coordinates } = path;
    let at = 0;
    for (let run = 0; run < path.runCount; run += 1) {
      const op = runOps[run];
      const length = runLengths[run] ?? 0;
      if (op === LINE) {
        this.lines(coordinates, at, at + length * 2, path.mayHaveEmptyLines);
        at += length * 2;
      } else if (op === CURVE) {
        for (let i = 0; i < length; i += 1, at += 6) this.curve(coordinates, at - 2);
      } else if (op === CLOSE) this.finish(tool, true);
      else {
        this.finish(tool, filled);
        this.push(coordinates[at] ?? 0, coordinates[at + 1] ?? 0);
        at += 2;
      }
    }
    this.finish(tool, filled);
  }

  /** To be taken once, at the end. */
  paths(): CutPaths {
    const count = this.tools.length;
    const first = new Int32Array(count + 1);
    for (let path = 0; path < count; path += 1) first[path + 1] = (this.ends[path] ?? 0) / 2;
    return { count, tools: this.tools, closed: Uint8Array.from(this.closings), first, pointsMm: this.points.subarray(0, this.length) };
  }

  private finish(tool: Tool, closed: boolean): void {
    const start = this.pathStart;
    let end = this.length;
    let isClosed = closed;
    if (end - start >= 6 && this.together(start, end - 2)) {
      isClosed = true;
      end -= 2;
    }
    if (end - start >= 4) {
      this.tools.push(tool);
      this.closings.push(isClosed ? 1 : 0);
      this.ends.push(end);
      this.segments += (end - start) / 2 - (isClosed ? 0 : 1);
      this.length = end;
    } else this.length = start;
    this.pathStart = this.length;
  }

  private together(a: number, b: number): boolean {
    const dx = (this.points[a] ?? 0) - (this.points[b] ?? 0);
    const dy = (this.points[a + 1] ?? 0) - (this.points[b + 1] ?? 0);
    return dx * dx + dy * dy <= CLOSING_MM * CLOSING_MM;
  }

  private push(x: number, y: number): void {
    const at = this.length;
    if (at > this.pathStart && isSamePoint(x - (this.points[at - 2] ?? 0), y - (this.points[at - 1] ?? 0))) return;
    if (at + 2 > this.points.length) this.grow(at + 2);
    this.points[at] = x;
    this.points[at + 1] = y;
    this.length = at + 2;
  }

  /** Pushes the points from one index of the numbers to another. */
  private lines(numbers: Float64Array, from: number, to: number, mayHaveEmptyLines: boolean): void {
    const before = this.length;
    this.push(numbers[from] ?? 0, numbers[from + 1] ?? 0);
    const rest = from + 2;
    const needed = this.length + to - rest;
    // Where all lines have a length, and the first point was not left out either, no other one is.
    if (mayHaveEmptyLines || this.length === before || needed > this.maxPoints * 2) {
      for (let i = rest; i < to; i += 2) this.push(numbers[i] ?? 0, numbers[i + 1] ?? 0);
      return;
    }
    if (needed > this.points.length) this.grow(needed);
    const { points, length } = this;
    if (to - rest > FEW_NUMBERS) points.set(numbers.subarray(rest, to), length);
    else for (let i = rest; i < to; i += 1) points[length + i - rest] = numbers[i] ?? 0;
    this.length = needed;
  }

  private grow(needed: number): void {
    if (this.length / 2 >= this.maxPoints) tooComplex('points in cut paths', this.maxPoints);
    const most = this.maxPoints * 2 + 2;
    const larger = new Float64Array(needed > MANY_NUMBERS ? most : Math.min(needed * 2, most));
    larger.set(this.points);
    this.points = larger;
  }

  /** The cubic that starts at the point at `from`. A chord over a parameter step h is off by h²/8 · max |B''| at most, and
   * B'' is linear, so the larger end of the step bounds it: each step is as long as that allows. */
  private curve(c: Float64Array, from: number): void {
    const x0 = c[from] ?? 0;
    const y0 = c[from + 1] ?? 0;
    const x1 = c[from + 2] ?? 0;
    const y1 = c[from + 3] ?? 0;
    const x2 = c[from + 4] ?? 0;
    const y2 = c[from + 5] ?? 0;
    const x3 = c[from + 6] ?? 0;
    const y3 = c[from + 7] ?? 0;
    if (!this.flat(x0, y0, x1, y1, x2, y2, x3, y3)) {
      const ax = 6 * (x0 - 2 * x1 + x2);
      const ay = 6 * (y0 - 2 * y1 + y2);
      const bx = 6 * (x1 - 2 * x2 + x3);
      const by = 6 * (y1 - 2 * y2 + y3);
      const bound = 8 * this.toleranceMm;
      let t = 0;
      // Where the coordinates are so large that the next point is the same number, no point would ever be one too many.
      for (let chords = 0; ; chords += 1) {
        if (chords > this.maxPoints) tooComplex('points in cut paths', this.maxPoints);
        const here = Math.hypot(ax + (bx - ax) * t, ay + (by - ay) * t);
        let step = here === 0 ? 1 - t : Math.min(1 - t, Math.sqrt(bound / here));
        const there = Math.hypot(ax + (bx - ax) * (t + step), ay + (by - ay) * (t + step));
        if (there > here) step = Math.min(step, Math.sqrt(bound / there));
        t += step;
        if (!(t < 1 - 1e-9)) break;
        const u = 1 - t;
        const w0 = u * u * u;
        const w1 = 3 * u * u * t;
        const w2 = 3 * u * t * t;
        const w3 = t * t * t;
        this.push(w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3, w0 * y0 + w1 * y1 + w2 * y2 + w3 * y3);
      }
    }
    this.push(x3, y3);
  }

  /** The curve stays within the tolerance of its chord, and within the chord's length. */
  private flat(x0: number, y0: number, x1: number, y1: number, x2: number, y2: number, x3: number, y3: number): boolean {
    const dx = x3 - x0;
    const dy = y3 - y0;
    const squared = dx * dx + dy * dy;
    if (squared === 0) return Math.max(Math.hypot(x1 - x0, y1 - y0), Math.hypot(x2 - x0, y2 - y0)) <= this.toleranceMm;
    const limit = this.toleranceMm * Math.sqrt(squared);
    if (Math.abs((x1 - x0) * dy - (y1 - y0) * dx) > limit || Math.abs((x2 - x0) * dy - (y2 - y0) * dx) > limit) return false;
    const first = (x1 - x0) * dx + (y1 - y0) * dy;
    const second = (x2 - x0) * dx + (y2 - y0) * dy;
    return first >= 0 && first <= squared && second >= 0 && second <= squared;
  }
}
