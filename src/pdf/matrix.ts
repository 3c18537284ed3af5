/** An affine map [a b c d e f] as PDF writes it: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** First `inner`, then `outer`. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** null for a matrix that flattens the plane. */
export function invert(matrix: Matrix): Matrix | null {
  const [a, b, c, d, e, f] = matrix;
  const determinant = a * d - b * c;
  if (determinant === 0 || !Number.isFinite(1 / determinant)) return null;
  return [d / determinant, -b / determinant, -c / determinant, a / determinant, (c * f - d * e) / determinant, (b * e - a * f) / determinant];
}

export function toMatrix(numbers: readonly number[] | null): Matrix {
  if (numbers === null || numbers.length < 6) return IDENTITY;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbers;
  return [a, b, c, d, e, f];
}

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The box around a box after a map. */
export function mapBox(box: Box, [a, b, c, d, e, f]: Matrix): Box {
  const xs = [a * box.x0 + c * box.y0, a * box.x1 + c * box.y0, a * box.x0 + c * box.y1, a * box.x1 + c * box.y1];
  const ys = [b * box.x0 + d * box.y0, b * box.x1 + d * box.y0, b * box.x0 + d * box.y1, b * box.x1 + d * box.y1];
  return { x0: Math.min(...xs) + e, y0: Math.min(...ys) + f, x1: Math.max(...xs) + e, y1: Math.max(...ys) + f };
}

export function toBox(numbers: readonly number[] | null): Box | null {
  if (numbers === null || numbers.length < 4) return null;
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbers;
  return { x0: Math.min(x0, x1), y0: Math.min(y0, y1), x1: Math.max(x0, x1), y1: Math.max(y0, y1) };
}

export function intersect(first: Box, second: Box): Box {
  return { x0: Math.max(first.x0, second.x0), y0: Math.max(first.y0, second.y0), x1: Math.min(first.x1, second.x1), y1: Math.min(first.y1, second.y1) };
}

export function unite(first: Box, second: Box): Box {
  return { x0: Math.min(first.x0, second.x0), y0: Math.min(first.y0, second.y0), x1: Math.max(first.x1, second.x1), y1: Math.max(first.y1, second.y1) };
}

export function grown({ x0, y0, x1, y1 }: Box, by: number): Box {
  return { x0: x0 - by, y0: y0 - by, x1: x1 + by, y1: y1 + by };
}
