/** Job names: at most 25 printable ASCII characters (interfaces.md section 2.9), as the cutter's display has them. */

export const maxJobNameLength = 25;

export function isJobName(name: string): boolean {
  return name.length >= 1 && name.length <= maxJobNameLength && /^[\x20-\x7e]+$/.test(name) && name.trim() !== '';
}

/** What a file's name becomes: its stem, transliterated, cut to length; null when nothing printable is left. */
export function jobNameFromFile(fileName: string): string | null {
  const base = fileName.split(/[\\/]/).at(-1) ?? '';
  const stem = base.replace(/\.[A-Za-z0-9]{1,5}$/, '');
  const plain = transliterate(stem).replace(/[^\x20-\x7e]+/g, '').replace(/\s+/g, ' ').trim();
  const cut = plain.slice(0, maxJobNameLength).trim();
  return cut === '' ? null : cut;
}

/** Letters that Unicode does not decompose into ASCII and marks. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', ø: 'o', Ø: 'O', œ: 'oe', Œ: 'OE', đ: 'd', Đ: 'D', ł: 'l', Ł: 'L', ð: 'd', Ð: 'D', þ: 'th', Þ: 'Th', ı: 'i',
  '–': '-', '—': '-', '‘': "'", '’': "'", '“': '"', '”': '"', '…': '...',
};

function transliterate(text: string): string {
  const replaced = text.replace(/[^\x20-\x7e]/gu, (letter) => letters[letter] ?? letter);
  return replaced.normalize('NFKD').replace(/\p{M}+/gu, '');
}
