import {
  conditionCommands, defaultPens, readGeometry,
  type Geometry, type MarkBlock, type PenOfTool, type StepsPerMm, type Strokes, type ToolConditions, type ToolPaths,
} from '../gpgl/index.ts';

export type RoundTrip =
  | { readonly ok: true; readonly geometry: Geometry; readonly collapsed: number }
  | { readonly ok: false; readonly detail: string };

/** Coordinates and their rounding come from floating point. */
const toleranceMm = 1e-7;

/**
 * Reads a finished sequence back and compares it with the paths it was made from: the marks, the tool of every
 * path and its conditions, every point within half a step, no point more and none less. A path that is shorter than a step
 * has nothing to be compared with; `collapsed` counts them.
 */
export function roundTrip(
  sequence: Uint8Array, paths: ToolPaths, marks: MarkBlock, stepsPerMm: StepsPerMm,
  conditions: ToolConditions | null = null, pens: PenOfTool = defaultPens,
): RoundTrip {
  const read = readGeometry(sequence, stepsPerMm);
  if (!read.ok) return failed(`it cannot be read: ${read.failure.detail}`);
  const { geometry } = read;
  if (geometry.uninterpreted.length > 0) return failed(`it has ${geometry.uninterpreted.join(', ')}`);
  const halfMm = 0.5 / stepsPerMm + toleranceMm;
  if (!sameMarks(geometry.markBlock, marks, halfMm)) return failed('its registration marks are others');
  const { strokes } = geometry;
  const wanted = new WantedConditions(conditions, pens);
  let stroke = 0;
  for (let path = 0; path < paths.count; path++) {
    if (isOneStep(paths, path, stepsPerMm)) continue;
    const tool = paths.tools[path] ?? 'cut';
    wanted.of(tool);
    if (stroke === strokes.count) return failed(`path ${stroke + 1} is missing`);
    const pen = strokes.conditions[strokes.conditionOf[stroke] ?? 0]?.pen;
    if (pen !== pens[tool]) return failed(`path ${stroke + 1} has pen ${pen}`);
    if (!follows(strokes, stroke, paths, path, stepsPerMm, halfMm)) return failed(`path ${stroke + 1} runs differently`);
    stroke++;
  }
  if (stroke !== strokes.count) return failed(`it has ${strokes.count} paths, not ${stroke}`);
  if (!wanted.are(geometry.conditionCommands)) return failed('its tool conditions are others');
  return { ok: true, geometry, collapsed: paths.count - stroke };
}

function failed(what: string): RoundTrip {
  return { ok: false, detail: `The finished cut job does not read back as the cut paths of the page (${what}). This is a defect of Kerf; nothing was stored.` };
}

function sameMarks(read: MarkBlock | null, marks: MarkBlock, halfMm: number): boolean {
  return read !== null && read.markType === marks.markType && Math.abs(read.armMm - marks.armMm) <= halfMm
    && Math.abs(read.feedDistanceMm - marks.feedDistanceMm) <= halfMm && Math.abs(read.carriageDistanceMm - marks.carriageDistanceMm) <= halfMm;
}

/** Each change of the tool with its conditions, and no other condition anywhere. */
class WantedConditions {
  readonly #conditions: ToolConditions | null;
  readonly #pens: PenOfTool;
  readonly #commands: string[] = [];
  #pen = 0;

  constructor(conditions: ToolConditions | null, pens: PenOfTool) {
    this.#conditions = conditions;
    this.#pens = pens;
  }

  /** The next path is cut with this tool. */
  of(tool: ToolPaths['tools'][number]): void {
    if (this.#pens[tool] === this.#pen) return;
    this.#pen = this.#pens[tool];
    this.#commands.push(`J${this.#pen}`);
    if (this.#conditions !== null) this.#commands.push(...conditionCommands(this.#conditions[tool]).map(({ name, parameters }) => `${name}${parameters.join()}`));
  }

  are(commands: readonly string[]): boolean {
    return commands.length === this.#commands.length && commands.every((command, index) => command === this.#commands[index]);
  }
}

function isOneStep({ pointsMm, first }: ToolPaths, path: number, stepsPerMm: StepsPerMm): boolean {
  const start = (first[path] ?? 0) * 2;
  const end = (first[path + 1] ?? 0) * 2;
  const x = Math.round((pointsMm[start] ?? 0) * stepsPerMm);
  const y = Math.round((pointsMm[start + 1] ?? 0) * stepsPerMm);
  for (let at = start + 2; at < end; at += 2) {
    if (Math.round((pointsMm[at] ?? 0) * stepsPerMm) !== x || Math.round((pointsMm[at + 1] ?? 0) * stepsPerMm) !== y) return false;
  }
  return true;
}

/** Each point of the path is the vertex the tool is at or the next one, and no vertex is left over. */
function follows(strokes: Strokes, stroke: number, paths: ToolPaths, path: number, stepsPerMm: StepsPerMm, halfMm: number): boolean {
  const vertices = strokes.pointsMm;
  const { pointsMm } = paths;
  const start = paths.first[path] ?? 0;
  const points = paths.first[path + 1] ?? 0;
  const end = paths.closed[path] === 1 ? points + 1 : points;
  const lastVertex = (strokes.first[stroke + 1] ?? 0) * 2 - 2;
  let vertex = (strokes.first[stroke] ?? 0) * 2;
  for (let index = start; index < end; index++) {
    const at = (index === points ? start : index) * 2;
    const x = pointsMm[at] ?? Number.NaN;
    const y = pointsMm[at + 1] ?? Number.NaN;
    // Only what is as near as this can be on the same step.
    const isHere = isNear(vertices, vertex, x, y, halfMm)
      && Math.round(x * stepsPerMm) === Math.round((vertices[vertex] ?? NaN) * stepsPerMm)
      && Math.round(y * stepsPerMm) === Math.round((vertices[vertex + 1] ?? NaN) * stepsPerMm);
    if (isHere) continue;
    if (index > start) vertex += 2;
    if (vertex > lastVertex || !isNear(vertices, vertex, x, y, halfMm)) return false;
  }
  return vertex === lastVertex;
}

/** Written so that NaN is not. */
function isNear(vertices: Float64Array, vertex: number, x: number, y: number, halfMm: number): boolean {
  return Math.abs((vertices[vertex] ?? NaN) - x) <= halfMm && Math.abs((vertices[vertex + 1] ?? NaN) - y) <= halfMm;
}
