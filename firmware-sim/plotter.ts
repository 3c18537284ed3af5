import { arcPoints, bezierPoints, circlePoints, ellipsePoints } from './curves.ts';
import { markArity } from './gpgl-commands.ts';
import { GpglLexer, type CommandSink, type GpglErrorCode } from './gpgl-lexer.ts';

/** Millimetres in the mark frame: X along the feed, Y along the carriage, origin mark 1 (gpgl-and-data-link.md section 2). */
export interface Motion {
  readonly down: boolean;
  readonly pen: number;
  readonly speedMmPerS: number;
  readonly accelerationLevel: number;
  /** From `*` or `FX`; null: as the operator set it at the panel. */
  readonly forceLevel: number | null;
  readonly points: readonly number[];
}

export interface Marks {
  /** Distances of the marks: TB23, TB24, TB123 or TB124. */
  readonly feedMm: number;
  readonly carriageMm: number;
  readonly points: 3 | 4;
  readonly armMm: number;
  readonly type: number;
}

export interface BoundsMm {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

export interface PlotterOptions {
  readonly stepMm: number;
  readonly maxSpeedMmPerS: number;
  readonly maxAccelerationLevel: number;
  readonly maxForceLevel?: number;
  readonly chainsWithCommas: boolean;
}

interface Refusal {
  readonly code: GpglErrorCode;
  readonly text: string;
}

/** Speed until the job says otherwise: 30 cm/s, the default condition of these machines (R). */
const DEFAULT_SPEED_MM_PER_S = 300;
/** Of any model (section 1.2). */
const MOST_FORCE = 38;
const unsupported = (name: string): Refusal => ({ code: 'E01001', text: `${name} is known but not simulated` });
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Base and half range of BDk and BEk by k (section 1.2). */
const binaryFormats: ReadonlyMap<string, { readonly bytes: number; readonly base: number; readonly half: number }> = new Map([
  ['1', { bytes: 2, base: 224, half: 112 }],
  ['2', { bytes: 3, base: 3352, half: 1676 }],
  ['3', { bytes: 5, base: 750964, half: 375482 }],
]);

/**
 * Carries out GP-GL and keeps what the tools drew. Strict: the first error ends the drawing, as on the machine.
 * Hole: Y, _, text, hatching and the other drawing commands without a figure here end in an error, not in a drawing.
 */
export class Plotter implements CommandSink {
  readonly lexer: GpglLexer;
  readonly motions: Motion[] = [];
  readonly warnings: string[] = [];
  readonly #options: PlotterOptions;
  #x = 0;
  #y = 0;
  #scaleX = 1;
  #scaleY = 1;
  #pen = 1;
  #speedMmPerS: number;
  #accelerationLevel = 1;
  #forceLevel: number | null = null;
  #stroke: number[] | undefined;
  #armMm = 0;
  #markType = 2;
  #marks: { feedMm: number; carriageMm: number; points: 3 | 4 } | undefined;
  #marksOpen = false;
  #ended = false;

  constructor(options: PlotterOptions) {
    this.#options = options;
    this.#speedMmPerS = Math.min(DEFAULT_SPEED_MM_PER_S, options.maxSpeedMmPerS);
    this.lexer = new GpglLexer(this, { chainsWithCommas: options.chainsWithCommas });
  }

  get marks(): Marks | undefined {
    return this.#marks === undefined ? undefined : { ...this.#marks, armMm: this.#armMm, type: this.#markType };
  }

  /** A marked job that never said TB0 is cut, but its end is not certain. */
  get sawEndOfJob(): boolean {
    return this.#ended;
  }

  /** Extent of what the lowered tools drew. */
  bounds(): BoundsMm | undefined {
    const box = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
    for (const motion of this.motions) {
      if (!motion.down) continue;
      for (let index = 0; index + 1 < motion.points.length; index += 2) {
        const x = motion.points[index] ?? 0;
        const y = motion.points[index + 1] ?? 0;
        if (x < box.minX) box.minX = x;
        if (x > box.maxX) box.maxX = x;
        if (y < box.minY) box.minY = y;
        if (y > box.maxY) box.maxY = y;
      }
    }
    return box.minX === Infinity ? undefined : box;
  }

