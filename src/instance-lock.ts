/**
 * One service for a data directory: the holder listens on a socket in Linux's abstract namespace, named after it.
 * The kernel lets go of it when the process ends, however it ends, so there is no stale lock to clean up.
 * Hole: it does not reach across containers with network namespaces of their own, nor across machines.
 */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';

export interface InstanceLock {
  release(): Promise<void>;
}

/** Null: another process holds it. */
export function acquireInstanceLock(what: string): Promise<InstanceLock | null> {
  const name = `\0kerf-${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(name, () => {
      server.unref();
      resolve({ release: () => close(server) });
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
