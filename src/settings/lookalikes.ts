import type { SettingWarning } from './problems.ts';

/**
 * Warns about variables that are probably misspelt settings: `API_PROT`, `CUTTER`, `api_port`, `KERF_API_KEY`.
 * A shell's environment is full of strangers, so only near misses count: two edits for a name of eight letters
 * or more, one for a shorter name.
 */
export function lookalikeWarnings(names: readonly string[], known: readonly string[]): SettingWarning[] {
  const knownSet = new Set(known);
  const warnings: SettingWarning[] = [];
  for (const name of names) {
    if (knownSet.has(name)) continue;
    const meant = known.find((candidate) => looksLike(name, candidate));
    if (meant === undefined) continue;
    warnings.push({
      variable: name,
      code: 'LOOKS_LIKE',
      detail: `${name} is not a setting of Kerf and is ignored; did you mean ${meant}?`,
    });
  }
  return warnings;
}

function looksLike(name: string, known: string): boolean {
  const upper = name.toUpperCase();
  if (upper.replaceAll(/[_-]/g, '') === known.replaceAll('_', '')) return true;
  if (upper === `KERF_${known}`) return true;
  const allowedEdits = known.length >= 8 ? 2 : 1;
  return editDistance(upper, known, allowedEdits) <= allowedEdits;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. Gives up above `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      current.push(best);
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
