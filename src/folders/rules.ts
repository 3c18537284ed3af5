/** The two folders, and in what they differ. */
export type FolderId = 'ingest' | 'print_prepare';

export const folderIds: readonly FolderId[] = ['ingest', 'print_prepare'];

export interface FolderRules {
  /** Lower case, with their points. */
  readonly extensions: readonly string[];
  readonly hasSidecars: boolean;
}

export const folderRules: Readonly<Record<FolderId, FolderRules>> = {
  ingest: { extensions: ['.pdf', '.gpgl'], hasSidecars: true },
  print_prepare: { extensions: ['.pdf'], hasSidecars: false },
};

/** Absolute paths. */
export interface FolderDirectories {
  readonly inbox: string;
  readonly processed: string;
  /** Null: nothing comes out of this folder but jobs. */
  readonly outbox: string | null;
  readonly errors: string;
}

/** Inside the inbox: files in hand, each in a folder of its own. */
export const claimFolder = '.kerf';

/** How many of a PDF's last bytes must hold its end mark (api-decisions.md section 9). */
export const endMarkWindowBytes = 1024;
export const endMark = '%%EOF';

export function hasEndMark(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-endMarkWindowBytes)).includes(endMark);
}

/** A PDF without its end mark is taken after it stood still for this long, and refused. */
export const unfinishedQuietMs = 15_000;
