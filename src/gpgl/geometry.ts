import { NumberWriter } from './bytes.ts';
import { eachCommand, type GpglFailure, type Parameters } from './parse.ts';
import type { BoundsMm, MarkBlock, StepsPerMm } from './units.ts';

/** From `!` (section 1.2): up to 10 tenths of the machine's maximum, above 100 so many cm/s more than 100. */
export type CutSpeed =
  | { readonly unit: 'mm/s'; readonly value: number }
  | { readonly unit: 'share of the maximum'; readonly value: number };

/** What a stroke is drawn with. */
export interface StrokeCondition {
  /** From `J`; 0 where the job selects none. */
  readonly pen: number;
  /** null: the job does not say; the condition at the cutter decides. */
  readonly speed: CutSpeed | null;
  /** From `*`; null as for the speed. */
  readonly accelerationLevel: number | null;
}

/** What the tool draws between being lowered and being raised, or until its condition changes. In columns: a job may have a million. */
export interface Strokes {
  readonly count: number;
  readonly conditions: readonly StrokeCondition[];
  /** Of each stroke its place in `conditions`. */
  readonly conditionOf: readonly number[];
  /** The points of stroke k are `first[k]` to `first[k + 1] − 1`. */
  readonly first: readonly number[];
  /** x0, y0, x1, y1, … as drawn, in millimetres of the job's own frame. A stroke that ends where it began has the point at both ends. */
  readonly pointsMm: Float64Array;
}

export interface Geometry {
  readonly strokes: Strokes;
  readonly markBlock: MarkBlock | null;
  /** Length of all travel with the tool raised, the one from the origin and the last one included. */
  readonly travelLengthMm: number;
  readonly cutLengthMm: number;
  /** The box around everything that is drawn; null where nothing is. */
  readonly boundsMm: BoundsMm | null;
  /** Commands of tools and their conditions, in their order, as "J1" or "!30,1". */
  readonly conditionCommands: readonly string[];
  /** Commands that draw or change the frame and are not worked out (arcs, curves, text, scaling, …), each once. */
  readonly uninterpreted: readonly string[];
}

export type GeometryResult =
  | { readonly ok: true; readonly geometry: Geometry }
  | { readonly ok: false; readonly failure: GpglFailure };

/** They neither draw nor move: conditions, queries, sheet settings. */
const withoutGeometry: ReadonlySet<string> = new Set([
  'L', 'B', 'FX', 'FC', 'FD', 'FE', 'FF', 'FW', 'FM', 'FN', 'FU', 'FY', 'FQ', 'FG', 'FA', 'FB', 'TG', 'TF', 'TJ', 'TI', 'TO', 'TC',
  '\\', 'Z', '[', 'U', 'T', 'V', '@', '#', '?', 'G', 'C', '"', ':', ';', 'BS', 'S', 'Q', 'R', 'I', 'LP', 'A', 'ESC EOT',
]);

const ofConditions: ReadonlySet<string> = new Set(['J', '!', '*', 'FX', 'FC', 'FW', 'TJ', 'TF']);

/**
 * Where the tool goes, of a sequence that the strict parser reads. Absolute and relative moves and draws in text and binary form are
 * worked out; relative pairs chain (section 1.2 assumes it). Everything else that could draw is named in `uninterpreted`, so a
 * caller knows that lengths and bounds are then too small.
 */
export function readGeometry(bytes: Uint8Array, stepsPerMm: StepsPerMm): GeometryResult {
  const walk = new Walk(stepsPerMm, bytes.length);
  const failure = eachCommand(bytes, (name, parameters) => walk.take(name, parameters));
  return failure === null ? { ok: true, geometry: walk.end() } : { ok: false, failure };
}

/** The points of one stroke, x0, y0, …: a view. */
export function strokePointsMm({ first, pointsMm }: Strokes, index: number): Float64Array {
  return pointsMm.subarray((first[index] ?? 0) * 2, (first[index + 1] ?? 0) * 2);
}

/** Few jobs have shorter numbers on average, with what stands between them. */
const bytesPerNumber = 4;

class Walk {
  readonly #stepsPerMm: StepsPerMm;
  readonly #points: NumberWriter;
  readonly #conditions: StrokeCondition[] = [];
  readonly #conditionOf: number[] = [];
  readonly #first: number[] = [0];
  readonly #conditionCommands: string[] = [];
  readonly #uninterpreted = new Set<string>();
  #strokeStart = 0;
  /** The condition has changed since the last stroke. */
  #isConditionNew = true;
  #x = 0;
  #y = 0;
  #pen = 0;
  /** By the tool they are for; 0: whichever is in use. */
  readonly #speeds = new Map<number, CutSpeed>();
  readonly #accelerationLevels = new Map<number, number>();
  #travelSteps = 0;
  #cutLengthMm = 0;
  readonly #box = new Box();
  #arm = 0;
  #markType = 0;
  #distances: { readonly feed: number; readonly carriage: number } | null = null;

  constructor(stepsPerMm: StepsPerMm, sequenceBytes: number) {
    this.#stepsPerMm = stepsPerMm;
    this.#points = new NumberWriter(Math.ceil(sequenceBytes / bytesPerNumber));
  }

  take(name: string, parameters: Parameters): void {
    switch (name) {
      case 'M': this.#raise(); this.#travel(valueAt(parameters, 0), valueAt(parameters, 1)); return;
      case 'O': this.#raise(); this.#travel(this.#x + valueAt(parameters, 0), this.#y + valueAt(parameters, 1)); return;
      case 'D': case 'BD': this.#draw(parameters, false); return;
      case 'E': case 'BE': this.#draw(parameters, true); return;
      case 'H': case 'TT': this.#raise(); this.#travel(0, 0); return;
      case 'TB': this.#mark(parameters); return;
      default:
    }
    if (ofConditions.has(name)) this.#condition(name, parameters);
    else if (!withoutGeometry.has(name)) this.#uninterpreted.add(name);
  }

