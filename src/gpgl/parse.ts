import { NumberWriter } from './bytes.ts';
import { commandAt, registrationCounts, type CommandForm } from './commands.ts';
import { ETX } from './units.ts';

export type GpglFailureCode =
  | 'UNKNOWN_COMMAND'
  | 'WRONG_PARAMETER_COUNT'
  | 'MALFORMED_NUMBER'
  | 'MALFORMED_BINARY'
  | 'MISSING_TERMINATOR'
  | 'UNEXPECTED_BYTE'
  | 'CONTROL_SEQUENCE'
  | 'TERMINATOR_REDEFINED';

export interface GpglFailure {
  readonly code: GpglFailureCode;
  readonly detail: string;
  /** Where in the sequence, in bytes from its start. */
  readonly offset: number;
}

/** Of one command, until the next is read. */
export interface Parameters {
  readonly length: number;
  at(index: number): number;
  copyFrom(start: number): Float64Array;
}

/** `offset`: of the name's first byte. `text`: what stands after the name of a text command. */
export type TakeCommand = (name: string, parameters: Parameters, offset: number, text: string | null) => void;

/**
 * Reads a whole command sequence, strictly (section 1.1): known commands with the right number of parameters,
 * numbers as `[+-]digits[.digits]`, spaces around them, ETX, CR or LF as terminators. A command with a limited number of
 * parameters may end with a comma instead; one of any length needs its terminator, and so does the last
 * command, because a sequence that stops in mid-number reads as a shorter one.
 *
 * `BD` and `BE` come out as coordinates. `ESC EOT` (initialise) is a command of that name; any other escape
 * belongs to the link and not to a job. `=` redefines terminators in a form that no source gives: refused.
 *
 * Command by command: a list of those of a long job takes ten times its memory. Null: it was read to its end.
 */
export function eachCommand(bytes: Uint8Array, take: TakeCommand): GpglFailure | null {
  return new Reader(bytes, take).read();
}

const ESC = 0x1b;
const EOT = 0x04;
const SPACE = 0x20;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;

function isTerminator(byte: number): boolean {
  return byte === ETX || byte === 0x0d || byte === 0x0a;
}

function isNumberStart(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d;
}

function shown(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}

/** Base and offset of the binary coordinates, by k (section 1.2). */
const binaryForms: ReadonlyMap<number, { readonly bytes: number; readonly base: number; readonly half: number }> = new Map([
  [1, { bytes: 2, base: 224, half: 112 }],
  [2, { bytes: 3, base: 3352, half: 1676 }],
  [3, { bytes: 5, base: 750964, half: 375482 }],
]);

/** So many fit into 32 bits. */
const mostPlainDigits = 9;

class Reader {
  readonly #bytes: Uint8Array;
  readonly #take: TakeCommand;
  /** Of the command that is being read. */
  readonly #numbers = new NumberWriter();
  #at = 0;
  #failure: GpglFailure | null = null;

  constructor(bytes: Uint8Array, take: TakeCommand) {
    this.#bytes = bytes;
    this.#take = take;
  }

  read(): GpglFailure | null {
    while (this.#failure === null && this.#at < this.#bytes.length) this.#command();
    return this.#failure;
  }

  #fail(code: GpglFailureCode, detail: string, offset: number): false {
    this.#failure ??= { code, detail: `${detail} (at byte ${offset})`, offset };
    return false;
  }

