import { MOST_DRAWN_PIXELS } from '../limits.ts';
import { withPage } from '../render/pdfjs.ts';

export interface Pixels {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Red, green, blue, alpha of each pixel, rows from the top. */
  readonly data: Uint8ClampedArray;
}

/** A part of the page in pixels from its top left corner, as it is seen. */
export interface PixelRegion {
  readonly pixelsPerPoint: number;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

interface Canvas {
  readonly canvas: unknown;
  readonly context: { getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray } };
}

interface CanvasFactory {
  create(width: number, height: number): Canvas;
  destroy(canvas: Canvas): void;
}

function isCanvasFactory(object: unknown): object is CanvasFactory {
  return typeof object === 'object' && object !== null && 'create' in object && 'destroy' in object;
}

// Well below what a file may take as a whole, so that whoever asked can still decide without the picture.
const TIME_LIMIT_MS = 6000;

/** Draws regions of the page: layers as the default configuration has them, annotations too. Rejects where pdf.js gives up, and
 * after a time limit; it looks at the clock between the page's own operators only, so that the inside of a form or of a
 * pattern can exceed it. */
export function drawRegions(pdf: Uint8Array, regions: readonly PixelRegion[], timeLimitMs: number = TIME_LIMIT_MS): Promise<Pixels[]> {
  const endsAt = performance.now() + timeLimitMs;
  return withPage(pdf, async ({ document, page }) => {
    const { AnnotationMode } = await import('pdfjs-dist/legacy/build/pdf.mjs');
    const factory: unknown = document.canvasFactory;
    if (!isCanvasFactory(factory)) throw new Error('pdf.js has no canvas here');
    const drawn: Pixels[] = [];
    for (const { pixelsPerPoint, x0, y0, x1, y1 } of regions) {
      const surface = factory.create(x1 - x0, y1 - y0);
      const viewport = page.getViewport({ scale: pixelsPerPoint, offsetX: -x0, offsetY: -y0 });
      const render = page.render({
        canvas: surface.canvas, viewport, background: 'rgb(255,255,255)', intent: 'any', annotationMode: AnnotationMode.ENABLE,
        optionalContentConfigPromise: document.getOptionalContentConfig({ intent: 'any' }),
      });
      render.onContinue = (goOn: () => void) => {
        if (performance.now() > endsAt) render.cancel();
        else goOn();
      };
      await render.promise;
      drawn.push({ widthPx: x1 - x0, heightPx: y1 - y0, data: surface.context.getImageData(0, 0, x1 - x0, y1 - y0).data });
      factory.destroy(surface);
    }
    return drawn;
  }, MOST_DRAWN_PIXELS);
}
