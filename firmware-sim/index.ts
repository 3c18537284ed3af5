export { systemClock, type Clock } from './clock.ts';
export type { DrawingReport } from './drawing.ts';
export type { Failure, FailureCode, Outcome } from './failure.ts';
export { faultNames, type Fault, type FaultMode, type FaultName } from './faults.ts';
export { defaultTimings, type Timings } from './firmware-options.ts';
export type { LogEntry } from './log.ts';
export { models, type CutterModel } from './models.ts';
export type { Panel } from './panel.ts';
export type { JobReport, StateReport } from './report.ts';
export type { SheetGeometry } from './sheet-check.ts';
export type { FirmwareEvent } from './stage.ts';
export type { CutterAddresses, CutterOptions, CutterSimulator } from './simulator.ts';
import { CutterSimulator, type CutterOptions } from './simulator.ts';

/** A cutter, not yet started. Throws on an unknown model name. */
export function createCutter(options: CutterOptions): CutterSimulator {
  return new CutterSimulator(options);
}
