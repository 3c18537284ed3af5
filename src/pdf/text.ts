import type { Font } from './fonts.ts';
import type { GraphicsState } from './graphics-state.ts';
import type { Box, Matrix } from './matrix.ts';
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
  show(shown: PdfObject, state: GraphicsState): Box | null {
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

  private box(font: Font, state: GraphicsState, low: number, high: number): Box {
    const glyph = glyphBox(font);
    // Scaled by the size, which may be negative, then along the line as far as glyphs begin.
    const xs = [glyph.x0 * state.fontSize, glyph.x1 * state.fontSize];
    const ys = [glyph.y0 * state.fontSize, glyph.y1 * state.fontSize];
    const scale = font.vertical ? 1 : state.horizontalScale;
    const area = font.vertical
      ? { x0: Math.min(...xs), y0: low + Math.min(...ys), x1: Math.max(...xs), y1: high + Math.max(...ys) }
      : { x0: (low + Math.min(...xs)) * scale, y0: Math.min(...ys) + state.rise, x1: (high + Math.max(...xs)) * scale, y1: Math.max(...ys) + state.rise };
    return mapBox(area, multiply(this.matrix, state.matrix()));
  }
}

/** How far any glyph may reach around the point it is placed at, beyond its advance width. */
function glyphBox(font: Font): Box {
  if (font.vertical) return { x0: -1, y0: -1, x1: 1, y1: 1 };
  if (font.type3?.extent) return mapBox(font.type3.extent, font.type3.matrix);
  return { x0: -OVERHANG, y0: font.descent, x1: OVERHANG, y1: font.ascent };
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
