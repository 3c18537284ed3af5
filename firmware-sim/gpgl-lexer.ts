import { commands, type CommandSpec } from './gpgl-commands.ts';

// GP-GL as bytes, read one at a time, so that a job may arrive in pieces of any size.

/** The prefix E01 for GP-GL is recalled (section 5.2); the last three digits are ours. */
export type GpglErrorCode = 'E01001' | 'E01002' | 'E01003' | 'E01004' | 'E01005';

export interface GpglError {
  readonly code: GpglErrorCode;
  readonly text: string;
  /** Byte offset in the job. */
  readonly offset: number;
}

export interface CommandSink {
  /** Answers an error text with its code, or undefined when the command was carried out. */
  execute(name: string, args: readonly number[]): { readonly code: GpglErrorCode; readonly text: string } | undefined;
  executeBinary(name: string, data: readonly number[]): { readonly code: GpglErrorCode; readonly text: string } | undefined;
}

const ETX = 0x03;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COMMA = 0x2c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** More digits than any step count needs; a longer number is line noise. */
const MAX_DIGITS = 15;

const endOfJobTails: readonly string[] = ['\x03TB0\x03', '\rTB0\x03', '\nTB0\x03', ',TB0\x03'];

const isTerminator = (byte: number): boolean => byte === ETX || byte === CR || byte === LF;

/** In mid-list after `12`, after `12 `, after `12,`, or before the first number. */
type NumberPlace = 'first' | 'in-number' | 'after-number' | 'after-comma';

export class GpglLexer {
  readonly #sink: CommandSink;
  readonly #chainsWithCommas: boolean;
  #error: GpglError | undefined;
  #offset = 0;
  #phase: 'idle' | 'mnemonic' | 'numbers' | 'text' | 'binary' | 'blocked' = 'idle';
  #mnemonic = '';
  #spec: CommandSpec | undefined;
  #args: number[] = [];
  #data: number[] = [];
  #place: NumberPlace = 'first';
  #sign = 1;
  #value = 0;
  #scale = 0;
  #digits = 0;
  #tail = '';
  #endOfJob = false;

  constructor(sink: CommandSink, options: { readonly chainsWithCommas: boolean }) {
    this.#sink = sink;
    this.#chainsWithCommas = options.chainsWithCommas;
  }

  get error(): GpglError | undefined {
    return this.#error;
  }

  /** Reads `chunk` from `from` on. With `stopAtEndOfJob` it stops behind `TB0` ETX. Answers the index behind the last byte read. */
  push(chunk: Buffer, from: number, stopAtEndOfJob: boolean): { readonly next: number; readonly endOfJob: boolean } {
    for (let index = from; index < chunk.length; index++) {
      const endOfJob = this.#step(chunk[index] ?? 0);
      if (stopAtEndOfJob && endOfJob) return { next: index + 1, endOfJob: true };
    }
    return { next: chunk.length, endOfJob: false };
  }

  /** The data ended: a command without its terminator is an error now, for it may be half of one. */
  end(): void {
    if (this.#phase === 'idle' || this.#phase === 'blocked') return;
    this.#fail('E01004', `the data ended inside the command ${this.#mnemonic}`);
  }

  /** True when this byte was the ETX of TB0. */
  #step(byte: number): boolean {
    this.#endOfJob = false;
    this.#byte(byte);
    this.#offset++;
    return this.#endOfJob;
  }

