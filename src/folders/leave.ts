/**
 * Leaving: the file in hand goes to the processed folder or to the error folder, by copy, fsync, rename, unlink, since
 * these may be on another file system.
 *
 * Guarantee: the file in hand is removed last. As long as it is there, everything is done again, and what an earlier
 * try left in place is recognised by its content; once it is gone, all is done.
 */
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LeaveOutput, Work, WorkResult } from '../../machines/index.ts';
import { copyDurably, hashFile, look, makeDirectory, syncDirectory, writeFileDurably } from './files.ts';
import { fittingName, noteName, numberedName, processedName, sidecarEnding, splitName } from './names.ts';
import { noteText } from './note.ts';
import type { FolderDirectories, FolderId } from './rules.ts';

type Left = Exclude<LeaveOutput, { outcome: 'held' }>;

export async function moveFileOut(folder: FolderId, work: Work, { processed, errors }: FolderDirectories, now: () => number): Promise<Left> {
  const { claim_dir, file, sidecars, result } = work;
  if (result === null) throw new Error('a file leaves only when it is known what became of it');
  const held = join(claim_dir, file.name);
  if ((await look(held)) === null) {
    await dropClaim(claim_dir);
    return { outcome: 'left', as: file.name, at: now() };
  }
  const [target, wanted] = result.outcome === 'done' ? [processed, processedName(file.name, result.at)] : [errors, file.name];
  await makeDirectory(target);
  const name = await copyInto(target, wanted, held, work.claim_id);
  for (const sidecar of sidecars) {
    const path = join(claim_dir, sidecar.name);
    if ((await look(path)) !== null) await copyInto(target, companionName(sidecar.name, file.name, name), path, work.claim_id);
  }
  if (result.outcome === 'refused') await writeNote(target, name, folder, work, result);
  for (const sidecar of sidecars) await rm(join(claim_dir, sidecar.name), { force: true });
  await rm(held, { force: true });
  await dropClaim(claim_dir);
  return { outcome: 'left', as: name, at: now() };
}

/** Returns the name the copy has: `wanted`, or with a number where that is another file's. */
async function copyInto(directory: string, wanted: string, from: string, claimId: string): Promise<string> {
  const sha256 = await hashFile(from);
  const temporary = join(directory, `.kerf-${claimId}.part`);
  for (let count = 1; ; count += 1) {
    const name = numberedName(wanted, count);
    const there = await look(join(directory, name));
    if (there === null) {
      await copyDurably(from, temporary);
      await rename(temporary, join(directory, name));
      await syncDirectory(directory);
      return name;
    }
    if (there.isFile() && (await hashFile(join(directory, name))) === sha256) {
      await rm(temporary, { force: true });
      return name;
    }
  }
}

/** The sidecar keeps belonging to its file: "flyer.job.json" beside "flyer-2.pdf" is "flyer-2.job.json". */
function companionName(sidecar: string, original: string, renamed: string): string {
  return fittingName(splitName(renamed).stem, sidecarEnding(sidecar, original) ?? '.json');
}

async function writeNote(directory: string, name: string, folder: FolderId, work: Work, refusal: Extract<WorkResult, { outcome: 'refused' }>): Promise<void> {
  const temporary = join(directory, `.kerf-${work.claim_id}.part`);
  await writeFileDurably(temporary, new TextEncoder().encode(noteText(folder, name, refusal)));
  await rename(temporary, join(directory, noteName(name)));
  await syncDirectory(directory);
}

async function dropClaim(claimDir: string): Promise<void> {
  await rm(claimDir, { recursive: true, force: true });
  if ((await look(dirname(claimDir))) !== null) await syncDirectory(dirname(claimDir));
}
