import { inkInRegions, openPdf, readPage, writeMarked, writeRepeated, type PdfDocument } from '../pdf/index.ts';
import type { PdfTools } from './pdf-face.ts';

/** The PDF room. Only the worker loads this file. */
export const pdfTools: PdfTools<PdfDocument> = {
  openPdf: (bytes) => openPdf(bytes),
  readPage: (document, options) => readPage(document, options),
  inkInRegions: (bytes, regionsMm, options) => inkInRegions(bytes, regionsMm, options),
  writeMarked: (document, overlay, options) => writeMarked(document, overlay, options),
  writeRepeated: (document, sheet, overlay, options) => writeRepeated(document, sheet, overlay, options),
};
