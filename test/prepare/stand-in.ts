import type { PageReading } from '../../src/pdf/index.ts';
import type { PdfTools } from '../../src/prepare/pdf-face.ts';
import type { RectMm, SheetOverlay } from '../../src/sheet/index.ts';
import type { PrepareInput } from '../../src/prepare/types.ts';
import { toolPathsOf, type ToolPath } from '../../src/gpgl/index.ts';

/** The asymmetric letter: drawn mirrored or turned it is another shape. Page millimetres. */
export const letterF = [80, 100, 90, 100, 90, 120, 100, 120, 100, 130, 90, 130, 90, 140, 110, 140, 110, 150, 80, 150];

export function cutPath(numbers: readonly number[], more: Partial<ToolPath> = {}): ToolPath {
  return { tool: 'cut', closed: true, pointsMm: Float64Array.from(numbers), ...more };
}

export function reading({ paths = [cutPath(letterF)], ...more }: Partial<Omit<PageReading, 'paths'>> & { readonly paths?: readonly ToolPath[] } = {}): PageReading {
  return {
    facts: { pdfVersion: '1.7', boxesMm: { media: null, crop: null, bleed: null, trim: null, art: null }, rotate: 0, userUnit: 1, isRepaired: false, isEncrypted: false },
    widthMm: 210, heightMm: 297, paths: toolPathsOf(paths), cutSource: 'spot-color', segmentCount: 10,
    painted: [], seen: [{ kind: 'ink', name: 'CutContour', taken: true, tool: 'cut', cutPaths: 1, otherObjects: 0, overprints: false, reason: '' }],
    warnings: [{ code: 'SPOT_COLOR_LEGACY', detail: 'The cut is marked by a spot colour.' }], ...more,
  };
}

export function input(more: Partial<PrepareInput> = {}): PrepareInput {
  return { pdf: new Uint8Array(8), linkInfo: 'A0200ROLL', stepsPerMm: 10, cutSpotColors: ['CutContour'], cutLayers: 'hide', ...more };
}

export interface StandIn extends PdfTools<PageReading> {
  readonly rendered: RectMm[];
  readonly overlays: SheetOverlay[];
}

/** A PDF room that has read this page already, and finds this ink when it renders. */
export function pdfRoom(page: PageReading, ink: (regionMm: RectMm) => RectMm | null = () => null): StandIn {
  const rendered: RectMm[] = [];
  const overlays: SheetOverlay[] = [];
  return {
    rendered,
    overlays,
    openPdf: () => Promise.resolve({ ok: true, document: page }),
    readPage: (document) => ({ ok: true, reading: document }),
    inkInRegions: (_, regionsMm) => {
      rendered.push(...regionsMm);
      return Promise.resolve({ ok: true, inkMm: regionsMm.map(ink), by: 'rendering', detail: '' });
    },
    writeRepeated: (_, __, overlay) => {
      overlays.push(overlay);
      return Promise.resolve({ ok: true, bytes: Uint8Array.from(Buffer.from('%PDF repeated')) });
    },
    writeMarked: (_, overlay) => {
      overlays.push(overlay);
      return Promise.resolve(Uint8Array.from(Buffer.from('%PDF marked')));
    },
  };
}
