import type { Surface } from '../../pdf/index.ts';
import { shownMm, type Offender } from '../../sheet/index.ts';
import type { SheetRect } from '../../jobs/index.ts';
import { markColour, offenderColour, otherPen, paper, surround, toolLooks, zoneColour, type ToolLook } from './colours.ts';
import type { CutsFound, PenLines } from './cuts.ts';
import { hatching, outline, type Box, type Drawing, type Shape } from './drawing.ts';
import { boxOf, placed, type Ground } from './ground.ts';
import { legendOf, type LegendEntry } from './legend.ts';
import { Lines } from './lines.ts';
import { rastered } from './raster.ts';
import { simplified } from './simplify.ts';

export interface Composition {
  readonly title: string;
  readonly ground: Ground;
  readonly cuts: CutsFound;
  readonly offenders: readonly Offender[];
  readonly notes: readonly string[];
  /** Of the whole sheet. */
  readonly artwork: Surface | null;
  /** Marks and barcode are not in the artwork. */
  readonly drawMarks: boolean;
  readonly createSurface: (widthPx: number, heightPx: number) => Surface;
}

/** Small sheets are not blown up beyond so many pixels per millimetre. */
export const finest = { longestSidePx: 1600, mostPixelsPerMm: 12 } as const;

/** Pixels for each millimetre. */
export function fineness({ widthMm, heightMm }: Pick<Ground, 'widthMm' | 'heightMm'>): number {
  return Math.min(finest.longestSidePx / Math.max(widthMm, heightMm), finest.mostPixelsPerMm);
}

/** More points than this make an SVG of several megabytes, and longer lines take a canvas seconds: they become pixels of the same fineness. */
const mostPoints = 150_000;
const mostLengthPx = 5_000_000;

/** Everything in its place and in its colour, from the paper up. */
export function compose(parts: Composition): Drawing {
  const { ground, cuts, offenders, notes } = parts;
  const longestMm = Math.max(ground.widthMm, ground.heightMm);
  const pixelsPerMm = fineness(ground);
  const pixelMm = 1 / pixelsPerMm;
  const textMm = Math.min(Math.max(Math.sqrt(ground.widthMm * ground.heightMm) / 60, 12 * pixelMm), longestMm / 40);
  const widthMm = Math.max(ground.widthMm, 45 * textMm);
  const page: Box = { x: 0, y: 0, width: ground.widthMm, height: ground.heightMm };
  const drawn = cutShapes(parts, pixelsPerMm);
  const legend = legendOf([{ text: parts.title, sign: null, bold: true }, ...entriesOf(ground, cuts, offenders, pixelMm), ...[...notes, ...drawn.notes].map(plain)], ground.heightMm, widthMm, textMm);
  return {
    title: parts.title, widthMm, heightMm: ground.heightMm + legend.heightMm, pixelsPerMm,
    shapes: [
      { kind: 'boxes', part: 'surround', boxes: [{ x: 0, y: 0, width: widthMm, height: ground.heightMm }], colour: surround, opacity: 1 },
      { kind: 'boxes', part: 'paper', boxes: [page], colour: paper, opacity: 1 },
      ...(parts.artwork === null ? [] : [{ kind: 'image', part: 'artwork', surface: parts.artwork, box: page } as const]),
      ...(parts.drawMarks ? printed(ground) : []),
      { kind: 'lines', part: 'edge', lines: new Lines([outline(page)]), colour: surround, widthMm: 2 * pixelMm, dashMm: [] },
      ...zonesAndMarks(ground, longestMm, pixelMm),
      ...drawn.shapes,
      ...offenderShapes(offenders, ground, textMm, pixelMm),
      { kind: 'boxes', part: 'margin', boxes: [{ x: 0, y: ground.heightMm, width: widthMm, height: legend.heightMm }], colour: paper, opacity: 1 },
      ...legend.shapes,
    ],
  };
}

