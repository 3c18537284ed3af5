import { NumberWriter } from './bytes.ts';
import { parametersOf, type Command, type Program } from './parse.ts';
import type { BoundsMm, MarkBlock, StepsPerMm } from './units.ts';

/** From `!` (section 1.2): up to 10 tenths of the machine's maximum, above 100 so many cm/s more than 100. */
export type CutSpeed =
  | { readonly unit: 'mm/s'; readonly value: number }
  | { readonly unit: 'share of the maximum'; readonly value: number };

/** What the tool draws between being lowered and being raised, or until its condition changes. */
export interface Polyline {
  /** From `J`; 0 where the job selects none. */
  readonly pen: number;
  /** null: the job does not say; the condition at the cutter decides. */
  readonly speed: CutSpeed | null;
  /** From `*`; null as for the speed. */
  readonly accelerationLevel: number | null;
  /** It ends where it began; the point then stands at both ends. */
  readonly closed: boolean;
  /** x0, y0, x1, y1, … as drawn, in millimetres of the job's own frame. */
  readonly pointsMm: Float64Array;
}

export interface Geometry {
  readonly polylines: readonly Polyline[];
  readonly markBlock: MarkBlock | null;
  /** Length of all travel with the tool raised, the one from the origin and the last one included. */
  readonly travelLengthMm: number;
  /** Commands that draw or change the frame and are not worked out (arcs, curves, text, scaling, …), each once. */
  readonly uninterpreted: readonly string[];
}

/** They neither draw nor move: conditions, queries, sheet settings. */
const withoutGeometry: ReadonlySet<string> = new Set([
  'L', 'B', 'FX', 'FC', 'FD', 'FE', 'FF', 'FW', 'FM', 'FN', 'FU', 'FY', 'FQ', 'FG', 'FA', 'FB', 'TG', 'TF', 'TJ', 'TI', 'TO', 'TC',
  '\\', 'Z', '[', 'U', 'T', 'V', '@', '#', '?', 'G', 'C', '"', ':', ';', 'BS', 'S', 'Q', 'R', 'I', 'LP', 'A', 'ESC EOT',
]);

/**
 * Where the tool goes. Absolute and relative moves and draws in text and binary form are worked out; relative
 * pairs chain (section 1.2 assumes it). Everything else that could draw is named in `uninterpreted`, so a
 * caller knows that lengths and bounds are then too small.
 */
export function geometryOf(program: Program, stepsPerMm: StepsPerMm): Geometry {
  const walk = new Walk(stepsPerMm);
  for (const command of program.commands) walk.take(command, parametersOf(program, command));
  return walk.end();
}

class Walk {
  readonly #stepsPerMm: StepsPerMm;
  readonly #points = new NumberWriter(4096);
  readonly #polylines: Polyline[] = [];
  readonly #uninterpreted = new Set<string>();
  #x = 0;
  #y = 0;
  #pen = 0;
  /** By the tool they are for; 0: whichever is in use. */
  readonly #speeds = new Map<number, CutSpeed>();
  readonly #accelerationLevels = new Map<number, number>();
  #travelSteps = 0;
  #arm = 0;
  #markType = 0;
  #distances: { readonly feed: number; readonly carriage: number } | null = null;

  constructor(stepsPerMm: StepsPerMm) {
    this.#stepsPerMm = stepsPerMm;
  }

  take(command: Command, parameters: Float64Array): void {
    switch (command.name) {
      case 'M': this.#raise(); this.#travel(parameters[0] ?? 0, parameters[1] ?? 0); break;
      case 'O': this.#raise(); this.#travel(this.#x + (parameters[0] ?? 0), this.#y + (parameters[1] ?? 0)); break;
      case 'D': case 'BD': this.#draw(parameters, false); break;
      case 'E': case 'BE': this.#draw(parameters, true); break;
      case 'J': this.#raise(); this.#pen = parameters[0] ?? 0; break;
      case '!': this.#raise(); this.#speeds.set(parameters[1] ?? 0, speedOf(parameters[0] ?? 0)); break;
      case '*': this.#raise(); this.#accelerationLevels.set(parameters[2] ?? 0, Math.max(1, parameters[0] ?? 1)); break;
      case 'H': case 'TT': this.#raise(); this.#travel(0, 0); break;
      case 'TB': this.#mark(parameters); break;
      default: if (!withoutGeometry.has(command.name)) this.#uninterpreted.add(command.name);
    }
  }

