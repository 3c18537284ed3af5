// The commands the cutter knows, with how many numbers each takes (gpgl-and-data-link.md sections 1.2 and 1.3).

export interface CommandSpec {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Coordinates come in pairs: an odd count is an error. */
  readonly pairs: boolean;
  /** `[t]` in Graphtec's list: ETX, CR or LF must follow; a missing one is a data error (section 1.1). */
  readonly terminated: boolean;
  readonly kind: 'numbers' | 'text' | 'binary';
}

const MANY = 10_000_000;

const fixed = (min: number, max = min) => (name: string): CommandSpec =>
  ({ name, min, max, pairs: false, terminated: false, kind: 'numbers' });
const list = (min: number) => (name: string): CommandSpec =>
  ({ name, min, max: MANY, pairs: true, terminated: true, kind: 'numbers' });
const special = (kind: 'text' | 'binary') => (name: string): CommandSpec =>
  ({ name, min: 0, max: 0, pairs: false, terminated: true, kind });

const groups: readonly (readonly [(name: string) => CommandSpec, readonly string[]])[] = [
  [fixed(2), ['M', 'O', 'MP', 'OP', '\\', 'Z', '^']],
  [list(2), ['D', 'E', 'DP', 'EP']],
  [fixed(6, 7), ['W', 'WP']],
  [fixed(4, 5), [']']],
  [fixed(8), [')']],
  [fixed(9, 10), ['BZ']],
  [special('binary'), ['BD', 'BE']],
  [special('text'), ['P']],
  [fixed(1), ['L', 'B', 'T', 'F', 'FD', 'FO', 'FW', 'FM', 'FN', 'FY', 'TG', 'TJ', 'FQ', 'SO', 'BS', '"', 'R']],
  [fixed(1, 2), ['J', '!', 'FX', 'FE', 'FU', 'TF']],
  [fixed(1, 3), ['FC', 'FF']],
  [fixed(2, 3), ['*']],
  [fixed(3), ['&', '/']],
  [fixed(0), ['H', ':', ';', '[', 'U', 'V', '@', '#', '?', 'G', 'C', 'FG', 'FA', 'TT', 'TI', 'TO', 'TC']],
  // TBn,… : its own table below; always sent with a terminator by every source, so a missing one is an error here.
  [(name) => ({ name, min: 1, max: 5, pairs: false, terminated: true, kind: 'numbers' }), ['TB']],
  // Known, but what they draw is not simulated: they end in an error rather than in a wrong drawing.
  [fixed(0, MANY), ['RP', 'Y', '_', '^P', '>', 'K', 'N', 'SP', '(', '(P', 'RC', '$', 'S', 'Q', 'I', 'LP', 'A', 'X', '%', '=', 'FB']],
];

export const commands: ReadonlyMap<string, CommandSpec> =
  new Map(groups.flatMap(([make, names]) => names.map((name): [string, CommandSpec] => [name, make(name)])));

/** Numbers behind the number of a TB command. Undefined: an unknown TB command. */
export function markArity(code: number): { readonly min: number; readonly max: number } | undefined {
  switch (code) {
    case 0: case 99: case 44: case 70: case 71: return { min: 0, max: 0 };
    case 50: case 51: case 52: case 53: case 55: return { min: 1, max: 1 };
    case 23: case 24: case 54: case 57: case 59: case 72: return { min: 2, max: 2 };
    case 123: case 124: return { min: 2, max: 4 };
    default: return undefined;
  }
}