  end(): Geometry {
    this.#raise();
    const perMm = this.#stepsPerMm;
    return {
      strokes: { count: this.#conditionOf.length, conditions: this.#conditions, conditionOf: this.#conditionOf, first: this.#first, pointsMm: this.#points.end() },
      markBlock: this.#distances === null ? null : {
        armMm: this.#arm / perMm,
        markType: this.#markType,
        feedDistanceMm: this.#distances.feed / perMm,
        carriageDistanceMm: this.#distances.carriage / perMm,
      },
      travelLengthMm: this.#travelSteps / perMm,
      cutLengthMm: this.#cutLengthMm,
      boundsMm: this.#box.inMm(perMm),
      conditionCommands: this.#conditionCommands,
      uninterpreted: [...this.#uninterpreted],
    };
  }

  #condition(name: string, parameters: Parameters): void {
    this.#conditionCommands.push(`${name}${parameters.copyFrom(0).join()}`);
    switch (name) {
      case 'J': this.#raise(); this.#pen = valueAt(parameters, 0); break;
      case '!': this.#raise(); this.#speeds.set(valueAt(parameters, 1), speedOf(valueAt(parameters, 0))); break;
      case '*': this.#raise(); this.#accelerationLevels.set(valueAt(parameters, 2), Math.max(1, parameters.length > 0 ? parameters.at(0) : 1)); break;
      default: return;
    }
    this.#isConditionNew = true;
  }

  #mark(parameters: Parameters): void {
    const code = valueAt(parameters, 0);
    if (code === 51) this.#arm = valueAt(parameters, 1);
    else if (code === 52) this.#markType = valueAt(parameters, 1);
    else if (code === 23 || code === 24 || code === 123 || code === 124) {
      this.#distances = { feed: valueAt(parameters, 1), carriage: valueAt(parameters, 2) };
    }
  }

  #travel(x: number, y: number): void {
    const deltaX = x - this.#x;
    const deltaY = y - this.#y;
    this.#travelSteps += Math.sqrt(deltaX * deltaX + deltaY * deltaY);
    this.#x = x;
    this.#y = y;
  }

  #draw(pairs: Parameters, relative: boolean): void {
    const perMm = this.#stepsPerMm;
    let x = this.#x;
    let y = this.#y;
    let xMm = x / perMm;
    let yMm = y / perMm;
    let lengthMm = this.#cutLengthMm;
    if (this.#points.length === this.#strokeStart) this.#points.pair(xMm, yMm);
    this.#box.add(x, y);
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      x = (relative ? x : 0) + pairs.at(index);
      y = (relative ? y : 0) + pairs.at(index + 1);
      const deltaX = x / perMm - xMm;
      const deltaY = y / perMm - yMm;
      xMm = x / perMm;
      yMm = y / perMm;
      // Not Math.hypot: a sheet has a million of these, and it is many times slower.
      lengthMm += Math.sqrt(deltaX * deltaX + deltaY * deltaY);
      this.#points.pair(xMm, yMm);
      this.#box.add(x, y);
    }
    this.#cutLengthMm = lengthMm;
    this.#x = x;
    this.#y = y;
  }

  #raise(): void {
    const { length } = this.#points;
    if (length === this.#strokeStart) return;
    if (this.#isConditionNew) {
      this.#conditions.push({
        pen: this.#pen,
        speed: this.#speeds.get(this.#pen) ?? this.#speeds.get(0) ?? null,
        accelerationLevel: this.#accelerationLevels.get(this.#pen) ?? this.#accelerationLevels.get(0) ?? null,
      });
      this.#isConditionNew = false;
    }
    this.#conditionOf.push(this.#conditions.length - 1);
    this.#first.push(length / 2);
    this.#strokeStart = length;
  }
}

function valueAt(parameters: Parameters, index: number): number {
  return index < parameters.length ? parameters.at(index) : 0;
}

function speedOf(level: number): CutSpeed {
  return level > 100 ? { unit: 'mm/s', value: (level - 100) * 10 } : { unit: 'share of the maximum', value: Math.min(Math.max(level, 1), 10) / 10 };
}

/** The box around points, in steps, as they come. */
class Box {
  #minX = Infinity;
  #minY = Infinity;
  #maxX = -Infinity;
  #maxY = -Infinity;

  add(x: number, y: number): void {
    if (x < this.#minX) this.#minX = x;
    if (y < this.#minY) this.#minY = y;
    if (x > this.#maxX) this.#maxX = x;
    if (y > this.#maxY) this.#maxY = y;
  }

  inMm(perMm: StepsPerMm): BoundsMm | null {
    if (this.#minX > this.#maxX) return null;
    return { minXMm: this.#minX / perMm, minYMm: this.#minY / perMm, maxXMm: this.#maxX / perMm, maxYMm: this.#maxY / perMm };
  }
}

export function boundsMm(geometry: Geometry): BoundsMm | null {
  return geometry.boundsMm;
}

export function cutLengthMm(geometry: Geometry): number {
  return geometry.cutLengthMm;
}

export function travelLengthMm(geometry: Geometry): number {
  return geometry.travelLengthMm;
}

/** Straight pieces that are cut. */
export function segmentCount(geometry: Geometry): number {
  return geometry.strokes.pointsMm.length / 2 - geometry.strokes.count;
}
