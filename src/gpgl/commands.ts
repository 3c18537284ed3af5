/** The commands of gpgl-and-data-link.md sections 1.2 and 1.3, with the number of parameters each may have. */

export interface CommandForm {
  readonly name: string;
  readonly least: number;
  /** Infinity: a variable-length command, which only a terminator ends. */
  readonly most: number;
  /** Parameters beyond `least` come in groups of this many. */
  readonly group: number;
  /** numbers, text up to the terminator, or base-224 data (`BD`, `BE`). */
  readonly body: 'numbers' | 'text' | 'binary';
  /** A `;` stands before the last pair (section 1.1). */
  readonly semicolon: boolean;
}

function form(name: string, least: number, most = least, more: Partial<CommandForm> = {}): CommandForm {
  return { name, least, most, group: 1, body: 'numbers', semicolon: false, ...more };
}

const many = Number.POSITIVE_INFINITY;

const forms: readonly CommandForm[] = [
  form('M', 2), form('O', 2), form('D', 2, many, { group: 2 }), form('E', 2, many, { group: 2 }),
  form('MP', 2), form('OP', 2), form('DP', 2, many, { group: 2 }), form('EP', 2, many, { group: 2 }), form('RP', 3),
  form('W', 6, 7), form(']', 4, 5), form('WP', 6, 7), form(')', 8),
  form('Y', 3, many, { group: 2, semicolon: true }), form('_', 3, many, { group: 2, semicolon: true }), form('BZ', 9, 10),
  form('L', 1), form('B', 1), form('J', 1, 2), form('!', 1, 2), form('*', 2, 3),
  form('FX', 1, 2), form('FC', 1, 3), form('FD', 1), form('\\', 2), form('Z', 2), form('[', 0), form('U', 0),
  form('^', 2), form('^P', 2, many), form('/', 3), form('&', 3), form('>', 0, many, { semicolon: true }),
  form('H', 0), form('SO', 1), form('T', 1), form('F', 1),
  // Text, symbols, axes and hatching: the list gives no counts for them.
  form('P', 0, many, { body: 'text' }), form('K', 0, many, { body: 'text' }), form('N', 0, many), form('SP', 0, many),
  form('(', 0, many), form('(P', 0, many, { semicolon: true }), form('RC', 0, many), form('$', 0, many), form('S', 0, many),
  form('Q', 0, many), form('R', 0, many), form('I', 0, many), form('LP', 0, many), form('A', 0, many), form('X', 0, many),
  form('%', 0, many, { semicolon: true }),
  form('V', 0), form('@', 0), form('#', 0), form('?', 0), form('G', 0), form('C', 0),
  form('"', 1), form(':', 0), form(';', 0), form('BS', 0, many),
  form('FG', 0), form('FW', 1), form('FE', 1, 2), form('FF', 3), form('FM', 1), form('FN', 1), form('FO', 1), form('FU', 1, 2),
  form('FY', 1), form('FA', 0), form('FB', 2), form('FQ', 1), form('TG', 1), form('TF', 2), form('TJ', 1), form('TT', 0),
  form('TI', 0), form('TO', 0), form('TC', 0),
  form('BD', 0, many, { group: 2, body: 'binary' }), form('BE', 0, many, { group: 2, body: 'binary' }),
  form('TB', 1, 5), form('=', 0, 2, { body: 'text' }),
];

/** Parameters of each `TB`, its number included (section 1.3). */
const registrationForms: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1]], [23, [3]], [24, [3]], [44, [1]], [50, [2]], [51, [2]], [52, [2]], [53, [2]], [54, [3]], [55, [2]], [57, [3]],
  [59, [3]], [70, [1]], [71, [1]], [72, [3]], [99, [1]], [123, [3, 5]], [124, [3, 5]],
]);

/** By the two bytes of the name. */
const formOfKey: readonly (CommandForm | undefined)[] = forms.reduce<(CommandForm | undefined)[]>((table, each) => {
  table[keyOf(each.name)] = each;
  return table;
}, new Array<CommandForm | undefined>(2 ** 16).fill(undefined));

function keyOf(name: string): number {
  return name.charCodeAt(0) * 256 + (name.length > 1 ? name.charCodeAt(1) : 0);
}

/** The command that begins with these two bytes; a name of two characters wins over one of one. */
export function commandAt(first: number, second: number): CommandForm | undefined {
  return formOfKey[first * 256 + second] ?? formOfKey[first * 256];
}

/** Which counts a `TB` of this number may have; undefined: there is no such `TB`. */
export function registrationCounts(number: number): readonly number[] | undefined {
  return registrationForms.get(number);
}
