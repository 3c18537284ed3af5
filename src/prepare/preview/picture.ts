import type { Surface } from '../../pdf/index.ts';
import { compose, longestSidePx, mostPixelsPerMm } from './compose.ts';
import { findCuts } from './cuts.ts';
import type { Drawing } from './drawing.ts';
import { groundOfCuts } from './ground.ts';
import { paint } from './paint.ts';
import { svgOf } from './svg.ts';
import type { Picture, PictureInput, PictureTools } from './types.ts';

/** Draws a job or a refused page. What cannot be drawn is said in the picture, so there is always one. Runs in the worker: it blocks. */
export async function drawPicture<Document>(input: PictureInput, tools: PictureTools<Document>): Promise<Picture> {
  const cuts = await findCuts(input, tools);
  const { artwork, notes } = await artworkOf(input.pdf, tools);
  const drawing = compose({
    title: input.title, ground: input.ground ?? groundOfCuts(cuts), cuts, offenders: input.offenders,
    notes: [...input.notes, ...cuts.notes, ...notes], artwork, createSurface: (widthPx, heightPx) => tools.createSurface(widthPx, heightPx),
  });
  return input.format === 'svg' ? { mediaType: 'image/svg+xml', bytes: svgOf(drawing) } : { mediaType: 'image/png', bytes: pngOf(drawing, tools) };
}

async function artworkOf<Document>(pdf: Uint8Array, tools: PictureTools<Document>): Promise<{ readonly artwork: Surface | null; readonly notes: readonly string[] }> {
  if (pdf.length === 0) return { artwork: null, notes: [] };
  try {
    return { artwork: await tools.renderPage(pdf, { longestSidePx, mostPixelsPerMm }), notes: [] };
  } catch (error) {
    return { artwork: null, notes: [`The printed page could not be drawn: ${error instanceof Error ? error.message : String(error)}`] };
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