/** Marks and barcode as they are printed. */
function printed(ground: Ground): Shape[] {
  const boxes = [...ground.marksMm, ...ground.barsMm].map((rect) => boxOf(rect, ground));
  return boxes.length === 0 ? [] : [{ kind: 'boxes', part: 'printed', boxes, colour: '#000000', opacity: 1 }];
}

function zonesAndMarks(ground: Ground, longestMm: number, pixelMm: number): Shape[] {
  const zones = ground.zones.map(({ rect_mm: rect }) => boxOf(rect, ground));
  const thin = { kind: 'lines', colour: markColour, widthMm: 1.2 * pixelMm } as const;
  const framed = (part: string, rects: readonly SheetRect[], byMm: number, dashMm: readonly number[]): Shape =>
    ({ ...thin, part, lines: new Lines(rects.map((rect) => outline(grown(boxOf(rect, ground), byMm)))), dashMm });
  const { markRectMm, cutAreaMm, barsMm } = ground;
  return [
    { kind: 'boxes', part: 'zones', boxes: zones, colour: zoneColour, opacity: 0.18 },
    { kind: 'lines', part: 'zones-hatching', lines: new Lines(zones.flatMap((zone) => hatching(zone, longestMm / 60))), colour: zoneColour, widthMm: pixelMm, dashMm: [] },
    framed('marks', ground.marksMm, 2 * pixelMm, []),
    framed('mark-rectangle', markRectMm === null ? [] : [markRectMm], 0, [8 * pixelMm, 6 * pixelMm]),
    framed('cut-area', cutAreaMm === null ? [] : [cutAreaMm], 0, [2 * pixelMm, 4 * pixelMm]),
    framed('barcode', barsMm.length === 0 ? [] : [around(barsMm)], 4 * pixelMm, []),
  ];
}

type LineShape = Extract<Shape, { kind: 'lines' }>;

function cutShapes({ cuts, ground, createSurface }: Composition, pixelsPerMm: number): { readonly shapes: readonly Shape[]; readonly notes: readonly string[] } {
  const pixelMm = 1 / pixelsPerMm;
  const shapes = cuts.pens.map((pen): LineShape => {
    const lines = new Lines();
    for (const line of pen.linesMm) lines.add(simplified(placed(line, cuts.frame, ground), pixelMm / 8));
    const { colour, dash } = lookOf(pen);
    return { kind: 'lines', part: `cuts-${nameOf(pen).replaceAll(' ', '-')}`, lines, colour, widthMm: 1.8 * pixelMm, dashMm: dash.map((times) => times * 1.8 * pixelMm) };
  });
  const { points, lengthMm } = extentOf(shapes);
  if (points <= mostPoints && lengthMm * pixelsPerMm <= mostLengthPx) return { shapes, notes: [] };
  const surface = createSurface(ground.widthMm * pixelsPerMm, ground.heightMm * pixelsPerMm);
  const { data, isComplete } = rastered(shapes, surface.widthPx, surface.heightPx, pixelsPerMm);
  surface.put(data);
  return {
    shapes: [{ kind: 'image', part: 'cuts', surface, box: { x: 0, y: 0, width: ground.widthMm, height: ground.heightMm } }],
    notes: isComplete ? [] : ['There are too many cut paths to draw them all; the last ones are missing here, not in the job.'],
  };
}

function extentOf(shapes: readonly LineShape[]): { readonly points: number; readonly lengthMm: number } {
  let points = 0;
  let lengthMm = 0;
  for (const { lines } of shapes) {
    points += lines.pointCount;
    for (const line of lines) for (let at = 2; at + 1 < line.length; at += 2) lengthMm += Math.hypot((line[at] ?? 0) - (line[at - 2] ?? 0), (line[at + 1] ?? 0) - (line[at - 1] ?? 0));
  }
  return { points, lengthMm };
}

