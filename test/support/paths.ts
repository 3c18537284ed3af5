import { pathAt, readGeometry, strokePointsMm, type Geometry, type StepsPerMm, type StrokeCondition, type ToolPath, type ToolPaths } from '../../src/gpgl/index.ts';

/** Columns of paths as single ones, which tests compare more easily. */
export function listOf(paths: ToolPaths): ToolPath[] {
  return Array.from({ length: paths.count }, (_, index) => pathAt(paths, index));
}

/** Anything that holds paths in columns, with a list instead. */
export function withList<Reading extends { readonly paths: ToolPaths }>(reading: Reading): Omit<Reading, 'paths'> & { readonly paths: readonly ToolPath[] } {
  return { ...reading, paths: listOf(reading.paths) };
}

export interface Polyline extends StrokeCondition {
  readonly pointsMm: Float64Array;
}

export function polylinesOf({ strokes }: Geometry): Polyline[] {
  return Array.from({ length: strokes.count }, (_, index) => {
    const condition = strokes.conditions[strokes.conditionOf[index] ?? -1];
    if (condition === undefined) throw new Error(`stroke ${index} has no condition`);
    return { ...condition, pointsMm: strokePointsMm(strokes, index) };
  });
}

export function geometryOf(sequence: Uint8Array, stepsPerMm: StepsPerMm): Geometry {
  const read = readGeometry(sequence, stepsPerMm);
  if (!read.ok) throw new Error(read.failure.detail);
  return read.geometry;
}
