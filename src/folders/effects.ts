/** The steps of a hot folder as durable effects, all of class `verify`: each finds out first what was done before. */
import Type from 'typebox';
import { Work, type Held } from '../../machines/index.ts';
import { defineEffect, type Effect } from '../runtime/index.ts';
import { claimFile } from './claim.ts';
import { faultOf } from './files.ts';
import { moveFileOut } from './leave.ts';
import type { ProcessTools } from './process-tools.ts';
import { processFile } from './process.ts';
import type { FolderDirectories, FolderId } from './rules.ts';

const Input = Type.Object({ folder: Type.Enum(['ingest', 'print_prepare']), work: Work });

export interface FolderEffectsOptions extends ProcessTools {
  readonly directories: Readonly<Record<FolderId, FolderDirectories>>;
}

/** By the names that the hot folder's machine invokes. */
export function folderEffects(options: FolderEffectsOptions): ReadonlyMap<string, Effect> {
  const { directories, now } = options;
  const step = (run: (folder: FolderId, work: Work, attempt: number) => Promise<unknown>): Effect =>
    defineEffect('verify', Input, async ({ folder, work }, { attempt, signal }) => {
      const output = await run(folder, work, attempt).catch((error: unknown) => heldBy(error, now()));
      // The service is gone but for its last breath. The step stays as it is on disk, and the next run takes it up.
      return signal.aborted ? never : output;
    });
  return new Map([
    ['claimFile', step((_folder, work) => claimFile(work, now))],
    ['processFile', step((folder, work, attempt) => processFile(folder, work, directories[folder], attempt, options))],
    ['moveFileOut', step((folder, work) => moveFileOut(folder, work, directories[folder], now))],
  ]);
}

const never = new Promise<never>(() => undefined);

/** What is wrong with disk or folders lets the file wait; anything else is a defect and is told as one. */
function heldBy(error: unknown, at: number): Held {
  const fault = faultOf(error);
  if (fault === null) throw error;
  return { outcome: 'held', code: fault.code, detail: fault.detail, at };
}
