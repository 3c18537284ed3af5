/** Classes of bytes in PDF syntax (ISO 32000-1, 7.2.2). */
export const REGULAR = 0;
export const WHITE = 1;
export const DELIMITER = 2;

export const CLASS_OF: Uint8Array = (() => {
  const table = new Uint8Array(256);
  for (const code of [0, 9, 10, 12, 13, 32]) table[code] = WHITE;
  for (const character of '()<>[]{}/%') table[character.charCodeAt(0)] = DELIMITER;
  return table;
})();

/** Value of a hexadecimal digit, or -1. */
export function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The name that starts after the slash at `start` and ends before `end`, with #xx undone. */
export function decodeName(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i += 1) {
    const code = bytes[i] ?? 0;
    if (code === 0x23 && i + 2 < end) {
      const high = hexValue(bytes[i + 1] ?? 0);
      const low = hexValue(bytes[i + 2] ?? 0);
      if (high >= 0 && low >= 0) {
        text += String.fromCharCode(high * 16 + low);
        i += 2;
        continue;
      }
    }
    text += String.fromCharCode(code);
  }
  return text;
}

export const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Reads a number as writers really spell it: "-.5", "4.", "--5" (as -5 would be wrong: read like other readers do, as 5
 * negated once), "1e-5" and digits beyond the precision of a double. Anything else in the token is ignored. */
export function readNumber(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  let negative = false;
  for (; i < end; i += 1) {
    const code = bytes[i] ?? 0;
    if (code === 0x2d) negative = true;
    else if (code !== 0x2b) break;
  }
  let mantissa = 0;
  let decimals = 0;
  let seenPoint = false;
  for (; i < end; i += 1) {
    const code = bytes[i] ?? 0;
    if (code >= 48 && code <= 57) {
      if (seenPoint) {
        if (decimals >= 18) continue;
        decimals += 1;
      }
      mantissa = mantissa * 10 + (code - 48);
    } else if (code === 0x2e && !seenPoint) seenPoint = true;
    else if ((code === 0x65 || code === 0x45) && i > start) {
      const value = Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'));
      return Number.isFinite(value) ? value : 0;
    } else break;
  }
  const value = decimals === 0 ? mantissa : mantissa / (POWERS[decimals] ?? 1);
  return negative ? -value : value;
}
