import type { Tool } from './types.ts';

/** What marks a path as a cut: processing steps (ISO 19593-1) and names of spot colours. Source: pdf-cut-paths.md section 1. */

export type StepVerdict =
  | { readonly kind: 'tool'; readonly tool: Tool }
  /** A kind of cut that Kerf knows and does not make. */
  | { readonly kind: 'not-cut' }
  /** Not meant for a knife: varnish, white, dimensions, … */
  | { readonly kind: 'other' }
  | { readonly kind: 'unknown' };

const STRUCTURAL_TOOLS: ReadonlyMap<string, Tool> = new Map([
  ['Cutting', 'cut'],
  ['PartialCutting', 'kiss-cut'],
  ['Perforating', 'perforation'],
  ['Creasing', 'crease'],
]);

/** Recognised, not cut; so is every type that begins with "Reverse": it is done from the other side of the sheet. */
const STRUCTURAL_NOT_CUT: ReadonlySet<string> = new Set(['CuttingCreasing', 'PartialCuttingCreasing', 'Drilling', 'Punching', 'Folding']);

const STRUCTURAL_OTHER: ReadonlySet<string> = new Set([
  'Gluing', 'FoilStamping', 'ColdFoilStamping', 'Embossing', 'Debossing', 'Bleed', 'VarnishFree', 'InkFree',
  'InkVarnishFree', 'Stapling',
]);

const OTHER_GROUPS: ReadonlySet<string> = new Set(['Positions', 'Dimensions', 'Braille', 'Legend', 'White', 'Varnish']);

export function verdictOfStep(group: string, type: string | null): StepVerdict {
  if (OTHER_GROUPS.has(group)) return { kind: 'other' };
  if (group !== 'Structural' || type === null) return { kind: 'unknown' };
  const tool = STRUCTURAL_TOOLS.get(type);
  if (tool !== undefined) return { kind: 'tool', tool };
  if (type.startsWith('Reverse') || STRUCTURAL_NOT_CUT.has(type)) return { kind: 'not-cut' };
  return { kind: STRUCTURAL_OTHER.has(type) ? 'other' : 'unknown' };
}

export const CANONICAL_SPOT_COLOUR = 'CutContour';

/** Known names of other makers, normalised; taken only where the setting names them. */
const ALIASES: ReadonlyMap<string, Tool> = new Map([
  ['thrucut', 'cut'],
  ['throughcut', 'cut'],
  ['cutpath', 'cut'],
  ['cutline', 'cut'],
  ['diecut', 'cut'],
  ['dieline', 'cut'],
  ['stanze', 'cut'],
  ['kisscut', 'kiss-cut'],
  ['halfcut', 'kiss-cut'],
  ['perfcutcontour', 'perforation'],
  ['perf', 'perforation'],
  ['crease', 'crease'],
  ['score', 'crease'],
  ['fold', 'crease'],
]);

function normalise(name: string): string {
  return name.toLowerCase().replace(/[ \-_]/g, '');
}

export interface SpotMatch {
  readonly tool: Tool;
  readonly canonical: boolean;
}

/** Decides which inks cut, by the setting CUT_SPOT_COLORS: exact names without regard to case, `*` as a wildcard, and known
 * aliases without regard to case, spaces, `-` and `_` where the setting contains them. */
export function spotMatcher(settings: readonly string[]): (ink: string) => SpotMatch | null {
  const wildcards = settings.filter((entry) => entry.includes('*')).map((entry) => entry.trim().toLowerCase().split('*'));
  const exact = new Set(settings.map((entry) => entry.trim().toLowerCase()));
  const aliases = new Set([...exact].map(normalise).filter((entry) => ALIASES.has(entry)));
  return (ink) => {
    const lower = ink.toLowerCase();
    const normal = normalise(ink);
    if (!exact.has(lower) && !aliases.has(normal) && !wildcards.some((parts) => matchesWildcard(lower, parts))) return null;
    return { tool: ALIASES.get(normal) ?? 'cut', canonical: lower === CANONICAL_SPOT_COLOUR.toLowerCase() };
  };
}

/** Greedy and linear: a pattern of many stars must not search for ever in a hostile ink name. */
function matchesWildcard(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The tool that a name is known for among cutters' makers, whatever the setting says: for advice only. */
export function knownAlias(name: string): Tool | null {
  return ALIASES.get(normalise(name)) ?? null;
}
