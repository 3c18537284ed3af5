import type { Paint } from './colour.ts';
import { stepName } from './findings.ts';
import type { GraphicsState } from './graphics-state.ts';
import type { Box } from './matrix.ts';
import type { PathBuffer } from './path-buffer.ts';
import type { ReadingSession, Standing } from './session.ts';
import type { PaintedKind, Tool } from './types.ts';

// What a clip may cut off without a word: half a step of a cutter's coarsest resolution.
const CLIP_SLACK_MM = 0.05;

const NO_INKS: readonly string[] = [];

/** What kind of content is being read: the page and its forms yield paths and boxes; the inside of patterns and of Type 3
 * glyphs is only searched for cutting inks. */
export type Reading = 'page' | 'pattern' | 'glyph';

/** Decides for each painted thing whether it is a cut, artwork, or nothing. */
export class Painter {
  private readonly session: ReadingSession;
  private readonly reading: Reading;
  private readonly where: string;

  constructor(session: ReadingSession, reading: Reading, where: string) {
    this.session = session;
    this.reading = reading;
    this.where = where;
  }

  /** Paints the path; returns whether the operator painted cut content and nothing else. */
  path(path: PathBuffer, state: GraphicsState, standing: Standing, strokes: boolean, fills: boolean): boolean {
    const strokePaint = strokes && !this.nothing(state.stroke) ? state.stroke : null;
    const fillPaint = fills && !this.nothing(state.fill) ? state.fill : null;
    if (strokePaint === null && fillPaint === null) return false;
    if (standing.tool !== null && standing.layer !== null && !(isRegistration(strokePaint) && isRegistration(fillPaint))) {
      this.cutByStep(path, state, standing, standing.tool, strokePaint, fillPaint);
      return true;
    }
    if (strokePaint !== null && this.reading === 'page' && this.session.cutPaths === 'all-strokes') return this.cutStroke(path, state, standing, strokePaint);
    const byInk = !this.isBarred(standing, strokePaint, fillPaint);
    const strokeCuts = byInk && strokePaint !== null && this.cuts(strokePaint, path);
    const fillCuts = byInk && fillPaint !== null && this.cuts(fillPaint, path);
    if (strokeCuts) this.cutBySpot(path, state, standing, strokePaint, false);
    else if (fillCuts) this.cutBySpot(path, state, standing, fillPaint, true);
    const artStroke = strokeCuts ? null : strokePaint;
    const artFill = fillCuts ? null : fillPaint;
    if (artStroke !== null || artFill !== null) this.artworkPath(path, state, standing, artStroke, artFill);
    return artStroke === null && artFill === null;
  }

  /** True for None and tint 0, which put nothing down; a cutting ink at tint 0 is remembered for the report. */
  private nothing(paint: Paint): boolean {
    if (!paint.invisible) return false;
    if (paint.space.mayCut) for (const [i, ink] of paint.space.inks.entries()) if ((paint.space.matches[i] ?? null) !== null) this.session.findings.inkUse(ink, 'tintZero');
    return true;
  }

  /** Whether a processing step that is none of a tool keeps a cutting ink from cutting: a step wins over a spot colour. One that is not known
   * is passed over. */
  private isBarred(standing: Standing, ...paints: readonly (Paint | null | undefined)[]): boolean {
    const { layer } = standing;
    const verdict = layer?.step?.verdict.kind;
    if (layer === null || standing.tool !== null || verdict === undefined || verdict === 'unknown') return false;
    const cutting = paints.find((paint) => (paint?.cut ?? null) !== null);
    if (cutting) {
      this.session.findings.warn('STEP_NOT_CUT', `${layer.name}\n${cutting.cutInk}`, () => `What the layer "${layer.name}" holds in the ink "${cutting.cutInk}" is not cut: its processing step ${stepName(layer)} is not cut, and a step wins over a spot colour.`);
    }
    return true;
  }

  /** Whether a paint is a flat cutting ink. A pattern in a cutting ink is no path anyone could follow. */
  private cuts(paint: Paint, path: PathBuffer): boolean {
    if (paint.cut === null) return false;
    if (paint.space.family !== 'pattern') return true;
    this.unsupportedPattern(`A pattern is painted in the cutting ink "${paint.cutInk}"${this.where}.`, this.reading === 'page' ? boxOf(path) : null);
    return false;
  }

