import { boundsMm, defaultPens, pathAt, readGeometry, strokePointsMm, type BoundsMm, type MarkBlock, type Tool } from '../../gpgl/index.ts';
import { Lines } from './lines.ts';
import type { PictureInput, PictureTools } from './types.ts';

/** Cut paths of one pen, x0, y0, x1, y1, … each; a closed one ends where it began. */
export interface PenLines {
  readonly pen: number;
  /** Null: a pen that no tool of Kerf's has. */
  readonly tool: Tool | null;
  readonly linesMm: Lines;
}

/** In the mark frame, (feed, carriage), or in the page frame, (x, y up). */
export interface CutsFound {
  readonly frame: 'mark' | 'page';
  readonly pens: readonly PenLines[];
  readonly markBlock: MarkBlock | null;
  readonly bounds: BoundsMm | null;
  readonly notes: readonly string[];
}

const none: CutsFound = { frame: 'mark', pens: [], markBlock: null, bounds: null, notes: [] };

/** What is cut. Where it cannot be told, a note says why: a picture without cut paths must not look like a job without any. */
export async function findCuts<Document>(input: PictureInput, tools: PictureTools<Document>): Promise<CutsFound> {
  return input.cuts.kind === 'page' ? ofPage(input.pdf, input.cuts, input.copiesMm?.at ?? [[0, 0]], tools) : ofSequence(input.commandSequence, input.cuts);
}

function ofSequence(sequence: Uint8Array, { commandType, stepsPerMm }: Extract<PictureInput['cuts'], { kind: 'sequence' }>): CutsFound {
  if (commandType !== 0) return { ...none, notes: ['The command sequence is not GP-GL; its cut paths cannot be drawn.'] };
  const read = readGeometry(sequence, stepsPerMm);
  if (!read.ok) return { ...none, notes: [`The command sequence cannot be read, so its cut paths are not drawn: ${read.failure.detail}.`] };
  const { geometry } = read;
  const left = geometry.uninterpreted;
  const lines = new Map<number, Lines>();
  const { strokes } = geometry;
  for (let stroke = 0; stroke < strokes.count; stroke++) {
    add(lines, strokes.conditions[strokes.conditionOf[stroke] ?? 0]?.pen ?? 0, strokePointsMm(strokes, stroke));
  }
  return {
    frame: 'mark', pens: byPen(lines), markBlock: geometry.markBlock, bounds: boundsMm(geometry),
    notes: left.length === 0 ? [] : [`Commands that are not drawn: ${left.slice(0, 20).join(', ')}.`],
  };
}

async function ofPage<Document>(
  pdf: Uint8Array, { cutSpotColors, cutPaths }: Extract<PictureInput['cuts'], { kind: 'page' }>, copiesMm: readonly (readonly [number, number])[], tools: PictureTools<Document>,
): Promise<CutsFound> {
  if (pdf.length === 0) return { ...none, frame: 'page' };
  const opened = await tools.openPdf(pdf);
  const read = opened.ok ? tools.readPage(opened.document, { cutSpotColors, cutPaths }) : opened;
  if (!read.ok) return { ...none, frame: 'page' };
  const lines = new Map<number, Lines>();
  for (let index = 0; index < read.reading.paths.count; index++) {
    const { tool, closed, pointsMm } = pathAt(read.reading.paths, index);
    const line = closed ? returning(pointsMm) : pointsMm;
    for (const [x, y] of copiesMm) add(lines, defaultPens[tool], line.map((value, index) => value + (index % 2 === 0 ? x : y)));
  }
  return { ...none, frame: 'page', pens: byPen(lines) };
}

function returning(pointsMm: Float64Array): Float64Array {
  const points = new Float64Array(pointsMm.length + 2);
  points.set(pointsMm);
  points.set(pointsMm.subarray(0, 2), pointsMm.length);
  return points;
}

function add(lines: Map<number, Lines>, pen: number, pointsMm: Float64Array): void {
  const of = lines.get(pen) ?? new Lines();
  of.add(pointsMm);
  lines.set(pen, of);
}

function byPen(lines: ReadonlyMap<number, Lines>): PenLines[] {
  return [...lines].sort(([one], [other]) => one - other).map(([pen, linesMm]) => ({ pen, tool: toolOf(pen), linesMm }));
}

const tools: readonly Tool[] = ['cut', 'kiss-cut', 'perforation', 'crease'];

function toolOf(pen: number): Tool | null {
  return tools.find((tool) => defaultPens[tool] === pen) ?? null;
}
