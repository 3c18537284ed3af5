import { MM_PER_POINT } from '../page.ts';
import { withPage } from './pdfjs.ts';
import { createSurface, type Surface } from './surface.ts';

export interface RenderOptions {
  /** Of the longer side; smaller pages are drawn at `mostPixelsPerMm`. */
  readonly longestSidePx: number;
  readonly mostPixelsPerMm: number;
}

export interface RenderedPage {
  readonly surface: Surface;
  readonly widthMm: number;
  readonly heightMm: number;
}

/** Draws the whole of the first page as it prints: layers that do not print are left out, and so are annotations. Rejects where pdf.js gives up. */
export function renderPage(pdf: Uint8Array, { longestSidePx, mostPixelsPerMm }: RenderOptions): Promise<RenderedPage> {
  return withPage(pdf, async ({ page }) => {
    const { AnnotationMode } = await import('pdfjs-dist/legacy/build/pdf.mjs');
    const { width, height } = page.getViewport({ scale: 1 });
    const scale = Math.min(longestSidePx / Math.max(width, height), mostPixelsPerMm * MM_PER_POINT);
    const surface = createSurface(width * scale, height * scale);
    const viewport = page.getViewport({ scale });
    await page.render({
      canvas: surface.canvas, viewport, background: 'rgb(255,255,255)', annotationMode: AnnotationMode.DISABLE, intent: 'print',
    }).promise;
    return { surface, widthMm: width * MM_PER_POINT, heightMm: height * MM_PER_POINT };
  });
}
