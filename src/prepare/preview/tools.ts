import { createSurface, openPdf, readPage, renderPage, type PdfDocument } from '../../pdf/index.ts';
import type { PictureTools } from './types.ts';

/** The PDF room. Only the worker loads this file. */
export const pictureTools: PictureTools<PdfDocument> = {
  openPdf: (bytes) => openPdf(bytes),
  readPage: (document, options) => readPage(document, options),
  renderPage: (pdf, options) => renderPage(pdf, options),
  createSurface: (widthPx, heightPx) => createSurface(widthPx, heightPx),
};
