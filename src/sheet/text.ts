/** Advance widths of Helvetica Bold, in thousandths of the font size, from its published font metrics. */
const advances: ReadonlyMap<string, number> = new Map([
  ['-', 333], ['A', 722], ['B', 722], ['C', 722], ['D', 722], ['E', 667], ['F', 611], ['G', 778], ['H', 722], ['I', 278],
  ['J', 556], ['K', 722], ['L', 611], ['M', 833], ['N', 722], ['O', 778], ['P', 667], ['Q', 778], ['R', 722], ['S', 667],
  ['T', 611], ['U', 722], ['V', 667], ['W', 944], ['X', 667], ['Y', 667], ['Z', 611],
]);
const digitAdvance = 556;

/** Width of a link info and its position, as a multiple of the font size. */
export function textWidthEm(text: string): number {
  let total = 0;
  for (const character of text) total += advances.get(character) ?? digitAdvance;
  return total / 1000;
}
