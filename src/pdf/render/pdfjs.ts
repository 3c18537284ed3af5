import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface OpenPage {
  readonly document: PDFDocumentProxy;
  readonly page: PDFPageProxy;
}

/** Where the package of pdf.js lies, with its fonts and decoders. Asked when it is needed: the search costs what reading a small page does. */
export function pdfjsHome(): string {
  return dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
}

/** Opens the first page with pdf.js, which is loaded at the first use and runs in the calling thread: no worker of its own,
 * no network; fonts, character maps and decoders come from its package. Images of more pixels are left out. Rejects where pdf.js gives up. */
export async function withPage<T>(pdf: Uint8Array, use: (open: OpenPage) => Promise<T>, mostImagePixels: number = 64 * 2 ** 20): Promise<T> {
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const home = pdfjsHome();
  const task = getDocument({
    // pdf.js takes the buffer for itself.
    data: new Uint8Array(pdf),
    verbosity: VerbosityLevel.ERRORS,
    standardFontDataUrl: join(home, 'standard_fonts/'),
    cMapUrl: join(home, 'cmaps/'),
    cMapPacked: true,
    iccUrl: join(home, 'iccs/'),
    wasmUrl: join(home, 'wasm/'),
    useWorkerFetch: false,
    useSystemFonts: false,
    disableFontFace: true,
    isEvalSupported: false,
    enableXfa: false,
    maxImageSize: mostImagePixels,
    canvasMaxAreaInBytes: 256 * 2 ** 20,
  });
  try {
    const document = await task.promise;
    return await use({ document, page: await document.getPage(1) });
  } finally {
    await task.destroy();
  }
}
