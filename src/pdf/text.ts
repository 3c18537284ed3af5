import type { Font } from './fonts.ts';
import type { GraphicsState } from './graphics-state.ts';
import type { Matrix } from './matrix.ts';
import { IDENTITY, mapBox, multiply } from './matrix.ts';
import type { PdfObject } from './objects.ts';
import { PdfString, isArray } from './objects.ts';

// Of the font size, on both sides.
const OVERHANG = 0.2;

/** Text position, well enough for a box around each shown string. */
export class TextPosition {
  private matrix: Matrix = IDENTITY;
  private lineMatrix: Matrix = IDENTITY;

  begin(): void {
    this.matrix = IDENTITY;
    this.lineMatrix = IDENTITY;
  }

  set(matrix: Matrix): void {
    this.matrix = matrix;
    this.lineMatrix = matrix;
  }

  move(x: number, y: number): void {
    this.set(multiply([1, 0, 0, 1, x, y], this.lineMatrix));
  }

  /** Advances over a string or a TJ array and gives the box of it on the page, or null where nothing is shown. */
  show(shown: PdfObject, state: GraphicsState): { x0: number; y0: number; x1: number; y1: number } | null {
    const { font, fontSize } = state;
    if (font === null) return null;
    const pieces: readonly PdfObject[] = isArray(shown) ? shown : [shown];
    let at = 0;
    let low = Infinity;
    let high = -Infinity;
    for (const piece of pieces) {
      if (typeof piece === 'number') at -= (piece / 1000) * fontSize;
      else if (piece instanceof PdfString && piece.bytes.length > 0) {
        low = Math.min(low, at);
        high = Math.max(high, at);
        at += advance(piece.bytes, font, state);
        low = Math.min(low, at);
        high = Math.max(high, at);
      }
    }
    const box = high > low || low < Infinity ? this.box(font, state, low, high) : null;
    this.matrix = multiply(font.vertical ? [1, 0, 0, 1, 0, at] : [1, 0, 0, 1, at * state.horizontalScale, 0], this.matrix);
    return box;
  }

  private box(font: Font, state: GraphicsState, low: number, high: number): { x0: number; y0: number; x1: number; y1: number } {
    const size = Math.abs(state.fontSize);
    const upright = state.fontSize >= 0;
    const top = (upright ? font.ascent : -font.descent) * size + state.rise;
    const bottom = (upright ? font.descent : -font.ascent) * size + state.rise;
    // Glyphs reach beyond their advance width: italics, swashes, accents.
    const overhang = OVERHANG * size;
    const area = font.vertical
      ? { x0: -size, y0: low - size, x1: size, y1: high + size }
      : { x0: low * state.horizontalScale - overhang, y0: bottom, x1: high * state.horizontalScale + overhang, y1: top };
    return mapBox(area, multiply(this.matrix, state.matrix()));
  }
}

function advance(bytes: Uint8Array, font: Font, state: GraphicsState): number {
  let total = 0;
  for (let i = 0; i < bytes.length; i += font.bytesPerCode) {
    const code = font.bytesPerCode === 1 ? (bytes[i] ?? 0) : (bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0);
    // For vertical writing the glyphs go down by one size; their own metrics are not read.
    total += (font.vertical ? -1 : font.width(code)) * state.fontSize + state.characterSpacing;
    if (code === 32 && font.bytesPerCode === 1) total += state.wordSpacing;
  }
  return total;
}
