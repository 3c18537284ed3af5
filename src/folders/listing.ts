/** What lies in an inbox, seen without touching it. */
import { isUtf8 } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileIdentity } from '../../machines/index.ts';
import { identityOf, look } from './files.ts';
import { isLitter, isSidecarName, isTemporaryName, splitName } from './names.ts';
import type { FolderRules } from './rules.ts';

export interface ListedFile {
  readonly name: string;
  readonly identity: FileIdentity;
}

/** Something that will not be taken, and why. */
export interface Oddity {
  readonly name: string;
  readonly code: 'SYMBOLIC_LINK' | 'NOT_A_FILE' | 'UNKNOWN_FILE_TYPE' | 'FILE_NAME_UNREADABLE';
  readonly message: string;
}

export interface Listing {
  readonly files: readonly ListedFile[];
  readonly sidecars: readonly ListedFile[];
  readonly oddities: readonly Oddity[];
}

/** Names that are looked at together: enough for speed, few enough to leave the file system to others. */
const lookedAtOnce = 64;

export async function listInbox(directory: string, { extensions, hasSidecars }: FolderRules): Promise<Listing> {
  const files: ListedFile[] = [];
  const sidecars: ListedFile[] = [];
  const oddities: Oddity[] = [];
  const odd = (name: string, code: Oddity['code'], what: string): void => void oddities.push({ name, code, message: `${name} is not taken: ${what}.` });

  const take = async (raw: Buffer): Promise<void> => {
    const name = raw.toString('utf8');
    if (!isUtf8(raw)) {
      odd(name, 'FILE_NAME_UNREADABLE', 'its name is not valid UTF-8; give it another one');
      return;
    }
    if (isTemporaryName(name) || isLitter(name)) return;
    const stats = await look(join(directory, name));
    if (stats === null || stats.isDirectory()) return;
    if (stats.isSymbolicLink()) odd(name, 'SYMBOLIC_LINK', 'it is a symbolic link; put the file itself into the folder');
    else if (!stats.isFile()) odd(name, 'NOT_A_FILE', 'it is not a regular file');
    else if (extensions.includes(splitName(name).extension.toLowerCase())) files.push({ name, identity: identityOf(stats) });
    else if (hasSidecars && isSidecarName(name)) sidecars.push({ name, identity: identityOf(stats) });
    else odd(name, 'UNKNOWN_FILE_TYPE', `this folder takes ${extensions.join(' and ')} files`);
  };

  const names = await readdir(directory, { encoding: 'buffer' });
  for (let at = 0; at < names.length; at += lookedAtOnce) await Promise.all(names.slice(at, at + lookedAtOnce).map(take));
  return { files, sidecars, oddities };
}
