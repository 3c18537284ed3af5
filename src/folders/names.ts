/** What file names say, and which names files get (api-decisions.md section 9). Pure. */

/** Longest file name of the file systems we meet, in bytes. */
const longestName = 255;

export interface NameParts {
  readonly stem: string;
  /** With its point, as written; empty without one. */
  readonly extension: string;
}

export function splitName(name: string): NameParts {
  const point = name.lastIndexOf('.');
  return point <= 0 ? { stem: name, extension: '' } : { stem: name.slice(0, point), extension: name.slice(point) };
}

export const isPdfName = (name: string): boolean => splitName(name).extension.toLowerCase() === '.pdf';

/** Names that programs give to files they have not finished, and names that are not meant to be seen. */
export function isTemporaryName(name: string): boolean {
  return /^(~\$|\.)/.test(name) || /\.(part|tmp|crdownload)$/i.test(name);
}

/** Litter of file browsers: nobody wants to hear that it was not taken. */
export function isLitter(name: string): boolean {
  return /^(thumbs\.db|desktop\.ini|icon\r)$/i.test(name);
}

/** The barcode in a file name: the last run of exactly 9 of 0-9A-Z that does not begin with G. */
export function linkInfoInName(name: string): string | null {
  const runs = splitName(name).stem.match(/(?<![0-9A-Z])[0-9A-Z]{9}(?![0-9A-Z])/g) ?? [];
  return runs.filter((run) => !run.startsWith('G')).at(-1) ?? null;
}

/** In the order in which they count. */
const sidecarEndings = ['.job.json', '.meta.json', '.json'] as const;

export function isSidecarName(name: string): boolean {
  return /\.json$/i.test(name);
}

/** How `sidecar` ends beyond the stem of `name`; null when it is none of its sidecars. Composed and decomposed letters are the same. */
export function sidecarEnding(sidecar: string, name: string): (typeof sidecarEndings)[number] | null {
  const stem = splitName(name).stem.normalize('NFC');
  const ending = sidecarEndings.find((each) => sidecar.slice(-each.length).toLowerCase() === each && sidecar.slice(0, -each.length).normalize('NFC') === stem);
  return ending ?? null;
}

/** Names of the sidecars of `name` among `names`, the one that counts first. */
export function sidecarsOf(name: string, names: Iterable<string>): string[] {
  const ranked = [...names].flatMap((each) => {
    const ending = sidecarEnding(each, name);
    return ending === null ? [] : [{ each, rank: sidecarEndings.indexOf(ending) }];
  });
  return ranked.sort((a, b) => a.rank - b.rank || (a.each < b.each ? -1 : 1)).map(({ each }) => each);
}

/** `stem` and what follows it, the stem shortened where a file system would not take the name. */
export function fittingName(stem: string, rest: string): string {
  const room = longestName - Buffer.byteLength(rest);
  let kept = stem;
  while (Buffer.byteLength(kept) > room) kept = kept.replace(/.$/su, '');
  return kept + rest;
}

export function outputName(inputName: string, linkInfo: string): string {
  return fittingName(splitName(inputName).stem, `_${linkInfo}.pdf`);
}

/** `flyer_20260131T142501.123Z.pdf`. */
export function processedName(inputName: string, at: number): string {
  const { stem, extension } = splitName(inputName);
  return fittingName(stem, `_${new Date(at).toISOString().replaceAll(/[-:]/g, '')}${extension}`);
}

/** The `count`th name to try where names are taken: "flyer.pdf", "flyer-2.pdf", "flyer-3.pdf" … */
export function numberedName(name: string, count: number): string {
  if (count <= 1) return name;
  const { stem, extension } = splitName(name);
  return fittingName(stem, `-${count}${extension}`);
}

export const noteEnding = '.error.txt';

/** The note beside a refused file. */
export function noteName(name: string): string {
  return fittingName(name, noteEnding);
}

/** A single name inside a folder: no way out of it, and nothing a terminal or a header would stumble over. */
export function isPlainFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= longestName && !/[/\u0000-\u001f\u007f]/.test(name);
}
