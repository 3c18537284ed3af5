import type { Layer } from './layers.ts';
import type { SpotMatch } from './marking.ts';
import { knownAlias } from './marking.ts';
import type { Box } from './matrix.ts';
import type { CutSource, PaintedObject, PdfWarning, PdfWarningCode, SeenMarking, Tool } from './types.ts';

const MAX_SEEN = 200;
const MAX_WARNINGS = 100;
// For a picture of the page: more would hide it.
const MAX_UNSUPPORTED = 50;

interface InkRecord {
  readonly match: SpotMatch | null;
  paths: number;
  tintZero: number;
  /** Cut by the step of their layer, not by this ink. */
  onStepLayer: number;
  artwork: number;
  /** Of the cut paths, how many do not overprint. */
  knockingOut: number;
}

interface Warned {
  readonly detail: string;
  count: number;
}

interface LayerRecord {
  paths: number;
  unsupported: number;
  artwork: number;
}

export interface Unsupported {
  readonly what: 'text' | 'image' | 'pattern';
  readonly detail: string;
  /** For a place in a picture: "text in /F1 in the cutting ink …". */
  readonly description: string;
  /** On the page; null inside a pattern or a glyph, which may be anywhere. */
  readonly box: Box | null;
}

/** What the reader noticed on its way: warnings once per subject, inks, layers, and cut content that cannot be cut. */
export class Findings {
  unsupported: Unsupported | null = null;
  /** The first of those that have a place on the page. */
  readonly unsupportedObjects: PaintedObject[] = [];
  private stepPaths = 0;
  private spotPaths = 0;
  private readonly warnings = new Map<PdfWarningCode, Map<string, Warned>>();
  private warningCount = 0;
  private readonly inks = new Map<string, InkRecord>();
  private readonly layers = new Map<Layer, LayerRecord>();
  private readonly settings: readonly string[];
  private inksLeftOut = 0;

  constructor(settings: readonly string[]) {
    this.settings = settings;
  }

  /** One warning per code and subject, counted. The sentence is made for the first only: there may be a million. */
  warn(code: PdfWarningCode, subject: string, detail: () => string): void {
    let bySubject = this.warnings.get(code);
    if (bySubject === undefined) this.warnings.set(code, (bySubject = new Map<string, Warned>()));
    const known = bySubject.get(subject);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    if (this.warningCount >= MAX_WARNINGS) return;
    this.warningCount += 1;
    bySubject.set(subject, { detail: detail(), count: 1 });
  }

  ink(name: string, match: SpotMatch | null): void {
    if (this.inks.has(name)) return;
    // A hostile file may name a million inks; those that match are always kept.
    if (this.inks.size >= MAX_SEEN && match === null) {
      this.inksLeftOut += 1;
      return;
    }
    this.inks.set(name, { match, paths: 0, tintZero: 0, onStepLayer: 0, artwork: 0, knockingOut: 0 });
  }

  inkUse(name: string, use: 'paths' | 'tintZero' | 'onStepLayer' | 'artwork' | 'knockingOut', count = 1): void {
    const record = this.inks.get(name);
    if (record !== undefined) record[use] += count;
  }

  layer(layer: Layer): void {
    if (!this.layers.has(layer)) this.layers.set(layer, { paths: 0, unsupported: 0, artwork: 0 });
  }

  /** Something painted that is no cut. */
  artwork(inks: readonly string[], otherInks: readonly string[], layers: readonly Layer[]): void {
    for (const ink of inks) this.inkUse(ink, 'artwork');
    for (const ink of otherInks) if (!inks.includes(ink)) this.inkUse(ink, 'artwork');
    for (const layer of layers) {
      const record = this.layers.get(layer);
      if (record !== undefined) record.artwork += 1;
    }
  }

  takenByStep(layer: Layer, count: number): void {
    this.layer(layer);
    const record = this.layers.get(layer);
    if (record !== undefined) record.paths += count;
    this.stepPaths += count;
  }

  takenBySpot(ink: string, match: SpotMatch, count: number): void {
    this.inkUse(ink, 'paths', count);
    this.spotPaths += count;
    this.warn('SPOT_COLOR_LEGACY', '', () => `Cut paths are marked by the spot colour "${ink}", the legacy way; a processing step (ISO 19593-1) is unambiguous.`);
    if (!match.canonical) this.warn('SPOT_COLOR_NON_CANONICAL', ink, () => `The spot colour "${ink}" is taken as a ${match.tool} path by the setting CUT_SPOT_COLORS; the usual name is CutContour.`);
  }

  /** Cut content that is no path. */
  notCuttable(code: PdfWarningCode, unsupported: Unsupported, layer: Layer | null): void {
    this.warn(code, unsupported.detail, () => `${unsupported.detail} It is not cut; convert it to paths.`);
    this.unsupported ??= unsupported;
    this.placeUnsupported(unsupported);
    const record = layer === null ? undefined : this.layers.get(layer);
    if (record !== undefined) record.unsupported += 1;
  }