function offenderShapes(offenders: readonly Offender[], ground: Ground, textMm: number, pixelMm: number): Shape[] {
  if (offenders.length === 0) return [];
  const boxes = offenders.map(({ boxMm: { x0Mm, y0Mm, x1Mm, y1Mm } }) => boxOf([x0Mm, y0Mm, x1Mm, y1Mm], ground));
  const inked = boxes.filter((_, index) => offenders[index]?.kind === 'ink');
  return [
    { kind: 'boxes', part: 'offenders-ink', boxes: inked, colour: offenderColour, opacity: 0.45 },
    { kind: 'lines', part: 'offenders', lines: new Lines(boxes.map((box) => outline(grown(box, 3 * pixelMm)))), colour: offenderColour, widthMm: 4 * pixelMm, dashMm: [] },
    {
      kind: 'texts', part: 'offenders-numbers', colour: offenderColour,
      texts: boxes.map(({ x, y, width }, index) => ({
        text: String(index + 1), bold: true, sizeMm: 1.3 * textMm,
        // Within the page, also where the offender leaves it.
        x: Math.min(Math.max(x + width + 6 * pixelMm, 0), ground.widthMm - textMm), y: Math.min(Math.max(y, 1.4 * textMm), ground.heightMm - textMm / 2),
      })),
    },
  ];
}

/** More would make the legend larger than the sheet. */
const mostListed = 12;

function entriesOf(ground: Ground, cuts: CutsFound, offenders: readonly Offender[], pixelMm: number): LegendEntry[] {
  const field = (text: string, colour: string): LegendEntry => ({ text, sign: { kind: 'field', colour, dashMm: [] }, bold: false });
  const line = (text: string, colour: string, dashMm: readonly number[]): LegendEntry => ({ text, sign: { kind: 'line', colour, dashMm }, bold: false });
  const listed = offenders.slice(0, mostListed).map(({ description, boxMm }, index) => field(`${index + 1}: ${description}, ${spanOf(boxMm)}`, offenderColour));
  const more = offenders.length > mostListed ? [plain(`… and ${offenders.length - mostListed} more`)] : [];
  const tools = cuts.pens.map((pen) => line(`${nameOf(pen)}: ${pen.linesMm.count} ${pen.linesMm.count === 1 ? 'path' : 'paths'}`, lookOf(pen).colour, lookOf(pen).dash.map((times) => times * 1.8 * pixelMm)));
  const size = `${shownMm(ground.widthMm)} × ${shownMm(ground.heightMm)} mm`;
  const sheet = ground.isSheet ? [plain(`Sheet ${size}, seen from the front; its bottom edge goes into the cutter first.`)] : [];
  const marks = ground.markRectMm === null ? [] : [line(ground.isSheet ? 'Registration marks and barcode; the cutter counts from the bottom right mark' : `Rectangle of the registration marks, ${sizeOf(ground.markRectMm)}`, markColour, [])];
  const zones = ground.zones.length === 0 ? [] : [field('Must stay clear of print and cut', zoneColour)];
  return [...listed, ...more, ...tools, ...marks, ...zones, ...sheet];
}

function plain(text: string): LegendEntry {
  return { text, sign: null, bold: false };
}

function nameOf({ pen, tool }: PenLines): string {
  if (tool !== null) return tool;
  return pen === 0 ? 'no tool selected' : `pen ${pen}`;
}

function lookOf({ tool }: PenLines): ToolLook {
  return tool === null ? otherPen : toolLooks[tool];
}

function sizeOf([x0, y0, x1, y1]: SheetRect): string {
  return `${shownMm(x1 - x0)} × ${shownMm(y1 - y0)} mm`;
}

function spanOf({ x0Mm, y0Mm, x1Mm, y1Mm }: Offender['boxMm']): string {
  return `x ${shownMm(x0Mm)} to ${shownMm(x1Mm)}, y ${shownMm(y0Mm)} to ${shownMm(y1Mm)} mm`;
}

function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

function around(rects: readonly SheetRect[]): SheetRect {
  return rects.reduce(([x0, y0, x1, y1], rect) => [Math.min(x0, rect[0]), Math.min(y0, rect[1]), Math.max(x1, rect[2]), Math.max(y1, rect[3])] as const);
}
