/**
 * Tells that something happened in a directory. A hint and no more: what is there is found out by looking, and a slow
 * look comes without any hint, since network shares send none.
 */
import { watch } from 'chokidar';

export interface Watch {
  close(): Promise<void>;
}

export function watchDirectory(directory: string, onHint: () => void, onTrouble: (error: unknown) => void): Watch {
  // Everything inside is ignored, so that chokidar holds one watch on the directory and none on each of its files;
  // the directory's own events still come through as raw ones.
  const watcher = watch(directory, { ignoreInitial: true, followSymlinks: false, depth: 0, ignored: (path) => path !== directory });
  watcher.on('raw', onHint);
  // What came between the last look and the first watch made no event.
  watcher.on('ready', onHint);
  watcher.on('error', onTrouble);
  return { close: () => watcher.close() };
}
