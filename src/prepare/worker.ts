import { prepareSheet } from './compute.ts';
import { importCutPdf } from './cut-import.ts';
import { pdfTools } from './pdf-tools.ts';
import { drawPicture } from './preview/picture.ts';
import { pictureTools } from './preview/tools.ts';
import { serve } from './serve.ts';

/** The entry of the worker process, and the only file of the room that loads the PDF libraries. */
serve({
  prepare: (input) => prepareSheet(input, pdfTools),
  importCut: (input) => importCutPdf(input, pdfTools),
  draw: (input) => drawPicture(input, pictureTools),
});