  private unsupportedPattern(detail: string, box: Box | null): void {
    this.session.findings.notCuttable('CUT_IN_PATTERN', { what: 'pattern', detail, description: 'a pattern in a cutting ink', box }, null);
  }

  private cutByStep(path: PathBuffer, state: GraphicsState, standing: Standing, tool: Tool, stroke: Paint | null, fill: Paint | null): void {
    const { layer } = standing;
    if (layer === null) return;
    if (this.reading !== 'page') {
      this.probeFound(`on the layer "${layer.name}"`);
      return;
    }
    const kept = this.session.sink.take(path, tool, stroke === null);
    if (kept === 0) return;
    const { findings } = this.session;
    findings.takenByStep(layer, kept);
    for (const paint of [stroke, fill]) if (paint !== null && paint.cut !== null) findings.inkUse(paint.cutInk, 'onStepLayer');
    this.remarks(path, state, 'on the layer', layer.name, stroke === null);
    if (!layer.visible || standing.hidden) {
      findings.warn('CUT_LAYER_HIDDEN', layer.name, () => `The layer "${layer.name}" is hidden; its paths are cut all the same.`);
    }
  }

  private cutBySpot(path: PathBuffer, state: GraphicsState, standing: Standing, paint: Paint, filled: boolean): void {
    if (paint.cut === null) return;
    const { findings } = this.session;
    if (this.reading !== 'page') {
      this.probeFound(`in the cutting ink "${paint.cutInk}"`);
      return;
    }
    const kept = this.session.sink.take(path, paint.cut.tool, filled);
    if (kept === 0) return;
    findings.takenBySpot(paint.cutInk, paint.cut, kept);
    if (!(filled ? state.fillOverprints : state.strokeOverprints)) findings.inkUse(paint.cutInk, 'knockingOut', kept);
    this.remarks(path, state, 'in the ink', paint.cutInk, filled);
    if (paint.mixed) findings.warn('CUT_MIXED_INKS', paint.cutInk, () => `A cut path in the ink "${paint.cutInk}" has other inks mixed in; they are not cut, and would be printed.`);
    if (paint.tint < 0.999) findings.warn('CUT_TINT_BELOW_FULL', paint.cutInk, () => `A cut path in the ink "${paint.cutInk}" has a tint of ${Math.round(paint.tint * 100)} %; a cut is at 100 %.`);
    if (standing.hidden) findings.warn('CUT_LAYER_HIDDEN', paint.cutInk, () => `Cut paths in the ink "${paint.cutInk}" are on a hidden layer; they are cut all the same.`);
  }

  /** A stroke of a file in which every stroke is cut. What nobody sees is left out, since nothing marks it as a cut. */
  private cutStroke(path: PathBuffer, state: GraphicsState, standing: Standing, paint: Paint): boolean {
    const { findings, sink } = this.session;
    if (standing.hidden) {
      findings.warn('STROKE_HIDDEN', '', () => `A stroked path on a hidden layer is not cut (${placeOf(path)}).`);
      return false;
    }
    if (sink.take(path, paint.cut?.tool ?? 'cut', false) > 0) this.remarkClip(path, state, 'A stroked path', '');
    return true;
  }

  private remarks(path: PathBuffer, state: GraphicsState, kind: 'in the ink' | 'on the layer', name: string, filled: boolean): void {
    const { findings } = this.session;
    if (filled) {
      findings.warn('CUT_NOT_STROKED', name, () => `A cut path ${kind} "${name}" is filled, not stroked (${placeOf(path)}); its outline is cut.`);
    }
    this.remarkClip(path, state, `A cut path ${kind} "${name}"`, name);
  }

  private remarkClip(path: PathBuffer, state: GraphicsState, what: string, name: string): void {
    const { findings } = this.session;
    const leaves = path.x0 < state.clipX0 - CLIP_SLACK_MM || path.y0 < state.clipY0 - CLIP_SLACK_MM
      || path.x1 > state.clipX1 + CLIP_SLACK_MM || path.y1 > state.clipY1 + CLIP_SLACK_MM;
    if (leaves) {
      findings.warn('CUT_LEAVES_CLIP', name, () => `${what} leaves its clipping path or the page (${placeOf(path)}); it is cut whole.`);
    }
  }

