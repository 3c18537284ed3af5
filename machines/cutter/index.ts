import { actorKind } from '../vocabulary.ts';
import { CutterContext } from './context.ts';
import type { CutterEvent } from './events.ts';
import { cutterMachine } from './machine.ts';

export { Vector } from './context.ts';
export type { CutterContext, HandOff, HandOffState, MachineInfo, OfferedJob } from './context.ts';
export type { ChosenJob, CutterEvent, CutterWarning, HandOverInput, HandOverOutput } from './events.ts';
export { NOT_COMMUNICATING, statusLabel } from './status.ts';

export const cutterKind = actorKind<typeof CutterContext, CutterEvent>({
  kind: 'cutter',
  version: 1,
  machine: cutterMachine,
  context: CutterContext,
  migrations: {},
});
