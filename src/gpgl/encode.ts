import { ByteWriter } from './bytes.ts';
import { conditionCommands, type ToolConditions } from './conditions.ts';
import type { ToolPaths } from './paths.ts';
import { ETX, toSteps, type MarkBlock, type StepsPerMm, type Tool } from './units.ts';

/** Which tool condition (`J1`–`J8`, section 1.2) cuts what. The shop sets up the conditions at the cutter. */
export type PenOfTool = Readonly<Record<Tool, number>>;

export const defaultPens: PenOfTool = { 'cut': 1, 'kiss-cut': 2, 'perforation': 3, 'crease': 4 };

/** Pairs in one `D`. A line of 9600 baud carries about 960 bytes a second and a status poll may stand only
 * after an ETX (sections 1.5 and 4.4), so a command should pass in about a second: 100 pairs of some 10 bytes. */
export const defaultPairsPerDraw = 100;

export interface JobToEncode {
  readonly stepsPerMm: StepsPerMm;
  /** null: a job without registration marks, and so without any `TB`. */
  readonly markBlock: MarkBlock | null;
  /** In the order of cutting, in the mark frame. */
  readonly paths: ToolPaths;
  readonly pens?: PenOfTool;
  /** Sent with every change of the tool; null: the conditions that the shop set up at the cutter. */
  readonly conditions?: ToolConditions | null;
  readonly pairsPerDraw?: number;
}

/** On a sheet of some decimetres at 10 or 20 steps per millimetre, with what stands between points. Only a guess. */
const bytesPerPoint = 12;
const bytesAround = 1024;

/**
 * Writes a job in GP-GL, in the structure of section 6's FC9000 job. Every command ends with ETX.
 *
 * - Coordinates are whole steps, rounded to the nearest (halves up), so each is within half a step.
 * - Consecutive points that round to the same step are written once; a path of which nothing remains but
 *   one point is left out, since lowering the tool there would stab the sheet.
 * - A closed path returns to its first point.
 * - A `D` longer than `pairsPerDraw` is followed by another `D`: no `M` stands between, so the tool stays down.
 * - Only `J` of tools that are used, and only where the tool changes.
 *
 * Throws RangeError on coordinates that are not finite, on a pen that is not 1–8 and on a condition outside its range: those are
 * bugs of the caller.
 */
export function encodeJob(job: JobToEncode): Uint8Array<ArrayBuffer> {
  const pens = job.pens ?? defaultPens;
  const pairsPerDraw = job.pairsPerDraw ?? defaultPairsPerDraw;
  if (!Number.isInteger(pairsPerDraw) || pairsPerDraw < 1) throw new RangeError(`pairs in a draw command: ${pairsPerDraw}`);
  const out = new ByteWriter(bytesAround + (job.paths.pointsMm.length / 2 + job.paths.count) * bytesPerPoint);
  if (job.markBlock !== null) writeMarkBlock(out, job.markBlock, job.stepsPerMm);
  let pen = 0;
  const { paths, stepsPerMm } = job;
  for (let index = 0; index < paths.count; index++) {
    const second = secondStep(paths, index, stepsPerMm);
    if (second === 0) continue;
    const tool = paths.tools[index] ?? 'cut';
    const wanted = pens[tool];
    if (wanted !== pen) {
      if (!Number.isInteger(wanted) || wanted < 1 || wanted > 8) throw new RangeError(`pen ${wanted} for ${tool}`);
      command(out, 'J', [wanted]);
      if (job.conditions) for (const { name, parameters } of conditionCommands(job.conditions[tool])) command(out, name, parameters);
      pen = wanted;
    }
    writePath(out, paths, index, second, stepsPerMm, pairsPerDraw);
  }
  command(out, 'M', [0, 0]);
  if (job.markBlock !== null) command(out, 'TB', [0]);
  return out.take();
}

function writeMarkBlock(out: ByteWriter, marks: MarkBlock, stepsPerMm: StepsPerMm): void {
  command(out, 'TB', [99]);
  command(out, 'TB', [51, toSteps(marks.armMm, stepsPerMm)]);
  command(out, 'TB', [52, marks.markType]);
  command(out, 'TB', [54, 0, 0]);
  command(out, 'TB', [55, 1]);
  command(out, 'TB', [24, toSteps(marks.feedDistanceMm, stepsPerMm), toSteps(marks.carriageDistanceMm, stepsPerMm)]);
  command(out, 'TB', [99]);
}

function command(out: ByteWriter, name: string, parameters: readonly number[]): void {
  out.text(name);
  parameters.forEach((parameter, index) => {
    if (index > 0) out.byte(0x2c);
    out.integer(parameter);
  });
  out.byte(ETX);
}

/** The first point that is on another step than the path's first; 0 where there is none. */
function secondStep({ pointsMm, first }: ToolPaths, index: number, stepsPerMm: StepsPerMm): number {
  const start = first[index] ?? 0;
  const end = first[index + 1] ?? 0;
  const firstX = toSteps(pointsMm[start * 2] ?? 0, stepsPerMm);
  const firstY = toSteps(pointsMm[start * 2 + 1] ?? 0, stepsPerMm);
  for (let point = start + 1; point < end; point++) {
    if (toSteps(pointsMm[point * 2] ?? 0, stepsPerMm) !== firstX) return point;
    if (toSteps(pointsMm[point * 2 + 1] ?? 0, stepsPerMm) !== firstY) return point;
  }
  return 0;
}

function writePath(out: ByteWriter, { pointsMm, first, closed }: ToolPaths, index: number, second: number, stepsPerMm: StepsPerMm, pairsPerDraw: number): void {
  const start = first[index] ?? 0;
  const count = first[index + 1] ?? 0;
  const firstX = toSteps(pointsMm[start * 2] ?? 0, stepsPerMm);
  const firstY = toSteps(pointsMm[start * 2 + 1] ?? 0, stepsPerMm);
  out.pair(0x4d, firstX, firstY);
  out.byte(ETX);
  let lastX = firstX;
  let lastY = firstY;
  let pairs = 0;
  const end = closed[index] === 1 ? count + 1 : count;
  for (let point = second; point < end; point++) {
    const x = point === count ? firstX : toSteps(pointsMm[point * 2] ?? 0, stepsPerMm);
    const y = point === count ? firstY : toSteps(pointsMm[point * 2 + 1] ?? 0, stepsPerMm);
    if (x === lastX && y === lastY) continue;
    if (pairs === pairsPerDraw) {
      out.byte(ETX);
      pairs = 0;
    }
    out.pair(pairs === 0 ? 0x44 : 0x2c, x, y);
    pairs++;
    lastX = x;
    lastY = y;
  }
  out.byte(ETX);
}
