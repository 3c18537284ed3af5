/** Code 39 (gpgl-and-data-link.md section 3). The table of the symbology stands here, because 44 rows are less than
 * a library on the way into every worker; a test compares it with one. */

/** In the order of their values for the check character. */
const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%';

/** Nine elements each, bars and spaces in turn; w is wide. */
const patterns: ReadonlyMap<string, string> = new Map([
  ['0', 'nnnwwnwnn'], ['1', 'wnnwnnnnw'], ['2', 'nnwwnnnnw'], ['3', 'wnwwnnnnn'], ['4', 'nnnwwnnnw'], ['5', 'wnnwwnnnn'],
  ['6', 'nnwwwnnnn'], ['7', 'nnnwnnwnw'], ['8', 'wnnwnnwnn'], ['9', 'nnwwnnwnn'], ['A', 'wnnnnwnnw'], ['B', 'nnwnnwnnw'],
  ['C', 'wnwnnwnnn'], ['D', 'nnnnwwnnw'], ['E', 'wnnnwwnnn'], ['F', 'nnwnwwnnn'], ['G', 'nnnnnwwnw'], ['H', 'wnnnnwwnn'],
  ['I', 'nnwnnwwnn'], ['J', 'nnnnwwwnn'], ['K', 'wnnnnnnww'], ['L', 'nnwnnnnww'], ['M', 'wnwnnnnwn'], ['N', 'nnnnwnnww'],
  ['O', 'wnnnwnnwn'], ['P', 'nnwnwnnwn'], ['Q', 'nnnnnnwww'], ['R', 'wnnnnnwwn'], ['S', 'nnwnnnwwn'], ['T', 'nnnnwnwwn'],
  ['U', 'wwnnnnnnw'], ['V', 'nwwnnnnnw'], ['W', 'wwwnnnnnn'], ['X', 'nwnnwnnnw'], ['Y', 'wwnnwnnnn'], ['Z', 'nwwnwnnnn'],
  ['-', 'nwnnnnwnw'], ['.', 'wwnnnnwnn'], [' ', 'nwwnnnwnn'], ['$', 'nwnwnwnnn'], ['/', 'nwnwnnnwn'], ['+', 'nwnnnwnwn'],
  ['%', 'nnnwnwnwn'], ['*', 'nwnnwnwnn'],
]);

/** The check character: values summed modulo 43. */
export function checkCharacter(text: string): string {
  let sum = 0;
  for (const character of text) {
    const value = characters.indexOf(character);
    if (value === -1) throw new RangeError(`Code 39 has no ${character}`);
    sum += value;
  }
  return characters.charAt(sum % characters.length);
}

/** What the bars say. F: front edge of roll media, R: rear edge; null: the standard form, which the Data Link refuses. */
export function code39Text(linkInfo: string, position: 'F' | 'R' | null): string {
  const content = linkInfo + (position ?? '');
  return `*${content}${checkCharacter(content)}*`;
}

/** Nine of 0-9A-Z; a first G is reserved by Graphtec. */
export function isLinkInfo(text: string): boolean {
  return /^[0-9A-FH-Z][0-9A-Z]{8}$/.test(text);
}

export interface Bar {
  /** From the first bar's outer edge, in the direction of reading. */
  readonly fromMm: number;
  readonly toMm: number;
}

/** The bars of a text that has its start and stop characters already. */
export function code39Bars(text: string, narrowMm: number, wideMm: number): { readonly bars: readonly Bar[]; readonly lengthMm: number } {
  const bars: Bar[] = [];
  let narrow = 0;
  let wide = 0;
  const along = () => narrow * narrowMm + wide * wideMm;
  Array.from(text).forEach((character, index) => {
    const pattern = patterns.get(character);
    if (pattern === undefined) throw new RangeError(`Code 39 has no ${character}`);
    if (index > 0) narrow++;
    for (let element = 0; element < pattern.length; element++) {
      const fromMm = along();
      if (pattern.charAt(element) === 'w') wide++;
      else narrow++;
      if (element % 2 === 0) bars.push({ fromMm, toMm: along() });
    }
  });
  return { bars, lengthMm: along() };
}