  #peek(ahead = 0): number {
    return this.#bytes[this.#at + ahead] ?? -1;
  }

  #command(): void {
    this.#numbers.truncate(0);
    const byte = this.#peek();
    if (byte === SPACE || isTerminator(byte)) {
      this.#at++;
      return;
    }
    const offset = this.#at;
    if (byte === ESC) {
      this.#escape(offset);
      return;
    }
    const form = commandAt(byte, Math.max(this.#peek(1), 0));
    if (form === undefined) {
      const isCommandLike = byte > SPACE && byte < 0x7f && !isNumberStart(byte) && byte !== COMMA;
      this.#fail(isCommandLike ? 'UNKNOWN_COMMAND' : 'UNEXPECTED_BYTE', `${shown(byte)} begins no command`, offset);
      return;
    }
    this.#at += form.name.length;
    this.#body(form, offset);
  }

  #escape(offset: number): void {
    if (this.#peek(1) !== EOT) {
      this.#fail('CONTROL_SEQUENCE', 'an escape sequence other than ESC EOT does not belong in a job', offset);
      return;
    }
    this.#at += 2;
    this.#take('ESC EOT', this.#numbers, offset, null);
  }

  #body(form: CommandForm, offset: number): void {
    let text: string | null = null;
    if (form.name === '=') {
      this.#fail('TERMINATOR_REDEFINED', 'the job redefines the terminators, which is not read', offset);
      return;
    }
    if (form.body === 'text') text = this.#text(form, offset);
    else if (form.body === 'binary') this.#binary(form, offset);
    else if (form.name === ':' || form.name === ';') this.#skipSpaces();
    else if (this.#list(form, offset)) this.#checkCount(form, offset);
    if (this.#failure !== null) return;
    this.#take(form.name, this.#numbers, offset, text);
  }

  #checkCount(form: CommandForm, offset: number): void {
    const count = this.#numbers.length;
    if (count < form.least || count > form.most || (form.group > 1 && (count - form.least) % form.group !== 0)) {
      const wanted = form.most === form.least ? `${form.least}`
        : `${form.least} to ${form.most === Infinity ? 'any number' : form.most}${form.group > 1 ? `, in groups of ${form.group}` : ''}`;
      this.#fail('WRONG_PARAMETER_COUNT', `${form.name} takes ${wanted} parameters, not ${count}`, offset);
      return;
    }
    if (form.name !== 'TB') return;
    const code = this.#numbers.at(0);
    const counts = registrationCounts(code);
    if (counts === undefined) this.#fail('UNKNOWN_COMMAND', `TB${code} is no registration command`, offset);
    else if (!counts.includes(count)) {
      this.#fail('WRONG_PARAMETER_COUNT', `TB${code} takes ${counts.map((each) => each - 1).join(' or ')} parameters, not ${count - 1}`, offset);
    }
  }

  /** Parameters and what ends them. */
  #list(form: CommandForm, offset: number): boolean {
    this.#skipSpaces();
    let open = true;
    if (isNumberStart(this.#peek())) {
      open = false;
      for (;;) {
        this.#plainNumbers();
        if (!this.#number(form)) return false;
        this.#skipSpaces();
        const byte = this.#peek();
        if (byte !== COMMA && !(byte === SEMICOLON && form.semicolon)) break;
        this.#at++;
        this.#skipSpaces();
        if (!isNumberStart(this.#peek())) {
          open = true;
          break;
        }
      }
    } else if (this.#peek() === COMMA) this.#at++;
    else open = false;
    return this.#end(form, offset, open);
  }

  /** `comma`: a comma came last, which ends a command of limited length. */
  #end(form: CommandForm, offset: number, comma: boolean): boolean {
    const byte = this.#peek();
    if (isTerminator(byte)) {
      this.#at++;
      return true;
    }
    if (comma && form.most !== Infinity) return true;
    if (byte === -1) return this.#fail('MISSING_TERMINATOR', `the sequence ends within ${form.name}`, offset);
    if (commandAt(byte, 0) !== undefined || comma) {
      return this.#fail('MISSING_TERMINATOR', `${form.name} is not ended before ${shown(byte)}`, this.#at);
    }
    return this.#fail('UNEXPECTED_BYTE', `${shown(byte)} within ${form.name}`, this.#at);
  }

  /** Whole numbers with nothing but a comma behind each and another number behind that, as a long job mostly has them. The
   * number they end before, and whatever is written otherwise, is left to be read with care. */
  #plainNumbers(): void {
    const bytes = this.#bytes;
    for (;;) {
      const start = this.#at;
      const isNegative = bytes[start] === 0x2d;
      const first = isNegative ? start + 1 : start;
      let at = first;
      let value = 0;
      for (let digit = (bytes[at] ?? 0) - 0x30; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - 0x30) {
        value = value * 10 + digit;
        at++;
      }
      if (at === first || at - first > mostPlainDigits || bytes[at] !== COMMA || !isNumberStart(bytes[at + 1] ?? 0)) return;
      this.#numbers.push(isNegative ? 0 - value : value);
      this.#at = at + 1;
    }
  }

  #number(form: CommandForm): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    const sign = bytes[at];
    if (sign === 0x2d || sign === 0x2b) at++;
    let value = 0;
    let digits = 0;
    let digit = (bytes[at] ?? 0) - 0x30;
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
      digit = (bytes[++at] ?? 0) - 0x30;
    }
    let divisor = 1;
    let whole = digits > 0;
    if (bytes[at] === 0x2e) {
      digit = (bytes[++at] ?? 0) - 0x30;
      whole &&= digit >= 0 && digit <= 9;
      while (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        divisor *= 10;
        digits++;
        digit = (bytes[++at] ?? 0) - 0x30;
      }
    }
    // 15 digits are exact in a double, and more than any machine has steps.
    if (!whole || digits > 15) return this.#fail('MALFORMED_NUMBER', `${form.name} has a number that cannot be read`, start);
    this.#numbers.push((sign === 0x2d ? -value : value) / divisor + 0);
    this.#at = at;
    return true;
  }

  #skipSpaces(): void {
    while (this.#peek() === SPACE) this.#at++;
  }

  #text(form: CommandForm, offset: number): string {
    const start = this.#at;
    const end = this.#terminator();
    if (end === -1) {
      this.#fail('MISSING_TERMINATOR', `the sequence ends within ${form.name}`, offset);
      return '';
    }
    this.#at = end + 1;
    return String.fromCharCode(...this.#bytes.subarray(start, Math.min(end, start + 1024)));
  }

  #terminator(): number {
    for (let at = this.#at; at < this.#bytes.length; at++) {
      if (isTerminator(this.#bytes[at] ?? 0)) return at;
    }
    return -1;
  }

  #binary(form: CommandForm, offset: number): void {
    const end = this.#terminator();
    if (end === -1) {
      this.#fail('MISSING_TERMINATOR', `the sequence ends within ${form.name}`, offset);
      return;
    }
    const layout = binaryForms.get(this.#peek() - 0x30);
    if (layout === undefined) {
      this.#fail('MALFORMED_BINARY', `${form.name} is followed by 1, 2 or 3`, this.#at);
      return;
    }
    const start = this.#at + 1;
    if (end === start || (end - start) % layout.bytes !== 0) {
      this.#fail('MALFORMED_BINARY', `${form.name} has ${end - start} bytes of data, not groups of ${layout.bytes}`, start);
      return;
    }
    for (let at = start; at < end; at += layout.bytes) {
      let index = 0;
      for (let place = layout.bytes - 1; place >= 0; place--) {
        const digit = (this.#bytes[at + place] ?? 0) - 0x20;
        if (digit < 0) {
          this.#fail('MALFORMED_BINARY', `a data byte below 0x20 in ${form.name}`, at + place);
          return;
        }
        index = index * 224 + digit;
      }
      const x = Math.floor(index / layout.base);
      if (x >= layout.base) {
        this.#fail('MALFORMED_BINARY', `a coordinate of ${form.name} is out of its range`, at);
        return;
      }
      this.#numbers.push(x - layout.half);
      this.#numbers.push(index - x * layout.base - layout.half);
    }
    this.#at = end + 1;
  }
}