  private probeFound(what: string): void {
    if (this.reading === 'glyph') this.session.findings.notCuttable('CUT_AS_TEXT', { what: 'text', detail: `A glyph of a Type 3 font is drawn ${what}.`, description: 'a glyph', box: null }, null);
    else this.unsupportedPattern(`A pattern contains paths ${what}.`, null);
  }

  private artworkPath(path: PathBuffer, state: GraphicsState, standing: Standing, stroke: Paint | null, fill: Paint | null): void {
    if (this.reading !== 'page') return;
    this.countArtwork(stroke === null ? NO_INKS : stroke.space.inks, fill === null || fill.space === stroke?.space ? NO_INKS : fill.space.inks, standing);
    if (standing.unprinted) return;
    const strokeShows = stroke !== null && state.strokeAlpha > 0;
    const fillShows = fill !== null && state.fillAlpha > 0;
    if (!strokeShows && !fillShows) return;
    const half = strokeShows ? state.halfLineWidth(path.opCount > 2 && !path.onlyRectangles) : 0;
    const description = strokeShows ? `stroke in ${stroke.space.label}` : `fill in ${fill?.space.label ?? ''}`;
    this.box('path', state, path.x0 - half, path.y0 - half, path.x1 + half, path.y1 + half, description);
  }

  private countArtwork(inks: readonly string[], otherInks: readonly string[], { layers }: Standing): void {
    if (inks.length + otherInks.length + layers.length > 0) this.session.findings.artwork(inks, otherInks, layers);
  }

  private box(kind: PaintedKind, state: GraphicsState, x0: number, y0: number, x1: number, y1: number, description: string): void {
    this.session.painted.add(kind, Math.max(x0, state.clipX0), Math.max(y0, state.clipY0), Math.min(x1, state.clipX1), Math.min(y1, state.clipY1), description);
  }

  /** Text, images and shadings, given by their box; `paints` are the colours it is painted in, of which one may cut. */
  other(kind: 'text' | 'image' | 'shading', state: GraphicsState, standing: Standing, box: Box, paints: readonly Paint[], alpha: number, description: string): void {
    const cutting = this.isBarred(standing, ...paints) ? undefined : paints.find((paint) => paint.cut !== null);
    if (standing.tool !== null || cutting !== undefined) {
      this.cutButNoPath(kind, standing, cutting, box, description);
      // The other inks of a mixed colour print all the same.
      if (standing.tool !== null || cutting?.mixed !== true) return;
    }
    if (this.reading !== 'page') return;
    this.countArtwork(paints[0]?.space.inks ?? NO_INKS, NO_INKS, standing);
    if (standing.unprinted || alpha <= 0) return;
    if (paints.length > 0 && paints.every((paint) => paint.invisible)) return;
    this.box(kind, state, box.x0, box.y0, box.x1, box.y1, description);
  }

  private cutButNoPath(kind: 'text' | 'image' | 'shading', standing: Standing, cutting: Paint | undefined, box: Box, description: string): void {
    const marked = standing.tool !== null ? `on the cut layer "${standing.layer?.name ?? ''}"` : `in the cutting ink "${cutting?.cutInk ?? ''}"`;
    const at = Number.isFinite(box.x0) && this.reading === 'page' ? ` at ${box.x0.toFixed(1)}, ${box.y0.toFixed(1)} mm` : '';
    const found = { detail: `There is ${description}${at} ${marked}.`, description: `${description} ${marked}`, box: this.reading === 'page' ? box : null };
    const layer = standing.tool !== null ? standing.layer : null;
    if (kind === 'text') this.session.findings.notCuttable('CUT_AS_TEXT', { what: 'text', ...found }, layer);
    else if (kind === 'image') this.session.findings.notCuttable('CUT_AS_IMAGE', { what: 'image', ...found }, layer);
    else this.session.findings.notCuttable('CUT_IN_PATTERN', { what: 'pattern', ...found }, layer);
  }
}

/** Nothing, or the colour of registration marks, which stand on every plate: artwork on any layer. */
function isRegistration(paint: Paint | null): boolean {
  return paint === null || (paint.space.inks.length === 1 && paint.space.inks[0] === 'All');
}

function boxOf({ x0, y0, x1, y1 }: PathBuffer): Box {
  return { x0, y0, x1, y1 };
}

function placeOf(path: PathBuffer): string {
  return `at ${path.x0.toFixed(1)}, ${path.y0.toFixed(1)} mm`;
}
