// The cutter's own reading of `ESC . letter parameters :` (gpgl-and-data-link.md sections 4.1 and 4.4). `d3` ends at ETX,
// everything else at a colon. Bytes that belong to no frame are handed on as raw: a job, or line noise.

export const ESC = 0x1b;
export const STX = 0x02;
export const ETX = 0x03;
export const RS = 0x1e;

const DOT = 0x2e;
const COLON = 0x3a;
const LETTER_D = 0x64;
const LETTER_UPPER_C = 0x43;
const LETTER_V = 0x76;
const DIGIT_3 = 0x33;

/** Longest frame: 8 names of 25 characters with their separators are 211 bytes; the rest is room for wrong ones. */
const MAX_FRAME_BYTES = 4096;

export interface Frame {
  readonly letter: 'd' | 'C' | 'v';
  /** What stands between the letter and the end: `1`, `31;9`, or for d3 `3` STX names. */
  readonly body: Buffer;
  readonly tooLong: boolean;
}

export type Taken =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly next: number }
  | { readonly kind: 'raw'; readonly bytes: Buffer; readonly next: number }
  | { readonly kind: 'more' };

function letterOf(byte: number | undefined): Frame['letter'] | undefined {
  switch (byte) {
    case LETTER_D: return 'd';
    case LETTER_UPPER_C: return 'C';
    case LETTER_V: return 'v';
    default: return undefined;
  }
}

/** Survives any packet boundary: what is not yet a whole frame stays held. */
export class FrameParser {
  #held: number[] = [];

  /** Reads on from `chunk[from]` and answers the next frame, or the next raw bytes, and where to go on. */
  take(chunk: Buffer, from: number): Taken {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (this.#held.length === 0) {
        if (byte !== ESC) return this.#rawRun(chunk, index);
        this.#held.push(byte);
      } else if (this.#held.length === 1) {
        if (byte !== DOT) return this.#release(index);
        this.#held.push(byte);
      } else if (this.#held.length === 2) {
        if (letterOf(byte) === undefined) return this.#release(index);
        this.#held.push(byte);
      } else {
        const frame = this.#inBody(byte);
        if (frame !== undefined) return { kind: 'frame', frame, next: index + 1 };
      }
    }
    return { kind: 'more' };
  }

  /** At the end of a connection: the bytes of an unfinished frame, which may be the end of a job. */
  flush(): Buffer {
    const rest = Buffer.from(this.#held);
    this.#held = [];
    return rest;
  }

  /** True while an `ESC` or `ESC .` is held that may still turn out to be data. */
  get holding(): boolean {
    return this.#held.length > 0;
  }

  #rawRun(chunk: Buffer, from: number): Taken {
    const escape = chunk.indexOf(ESC, from);
    const next = escape < 0 ? chunk.length : escape;
    return { kind: 'raw', bytes: chunk.subarray(from, next), next };
  }

  #release(next: number): Taken {
    return { kind: 'raw', bytes: this.flush(), next };
  }

  #inBody(byte: number): Frame | undefined {
    const held = this.#held;
    const isList = held[2] === LETTER_D && held[3] === DIGIT_3;
    if (byte === (isList ? ETX : COLON)) return this.#finish(false);
    held.push(byte);
    // A new command inside an unfinished one: the peer gave up on the first, so the cutter does too.
    const start = held.length - 3;
    if (start > 2 && held[start] === ESC && held[start + 1] === DOT && letterOf(byte) !== undefined) {
      this.#held = held.slice(start);
      return undefined;
    }
    return held.length > MAX_FRAME_BYTES ? this.#finish(true) : undefined;
  }

  #finish(tooLong: boolean): Frame {
    const frame: Frame = { letter: letterOf(this.#held[2]) ?? 'v', body: Buffer.from(this.#held.slice(3)), tooLong };
    this.#held = [];
    return frame;
  }
}

/** Reads the names of a d3 body. Undefined: not a list of 1 to 8 names of 1 to 25 characters 0x20-0x7E. */
export function readNames(body: Buffer): readonly string[] | undefined {
  if (body.length === 1) return [];
  if (body[1] !== STX) return undefined;
  const names = body.toString('latin1', 2).split(String.fromCharCode(RS));
  const valid = names.length <= 8 && names.every((name) => /^[\x20-\x7e]{1,25}$/.test(name));
  return valid ? names : undefined;
}

/** `5;0;60;400;0;0` as integers behind the command number. Undefined when one of them is not an integer. */
export function readIntegers(body: Buffer): readonly number[] | undefined {
  const parts = body.toString('latin1').split(';').slice(1);
  return parts.every((part) => /^[+-]?\d{1,7}$/.test(part)) ? parts.map(Number) : undefined;
}
