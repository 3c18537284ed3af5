/** Both hot folders of the service. */
import { v5 as uuidV5 } from 'uuid';
import { createFolder, type Folder, type FolderOptions, type RetryResult } from './folder.ts';
import { folderIds, type FolderDirectories, type FolderId } from './rules.ts';

export interface HotFolderState {
  /** UUID version 5 of kind and name: the same at every start. */
  readonly id: string;
  readonly name: FolderId;
  readonly isRunning: boolean;
  readonly directories: FolderDirectories;
  /** Files in the inbox, and those that are to be tried again. */
  readonly waitingCount: number;
  /** Name of the file in hand. */
  readonly inProgress: string | null;
  /** The file in hand, or the folder itself, cannot go on for now. */
  readonly isHeld: boolean;
  readonly processedCount: number;
  readonly errorCount: number;
  readonly lastError: { readonly code: string; readonly message: string } | null;
  readonly lastProcessed: { readonly file: string; readonly at: number } | null;
}

export interface HotFolders {
  /** Makes the actors, and takes files where `run` says so. */
  start(run: Readonly<Record<FolderId, boolean>>): Promise<void>;
  /** No file is taken any more; steps that run go on until the runtime ends them. */
  stop(): Promise<void>;
  state(id: FolderId): HotFolderState;
  /** Resolves when it is on disk. */
  setRunning(id: FolderId, run: boolean): Promise<HotFolderState>;
  retry(id: FolderId, file: string): Promise<RetryResult>;
}

export interface HotFoldersOptions extends Omit<FolderOptions, 'id' | 'directories'> {
  readonly directories: Readonly<Record<FolderId, FolderDirectories>>;
}

/** Namespace of the ids of things that people know by name: version 5 of the DNS namespace and "kerf". */
const kerfNamespace = uuidV5('kerf', uuidV5.DNS);

export function createHotFolders(options: HotFoldersOptions): HotFolders {
  const { directories } = options;
  const folders: Readonly<Record<FolderId, Folder>> = {
    ingest: createFolder({ ...options, id: 'ingest', directories: directories.ingest }),
    print_prepare: createFolder({ ...options, id: 'print_prepare', directories: directories.print_prepare }),
  };
  const stateOf = (id: FolderId): HotFolderState => toState(id, folders[id], directories[id]);
  return {
    async start(run) {
      await Promise.all(folderIds.map((id) => folders[id].start(run[id])));
    },
    async stop() {
      await Promise.all(folderIds.map((id) => folders[id].stop()));
    },
    state: stateOf,
    async setRunning(id, run) {
      await folders[id].setRunning(run);
      return stateOf(id);
    },
    retry: (id, file) => folders[id].retry(file),
  };
}

function toState(name: FolderId, folder: Folder, directories: FolderDirectories): HotFolderState {
  const context = folder.context();
  const trouble = folder.trouble();
  return {
    id: uuidV5(`worker/${name}`, kerfNamespace),
    name,
    isRunning: context?.is_enabled ?? false,
    directories,
    waitingCount: folder.waitingCount(),
    inProgress: context?.work?.file.name ?? null,
    isHeld: trouble !== null || (context?.held ?? null) !== null,
    processedCount: context?.processed_count ?? 0,
    errorCount: context?.error_count ?? 0,
    lastError: trouble ?? context?.last_error ?? null,
    lastProcessed: context?.last_processed ?? null,
  };
}
