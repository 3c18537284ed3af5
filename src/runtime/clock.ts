/** Time as an argument: the service passes the real clock, tests one they move by hand. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump either way (a Raspberry Pi may have no clock chip). */
  now(): number;
  /** Calls `action` once, `delayMs` from now; returns its cancellation. */
  after(delayMs: number, action: () => void): () => void;
}

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, action) {
      const timer = setTimeout(action, delayMs);
      return () => {
        clearTimeout(timer);
      };
    },
  };
}

/** New identifiers: UUID version 7, so that records sort by the time they were made. */
export type NewId = () => string;
