import { CLASS_OF, POWERS, REGULAR, WHITE } from './characters.ts';
import type { GraphicsState } from './graphics-state.ts';
import { LINE } from './operators.ts';
import type { PathBuffer } from './path-buffer.ts';
import { isSamePoint } from './path-buffer.ts';

/** They fit into 31 bits. */
const MOST_DIGITS = 9;
/** More than a line takes that is read here: none is begun closer to the end, and none need look out for it. */
const MARGIN_BYTES = 32;
const MINUS = 0x2d;
/** Makes digits their values, and everything else more than 9. */
const ZERO = 0x30;
const POINT = 0x2e ^ ZERO;

/** Lines as nearly all of a large page consists of: `x y l` after `x y l`, plainly spelled. They are read right into the path
 * under construction, in one loop, to the bit as lexer and interpreter would have it. Anything else that stands there, be it
 * a number of many digits or a comment, ends the run, and is theirs from its first operand on. */
export class LineRun {
  /** Behind the last line. */
  end = 0;
  /** Where the last line leads, as the content says it. */
  x = 0;
  y = 0;

  /** Reads the lines at `start`, so many at most; returns how many. */
  read(bytes: Uint8Array, start: number, path: PathBuffer, { a, b, c, d, e, f }: GraphicsState, most: number): number {
    const { coordinates, coordinateCount } = path;
    const lastStart = bytes.length - MARGIN_BYTES;
    const endAt = coordinateCount + 2 * Math.min(most, path.lineRoom());
    let { x0, y0, x1, y1 } = path;
    let hasEmptyLines = false;
    let at = coordinateCount;
    let fromX = coordinates[at - 2] ?? 0;
    let fromY = coordinates[at - 1] ?? 0;
    let pos = start;
    while (at < endAt) {
      while (pos < lastStart && CLASS_OF[bytes[pos] ?? 0] === WHITE) pos += 1;
      if (pos >= lastStart) break;
      let x = 0;
      let y = 0;
      let operands = 0;
      for (; operands < 2; operands += 1) {
        const isNegative = bytes[pos] === MINUS;
        pos += isNegative ? 1 : 0;
        const first = pos;
        let mantissa = 0;
        let decimals = 0;
        let digit = (bytes[pos] ?? 0) ^ ZERO;
        while (digit <= 9) {
          mantissa = (mantissa * 10 + digit) | 0;
          pos += 1;
          digit = (bytes[pos] ?? 0) ^ ZERO;
        }
        let digits = pos - first;
        if (digit === POINT) {
          pos += 1;
          const point = pos;
          digit = (bytes[pos] ?? 0) ^ ZERO;
          while (digit <= 9) {
            mantissa = (mantissa * 10 + digit) | 0;
            pos += 1;
            digit = (bytes[pos] ?? 0) ^ ZERO;
          }
          decimals = pos - point;
          digits += decimals;
        }
        if (digits === 0 || digits > MOST_DIGITS || CLASS_OF[digit ^ ZERO] !== WHITE) break;
        pos += 1;
        x = y;
        y = mantissa / (POWERS[decimals] ?? 1);
        if (isNegative) y = -y;
      }
      if (operands < 2 || bytes[pos] !== LINE || CLASS_OF[bytes[pos + 1] ?? 0] === REGULAR) break;
      pos += 1;
      this.end = pos;
      this.x = x;
      this.y = y;
      const toX = a * x + c * y + e;
      const toY = b * x + d * y + f;
      if (isSamePoint(toX - fromX, toY - fromY)) hasEmptyLines = true;
      if (toX < x0) x0 = toX;
      if (toX > x1) x1 = toX;
      if (toY < y0) y0 = toY;
      if (toY > y1) y1 = toY;
      coordinates[at] = toX;
      coordinates[at + 1] = toY;
      at += 2;
      fromX = toX;
      fromY = toY;
    }
    const count = (at - coordinateCount) >> 1;
    if (count > 0) path.addWritten(count, { x0, y0, x1, y1 }, hasEmptyLines);
    return count;
  }
}
