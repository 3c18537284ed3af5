/**
 * Claiming: a file leaves the place where it was found and is in hand.
 *
 * Guarantee: what is in hand is the file that was seen, and its SHA-256 is of those bytes. Another file that took its
 * place in the meantime is put back, never over anything. May be begun again after a crash at any point.
 */
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClaimOutput, FileIdentity, NamedFile, Work } from '../../machines/index.ts';
import { hashFile, identify, isMissing, isSameFile, look, makeDirectory, moveAnywhere, renameIntoFreeName, syncDirectory } from './files.ts';
import { noteName } from './names.ts';
import { claimFolder } from './rules.ts';

type Claimed = Exclude<ClaimOutput, { outcome: 'held' }>;

/** Begins with a point, as nothing that is claimed does. */
const partialCopy = '.kerf.part';

export async function claimFile(work: Work, now: () => number): Promise<Claimed> {
  const { claim_dir, source_dir, file, sidecars, from } = work;
  await makeDirectory(claim_dir);
  const notClaimed = async (detail: string): Promise<Claimed> => {
    await putBack(claim_dir, source_dir);
    return { outcome: 'not_claimed', detail, at: now() };
  };
  const found = await fetchFile(work, file);
  if (found === 'missing') return notClaimed('it was gone');
  if (found === 'changed') return notClaimed('it changed at that moment');
  for (const sidecar of sidecars) {
    if ((await fetchFile(work, sidecar)) !== 'fetched') return notClaimed(`${sidecar.name} beside it changed at that moment`);
  }
  const sha256 = await hashFile(join(claim_dir, file.name));
  if (from === 'errors') await rm(join(source_dir, noteName(file.name)), { force: true });
  for (const directory of [claim_dir, dirname(claim_dir), source_dir]) await syncDirectory(directory);
  return { outcome: 'claimed', sha256 };
}

/** Moves one file into the claim, if it is not there already. */
async function fetchFile({ claim_dir, source_dir }: Work, { name, identity }: NamedFile): Promise<'fetched' | 'changed' | 'missing'> {
  const [source, held] = [join(source_dir, name), join(claim_dir, name)];
  if ((await look(held)) === null) {
    try {
      await moveAnywhere(source, held, join(claim_dir, partialCopy));
    } catch (error) {
      if (isMissing(error)) return 'missing';
      throw error;
    }
  } else {
    // An earlier try copied it from another file system, and died before it removed the source.
    const left = await identify(source);
    if (left !== null && isSameFile(left, identity)) await rm(source, { force: true });
  }
  const inHand = await identify(held);
  return inHand !== null && isUnchanged(inHand, identity) ? 'fetched' : 'changed';
}

/** Not by inode: a copy has another, and some network file systems give a new one to a renamed file. */
function isUnchanged(inHand: FileIdentity, seen: FileIdentity): boolean {
  return inHand.size === seen.size && inHand.mtime_ns === seen.mtime_ns;
}

/** Empties a claim into the folder its files came from; names that are taken by now get a number. */
export async function putBack(claimDir: string, targetDir: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(claimDir)) {
    if (name.startsWith('.')) await rm(join(claimDir, name), { force: true });
    else names.push(await renameIntoFreeName(join(claimDir, name), targetDir, name));
  }
  await rmdir(claimDir);
  return names;
}

/**
 * Files in the claim folder that no durable record knows, as after the database was lost or set back: they go back
 * into the inbox, to be taken anew. Returns their names.
 */
export async function releaseStrays(inbox: string, inHand: string | null): Promise<string[]> {
  const root = join(inbox, claimFolder);
  await mkdir(root, { recursive: true });
  const released: string[] = [];
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (path === inHand) continue;
    if (entry.isDirectory()) released.push(...(await putBack(path, inbox)));
    else if (entry.isFile()) released.push(await renameIntoFreeName(path, inbox, entry.name));
  }
  return released;
}
