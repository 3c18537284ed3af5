import { CLASS_OF, POWERS, REGULAR, WHITE } from './characters.ts';
import type { GraphicsState } from './graphics-state.ts';
import { LINE } from './operators.ts';
import type { PathBuffer } from './path-buffer.ts';
import { isSamePoint } from './path-buffer.ts';

/** They fit into 31 bits. */
const MOST_DIGITS = 9;
/** More than a line takes that is read here: none is begun closer to the end, and none need look out for it. */
const MARGIN_BYTES = 32;
const NOT_PLAIN = -1;
const MINUS = 0x2d;
/** Makes digits their values, and everything else more than 9. */
const ZERO = 0x30;
const POINT = 0x2e ^ ZERO;

/** Lines as nearly all of a large page consists of: `x y l` after `x y l`, plainly spelled. They are read right into the path
 * under construction, in one loop, to the bit as lexer and interpreter would have it. Anything else that stands there, be it
 * a number of many digits or a comment, ends the run, and is theirs from its first operand on. */
export class LineRun {
  lineCount = 0;
  /** Behind the last line. */
  end = 0;
  /** Where the last line leads, as the content says it. */
  x = 0;
  y = 0;
  /** The box of the path with the lines. */
  x0 = 0;
  y0 = 0;
  x1 = 0;
  y1 = 0;
  hasEmptyLines = false;
  /** Of the number that was read last: where to go on after it, its decimals and its sign. Integers, since a double that a function
   * returns, or that is kept in a field, is an object each time. */
  private behind = 0;
  private decimals = 0;
  private isNegative = false;

  /** Reads the lines at `start`, so many at most, to behind the coordinates of the path, which is then to be told of them.
   * Not from here: the engine compiles the loop before it has seen what comes after it, and would throw the code away there. */
  read(bytes: Uint8Array, start: number, path: PathBuffer, { a, b, c, d, e, f }: GraphicsState, most: number): void {
    const { coordinates, coordinateCount } = path;
    const lastStart = bytes.length - MARGIN_BYTES;
    const endAt = coordinateCount + 2 * Math.min(most, path.lineRoom());
    let { x0, y0, x1, y1 } = path;
    let hasEmptyLines = false;
    let at = coordinateCount;
    let fromX = coordinates[at - 2] ?? 0;
    let fromY = coordinates[at - 1] ?? 0;
    let lineX = this.x;
    let lineY = this.y;
    let pos = start;
    let end = start;
    while (at < endAt) {
      while (pos < lastStart && CLASS_OF[bytes[pos] ?? 0] === WHITE) pos += 1;
      if (pos >= lastStart) break;
      const digitsOfX = this.digits(bytes, pos);
      if (digitsOfX === NOT_PLAIN) break;
      let x = digitsOfX / (POWERS[this.decimals] ?? 1);
      if (this.isNegative) x = -x;
      const digitsOfY = this.digits(bytes, this.behind);
      if (digitsOfY === NOT_PLAIN) break;
      let y = digitsOfY / (POWERS[this.decimals] ?? 1);
      if (this.isNegative) y = -y;
      pos = this.behind;
      if (bytes[pos] !== LINE || CLASS_OF[bytes[pos + 1] ?? 0] === REGULAR) break;
      pos += 1;
      end = pos;
      lineX = x;
      lineY = y;
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
    this.end = end;
    this.x = lineX;
    this.y = lineY;
    this.lineCount = (at - coordinateCount) >> 1;
    this.hasEmptyLines = hasEmptyLines;
    this.x0 = x0;
    this.y0 = y0;
    this.x1 = x1;
    this.y1 = y1;
  }

  /** The digits of the number at `start`, up to one byte of white space behind it; NOT_PLAIN where it is none, or not plainly spelled. */
  private digits(bytes: Uint8Array, start: number): number {
    const isNegative = bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let pos = first;
    let mantissa = 0;
    let digit = (bytes[pos] ?? 0) ^ ZERO;
    while (digit <= 9) {
      mantissa = (mantissa * 10 + digit) | 0;
      pos += 1;
      digit = (bytes[pos] ?? 0) ^ ZERO;
    }
    let count = pos - first;
    let decimals = 0;
    if (digit === POINT) {
      const point = pos;
      pos += 1;
      digit = (bytes[pos] ?? 0) ^ ZERO;
      while (digit <= 9) {
        mantissa = (mantissa * 10 + digit) | 0;
        pos += 1;
        digit = (bytes[pos] ?? 0) ^ ZERO;
      }
      decimals = pos - point - 1;
      count += decimals;
    }
    if (count === 0 || count > MOST_DIGITS || CLASS_OF[digit ^ ZERO] !== WHITE) return NOT_PLAIN;
    this.behind = pos + 1;
    this.decimals = decimals;
    this.isNegative = isNegative;
    return mantissa;
  }
}