  end(): Geometry {
    this.#raise();
    const perMm = this.#stepsPerMm;
    return {
      polylines: this.#polylines,
      markBlock: this.#distances === null ? null : {
        armMm: this.#arm / perMm,
        markType: this.#markType,
        feedDistanceMm: this.#distances.feed / perMm,
        carriageDistanceMm: this.#distances.carriage / perMm,
      },
      travelLengthMm: this.#travelSteps / perMm,
      uninterpreted: [...this.#uninterpreted],
    };
  }

  #mark(parameters: Float64Array): void {
    const code = parameters[0] ?? 0;
    if (code === 51) this.#arm = parameters[1] ?? 0;
    else if (code === 52) this.#markType = parameters[1] ?? 0;
    else if (code === 23 || code === 24 || code === 123 || code === 124) {
      this.#distances = { feed: parameters[1] ?? 0, carriage: parameters[2] ?? 0 };
    }
  }

  #travel(x: number, y: number): void {
    this.#travelSteps += Math.hypot(x - this.#x, y - this.#y);
    this.#x = x;
    this.#y = y;
  }

  #draw(pairs: Float64Array, relative: boolean): void {
    if (this.#points.length === 0) this.#point();
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      this.#x = (relative ? this.#x : 0) + (pairs[index] ?? 0);
      this.#y = (relative ? this.#y : 0) + (pairs[index + 1] ?? 0);
      this.#point();
    }
  }

  #point(): void {
    this.#points.push(this.#x / this.#stepsPerMm);
    this.#points.push(this.#y / this.#stepsPerMm);
  }

  #raise(): void {
    const { length } = this.#points;
    if (length === 0) return;
    const closed = length > 4 && this.#points.at(0) === this.#points.at(length - 2) && this.#points.at(1) === this.#points.at(length - 1);
    this.#polylines.push({
      pen: this.#pen,
      speed: this.#speeds.get(this.#pen) ?? this.#speeds.get(0) ?? null,
      accelerationLevel: this.#accelerationLevels.get(this.#pen) ?? this.#accelerationLevels.get(0) ?? null,
      closed,
      pointsMm: this.#points.copyFrom(0),
    });
    this.#points.truncate(0);
  }
}

function speedOf(level: number): CutSpeed {
  return level > 100 ? { unit: 'mm/s', value: (level - 100) * 10 } : { unit: 'share of the maximum', value: Math.min(Math.max(level, 1), 10) / 10 };
}

/** The box around everything that is drawn; null where nothing is. */
export function boundsMm(geometry: Geometry): BoundsMm | null {
  let minXMm = Infinity;
  let minYMm = Infinity;
  let maxXMm = -Infinity;
  let maxYMm = -Infinity;
  for (const { pointsMm } of geometry.polylines) {
    for (let index = 0; index + 1 < pointsMm.length; index += 2) {
      const x = pointsMm[index] ?? 0;
      const y = pointsMm[index + 1] ?? 0;
      if (x < minXMm) minXMm = x;
      if (x > maxXMm) maxXMm = x;
      if (y < minYMm) minYMm = y;
      if (y > maxYMm) maxYMm = y;
    }
  }
  return minXMm > maxXMm ? null : { minXMm, minYMm, maxXMm, maxYMm };
}

export function cutLengthMm(geometry: Geometry): number {
  let total = 0;
  for (const { pointsMm } of geometry.polylines) {
    for (let index = 2; index + 1 < pointsMm.length; index += 2) {
      const deltaX = (pointsMm[index] ?? 0) - (pointsMm[index - 2] ?? 0);
      const deltaY = (pointsMm[index + 1] ?? 0) - (pointsMm[index - 1] ?? 0);
      // Not Math.hypot: a sheet has a million of these, and it is many times slower.
      total += Math.sqrt(deltaX * deltaX + deltaY * deltaY);
    }
  }
  return total;
}

export function travelLengthMm(geometry: Geometry): number {
  return geometry.travelLengthMm;
}

/** Straight pieces that are cut. */
export function segmentCount(geometry: Geometry): number {
  return geometry.polylines.reduce((total, { pointsMm }) => total + Math.max(0, pointsMm.length / 2 - 1), 0);
}
