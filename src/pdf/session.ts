import { ColourReader } from './colour.ts';
import { CutSink } from './cut-sink.ts';
import { Findings } from './findings.ts';
import { FontReader } from './fonts.ts';
import type { Layer } from './layers.ts';
import { LayerReader } from './layers.ts';
import type { PdfLimits } from './limits.ts';
import { spotMatcher } from './marking.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfDict, PdfObject, PdfStream } from './objects.ts';
import { PaintedBoxes } from './painted.ts';
import { tooComplex } from './refusal.ts';
import type { Tool } from './types.ts';

/** The content a painting operator stands in: a stream, or the joined contents of the page. */
export type ContentOwner = PdfStream | 'page';

export interface PaintedPath {
  readonly owner: ContentOwner;
  readonly operatorStart: number;
  readonly operatorLength: number;
  /** It painted cut content and nothing else. */
  readonly cutOnly: boolean;
  /** Box of the paint, line width included, clip not. */
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Told of each operator that paints a path on the page or in its forms. */
export type PaintListener = (painted: PaintedPath) => void;

/** Which paths are cut: those that an ink or a layer marks, or every stroke as well. */
export type CutSelection = 'marked' | 'all-strokes';

/** What one reading of a page shares over all its content streams, and what it may still spend. */
export class ReadingSession {
  readonly store: ObjectStore;
  readonly limits: PdfLimits;
  readonly colours: ColourReader;
  readonly fonts: FontReader;
  readonly layers: LayerReader;
  readonly findings: Findings;
  readonly sink: CutSink;
  readonly painted = new PaintedBoxes();
  readonly onPaint: PaintListener | null;
  readonly cutPaths: CutSelection;
  /** Patterns and glyphs already searched for cutting inks. */
  readonly probed = new Set<PdfObject>();
  /** The images that the renderer leaves out. */
  readonly undrawn = new PaintedBoxes();
  private operators = 0;
  private formCalls = 0;

  constructor(store: ObjectStore, catalog: PdfDict, cutSpotColors: readonly string[], onPaint: PaintListener | null, cutPaths: CutSelection) {
    this.store = store;
    this.limits = store.budget.limits;
    this.findings = new Findings(cutSpotColors);
    this.colours = new ColourReader(store, spotMatcher(cutSpotColors), (ink, match) => { this.findings.ink(ink, match); });
    this.fonts = new FontReader(store);
    this.layers = new LayerReader(store, catalog);
    this.sink = new CutSink(this.limits.maxCutPoints);
    this.onPaint = onPaint;
    this.cutPaths = cutPaths;
  }

  countOperators(count: number): void {
    this.operators += count;
    if (this.operators > this.limits.maxOperators) tooComplex('content operators', this.limits.maxOperators);
  }

  countFormCall(depth: number): void {
    this.formCalls += 1;
    if (this.formCalls > this.limits.maxFormCalls) tooComplex('form calls', this.limits.maxFormCalls);
    if (depth > this.limits.maxFormDepth) tooComplex('levels of nested forms', this.limits.maxFormDepth);
  }
}

/** Where content stands among marked content: the tool of its layer, if a processing step gives one, and whether it shows. */
export interface Standing {
  readonly tool: Tool | null;
  /** The layer whose step decided, or null. */
  readonly layer: Layer | null;
  /** The groups that the innermost membership names. */
  readonly layers: readonly Layer[];
  /** Not shown when the file is opened. */
  readonly hidden: boolean;
  /** Not shown when it is printed. */
  readonly unprinted: boolean;
  /** How deep the marked content is nested. */
  readonly depth: number;
  readonly outer: Standing | null;
}

export const NO_STANDING: Standing = { tool: null, layer: null, layers: [], hidden: false, unprinted: false, depth: 0, outer: null };

// Far more than any nesting that means something; an unbalanced file must not grow without end.
const MAX_MARKED_DEPTH = 65_536;

/** The standing of what an /OC entry or marked content encloses. */
export function enter(session: ReadingSession, outer: Standing, optionalContent: PdfObject): Standing {
  if (outer.depth >= MAX_MARKED_DEPTH) tooComplex('levels of nested marked content', MAX_MARKED_DEPTH);
  const depth = outer.depth + 1;
  const membership = optionalContent === null ? null : session.layers.membership(optionalContent);
  if (membership === null) return { ...outer, depth, outer };
  const { findings } = session;
  for (const layer of membership.layers) findings.layer(layer);
  if (membership.usesNot) {
    findings.warn('MEMBERSHIP_NOT', '', () => 'A layer membership uses /Not; groups under it do not mark their content as cut.');
  }
  const { layers } = membership;
  const hidden = outer.hidden || !membership.visible;
  const unprinted = outer.unprinted || !membership.prints;
  // The innermost group that carries a step decides; among several at one level, one with a tool.
  const stepped = membership.layers.filter((layer) => layer.step !== null);
  const decisive = stepped.find((layer) => layer.step?.verdict.kind === 'tool') ?? stepped[0];
  if (decisive === undefined || decisive.step === null) return { tool: outer.tool, layer: outer.layer, layers, hidden, unprinted, depth, outer };
  const { verdict } = decisive.step;
  return { tool: verdict.kind === 'tool' ? verdict.tool : null, layer: decisive, layers, hidden, unprinted, depth, outer };
}
