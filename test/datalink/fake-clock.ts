import type { Clock } from '../../src/datalink/index.ts';

export interface FakeClock extends Clock {
  /** Moves the time on, running what falls due on the way. */
  advance(ms: number): void;
  /** Resolves when a timer of exactly this delay is pending. */
  timerOf(delayMs: number): Promise<void>;
  pendingDelays(): number[];
}

interface Timer { at: number; delayMs: number; action: () => void }

export function createFakeClock(): FakeClock {
  let now = 1_000_000;
  let timers: Timer[] = [];
  let waiters: { delayMs: number; resolve: () => void }[] = [];
  return {
    now: () => now,
    after(delayMs, action) {
      const timer = { at: now + delayMs, delayMs, action };
      timers.push(timer);
      for (const waiter of waiters.filter((one) => one.delayMs === delayMs)) waiter.resolve();
      waiters = waiters.filter((one) => one.delayMs !== delayMs);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.action();
      }
      now = end;
    },
    timerOf(delayMs) {
      if (timers.some((one) => one.delayMs === delayMs)) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ delayMs, resolve }));
    },
    pendingDelays: () => timers.map((one) => one.delayMs),
  };
}

/** Real time, for tests in which the wire itself is measured, and for those in which time plays no part. */
export const realClock: Clock = {
  now: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};
