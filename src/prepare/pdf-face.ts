import type { RectMm, SheetOverlay } from '../sheet/index.ts';
import type { ToolPath } from '../gpgl/index.ts';
export type CutSource = 'processing-steps' | 'spot-color' | 'mixed';
export type PdfWarningCode = 'SPOT_COLOR_LEGACY';
export type PdfRefusalCode = 'NOT_A_PDF' | 'PDF_ENCRYPTED' | 'PDF_UNREADABLE' | 'PDF_TOO_COMPLEX' | 'UNSUPPORTED_CUT_CONTENT' | 'MULTIPLE_PAGES';
export interface PdfRefusal { readonly code: PdfRefusalCode; readonly detail: string }
export interface PaintedObject { readonly kind: string; readonly boxMm: RectMm; readonly description: string }
export interface SeenMarking { readonly kind: 'ink' | 'layer'; readonly name: string; readonly taken: boolean; readonly tool: string | null; readonly reason: string }
export interface PageReading {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly paths: readonly ToolPath[];
  readonly cutSource: CutSource | null;
  readonly segmentCount: number;
  readonly painted: readonly PaintedObject[];
  readonly seen: readonly SeenMarking[];
  readonly warnings: readonly { readonly code: PdfWarningCode; readonly detail: string }[];
}
/** The PDF room as this one uses it; a generic document keeps it opaque. */
export interface PdfTools<Document> {
  openPdf(bytes: Uint8Array): Promise<{ readonly ok: true; readonly document: Document } | { readonly ok: false; readonly failure: PdfRefusal }>;
  readPage(document: Document, options: { readonly cutSpotColors: readonly string[] }):
    { readonly ok: true; readonly reading: PageReading } | { readonly ok: false; readonly failure: PdfRefusal };
  /** For each region the box of what is inked there besides cut paths, null where nothing is. */
  inkInRegions(bytes: Uint8Array, regionsMm: readonly RectMm[]): Promise<
    { readonly ok: true; readonly inkMm: readonly (RectMm | null)[] } | { readonly ok: false; readonly failure: PdfRefusal }>;
  writeMarked(document: Document, overlay: SheetOverlay, options: { readonly cutLayers: 'hide' | 'keep' }): Promise<Uint8Array>;
}
