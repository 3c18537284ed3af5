import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pdfjsHome } from './pdfjs.ts';

/** What of the canvas interface is used here; its own types belong to a package that is pdf.js's affair. */
export interface Brush {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: string;
  lineCap: string;
  font: string;
  globalAlpha: number;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  setLineDash(segments: number[]): void;
  fillText(text: string, x: number, y: number): void;
  drawImage(image: unknown, x: number, y: number, width: number, height: number): void;
}

interface ImageData {
  readonly data: Uint8ClampedArray;
}

interface Context extends Brush {
  createImageData(width: number, height: number): ImageData;
  putImageData(image: ImageData, x: number, y: number): void;
}

interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): Context;
  toBuffer(mediaType: 'image/png' | 'image/jpeg', quality?: number): Uint8Array;
}

interface CanvasModule {
  createCanvas(width: number, height: number): Canvas;
  readonly GlobalFonts: { registerFromPath(path: string, name: string): unknown };
}

/** Pixels to draw on, from the top left corner; transparent at first. */
export interface Surface {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly canvas: unknown;
  readonly brush: Brush;
  /** Red, green, blue, alpha of each pixel, rows from the top; in place of what was there. */
  put(pixels: Uint8ClampedArray): void;
  /** JPEG knows no transparency. */
  encode(mediaType: 'image/png' | 'image/jpeg'): Uint8Array;
}

/** The font that texts on a surface may count on, whatever the machine has: it comes with pdf.js. */
export const surfaceFont = 'Liberation Sans';

let loaded: CanvasModule | null = null;

export function createSurface(widthPx: number, heightPx: number): Surface {
  loaded ??= load();
  const canvas = loaded.createCanvas(Math.max(1, Math.round(widthPx)), Math.max(1, Math.round(heightPx)));
  const context = canvas.getContext('2d');
  return {
    widthPx: canvas.width, heightPx: canvas.height, canvas, brush: context,
    put(pixels) {
      const image = context.createImageData(canvas.width, canvas.height);
      image.data.set(pixels);
      context.putImageData(image, 0, 0);
    },
    encode: (mediaType) => mediaType === 'image/png' ? canvas.toBuffer(mediaType) : canvas.toBuffer(mediaType, 85),
  };
}

/** The canvas that pdf.js itself draws on: another version of it would be a second native library in the worker. */
function load(): CanvasModule {
  const module: unknown = createRequire(join(pdfjsHome(), 'package.json'))('@napi-rs/canvas');
  if (!isCanvasModule(module)) throw new Error('the canvas of pdf.js is not what was expected');
  for (const face of ['Regular', 'Bold']) module.GlobalFonts.registerFromPath(join(pdfjsHome(), `standard_fonts/LiberationSans-${face}.ttf`), surfaceFont);
  return module;
}

function isCanvasModule(module: unknown): module is CanvasModule {
  return typeof module === 'object' && module !== null && 'createCanvas' in module && typeof module.createCanvas === 'function' && 'GlobalFonts' in module;
}