  #byte(byte: number): void {
    switch (this.#phase) {
      case 'idle': { this.#atStart(byte); return; }
      case 'mnemonic': { this.#inMnemonic(byte); return; }
      case 'numbers': { this.#inNumbers(byte); return; }
      case 'text': { if (byte === ETX) this.#run(); return; }
      case 'binary': { this.#inBinary(byte); return; }
      case 'blocked': { this.#whileBlocked(byte); return; }
    }
  }

  #atStart(byte: number): void {
    if (isTerminator(byte) || byte === SPACE || byte === COMMA) return;
    if (byte < SPACE || byte > 0x7e) { this.#fail('E01005', `byte 0x${byte.toString(16)} where a command should start`); return; }
    this.#mnemonic = String.fromCharCode(byte);
    this.#phase = 'mnemonic';
  }

  #inMnemonic(byte: number): void {
    const two = this.#mnemonic + String.fromCharCode(byte);
    const longer = commands.get(two);
    if (longer !== undefined) {
      this.#mnemonic = two;
      this.#begin(longer); return;
    }
    const spec = commands.get(this.#mnemonic);
    if (spec === undefined) { this.#fail('E01001', `unknown command ${JSON.stringify(two)}`, byte); return; }
    this.#begin(spec);
    this.#byte(byte);
  }

  #begin(spec: CommandSpec): void {
    this.#spec = spec;
    this.#args = [];
    this.#data = [];
    this.#place = 'first';
    this.#phase = spec.kind;
  }

  #inNumbers(byte: number): void {
    if (byte >= ZERO && byte <= NINE) { this.#digit(byte - ZERO); return; }
    switch (byte) {
      case COMMA: { this.#comma(); return; }
      case SPACE: { if (this.#place === 'in-number') this.#endNumber(); return; }
      case POINT: { this.#point(); return; }
      case PLUS: case MINUS: { this.#signOrCommand(byte); return; }
      default: break;
    }
    if (isTerminator(byte)) {
      if (this.#place === 'in-number') this.#endNumber();
      this.#run();
      if (byte === ETX && this.#mnemonic === 'TB' && this.#args.length === 1 && this.#args[0] === 0) this.#endOfJob = true;
      return;
    }
    this.#nextCommand(byte);
  }

  #digit(digit: number): void {
    if (this.#place === 'after-number') { this.#fail('E01003', `two numbers without a comma in ${this.#mnemonic}`); return; }
    if (this.#place !== 'in-number') this.#startNumber(1);
    if (++this.#digits > MAX_DIGITS) { this.#fail('E01003', `a number of more than ${MAX_DIGITS} digits in ${this.#mnemonic}`); return; }
    this.#value = this.#value * 10 + digit;
    this.#scale *= 10;
  }

  #point(): void {
    if (this.#place !== 'in-number' || this.#scale > 0) { this.#fail('E01003', `a point out of place in ${this.#mnemonic}`); return; }
    this.#scale = 1;
  }

  #signOrCommand(byte: number): void {
    if (this.#place === 'in-number' || this.#place === 'after-number') {
      this.#fail('E01003', `a sign inside a number in ${this.#mnemonic}`); return;
    }
    this.#startNumber(byte === MINUS ? -1 : 1);
  }

  #startNumber(sign: number): void {
    this.#place = 'in-number';
    this.#sign = sign;
    this.#value = 0;
    this.#scale = 0;
    this.#digits = 0;
  }

  #endNumber(): void {
    if (this.#digits === 0) { this.#fail('E01003', `a sign without digits in ${this.#mnemonic}`); return; }
    this.#args.push((this.#sign * this.#value) / (this.#scale > 1 ? this.#scale : 1));
    this.#place = 'after-number';
  }

  #comma(): void {
    if (this.#place === 'in-number') this.#endNumber();
    if (this.#phase === 'blocked') return;
    if (this.#place !== 'after-number') { this.#fail('E01003', `a number is missing in ${this.#mnemonic}`); return; }
    this.#place = 'after-comma';
    const spec = this.#spec;
    // A trailing comma can end a command of fixed length (section 1.1).
    if (spec !== undefined && !spec.terminated && this.#args.length === spec.max) this.#run();
  }

  #nextCommand(byte: number): void {
    const spec = this.#spec;
    if (this.#place === 'in-number') this.#endNumber();
    if (this.#phase === 'blocked' || spec === undefined) return;
    if (byte < SPACE || byte > 0x7e) { this.#fail('E01005', `byte 0x${byte.toString(16)} inside ${this.#mnemonic}`); return; }
    const chained = this.#chainsWithCommas && this.#place === 'after-comma';
    if (spec.terminated && !chained) { this.#fail('E01004', `${this.#mnemonic} is not terminated before ${String.fromCharCode(byte)}`); return; }
    this.#run();
    this.#byte(byte);
  }

  #inBinary(byte: number): void {
    if (byte !== ETX) {
      this.#data.push(byte);
      return;
    }
    this.#run();
  }

  #run(): void {
    const spec = this.#spec;
    if (this.#phase === 'blocked' || spec === undefined) return;
    this.#phase = 'idle';
    const count = this.#args.length;
    if (spec.kind === 'numbers' && (count < spec.min || count > spec.max || (spec.pairs && count % 2 !== 0))) {
      this.#fail('E01002', `${spec.name} with ${count} numbers`); return;
    }
    const wrong = spec.kind === 'binary'
      ? this.#sink.executeBinary(spec.name, this.#data)
      : this.#sink.execute(spec.name, this.#args);
    if (wrong !== undefined) this.#fail(wrong.code, wrong.text);
  }

  /** "A missing one is a data error that blocks later commands": after the first error nothing is carried out any more. */
  #fail(code: GpglErrorCode, text: string, byte?: number): void {
    this.#error ??= { code, text, offset: this.#offset };
    this.#phase = 'blocked';
    this.#tail = byte === undefined ? '' : String.fromCharCode(byte);
  }

  /** Only the end of the job is still looked for, so that a serial line comes back to its commands. */
  #whileBlocked(byte: number): void {
    this.#tail = (this.#tail + String.fromCharCode(byte)).slice(-5);
    if (byte === ETX) this.#endOfJob = endOfJobTails.includes(this.#tail) || this.#tail === 'TB0\x03';
  }
}
