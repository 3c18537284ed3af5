/** A clock that stands still until a test moves it. Actions run in the order of their due times. */
export interface FakeClock {
  now(): number;
  after(delayMs: number, action: () => void): () => void;
  /** Moves on, and runs what falls due, letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock without running anything: a jump, as after a time server answered. */
  jumpTo(ms: number): void;
}

export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  let nowMs = startMs;
  let elapsedMs = 0;
  const pending = new Set<{ dueMs: number; action: () => void }>();
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => nowMs,
    after(delayMs, action) {
      const entry = { dueMs: elapsedMs + delayMs, action };
      pending.add(entry);
      return () => pending.delete(entry);
    },
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      for (;;) {
        await settle();
        const next = [...pending].filter((entry) => entry.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        pending.delete(next);
        nowMs += next.dueMs - elapsedMs;
        elapsedMs = next.dueMs;
        next.action();
      }
      nowMs += untilMs - elapsedMs;
      elapsedMs = untilMs;
      await settle();
    },
    jumpTo(ms) {
      nowMs = ms;
    },
  };
}
