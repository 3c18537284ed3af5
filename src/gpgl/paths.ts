import type { Tool, ToolPath } from './units.ts';

/** Many paths, in columns: as objects, a million short ones would take ten times the memory of their points. */
export interface ToolPaths {
  readonly count: number;
  readonly tools: readonly Tool[];
  /** 1: the path returns to its first point; the first point is then not repeated at the end. */
  readonly closed: Uint8Array;
  /** The points of path k are `first[k]` to `first[k + 1] − 1`. */
  readonly first: Int32Array;
  /** x0, y0, x1, y1, … of all paths, in millimetres. */
  readonly pointsMm: Float64Array;
}

/** One of them; its points are a view. */
export function pathAt(paths: ToolPaths, index: number): ToolPath {
  const tool = paths.tools[index];
  if (tool === undefined) throw new RangeError(`there is no path ${index}`);
  return { tool, closed: paths.closed[index] === 1, pointsMm: paths.pointsMm.subarray((paths.first[index] ?? 0) * 2, (paths.first[index + 1] ?? 0) * 2) };
}

export function toolPathsOf(paths: Iterable<ToolPath>): ToolPaths {
  const writer = new PathsWriter();
  for (const { tool, closed, pointsMm } of paths) {
    writer.points(pointsMm, 0, pointsMm.length);
    writer.end(tool, closed);
  }
  return writer.take();
}

/** The paths of these indices, in this order. */
export function selectedPaths(paths: ToolPaths, indices: Int32Array): ToolPaths {
  let points = 0;
  for (const index of indices) points += pointCount(paths, index);
  const writer = new PathsWriter(indices.length, points);
  for (const index of indices) {
    writer.points(paths.pointsMm, (paths.first[index] ?? 0) * 2, (paths.first[index + 1] ?? 0) * 2);
    writer.end(paths.tools[index] ?? 'cut', paths.closed[index] === 1);
  }
  return writer.take();
}

/** One after the other. */
export function concatenated(parts: readonly ToolPaths[]): ToolPaths {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const writer = new PathsWriter(parts.reduce((sum, { count }) => sum + count, 0), parts.reduce((sum, { pointsMm }) => sum + pointsMm.length / 2, 0));
  for (const paths of parts) {
    for (let index = 0; index < paths.count; index++) {
      writer.points(paths.pointsMm, (paths.first[index] ?? 0) * 2, (paths.first[index + 1] ?? 0) * 2);
      writer.end(paths.tools[index] ?? 'cut', paths.closed[index] === 1);
    }
  }
  return writer.take();
}

function pointCount({ first }: ToolPaths, index: number): number {
  return (first[index + 1] ?? 0) - (first[index] ?? 0);
}

/** Below this many numbers, calling to copy them costs more than copying. */
const fewNumbers = 64;

/** Writes paths one after the other: their points, then what kind of path they were. The sizes are guesses. */
export class PathsWriter {
  readonly #tools: Tool[] = [];
  #closed: Uint8Array;
  #first: Int32Array;
  #pointsMm: Float64Array;
  #length = 0;

  constructor(count = 16, points = 256) {
    this.#closed = new Uint8Array(count);
    this.#first = new Int32Array(count + 1);
    this.#pointsMm = new Float64Array(points * 2);
  }

  point(xMm: number, yMm: number): void {
    if (this.#length + 2 > this.#pointsMm.length) this.#reserve(2);
    this.#pointsMm[this.#length] = xMm;
    this.#pointsMm[this.#length + 1] = yMm;
    this.#length += 2;
  }

  /** x0, y0, … from one index of the numbers to another. */
  points(numbersMm: Float64Array, from: number, to: number): void {
    const count = to - from;
    if (this.#length + count > this.#pointsMm.length) this.#reserve(count);
    if (count > fewNumbers) this.#pointsMm.set(numbersMm.subarray(from, to), this.#length);
    else for (let at = 0; at < count; at++) this.#pointsMm[this.#length + at] = numbersMm[from + at] ?? 0;
    this.#length += count;
  }

  /** What was written since the last end is a path. */
  end(tool: Tool, closed: boolean): void {
    const index = this.#tools.length;
    if (index === this.#closed.length) this.#widen();
    this.#tools.push(tool);
    this.#closed[index] = closed ? 1 : 0;
    this.#first[index + 1] = this.#length / 2;
  }

  /** The paths so far. To be taken once: they are not copied where the sizes were right. */
  take(): ToolPaths {
    const count = this.#tools.length;
    return {
      count,
      tools: this.#tools,
      closed: this.#closed.subarray(0, count),
      first: this.#first.subarray(0, count + 1),
      pointsMm: this.#length === this.#pointsMm.length ? this.#pointsMm : this.#pointsMm.slice(0, this.#length),
    };
  }

  #reserve(numbers: number): void {
    const larger = new Float64Array(Math.max(this.#pointsMm.length * 2, this.#length + numbers));
    larger.set(this.#pointsMm.subarray(0, this.#length));
    this.#pointsMm = larger;
  }

  #widen(): void {
    const count = this.#closed.length * 2 + 16;
    const closed = new Uint8Array(count);
    closed.set(this.#closed);
    this.#closed = closed;
    const first = new Int32Array(count + 1);
    first.set(this.#first);
    this.#first = first;
  }
}
