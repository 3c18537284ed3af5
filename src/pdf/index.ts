/** Reads cut paths from a print PDF and writes the marked PDF. Pure functions of bytes, made to run in a worker. */
export type * from './types.ts';
export type { PdfLimits } from './limits.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { OpenResult, PdfDocument } from './open.ts';
export { openPdf } from './open.ts';
export type { ReadOptions, ReadResult } from './read-page.ts';
export { readPage } from './read-page.ts';
export type { CutSelection } from './session.ts';
export { FLATTENING_TOLERANCE_MM } from './cut-sink.ts';
export type { MarkOptions } from './write/mark.ts';
export { writeMarked } from './write/mark.ts';
export type { InkOptions, InkResult } from './ink/ink.ts';
export { inkInRegions } from './ink/ink.ts';
export type { RenderOptions } from './render/page.ts';
export { renderPage } from './render/page.ts';
export type { Brush, Surface } from './render/surface.ts';
export { createSurface, surfaceFont } from './render/surface.ts';
