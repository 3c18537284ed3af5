import { actorKind } from '../vocabulary.ts';
import { HotFolderContext } from './context.ts';
import type { HotFolderEvent } from './events.ts';
import { hotFolderMachine } from './machine.ts';

export { Work } from './context.ts';
export type { FileIdentity, FolderFailure, HotFolderContext, NamedFile, WorkResult } from './context.ts';
export type { Claim, ClaimOutput, Held, HotFolderEvent, LeaveOutput, ProcessOutput, StepInput } from './events.ts';
export { retriesLimit } from './machine.ts';

export const hotFolderKind = actorKind<typeof HotFolderContext, HotFolderEvent>({
  kind: 'hot-folder',
  version: 1,
  machine: hotFolderMachine,
  context: HotFolderContext,
  migrations: {},
});