  execute(name: string, args: readonly number[]): Refusal | undefined {
    const [a = 0, b = 0] = args;
    if (this.#ended) this.#warn(`${name} after TB0`);
    switch (name) {
      case 'M': return this.#move(this.#mmX(a), this.#mmY(b));
      case 'O': return this.#move(this.#x + this.#mmX(a), this.#y + this.#mmY(b));
      case 'MP': return this.#move(this.#mmX(a * Math.cos(radians(b))), this.#mmY(a * Math.sin(radians(b))));
      case 'OP': return this.#move(this.#x + this.#mmX(a * Math.cos(radians(b))), this.#y + this.#mmY(a * Math.sin(radians(b))));
      case 'D': case 'E': case 'DP': case 'EP': return this.#drawPairs(name, args);
      case 'H': return this.#move(0, 0);
      case 'J': return this.#select(a);
      case '!': return this.#setSpeed(a);
      case '*': return this.#setCondition(Math.min(Math.max(1, a), this.#options.maxAccelerationLevel), b);
      case 'FX': return this.#setCondition(this.#accelerationLevel, a);
      case 'TB': return this.#registration(a, args.slice(1));
      case '&': return this.#scale(args);
      case '^': case '/': return args.every((value) => value === 0) ? undefined : unsupported(name);
      case 'W': case ']': case 'WP': case ')': case 'BZ': return this.#curve(name, args);
      case 'RP': case 'Y': case '_': case '^P': case '>': case 'K': case 'N': case 'SP': case '(': case '(P': case 'RC': case '$':
      case 'S': case 'Q': case 'I': case 'LP': case 'A': case 'X': case '%': case '=': case 'P': case 'R': case 'FB':
        return unsupported(name);
      default: return undefined;
    }
  }

  executeBinary(name: string, data: readonly number[]): Refusal | undefined {
    const format = binaryFormats.get(String.fromCharCode(data[0] ?? 0));
    if (format === undefined || (data.length - 1) % format.bytes !== 0 || data.length === 1) {
      return { code: 'E01003', text: `${name} with ${data.length} bytes of data` };
    }
    const pairs: number[] = [];
    for (let at = 1; at < data.length; at += format.bytes) {
      let index = 0;
      for (let place = format.bytes - 1; place >= 0; place--) {
        const digit = (data[at + place] ?? 0) - 0x20;
        if (digit < 0) return { code: 'E01003', text: `${name}: a byte below 0x20 in its data` };
        index = index * 224 + digit;
      }
      pairs.push(Math.floor(index / format.base) - format.half, (index % format.base) - format.half);
    }
    return this.#drawPairs(name === 'BD' ? 'D' : 'E', pairs);
  }

  #mmX(steps: number): number {
    return steps * this.#options.stepMm * this.#scaleX;
  }

  #mmY(steps: number): number {
    return steps * this.#options.stepMm * this.#scaleY;
  }

  #move(x: number, y: number): Refusal | undefined {
    if (x !== this.#x || y !== this.#y) this.#record(false, [this.#x, this.#y, x, y]);
    this.#stroke = undefined;
    this.#x = x;
    this.#y = y;
    return undefined;
  }

