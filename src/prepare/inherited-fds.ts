/**
 * File descriptors that a new process would get along with what is meant for it. Node opens its own so that they end with
 * the program; LMDB opens the database otherwise, and no process that reads files of strangers may have it.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { channelFd } from './channel.ts';

/** Linux, open(2): the descriptor is closed when another program starts. */
const closeOnExec = 0o2000000;

/** Of this process, beyond those that a worker is given; none where the system does not tell. */
export function inheritedFds(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter((fd) => fd > channelFd && isInherited(fd));
  } catch {
    return [];
  }
}

/** Linux, proc(5): the flags in /proc/self/fdinfo, in octal. */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The listing's own, which is closed again.
    return false;
  }
}

/** In the worker, before it reads anything: the numbers are those that the service told. One that a thread of the service closed meanwhile did not come along. */
export function closeInherited(fds: readonly string[]): void {
  for (const fd of fds) {
    try {
      closeSync(Number(fd));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EBADF')) throw error;
    }
  }
}
