import { openPdf, readPage, writeMarked, type PdfDocument } from '../pdf/index.ts';
import type { PdfTools } from './pdf-face.ts';

/** The PDF room. Only the worker loads this file. */
export const pdfTools: PdfTools<PdfDocument> = {
  openPdf: (bytes) => openPdf(bytes),
  readPage: (document, options) => readPage(document, options),
  // Boxes alone decide until regions are rendered: too strict for curves, clips and white paint.
  inkInRegions: (_, regionsMm) => Promise.resolve({ ok: true, inkMm: regionsMm }),
  writeMarked: (document, overlay, options) => writeMarked(document, overlay, options),
};
