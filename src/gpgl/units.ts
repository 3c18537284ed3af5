/** What both sides of the cutter's language share. Coordinates are in the mark frame: origin mark 1,
 * X the media feed, Y the carriage (gpgl-and-data-link.md sections 1.1 and 2). */

export type Tool = 'cut' | 'kiss-cut' | 'perforation' | 'crease';

export interface ToolPath {
  readonly tool: Tool;
  /** The path returns to its first point; the first point is then not repeated at the end. */
  readonly closed: boolean;
  /** x0, y0, x1, y1, … in millimetres. */
  readonly pointsMm: Float64Array;
}

/** Panel item GP-GL STEP SIZE: 0.1, 0.05, 0.025 or 0.01 mm (section 1.1). */
export type StepsPerMm = 10 | 20 | 40 | 100;

export const stepSizes: readonly StepsPerMm[] = [10, 20, 40, 100];

export interface MarkBlock {
  readonly armMm: number;
  /** 1: arms point outward, 2: arms point inward (section 2). */
  readonly markType: number;
  readonly feedDistanceMm: number;
  readonly carriageDistanceMm: number;
}

export interface BoundsMm {
  readonly minXMm: number;
  readonly minYMm: number;
  readonly maxXMm: number;
  readonly maxYMm: number;
}

export const ETX = 0x03;

/** Halves go up, on both sides of zero: a shape moved by whole steps keeps its form. */
export function toSteps(lengthMm: number, stepsPerMm: StepsPerMm): number {
  // Adding 0 turns −0 into 0.
  return Math.round(lengthMm * stepsPerMm) + 0;
}
