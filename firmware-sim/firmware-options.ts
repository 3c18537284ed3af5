import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Log } from './log.ts';
import type { CutterModel } from './models.ts';

export interface Timings {
  /** Machine times, divided by the time scale. */
  readonly barcodeScanMs: number;
  readonly noJobDisplayMs: number;
  readonly otherServerMs: number;
  /** Protocol times (sections 4.4.5 and 4.4.8): real, whatever the time scale, because a server's own times do not scale. */
  readonly streamBeginMs: number;
  readonly serialIdleMs: number;
  /** A state that no server asks for is left after this long all the same, so that the panel works without a server. */
  readonly unreportedFallbackMs: number;
}

export const defaultTimings: Timings = {
  barcodeScanMs: 3_000,
  noJobDisplayMs: 10_000,
  otherServerMs: 10_000,
  streamBeginMs: 30_000,
  serialIdleMs: 2_000,
  unreportedFallbackMs: 60_000,
};

export interface FirmwareOptions {
  readonly model: CutterModel;
  readonly stepMm: number;
  readonly commandSetting: number;
  readonly timeScale: number;
  readonly timings: Timings;
  readonly unknownQueries: 'silent' | 'empty';
  readonly clock: Clock;
  readonly faults: Faults;
  readonly log: Log;
}
