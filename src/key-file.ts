import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A key of 32 random bytes in a file only its owner can read; made at first use, on disk before it is used. */
export function readOrMakeKey(directory: string, name: string): Uint8Array {
  const path = join(directory, name);
  const known = readKey(path);
  if (known !== null) return known;
  const key = randomBytes(32);
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o600);
  writeSync(file, `${key.toString('base64')}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  const parent = openSync(directory, 'r');
  fsyncSync(parent);
  closeSync(parent);
  return key;
}

function readKey(path: string): Uint8Array | null {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    if (key.byteLength !== 32) throw new Error(`${path} does not hold a key of 32 bytes`);
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
