import {
  conditionCommands, defaultPens, geometryOf, parametersOf, parseGpgl,
  type Geometry, type MarkBlock, type PenOfTool, type Polyline, type Program, type StepsPerMm, type ToolConditions, type ToolPath,
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
  sequence: Uint8Array, paths: readonly ToolPath[], marks: MarkBlock, stepsPerMm: StepsPerMm,
  conditions: ToolConditions | null = null, pens: PenOfTool = defaultPens,
): RoundTrip {
  const parsed = parseGpgl(sequence);
  if (!parsed.ok) return failed(`it cannot be read: ${parsed.failure.detail}`);
  const geometry = geometryOf(parsed.program, stepsPerMm);
  if (geometry.uninterpreted.length > 0) return failed(`it has ${geometry.uninterpreted.join(', ')}`);
  const halfMm = 0.5 / stepsPerMm + toleranceMm;
  if (!sameMarks(geometry.markBlock, marks, halfMm)) return failed('its registration marks are others');
  const cut = paths.filter((path) => !isOneStep(path, stepsPerMm));
  if (!sameConditions(parsed.program, cut, conditions, pens)) return failed('its tool conditions are others');
  for (const [index, path] of cut.entries()) {
    const polyline = geometry.polylines[index];
    if (polyline === undefined) return failed(`path ${index + 1} is missing`);
    if (polyline.pen !== pens[path.tool]) return failed(`path ${index + 1} has pen ${polyline.pen}`);
    if (!follows(polyline, path, stepsPerMm, halfMm)) return failed(`path ${index + 1} runs differently`);
  }
  if (cut.length !== geometry.polylines.length) return failed(`it has ${geometry.polylines.length} paths, not ${cut.length}`);
  return { ok: true, geometry, collapsed: paths.length - cut.length };
}

function failed(what: string): RoundTrip {
  return { ok: false, detail: `The finished cut job does not read back as the cut paths of the page (${what}). This is a defect of Kerf; nothing was stored.` };
}

function sameMarks(read: MarkBlock | null, marks: MarkBlock, halfMm: number): boolean {
  return read !== null && read.markType === marks.markType && Math.abs(read.armMm - marks.armMm) <= halfMm
    && Math.abs(read.feedDistanceMm - marks.feedDistanceMm) <= halfMm && Math.abs(read.carriageDistanceMm - marks.carriageDistanceMm) <= halfMm;
}

/** Each change of the tool with its conditions, and no other condition anywhere. */
function sameConditions(program: Program, paths: readonly ToolPath[], conditions: ToolConditions | null, pens: PenOfTool): boolean {
  const wanted: string[] = [];
  let pen = 0;
  for (const { tool } of paths) {
    if (pens[tool] === pen) continue;
    pen = pens[tool];
    wanted.push(`J${pen}`);
    if (conditions !== null) wanted.push(...conditionCommands(conditions[tool]).map(({ name, parameters }) => `${name}${parameters.join()}`));
  }
  const read = program.commands.filter(({ name }) => conditionNames.has(name)).map((command) => `${command.name}${parametersOf(program, command).join()}`);
  return wanted.length === read.length && wanted.every((command, index) => command === read[index]);
}

const conditionNames: ReadonlySet<string> = new Set(['J', '!', '*', 'FX', 'FC', 'FW', 'TJ', 'TF']);

function isOneStep({ pointsMm }: ToolPath, stepsPerMm: StepsPerMm): boolean {
  const x = Math.round((pointsMm[0] ?? 0) * stepsPerMm);
  const y = Math.round((pointsMm[1] ?? 0) * stepsPerMm);
  for (let at = 2; at + 1 < pointsMm.length; at += 2) {
    if (Math.round((pointsMm[at] ?? 0) * stepsPerMm) !== x || Math.round((pointsMm[at + 1] ?? 0) * stepsPerMm) !== y) return false;
  }
  return true;
}

/** Each point of the path is the vertex the tool is at or the next one, and no vertex is left over. */
function follows(polyline: Polyline, path: ToolPath, stepsPerMm: StepsPerMm, halfMm: number): boolean {
  const vertices = polyline.pointsMm;
  const { pointsMm } = path;
  const points = pointsMm.length / 2;
  const end = path.closed ? points + 1 : points;
  let vertex = 0;
  for (let index = 0; index < end; index++) {
    const at = (index === points ? 0 : index) * 2;
    const x = pointsMm[at] ?? Number.NaN;
    const y = pointsMm[at + 1] ?? Number.NaN;
    const isHere = Math.round(x * stepsPerMm) === Math.round((vertices[vertex] ?? NaN) * stepsPerMm)
      && Math.round(y * stepsPerMm) === Math.round((vertices[vertex + 1] ?? NaN) * stepsPerMm);
    if (!isHere && index > 0) vertex += 2;
    // Written so that NaN, beyond the last vertex, does not pass.
    if (!(Math.abs((vertices[vertex] ?? NaN) - x) <= halfMm && Math.abs((vertices[vertex + 1] ?? NaN) - y) <= halfMm)) return false;
  }
  return vertex === vertices.length - 2;
}
