/** Time as an argument: the tests turn a fake one by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
