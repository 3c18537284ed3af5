/** When a delivery is tried (api-decisions.md section 7). */

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Pause before each attempt; the last one that fails makes a dead letter. */
export const attemptDelaysMs: readonly number[] = [
  0, 5 * seconds, 5 * minutes, 30 * minutes, 2 * hours, 5 * hours, 10 * hours, 14 * hours, 20 * hours, 24 * hours,
];

const jitterShare = 0.2;

/** A receiver cannot push an attempt further away than the schedule's own longest pause. */
const longestRetryAfterMs = 24 * hours;

/**
 * The pause before the attempt after `attempts` failed ones; null when there is none.
 * `jitter` is a random number from -1 to 1, `retryAfterMs` what the receiver asked for: it is never shortened by jitter.
 */
export function nextPauseMs(attempts: number, jitter: number, retryAfterMs: number | null): number | null {
  const delayMs = attemptDelaysMs[attempts];
  if (delayMs === undefined) return null;
  const scattered = Math.round(delayMs * (1 + jitterShare * Math.max(-1, Math.min(1, jitter))));
  return Math.max(scattered, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}
