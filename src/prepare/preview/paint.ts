import { surfaceFont, type Brush } from '../../pdf/index.ts';
import type { Shape } from './drawing.ts';

/** Points that are stroked at once: the cost of one stroke grows faster than its length. */
const pointsPerStroke = 4000;

/** Draws shapes on a surface of so many pixels a millimetre. */
export function paint(brush: Brush, shapes: readonly Shape[], pixelsPerMm: number): void {
  brush.lineJoin = 'round';
  brush.lineCap = 'butt';
  for (const shape of shapes) {
    switch (shape.kind) {
      case 'image': {
        const { x, y, width, height } = shape.box;
        brush.drawImage(shape.surface.canvas, x * pixelsPerMm, y * pixelsPerMm, width * pixelsPerMm, height * pixelsPerMm);
        break;
      }
      case 'boxes':
        brush.fillStyle = shape.colour;
        brush.globalAlpha = shape.opacity;
        for (const { x, y, width, height } of shape.boxes) brush.fillRect(x * pixelsPerMm, y * pixelsPerMm, width * pixelsPerMm, height * pixelsPerMm);
        brush.globalAlpha = 1;
        break;
      case 'lines':
        strokeLines(brush, shape, pixelsPerMm);
        break;
      case 'texts':
        brush.fillStyle = shape.colour;
        for (const { text, x, y, sizeMm, bold } of shape.texts) {
          brush.font = `${bold ? 'bold ' : ''}${(sizeMm * pixelsPerMm).toFixed(2)}px "${surfaceFont}"`;
          brush.fillText(text, x * pixelsPerMm, y * pixelsPerMm);
        }
        break;
    }
  }
}

function strokeLines(brush: Brush, { lines, colour, widthMm, dashMm }: Extract<Shape, { kind: 'lines' }>, pixelsPerMm: number): void {
  brush.strokeStyle = colour;
  brush.lineWidth = widthMm * pixelsPerMm;
  brush.setLineDash(dashMm.map((length) => length * pixelsPerMm));
  let pending = 0;
  brush.beginPath();
  for (const line of lines) {
    for (let at = 0; at + 1 < line.length; at += 2) {
      const x = (line[at] ?? 0) * pixelsPerMm;
      const y = (line[at + 1] ?? 0) * pixelsPerMm;
      if (at === 0) brush.moveTo(x, y);
      else brush.lineTo(x, y);
      pending += 1;
      if (pending < pointsPerStroke) continue;
      brush.stroke();
      brush.beginPath();
      brush.moveTo(x, y);
      pending = 0;
    }
  }
  brush.stroke();
}
