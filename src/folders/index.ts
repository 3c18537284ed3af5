/** Hot folders: files that are put into a directory become jobs and marked PDFs. */
export { folderEffects, type FolderEffectsOptions } from './effects.ts';
export type { RetryFailure, RetryResult } from './folder.ts';
export { createHotFolders, type HotFolders, type HotFoldersOptions, type HotFolderState } from './hot-folders.ts';
export type { FolderDirectories, FolderId } from './rules.ts';
