/**
 * One transaction at a time.
 * Guarantee: holders run strictly in the order in which they asked; a holder that throws still passes the lock on.
 * Hole: no fairness beyond first in, first out, and no limit on the queue; the callers are few and poll slowly.
 */
export interface FifoLock {
  /** Runs `work` when everything asked for earlier has finished. The lock is held until `work` settles. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when everything asked for so far has finished. */
  idle(): Promise<void>;
}

export function createFifoLock(): FifoLock {
  let tail: Promise<void> = Promise.resolve();
  return {
    run(work) {
      const turn = tail.then(work);
      tail = turn.then(() => undefined, () => undefined);
      return turn;
    },
    idle: () => tail,
  };
}