  private placeUnsupported({ what, description, box }: Unsupported): void {
    if (box === null || this.unsupportedObjects.length >= MAX_UNSUPPORTED || ![box.x0, box.y0, box.x1, box.y1].every(Number.isFinite)) return;
    this.unsupportedObjects.push({ kind: what === 'pattern' ? 'path' : what, description, boxMm: { x0Mm: box.x0, y0Mm: box.y0, x1Mm: box.x1, y1Mm: box.y1 } });
  }

  cutSource(): CutSource | null {
    if (this.stepPaths === 0 && this.spotPaths === 0) return null;
    if (this.stepPaths > 0 && this.spotPaths > 0) return 'mixed';
    return this.stepPaths > 0 ? 'processing-steps' : 'spot-color';
  }

  warningList(): PdfWarning[] {
    return [...this.warnings].flatMap(([code, bySubject]) => [...bySubject.values()].map(({ detail, count }) => (
      { code, detail: count > 1 && code !== 'SPOT_COLOR_LEGACY' ? `${detail} (${count} times)` : detail }
    )));
  }

  seen(): SeenMarking[] {
    const inks = [...this.inks].map(([name, record]) => this.seenInk(name, record));
    const layers = [...this.layers].map(([layer, record]) => seenLayer(layer, record));
    const list = [...inks.filter(({ taken }) => taken), ...layers, ...inks.filter(({ taken }) => !taken)].slice(0, MAX_SEEN);
    if (this.inksLeftOut > 0) list.push({ kind: 'ink', name: '…', taken: false, tool: null, cutPaths: 0, otherObjects: 0, overprints: null, reason: `and ${this.inksLeftOut} more inks that are not listed` });
    return list;
  }

  private seenInk(name: string, record: InkRecord): SeenMarking {
    const { match, paths, knockingOut } = record;
    const found = { kind: 'ink' as const, name, tool: match?.tool ?? null, cutPaths: paths, otherObjects: record.artwork + record.onStepLayer };
    if (paths > 0) return { ...found, taken: true, overprints: knockingOut === 0, reason: `${paths} cut paths` };
    return { ...found, taken: false, overprints: null, reason: this.reasonAgainst(name, record) };
  }

  private reasonAgainst(name: string, record: InkRecord): string {
    if (name === 'All') return 'the registration colour All is always artwork';
    if (record.match !== null) {
      if (record.onStepLayer > 0) return 'its paths are cut because of the processing step of their layer';
      if (record.tintZero > 0) return 'used only at a tint of 0 %, which paints nothing';
      if (record.artwork > 0) return 'what is painted in it is no path that can be cut by it alone: it is on layers whose processing step is not cut, or no path';
      return 'its name is a cutting ink, but no path on the page is painted in it';
    }
    const listed = `CUT_SPOT_COLORS (${this.settings.join(', ')})`;
    const alias = knownAlias(name);
    if (alias !== null) return `known as a name for ${alias} paths, but not in ${listed}; add "${name}" there to have it cut`;
    return `its name is not in ${listed}${record.artwork === 0 ? ', and nothing on the page itself is painted in it' : ''}`;
  }
}

function seenLayer(layer: Layer, record: LayerRecord): SeenMarking {
  const { step } = layer;
  const tool: Tool | null = step?.verdict.kind === 'tool' ? step.verdict.tool : null;
  const named = { kind: 'layer' as const, name: layer.name, cutPaths: record.paths, otherObjects: record.artwork + record.unsupported, overprints: null };
  if (record.paths > 0) return { ...named, taken: true, tool, reason: `processing step ${stepName(layer)}, ${record.paths} cut paths` };
  return { ...named, taken: false, tool, reason: reasonAgainstLayer(layer, record) };
}

function reasonAgainstLayer(layer: Layer, record: LayerRecord): string {
  switch (layer.step?.verdict.kind) {
    case undefined:
      return 'it carries no processing step (GTS_Metadata); the name of a layer does not make its paths cut paths';
    case 'tool':
      return record.unsupported > 0
        ? `processing step ${stepName(layer)}, but it holds no path, only content that cannot be cut`
        : `processing step ${stepName(layer)}, but no path on this page is on it`;
    case 'not-cut':
      return `processing step ${stepName(layer)} is recognised, but Kerf does not cut it`;
    case 'other':
      return `processing step ${stepName(layer)} is not a tool path`;
    case 'unknown':
      return `processing step ${stepName(layer)} is not known`;
  }
}

export function stepName(layer: Layer): string {
  const { step } = layer;
  if (step === null) return '';
  return step.type === null ? step.group : `${step.group}/${step.type}`;
}
