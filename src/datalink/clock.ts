/**
 * Time as an argument: the service passes a clock over the real timers, tests pass one they move by hand.
 * `now` may jump (a Raspberry Pi may have no clock chip); nothing in this room trusts a difference of two readings
 * without bounding it, and every deadline is an `after`.
 */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Calls `action` once, `delayMs` from now. Returns its cancellation, which may be called at any time. */
  after(delayMs: number, action: () => void): () => void;
}

/** Resolves after `delayMs` of the given clock. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** The time between two readings, bounded against a clock that was set in between. */
export function elapsedMs(sinceMs: number, nowMs: number, atMostMs: number): number {
  return Math.min(Math.max(nowMs - sinceMs, 0), atMostMs);
}
