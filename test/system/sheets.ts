import type { ToolPath } from '../../src/gpgl/index.ts';

/** Cut geometry as shops have it, in millimetres of the mark frame. */

type Outline = (turn: number) => readonly [number, number];

function closedPath(points: number, outline: Outline): ToolPath {
  const pointsMm = new Float64Array(points * 2);
  for (let index = 0; index < points; index++) pointsMm.set(outline(index * 2 * Math.PI / points), index * 2);
  return { tool: 'cut', closed: true, pointsMm };
}

export function polygon(...numbers: number[]): ToolPath {
  return { tool: 'cut', closed: true, pointsMm: Float64Array.from(numbers) };
}

export function line(...numbers: number[]): ToolPath {
  return { tool: 'cut', closed: false, pointsMm: Float64Array.from(numbers) };
}

export function circle(x: number, y: number, radiusMm: number, points: number): ToolPath {
  return closedPath(points, (turn) => [x + radiusMm * Math.cos(turn), y + radiusMm * Math.sin(turn)]);
}

/** A contour with petals: neither straight nor round. */
export function flower(x: number, y: number, radiusMm: number, points: number): ToolPath {
  return closedPath(points, (turn) => {
    const radius = radiusMm * (0.8 + 0.2 * Math.cos(7 * turn));
    return [x + radius * Math.cos(turn), y + radius * Math.sin(turn)];
  });
}

/** As cut in gpgl-and-data-link.md section 5.3: 2560 mm in passes of 120 mm, side by side. */
export function zigzag(): ToolPath {
  const numbers: number[] = [];
  for (let pass = 0; pass <= 21; pass++) numbers.push(pass % 2 === 0 ? 0 : 120, pass * 0.1);
  return line(...numbers, 80, 2.2);
}

export function wave(lengthMm: number, points: number): ToolPath {
  return line(...Array.from({ length: points }, (_, index) => [lengthMm * index / points, 40 + 30 * Math.sin(index * 40 / points)]).flat());
}

/** A row after the other, from the origin on. */
export function grid(columns: number, rows: number, pitchMm: number, shape: (x: number, y: number) => ToolPath): ToolPath[] {
  return Array.from({ length: columns * rows }, (_, index) => shape((index % columns + 0.5) * pitchMm, (Math.floor(index / columns) + 0.5) * pitchMm));
}
