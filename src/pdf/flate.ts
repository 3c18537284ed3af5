import { inflateRawSync, inflateSync, constants } from 'node:zlib';
import type { Budget } from './limits.ts';

/** Inflates within the budget. Broken data yields what could be read before the break; `onDamage` is told of it, and of a wrong checksum. */
export function inflate(bytes: Uint8Array, budget: Budget, onDamage: () => void): Uint8Array {
  const whole = tryInflate(bytes, 'zlib', 'whole', budget);
  if (whole instanceof Uint8Array) return whole;
  // Where nothing but the checksum is missing, nothing is lost.
  const complete = whole === 'cut off' && tryInflate(bytes.subarray(2), 'raw', 'whole', budget) instanceof Uint8Array;
  if (!complete) onDamage();
  for (const container of ['zlib', 'raw'] as const) {
    const beginning = tryInflate(container === 'raw' ? bytes.subarray(2) : bytes, container, 'beginning', budget);
    if (beginning instanceof Uint8Array) return beginning;
  }
  return longestPrefix(bytes, budget);
}

/** With 'beginning', data that is cut off yields what there is. */
function tryInflate(bytes: Uint8Array, container: 'zlib' | 'raw', wanted: 'whole' | 'beginning', budget: Budget): Uint8Array | 'cut off' | 'broken' {
  if (bytes.length === 0) return new Uint8Array(0);
  const allowance = budget.streamAllowance();
  if (allowance === 0) budget.refuseStream();
  // Data that fits into one piece need not be copied together from many. What a piece leaves over takes no memory: it is never
  // written to. Content seldom shrinks to less than an eighth.
  const chunkSize = Math.max(1 << 14, Math.min(allowance, bytes.length * 8));
  const options = { chunkSize, maxOutputLength: allowance, finishFlush: wanted === 'whole' ? constants.Z_FINISH : constants.Z_SYNC_FLUSH };
  try {
    return container === 'raw' ? inflateRawSync(bytes, options) : inflateSync(bytes, options);
  } catch (error) {
    if (error instanceof RangeError) budget.refuseStream();
    return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR' ? 'cut off' : 'broken';
  }
}

/** zlib throws away what it had when it meets an error, so the place of the error is searched by halving. */
function longestPrefix(bytes: Uint8Array, budget: Budget): Uint8Array {
  let good = 0;
  let bad = bytes.length;
  let best: Uint8Array = new Uint8Array(0);
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const attempt = tryInflate(bytes.subarray(0, middle), 'zlib', 'beginning', budget);
    if (typeof attempt === 'string') bad = middle;
    else {
      budget.parsed(attempt.length);
      good = middle;
      best = attempt;
    }
  }
  return best;
}
