import type { Surface } from '../../pdf/index.ts';
import type { SheetSize } from '../../sheet/index.ts';
import { compose, finest, fineness } from './compose.ts';
import { findCuts, type CutsFound } from './cuts.ts';
import type { Drawing } from './drawing.ts';
import { groundOfCuts, groundOfPage, type Ground } from './ground.ts';
import { paint } from './paint.ts';
import { svgOf } from './svg.ts';
import type { Picture, PictureInput, PictureTools } from './types.ts';

/** Draws a job or a refused page. What cannot be drawn is said in the picture, so there is always one. Runs in the worker: it blocks. */
export async function drawPicture<Document>(input: PictureInput, tools: PictureTools<Document>): Promise<Picture> {
  const cuts = await findCuts(input, tools);
  const known = input.ground ?? (input.cuts.kind === 'page' ? null : groundOfCuts(cuts));
  const { artwork, sizeMm, notes } = pointsOf(cuts) > drawnWithPageAtMost ? tooMuchToDraw : await artworkOf(input, known, tools);
  const ground = known ?? (sizeMm === null ? groundOfCuts(cuts) : groundOfPage(sizeMm));
  const drawing = compose({
    title: input.title, ground, cuts, offenders: input.offenders, notes: [...input.notes, ...cuts.notes, ...notes], artwork, drawMarks: artwork === null || input.copiesMm !== null,
    createSurface: (widthPx, heightPx) => tools.createSurface(widthPx, heightPx),
  });
  return input.format === 'svg' ? { mediaType: 'image/svg+xml', bytes: svgOf(drawing) } : { mediaType: 'image/png', bytes: pngOf(drawing, tools) };
}

/** Beyond, pdf.js takes longer than a file may, and memory that only the end of the process would give back. */
const drawnWithPageAtMost = 400_000;
const tooMuchToDraw: Artwork = { artwork: null, sizeMm: null, notes: ['The page has too many cut paths for its print to be drawn with them.'] };

function pointsOf({ pens }: CutsFound): number {
  return pens.reduce((sum, { linesMm }) => sum + linesMm.pointCount, 0);
}

interface Artwork {
  readonly artwork: Surface | null;
  /** What pdf.js makes of the page's size; null where it was not asked. */
  readonly sizeMm: SheetSize | null;
  readonly notes: readonly string[];
}

/** `ground`: null where nothing is known of the page; then it is drawn as it is. */
async function artworkOf<Document>({ pdf, copiesMm }: PictureInput, ground: Ground | null, tools: PictureTools<Document>): Promise<Artwork> {
  if (pdf.length === 0) return { artwork: null, sizeMm: null, notes: [] };
  try {
    if (ground === null) {
      const { surface, ...sizeMm } = await tools.renderPage(pdf, finest);
      return { artwork: surface, sizeMm, notes: [] };
    }
    const pixelsPerMm = fineness(ground);
    const [widthMm, heightMm] = copiesMm?.page ?? [ground.widthMm, ground.heightMm];
    const { surface: page } = await tools.renderPage(pdf, { longestSidePx: Math.max(1, Math.max(widthMm, heightMm) * pixelsPerMm), mostPixelsPerMm: pixelsPerMm });
    if (copiesMm === null) return { artwork: page, sizeMm: null, notes: [] };
    const sheet = tools.createSurface(ground.widthMm * pixelsPerMm, ground.heightMm * pixelsPerMm);
    for (const [x, y] of copiesMm.at) {
      sheet.brush.drawImage(page.canvas, x * pixelsPerMm, (ground.heightMm - y - heightMm) * pixelsPerMm, widthMm * pixelsPerMm, heightMm * pixelsPerMm);
    }
    return { artwork: sheet, sizeMm: null, notes: [] };
  } catch (error) {
    return { artwork: null, sizeMm: null, notes: [`The printed page could not be drawn: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

function pngOf(drawing: Drawing, tools: Pick<PictureTools<unknown>, 'createSurface'>): Uint8Array<ArrayBuffer> {
  const { widthMm, heightMm, pixelsPerMm } = drawing;
  const surface = tools.createSurface(Math.ceil(widthMm * pixelsPerMm), Math.ceil(heightMm * pixelsPerMm));
  surface.brush.fillStyle = '#ffffff';
  surface.brush.fillRect(0, 0, surface.widthPx, surface.heightPx);
  paint(surface.brush, drawing.shapes, pixelsPerMm);
  return new Uint8Array(surface.encode('image/png'));
}
