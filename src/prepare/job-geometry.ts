import type { StepsPerMm } from '../gpgl/index.ts';
import type { JobGeometry } from '../jobs/index.ts';
import type { CutJob } from './types.ts';

/** Commands that a job's detail shows. */
export const previewedCommands = 24;

/** As the library keeps it. `segments`: straight pieces that are cut. */
export function jobGeometry({ boundsMm, cutLengthMm, travelLengthMm, estimateSeconds }: Omit<CutJob, 'commandSequence' | 'commandSha256'>, segments: number, stepsPerMm: StepsPerMm): JobGeometry {
  return {
    steps_per_mm: stepsPerMm,
    bounds_mm: { x0: boundsMm.minXMm, y0: boundsMm.minYMm, x1: boundsMm.maxXMm, y1: boundsMm.maxYMm },
    segments, cut_length_mm: cutLengthMm, travel_length_mm: travelLengthMm, estimate_seconds: estimateSeconds,
  };
}
