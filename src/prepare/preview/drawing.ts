import type { Surface } from '../../pdf/index.ts';
import type { Lines } from './lines.ts';

/** Millimetres from the top left corner of the picture, y down. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Part {
  /** Becomes the id of a group, so it is unique in a drawing: "zones", "cuts-kiss-cut". */
  readonly part: string;
}

export type Shape =
  | Part & { readonly kind: 'image'; readonly surface: Surface; readonly box: Box }
  | Part & { readonly kind: 'boxes'; readonly boxes: readonly Box[]; readonly colour: string; readonly opacity: number }
  /** Each line is x0, y0, x1, y1, … and stays open unless it ends where it began. */
  | Part & { readonly kind: 'lines'; readonly lines: Lines; readonly colour: string; readonly widthMm: number; readonly dashMm: readonly number[] }
  /** x and y: left end of the base line. */
  | Part & { readonly kind: 'texts'; readonly texts: readonly TextLine[]; readonly colour: string };

export interface TextLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly sizeMm: number;
  readonly bold: boolean;
}

/** One picture, whatever it becomes: both formats are made of the same shapes. */
export interface Drawing {
  readonly title: string;
  readonly widthMm: number;
  readonly heightMm: number;
  /** How fine it is meant to be seen; a PNG has this many pixels. */
  readonly pixelsPerMm: number;
  /** From the bottom to the top. */
  readonly shapes: readonly Shape[];
}

export function outline({ x, y, width, height }: Box): Float64Array {
  return Float64Array.of(x, y, x + width, y, x + width, y + height, x, y + height, x, y);
}

/** Lines at 45° across a box. */
export function hatching({ x, y, width, height }: Box, spacingMm: number): Float64Array[] {
  const lines: Float64Array[] = [];
  for (let at = spacingMm; at < width + height; at += spacingMm) {
    const [across, down] = [Math.min(at, width), Math.min(at, height)];
    lines.push(Float64Array.of(x + across, y + at - across, x + at - down, y + down));
  }
  return lines;
}
