/** The note beside a refused file: what is wrong, in words for people, and which folder it came from. */
import { folderIds, type FolderId } from './rules.ts';

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly at: number;
  readonly preview?: { readonly svg: string; readonly png: string };
}

const retryPath: Readonly<Record<FolderId, string>> = { ingest: '/ingest/retry', print_prepare: '/print/retry' };

export function noteText(folder: FolderId, name: string, { code, detail, at, preview }: Refusal): string {
  return [
    code,
    detail,
    '',
    `file: ${name}`,
    `folder: ${folder}`,
    `time: ${new Date(at).toISOString()}`,
    ...(preview === undefined ? [] : [`picture, for an hour: ${preview.png} (or ${preview.svg})`]),
    `To try it again: POST ${retryPath[folder]} ${JSON.stringify({ file: name })}, or put the file into the inbox again.`,
    '',
  ].join('\n');
}

/** Which folder refused the file; null when the note does not say so. */
export function folderOfNote(text: string): FolderId | null {
  const named = /^folder: (\w+)$/m.exec(text)?.[1];
  return folderIds.find((id) => id === named) ?? null;
}
