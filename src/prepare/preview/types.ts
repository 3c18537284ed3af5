import type { StepsPerMm } from '../../gpgl/index.ts';
import type { CutSelection, RenderOptions, RenderedPage, Surface } from '../../pdf/index.ts';
import type { Offender } from '../../sheet/index.ts';
import type { PdfTools } from '../pdf-face.ts';
import type { PrepareRefusal } from '../types.ts';
import type { Ground } from './ground.ts';

export type PictureFormat = 'svg' | 'png';

/** Where the cut paths of a picture come from. */
export type CutsToDraw =
  /** What the cutter will be sent; `commandType` 0 is GP-GL, nothing else can be drawn. */
  | { readonly kind: 'sequence'; readonly commandType: number; readonly stepsPerMm: StepsPerMm }
  /** What the page of a refused PDF holds. */
  | { readonly kind: 'page'; readonly cutSpotColors: readonly string[]; readonly cutPaths: CutSelection };

export interface PictureInput {
  readonly format: PictureFormat;
  readonly title: string;
  /** Null: nothing is known of the printed sheet. The marks are those of the command sequence; the size of a page is what pdf.js makes of it. */
  readonly ground: Ground | null;
  /** The page is a part of the sheet, and stands on it at these lower left corners; null: it is the whole. */
  readonly copiesMm: { readonly page: readonly [width: number, height: number]; readonly at: readonly (readonly [x: number, y: number])[] } | null;
  /** The page that lies under the drawing; empty: none is drawn. */
  readonly pdf: Uint8Array;
  /** Empty where `cuts` is of the page. */
  readonly commandSequence: Uint8Array;
  readonly cuts: CutsToDraw;
  readonly offenders: readonly Offender[];
  /** Sentences under the picture. */
  readonly notes: readonly string[];
}

export interface Picture {
  readonly mediaType: 'image/svg+xml' | 'image/png';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type PictureResult =
  | { readonly ok: true; readonly picture: Picture }
  | { readonly ok: false; readonly failure: PrepareRefusal };

/** The PDF room as pictures use it. */
export interface PictureTools<Document> extends Pick<PdfTools<Document>, 'openPdf' | 'readPage'> {
  renderPage(pdf: Uint8Array, options: RenderOptions): Promise<RenderedPage>;
  createSurface(widthPx: number, heightPx: number): Surface;
}
