import { MM_PER_POINT } from '../page.ts';
import { MOST_DRAWN_PIXELS } from '../limits.ts';
import { openPdf } from '../open.ts';
import { guarded } from '../refusal.ts';
import type { PaintedObject, PdfRefusal, RectMm } from '../types.ts';
import { drawRegions } from './renderer.ts';
import type { PixelRegion, Pixels } from './renderer.ts';
import { withoutCuts } from './without-cuts.ts';

export interface InkOptions {
  readonly cutSpotColors: readonly string[];
  /** Default 150. Lowered where a region would have more pixels than `maxPixels`. */
  readonly dotsPerInch?: number;
  /** Per region. Default 4 million. */
  readonly maxPixels?: number;
}

export type InkResult =
  | {
    readonly ok: true;
    /** For each region the box of what is inked in it, null where nothing is. */
    readonly inkMm: readonly (RectMm | null)[];
    /** 'boxes': rendering failed for the reason given, or left out an image, and the bounding boxes of painted objects had to do. */
    readonly by: 'rendering' | 'boxes';
    readonly detail: string;
  }
  | { readonly ok: false; readonly failure: PdfRefusal };

// Whites of profiles come out a few steps below 255; half a per cent of ink is no artwork.
const INKED_BELOW = 250;

/** Whether anything but cut content shows in regions of the page (page frame, millimetres): the second opinion where the
 * box of a painted object touches a keep-clear zone. White paint, a curve's empty corner and what a clip hides are no ink.
 * Cut paths, cut layers, hidden layers and annotations are left out. Where rendering fails, and of images too large for it, the boxes decide. */
export async function inkInRegions(bytes: Uint8Array, regionsMm: readonly RectMm[], options: InkOptions): Promise<InkResult> {
  const opened = await openPdf(bytes);
  if (!opened.ok) return opened;
  const { document } = opened;
  const reduced = guarded(() => withoutCuts(document, options.cutSpotColors, regionsMm));
  if (!reduced.ok) return reduced;
  const page = { widthMm: document.widthMm, heightMm: document.heightMm };
  try {
    const regions = regionsMm.map((regionMm) => inPixels(regionMm, page, options));
    const pixels = await drawRegions(reduced.value.bytes, regions.filter((region) => region !== null));
    const undrawn = reduced.value.session.undrawn.list();
    const unseenMm = regionsMm.map((regionMm) => boxesIn(undrawn, regionMm));
    const inkMm = regions.map((region, index) => {
      const box = region === null ? null : inkedBox(pixels.shift());
      return unseenMm[index] ?? (region === null || box === null ? null : inMillimetres(box, region, page));
    });
    if (unseenMm.every((box) => box === null)) return { ok: true, inkMm, by: 'rendering', detail: '' };
    return { ok: true, inkMm, by: 'boxes', detail: `an image has more than ${Math.floor(MOST_DRAWN_PIXELS / 1e6)} million pixels, or does not say its bits per component` };
  } catch (error) {
    const painted = reduced.value.session.painted.list();
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: true, inkMm: regionsMm.map((regionMm) => boxesIn(painted, regionMm)), by: 'boxes', detail };
  }
}

interface PageSize {
  readonly widthMm: number;
  readonly heightMm: number;
}

/** Null where the region has no whole pixel on the page. */
function inPixels(regionMm: RectMm, page: PageSize, { dotsPerInch = 150, maxPixels = 4_000_000 }: InkOptions): PixelRegion | null {
  const x0Mm = Math.max(0, regionMm.x0Mm);
  const y0Mm = Math.max(0, regionMm.y0Mm);
  const x1Mm = Math.min(page.widthMm, regionMm.x1Mm);
  const y1Mm = Math.min(page.heightMm, regionMm.y1Mm);
  if (!(x1Mm > x0Mm && y1Mm > y0Mm)) return null;
  const pixelsPerMm = Math.min(dotsPerInch / 25.4, Math.sqrt(maxPixels / ((x1Mm - x0Mm) * (y1Mm - y0Mm))));
  // Pixels that lie in the region only in part are left out: what ends at its edge would grey them.
  const region = {
    pixelsPerPoint: pixelsPerMm * MM_PER_POINT,
    x0: Math.ceil(x0Mm * pixelsPerMm - 1e-6),
    y0: Math.ceil((page.heightMm - y1Mm) * pixelsPerMm - 1e-6),
    x1: Math.floor(x1Mm * pixelsPerMm + 1e-6),
    y1: Math.floor((page.heightMm - y0Mm) * pixelsPerMm + 1e-6),
  };
  return region.x1 > region.x0 && region.y1 > region.y0 ? region : null;
}

interface PixelBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

function inMillimetres(box: PixelBox, region: PixelRegion, page: PageSize): RectMm {
  const pixelsPerMm = region.pixelsPerPoint / MM_PER_POINT;
  return {
    x0Mm: (region.x0 + box.x0) / pixelsPerMm,
    y0Mm: page.heightMm - (region.y0 + box.y1) / pixelsPerMm,
    x1Mm: (region.x0 + box.x1) / pixelsPerMm,
    y1Mm: page.heightMm - (region.y0 + box.y0) / pixelsPerMm,
  };
}

function inkedBox(pixels: Pixels | undefined): PixelBox | null {
  if (pixels === undefined) return null;
  const { widthPx, heightPx, data } = pixels;
  let x0 = widthPx;
  let y0 = heightPx;
  let x1 = 0;
  let y1 = 0;
  for (let y = 0, at = 0; y < heightPx; y += 1) {
    for (let x = 0; x < widthPx; x += 1, at += 4) {
      if ((data[at] ?? 255) >= INKED_BELOW && (data[at + 1] ?? 255) >= INKED_BELOW && (data[at + 2] ?? 255) >= INKED_BELOW) continue;
      if (x < x0) x0 = x;
      if (x >= x1) x1 = x + 1;
      if (y < y0) y0 = y;
      y1 = y + 1;
    }
  }
  return x1 > x0 ? { x0, y0, x1, y1 } : null;
}

function boxesIn(painted: readonly PaintedObject[], regionMm: RectMm): RectMm | null {
  let box: RectMm | null = null;
  for (const { boxMm } of painted) {
    const x0Mm = Math.max(boxMm.x0Mm, regionMm.x0Mm);
    const y0Mm = Math.max(boxMm.y0Mm, regionMm.y0Mm);
    const x1Mm = Math.min(boxMm.x1Mm, regionMm.x1Mm);
    const y1Mm = Math.min(boxMm.y1Mm, regionMm.y1Mm);
    if (!(x1Mm > x0Mm && y1Mm > y0Mm)) continue;
    box = box === null ? { x0Mm, y0Mm, x1Mm, y1Mm } : {
      x0Mm: Math.min(box.x0Mm, x0Mm), y0Mm: Math.min(box.y0Mm, y0Mm), x1Mm: Math.max(box.x1Mm, x1Mm), y1Mm: Math.max(box.y1Mm, y1Mm),
    };
  }
  return box;
}
