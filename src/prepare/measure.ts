import { boundsMm, cutLengthMm, estimateSeconds, readGeometry, segmentCount, travelLengthMm, type StepsPerMm } from '../gpgl/index.ts';
import type { JobGeometry } from '../jobs/index.ts';
import { jobGeometry } from './job-geometry.ts';

/**
 * What a GP-GL sequence comes to, when it is read as the strict parser reads it and everything in it that could draw is
 * worked out; null otherwise, since half a measure misleads. About 25 ms per megabyte.
 */
export function measureSequence(sequence: Uint8Array, stepsPerMm: StepsPerMm): JobGeometry | null {
  const read = readGeometry(sequence, stepsPerMm);
  if (!read.ok) return null;
  const { geometry } = read;
  const bounds = boundsMm(geometry);
  if (bounds === null || geometry.uninterpreted.length > 0) return null;
  const measured = { boundsMm: bounds, cutLengthMm: cutLengthMm(geometry), travelLengthMm: travelLengthMm(geometry), estimateSeconds: estimateSeconds(geometry) };
  return jobGeometry(measured, segmentCount(geometry), stepsPerMm);
}
