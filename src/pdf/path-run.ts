import { CLASS_OF, POWERS, REGULAR } from './characters.ts';
import type { GraphicsState } from './graphics-state.ts';
import * as op from './operators.ts';
import type { PathBuffer } from './path-buffer.ts';
import { CURVE, LINE, isSameDistance } from './path-buffer.ts';

/** Lines and curves as nearly all of a large page consists of: `x y l` after `x y l`, plainly spelled. They are read right into the path
 * under construction, in one loop, to the bit as lexer and interpreter would have it. Anything else that stands there, be it
 * a number of many digits or a comment, ends the run, and is theirs from its first operand on.
 *
 * Two small loops, not a large one: most of the time of a run used to pass until the engine had compiled it. */
export class PathRun {
  /** LINE or CURVE of a recorded path. */
  readonly operators: Uint8Array;
  operatorCount = 0;
  /** Behind the last operator. */
  end = 0;
  /** Behind its last coordinate. */
  coordinateCount = 0;
  /** Where it leads, as the content says it. */
  x = 0;
  y = 0;
  /** The box of the path with the run. */
  x0 = 0;
  y0 = 0;
  x1 = 0;
  y1 = 0;
  mayHaveEmptyLines = false;

  constructor(mostOperators: number) {
    this.operators = new Uint8Array(mostOperators);
  }

  /** Reads what comes at `start`, so many operators at most, to behind the coordinates of the path, which is then to be told of it. */
  read(bytes: Uint8Array, start: number, path: PathBuffer, state: GraphicsState, most: number): void {
    this.readNumbers(bytes, start, path.coordinates, path.coordinateCount, path.room(), Math.min(most, this.operators.length));
    if (this.operatorCount > 0) this.place(path, state);
  }

  /** The numbers go to `first` and behind, as they stand in the content. What does not change is held in constants of the function itself:
   * what the module holds is looked up each time. */
  private readNumbers(bytes: Uint8Array, start: number, numbers: Float64Array, first: number, room: number, most: number): void {
    /** Makes digits their values, and everything else more than 9. */
    const zero = 0x30;
    const point = 0x2e ^ zero;
    const minus = 0x2d ^ zero;
    const space = 0x20 ^ zero;
    const lineFeed = 0x0a ^ zero;
    const carriageReturn = 0x0d ^ zero;
    /** They fit into 31 bits. */
    const mostDigits = 9;
    /** Below all letters, above all that a number begins with. */
    const beforeLetters = 0x40;
    /** More than a number takes that is read here: none is begun closer to the end, and none need look out for it. */
    const marginBytes = 32;
    const classOf = CLASS_OF;
    const powers = POWERS;
    const { operators } = this;
    const lastStart = bytes.length - marginBytes;
    const end = first + room;
    let pos = start;
    let at = first;
    let behind = start;
    let complete = first;
    let count = 0;
    while (at < end && count < most && pos < lastStart) {
      let digit = (bytes[pos] ?? 0) ^ zero;
      while (digit === space || digit === lineFeed || digit === carriageReturn) {
        pos += 1;
        digit = (bytes[pos] ?? 0) ^ zero;
      }
      const isNegative = digit === minus;
      if (isNegative) {
        pos += 1;
        digit = (bytes[pos] ?? 0) ^ zero;
      }
      const firstDigit = pos;
      let mantissa = 0;
      while (digit <= 9) {
        mantissa = (mantissa * 10 + digit) | 0;
        pos += 1;
        digit = (bytes[pos] ?? 0) ^ zero;
      }
      let digits = pos - firstDigit;
      let decimals = 0;
      if (digit === point) {
        const pointAt = pos;
        pos += 1;
        digit = (bytes[pos] ?? 0) ^ zero;
        while (digit <= 9) {
          mantissa = (mantissa * 10 + digit) | 0;
          pos += 1;
          digit = (bytes[pos] ?? 0) ^ zero;
        }
        decimals = pos - pointAt - 1;
        digits += decimals;
      }
      if (digits === 0 || digits > mostDigits || (digit !== space && digit !== lineFeed && digit !== carriageReturn)) break;
      const value = mantissa / (powers[decimals] ?? 1);
      numbers[at] = isNegative ? -value : value;
      at += 1;
      pos += 1;
      const letter = bytes[pos] ?? 0;
      if (letter < beforeLetters) continue;
      const isLine = letter === op.LINE && at === complete + 2;
      if (!isLine && (letter !== op.CURVE || at !== complete + 6)) break;
      pos += 1;
      if (classOf[bytes[pos] ?? 0] === REGULAR) break;
      operators[count] = isLine ? LINE : CURVE;
      count += 1;
      complete = at;
      behind = pos;
    }
    this.operatorCount = count;
    this.end = behind;
    this.coordinateCount = complete;
  }

  /** Makes the numbers points of the page. */
  private place(path: PathBuffer, { a, b, c, d, e, f }: GraphicsState): void {
    const { coordinates } = path;
    const end = this.coordinateCount;
    this.x = coordinates[end - 2] ?? 0;
    this.y = coordinates[end - 1] ?? 0;
    let { x0, y0, x1, y1 } = path;
    let shortest = Infinity;
    let at = path.coordinateCount;
    let fromX = coordinates[at - 2] ?? 0;
    let fromY = coordinates[at - 1] ?? 0;
    while (at < end) {
      const x = coordinates[at] ?? 0;
      const y = coordinates[at + 1] ?? 0;
      const toX = a * x + c * y + e;
      const toY = b * x + d * y + f;
      const squared = (toX - fromX) * (toX - fromX) + (toY - fromY) * (toY - fromY);
      if (squared < shortest) shortest = squared;
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
    this.mayHaveEmptyLines = isSameDistance(shortest);
    this.x0 = x0;
    this.y0 = y0;
    this.x1 = x1;
    this.y1 = y1;
  }
}
