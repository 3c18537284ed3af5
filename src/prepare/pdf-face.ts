import type { Copies, CutSelection, InkResult, Overlay, PageReading, PdfRefusal, RectMm, WriteResult } from '../pdf/index.ts';

/** The PDF room as this one uses it. The document stays opaque, so that tests may stand in for the room. */
export interface PdfTools<Document> {
  openPdf(bytes: Uint8Array): Promise<{ readonly ok: true; readonly document: Document } | { readonly ok: false; readonly failure: PdfRefusal }>;
  readPage(document: Document, options: { readonly cutSpotColors: readonly string[]; readonly cutPaths?: CutSelection }):
    { readonly ok: true; readonly reading: PageReading } | { readonly ok: false; readonly failure: PdfRefusal; readonly reading: PageReading | null };
  /** For each region the box of what is inked there besides cut paths, null where nothing is. */
  inkInRegions(bytes: Uint8Array, regionsMm: readonly RectMm[], options: { readonly cutSpotColors: readonly string[] }): Promise<InkResult>;
  writeMarked(document: Document, overlay: Overlay, options: { readonly cutLayers: 'hide' | 'keep' }): Promise<Uint8Array>;
  writeRepeated(document: Document, sheet: Copies, overlay: Overlay, options: { readonly cutLayers: 'hide' | 'keep' }): Promise<WriteResult>;
}