  #draw(x: number, y: number): void {
    if (this.#stroke === undefined) {
      this.#stroke = [this.#x, this.#y];
      this.#record(true, this.#stroke);
    }
    this.#stroke.push(x, y);
    this.#x = x;
    this.#y = y;
  }

  #record(down: boolean, points: number[]): void {
    this.motions.push({ down, pen: this.#pen, speedMmPerS: this.#speedMmPerS, accelerationLevel: this.#accelerationLevel, forceLevel: this.#forceLevel, points });
  }

  #drawPairs(name: string, args: readonly number[]): Refusal | undefined {
    for (let index = 0; index + 1 < args.length; index += 2) {
      const a = args[index] ?? 0;
      const b = args[index + 1] ?? 0;
      const polar = name.endsWith('P');
      const dx = this.#mmX(polar ? a * Math.cos(radians(b)) : a);
      const dy = this.#mmY(polar ? a * Math.sin(radians(b)) : b);
      // E deltas chain, each from the point before (section 1.2, inferred).
      if (name.startsWith('E')) this.#draw(this.#x + dx, this.#y + dy);
      else this.#draw(dx, dy);
    }
    return undefined;
  }

  #select(tool: number): Refusal | undefined {
    if (!Number.isInteger(tool) || tool < 0 || tool > 8) return { code: 'E01003', text: `tool ${tool}` };
    if (tool !== this.#pen) this.#stroke = undefined;
    this.#pen = tool;
    return undefined;
  }

  /** Up to 10: tenths of the maximum; above 100: cm/s more than 100 (section 1.2). Out of range is clamped (section 1.4). */
  #setSpeed(level: number): Refusal | undefined {
    const max = this.#options.maxSpeedMmPerS;
    const wanted = level > 100 ? (level - 100) * 10 : (Math.min(Math.max(level, 1), 10) * max) / 10;
    const speed = Math.min(wanted, max);
    if (speed !== this.#speedMmPerS) this.#stroke = undefined;
    this.#speedMmPerS = speed;
    return undefined;
  }

  #setCondition(accelerationLevel: number, force: number): Refusal | undefined {
    const forceLevel = Math.min(Math.max(1, force), this.#options.maxForceLevel ?? MOST_FORCE);
    if (accelerationLevel !== this.#accelerationLevel || forceLevel !== this.#forceLevel) this.#stroke = undefined;
    this.#accelerationLevel = accelerationLevel;
    this.#forceLevel = forceLevel;
    return undefined;
  }

  #scale(args: readonly number[]): Refusal | undefined {
    const [p = 0, q = 0, r = 0] = args;
    if (p <= 0 || q <= 0 || r <= 0) return { code: 'E01003', text: `& ${p},${q},${r}` };
    this.#scaleX = p / r;
    this.#scaleY = q / r;
    return undefined;
  }

  #registration(code: number, args: readonly number[]): Refusal | undefined {
    const arity = markArity(code);
    if (arity === undefined) return { code: 'E01001', text: `unknown command TB${code}` };
    if (args.length < arity.min || args.length > arity.max) return { code: 'E01002', text: `TB${code} with ${args.length} numbers` };
    const [a = 0, b = 0] = args;
    const { stepMm } = this.#options;
    switch (code) {
      case 0: this.#ended = true; return undefined;
      case 99: this.#marksOpen = !this.#marksOpen; return undefined;
      case 51: this.#armMm = a * stepMm; return undefined;
      case 52: this.#markType = a; return undefined;
      case 54: if (a !== 0 || b !== 0) this.#warn(`TB54,${a},${b}: the mark-origin offset is not simulated`); return undefined;
      case 23: case 123: return this.#scanMarks(a * stepMm, b * stepMm, 3);
      case 24: case 124: return this.#scanMarks(a * stepMm, b * stepMm, 4);
      default: return undefined;
    }
  }

  #scanMarks(feedMm: number, carriageMm: number, points: 3 | 4): Refusal | undefined {
    if (feedMm <= 0 || carriageMm <= 0) return { code: 'E01003', text: `mark distance ${feedMm} × ${carriageMm} mm` };
    if (!this.#marksOpen) this.#warn('mark scan outside TB99 … TB99');
    this.#marks = { feedMm, carriageMm, points };
    // After the scan the origin is mark 1, and the tool stands there (section 1.3).
    this.#x = 0;
    this.#y = 0;
    this.#stroke = undefined;
    return undefined;
  }

  #curve(name: string, args: readonly number[]): Refusal | undefined {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = args;
    const x = (value: number): number => this.#mmX(value);
    const y = (value: number): number => this.#mmY(value);
    if (name === 'W') {
      const chord = args[6];
      return this.#path(arcPoints({ x: x(a), y: y(b), r1: x(c), r2: x(d), start: e, end: f, ...(chord === undefined ? {} : { d: chord }) }), false);
    }
    if (name === ']') {
      const centre = { x: this.#x - x(a) * Math.cos(radians(c)), y: this.#y - x(a) * Math.sin(radians(c)) };
      const chord = args[4];
      return this.#path(arcPoints({ ...centre, r1: x(a), r2: x(b), start: c, end: d, ...(chord === undefined ? {} : { d: chord }) }), true);
    }
    if (name === 'WP') {
      const circle = circlePoints([x(a), y(b), x(c), y(d), x(e), y(f)]);
      return circle === undefined ? { code: 'E01003', text: 'WP: the three points lie on a line' } : this.#path(circle, false);
    }
    if (name === ')') {
      return this.#path(ellipsePoints({ x: x(b), y: y(c), rx: x(d), ry: x(e), start: f, end: g, tilt: h }), a === 1);
    }
    return this.#path(bezierPoints([x(b), y(c), x(d), y(e), x(f), y(g), x(h), y(i)]), a === 1);
  }

  /** Goes to the first point raised, or lowered when the command says so, and draws the rest. */
  #path(points: readonly number[], approachLowered: boolean): Refusal | undefined {
    const [startX = 0, startY = 0] = points;
    const away = Math.hypot(startX - this.#x, startY - this.#y) > 1e-6;
    if (away && approachLowered) this.#draw(startX, startY);
    else if (away) this.#move(startX, startY);
    for (let index = 2; index + 1 < points.length; index += 2) this.#draw(points[index] ?? 0, points[index + 1] ?? 0);
    return undefined;
  }

  #warn(text: string): void {
    if (this.warnings.length < 20) this.warnings.push(text);
  }
}
