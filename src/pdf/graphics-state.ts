import type { Paint } from './colour.ts';
import { DEVICE_PAINTS } from './colour.ts';
import type { Font } from './fonts.ts';
import type { Box, Matrix } from './matrix.ts';

/** The thinnest line of a device: a line of width 0 prints, too. */
const HAIRLINE_MM = 0.025;

/** The graphics state, as far as it decides where something is and whether it cuts. Copied by q. */
export class GraphicsState {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
  stroke: Paint = DEVICE_PAINTS.gray;
  fill: Paint = DEVICE_PAINTS.gray;
  strokeAlpha = 1;
  fillAlpha = 1;
  strokeOverprints = false;
  fillOverprints = false;
  lineWidth = 1;
  lineJoin = 0;
  miterLimit = 10;
  clipX0: number;
  clipY0: number;
  clipX1: number;
  clipY1: number;
  font: Font | null = null;
  fontName = '';
  fontSize = 0;
  characterSpacing = 0;
  wordSpacing = 0;
  horizontalScale = 1;
  leading = 0;
  rise = 0;
  renderMode = 0;

  constructor(matrix: Matrix, clip: Box) {
    [this.a, this.b, this.c, this.d, this.e, this.f] = matrix;
    this.clipX0 = clip.x0;
    this.clipY0 = clip.y0;
    this.clipX1 = clip.x1;
    this.clipY1 = clip.y1;
  }

  copy(): GraphicsState {
    const copy = new GraphicsState(this.matrix(), this.clip());
    copy.stroke = this.stroke;
    copy.fill = this.fill;
    copy.strokeAlpha = this.strokeAlpha;
    copy.fillAlpha = this.fillAlpha;
    copy.strokeOverprints = this.strokeOverprints;
    copy.fillOverprints = this.fillOverprints;
    copy.lineWidth = this.lineWidth;
    copy.lineJoin = this.lineJoin;
    copy.miterLimit = this.miterLimit;
    copy.font = this.font;
    copy.fontName = this.fontName;
    copy.fontSize = this.fontSize;
    copy.characterSpacing = this.characterSpacing;
    copy.wordSpacing = this.wordSpacing;
    copy.horizontalScale = this.horizontalScale;
    copy.leading = this.leading;
    copy.rise = this.rise;
    copy.renderMode = this.renderMode;
    return copy;
  }

  matrix(): Matrix {
    return [this.a, this.b, this.c, this.d, this.e, this.f];
  }

  clip(): Box {
    return { x0: this.clipX0, y0: this.clipY0, x1: this.clipX1, y1: this.clipY1 };
  }

  transform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    const { a: A, b: B, c: C, d: D } = this;
    this.e += e * A + f * C;
    this.f += e * B + f * D;
    this.a = a * A + b * C;
    this.b = a * B + b * D;
    this.c = c * A + d * C;
    this.d = c * B + d * D;
  }

  intersectClip(x0: number, y0: number, x1: number, y1: number): void {
    this.clipX0 = Math.max(this.clipX0, x0);
    this.clipY0 = Math.max(this.clipY0, y0);
    this.clipX1 = Math.min(this.clipX1, x1);
    this.clipY1 = Math.min(this.clipY1, y1);
  }

  /** The most that a line's half width can be in page millimetres, joins included where there are any. */
  halfLineWidth(hasJoins: boolean): number {
    const { a, b, c, d } = this;
    const sum = (a * a + b * b + c * c + d * d) / 2;
    const determinant = a * d - b * c;
    const largest = Math.sqrt(sum + Math.sqrt(Math.max(0, sum * sum - determinant * determinant)));
    const reach = hasJoins && this.lineJoin === 0 ? Math.max(Math.SQRT2, Math.min(10, this.miterLimit)) : Math.SQRT2;
    return Math.max(HAIRLINE_MM / 2, (Math.abs(this.lineWidth) / 2) * largest * reach);
  }
}
