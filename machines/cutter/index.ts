import { actorKind } from '../vocabulary.ts';
import { CutterContext } from './context.ts';
import type { CutterEvent } from './events.ts';
import { judge } from './judge.ts';
import { cutterMachine } from './machine.ts';

export { Vector } from './context.ts';
export type { CutterContext, HandOff, HandOffState, MachineInfo, OfferedJob } from './context.ts';
export type { ChosenJob, CutterEvent, CutterWarning, HandOverInput, HandOverOutput } from './events.ts';
export { NOT_COMMUNICATING, statusLabel } from './status.ts';

/** Whether a polled cutter that reports this status asks for the list of jobs: what the machine will decide, told at once to whom an operator waits for. */
export function asksForJobs(context: CutterContext, code: number, standingBy: boolean): boolean {
  return judge(context, { code, at: 0 }, standingBy).target === 'listing';
}

export const cutterKind = actorKind<typeof CutterContext, CutterEvent>({
  kind: 'cutter',
  version: 1,
  machine: cutterMachine,
  context: CutterContext,
  migrations: {},
});
