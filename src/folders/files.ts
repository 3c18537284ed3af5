/** The file operations that claims and moves are made of. Everything here is safe to begin again. */
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileIdentity } from '../../machines/index.ts';
import { numberedName } from './names.ts';

/** Files are read and copied in pieces of this size. */
const pieceBytes = 1 << 20;

export function identityOf(stats: BigIntStats): FileIdentity {
  return { dev: String(stats.dev), ino: String(stats.ino), size: Number(stats.size), mtime_ns: String(stats.mtimeNs) };
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtime_ns === b.mtime_ns;
}

/** Null: there is nothing of this name. Symbolic links are not followed. */
export async function look(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The identity of the regular file at `path`; null when there is none, or something else. */
export async function identify(path: string): Promise<FileIdentity | null> {
  const stats = await look(path);
  return stats?.isFile() === true ? identityOf(stats) : null;
}

/** Opens a regular file; a symbolic link in its place is an error. */
export async function openRegular(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

async function eachPiece(path: string, take: (piece: Buffer) => Promise<void> | void): Promise<void> {
  const handle = await openRegular(path);
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, pieceBytes, null);
      if (bytesRead === 0) return;
      await take(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** SHA-256, hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await eachPiece(path, (piece) => void hash.update(piece));
  return hash.digest('hex');
}

/** The last `count` bytes. */
export async function readTail(path: string, count: number): Promise<Buffer> {
  const handle = await openRegular(path);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, count));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, Math.max(0, size - count));
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Writes what `fill` gives to `path`, over whatever an earlier try left there, and waits until it is on disk. */
async function writeDurably(path: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o644);
  try {
    await fill(handle);
    await handle.sync();
  } catch (error) {
    // On a full disk half a copy would only be in the way.
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await syncDirectory(dirname(path));
}

export function writeFileDurably(path: string, bytes: Uint8Array): Promise<void> {
  return writeDurably(path, (handle) => handle.writeFile(bytes));
}

/** Copies and returns the SHA-256 of what was copied. */
export async function copyDurably(from: string, to: string): Promise<string> {
  const hash = createHash('sha256');
  await writeDurably(to, (handle) => eachPiece(from, async (piece) => {
    hash.update(piece);
    await handle.writeFile(piece);
  }));
  return hash.digest('hex');
}

/** Makes names in a directory durable. Some network file systems cannot, and say so. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    if (!hasCode(error, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
  } finally {
    await handle.close();
  }
}

export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  if (!(await stat(path)).isDirectory()) throw new Error(`${path} is not a directory`);
}

/** Renames onto a name that nothing has: `name`, else "name-2" and so on. Returns the name taken. */
export async function renameIntoFreeName(from: string, directory: string, name: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const candidate = numberedName(name, count);
    if ((await look(join(directory, candidate))) !== null) continue;
    await rename(from, join(directory, candidate));
    await syncDirectory(directory);
    return candidate;
  }
}

/**
 * Renames; across file systems it copies to `temporary`, which is beside the goal, with the source's time. The source is
 * gone at the end. Durable when both directories have been synced.
 */
export async function moveAnywhere(from: string, to: string, temporary: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    await copyDurably(from, temporary);
    const { atimeMs, mtimeMs } = await lstat(from);
    await utimes(temporary, atimeMs / 1000, mtimeMs / 1000);
    await rename(temporary, to);
    await syncDirectory(dirname(to));
    await rm(from, { force: true });
  }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

export const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');

export interface Fault {
  readonly code: 'DISK_FULL' | 'FOLDER_UNUSABLE' | 'STORE_FULL';
  readonly detail: string;
}

/** A failure of disk, folder or store, which passes without the file's doing. Null: it is none, so it is a defect. */
export function faultOf(error: unknown): Fault | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const { code, message } = error;
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return { code: 'DISK_FULL', detail: `The disk is full (${message}). Make room; the file goes on by itself.` };
  if (code.startsWith('STORE_')) return { code: 'STORE_FULL', detail: `The database cannot be written (${message}). The file goes on by itself when it can.` };
  const isOfSystem = 'syscall' in error || /^E[A-Z0-9]+$/.test(code);
  return isOfSystem ? { code: 'FOLDER_UNUSABLE', detail: `A folder cannot be used (${message}). The file goes on by itself when it can.` } : null;
}
