import { CLASS_OF, WHITE, hexValue } from './characters.ts';
import type { Budget } from './limits.ts';

/** A byte buffer that grows up to the allowance. */
class Output {
  private buffer: Uint8Array;
  private length = 0;
  private readonly budget: Budget;
  private readonly allowance: number;

  constructor(expected: number, budget: Budget) {
    this.budget = budget;
    this.allowance = budget.streamAllowance();
    this.buffer = new Uint8Array(Math.min(Math.max(64, expected), Math.max(64, this.allowance)));
  }

  push(code: number): void {
    if (this.length >= this.buffer.length) this.grow();
    this.buffer[this.length] = code;
    this.length += 1;
  }

  private grow(): void {
    if (this.length >= this.allowance) this.budget.refuseStream();
    const larger = new Uint8Array(Math.min(this.allowance, this.buffer.length * 2));
    larger.set(this.buffer);
    this.buffer = larger;
  }

  take(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}

export function asciiHex(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array((bytes.length >> 1) + 1);
  let length = 0;
  let high = -1;
  for (const code of bytes) {
    if (code === 0x3e) break;
    const value = hexValue(code);
    if (value < 0) continue;
    if (high < 0) high = value;
    else {
      out[length] = high * 16 + value;
      length += 1;
      high = -1;
    }
  }
  if (high >= 0) {
    out[length] = high * 16;
    length += 1;
  }
  return out.subarray(0, length);
}

export function ascii85(bytes: Uint8Array, budget: Budget): Uint8Array {
  const out = new Output(bytes.length, budget);
  let value = 0;
  let count = 0;
  for (const code of bytes) {
    if (CLASS_OF[code] === WHITE) continue;
    if (code === 0x7e) break;
    if (code === 0x7a && count === 0) {
      for (let i = 0; i < 4; i += 1) out.push(0);
      continue;
    }
    if (code < 33 || code > 117) continue;
    value = value * 85 + (code - 33);
    count += 1;
    if (count === 5) {
      for (let shift = 24; shift >= 0; shift -= 8) out.push(Math.floor(value / 2 ** shift) & 255);
      value = 0;
      count = 0;
    }
  }
  if (count > 1) {
    for (let i = count; i < 5; i += 1) value = value * 85 + 84;
    for (let i = 0; i < count - 1; i += 1) out.push(Math.floor(value / 2 ** (24 - 8 * i)) & 255);
  }
  return out.take();
}

export function runLength(bytes: Uint8Array, budget: Budget): Uint8Array {
  const out = new Output(bytes.length * 2, budget);
  let i = 0;
  while (i < bytes.length) {
    const length = bytes[i] ?? 128;
    i += 1;
    if (length === 128) break;
    if (length < 128) {
      for (let k = 0; k <= length && i < bytes.length; k += 1, i += 1) out.push(bytes[i] ?? 0);
    } else {
      const code = bytes[i] ?? 0;
      i += 1;
      for (let k = 0; k < 257 - length; k += 1) out.push(code);
    }
  }
  return out.take();
}

/** LZW as in TIFF: codes of 9 to 12 bits, 256 clears, 257 ends; EarlyChange widens the code one entry earlier. */
export function lzw(bytes: Uint8Array, earlyChange: number, budget: Budget): Uint8Array {
  const out = new Output(bytes.length * 3, budget);
  const prefix = new Uint16Array(4096);
  const suffix = new Uint8Array(4096);
  const stack = new Uint8Array(4097);
  for (let i = 0; i < 256; i += 1) suffix[i] = i;
  let next = 258;
  let width = 9;
  let previous = -1;
  let first = 0;
  let bits = 0;
  let bitCount = 0;
  let i = 0;
  for (;;) {
    while (bitCount < width && i < bytes.length) {
      bits = ((bits << 8) | (bytes[i] ?? 0)) & 0xffffff;
      bitCount += 8;
      i += 1;
    }
    if (bitCount < width) break;
    const code = (bits >> (bitCount - width)) & ((1 << width) - 1);
    bitCount -= width;
    if (code === 257) break;
    if (code === 256) {
      next = 258;
      width = 9;
      previous = -1;
      continue;
    }
    if (code > next || (code === next && previous < 0)) break;
    let depth = 0;
    let walk = code;
    if (code === next) {
      stack[depth] = first;
      depth += 1;
      walk = previous;
    }
    while (walk >= 258 && depth < 4096) {
      stack[depth] = suffix[walk] ?? 0;
      depth += 1;
      walk = prefix[walk] ?? 0;
    }
    first = walk & 255;
    out.push(first);
    while (depth > 0) {
      depth -= 1;
      out.push(stack[depth] ?? 0);
    }
    if (previous >= 0 && next < 4096) {
      prefix[next] = previous;
      suffix[next] = first;
      next += 1;
    }
    const widen = next + (earlyChange === 0 ? 0 : 1);
    if (widen >= 2048) width = 12;
    else if (widen >= 1024) width = 11;
    else if (widen >= 512) width = 10;
    previous = code;
  }
  return out.take();
}
