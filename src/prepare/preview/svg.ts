import { surfaceFont } from '../../pdf/index.ts';
import type { Box, Drawing, Shape, TextLine } from './drawing.ts';
import { printable } from './legend.ts';

/** A page of photographs is embedded as JPEG: as PNG it would be larger than this. */
const largestPngBytes = 2 * 2 ** 20;

/** A document of its own: nothing is fetched, nothing runs, and whatever a file is called is text in it. */
export function svgOf(drawing: Drawing): Uint8Array<ArrayBuffer> {
  const { title, widthMm, heightMm, pixelsPerMm, shapes } = drawing;
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(widthMm)}mm" height="${round(heightMm)}mm" viewBox="0 0 ${round(widthMm)} ${round(heightMm)}" role="img">\n`,
    `<title>${escaped(title)}</title>\n`,
    ...shapes.flatMap((shape) => [`<g id="${escaped(shape.part)}">`, ...contentOf(shape, pixelsPerMm), '</g>\n']),
    '</svg>\n',
  ];
  return new Uint8Array(Buffer.from(parts.join(''), 'utf8'));
}

function contentOf(shape: Shape, pixelsPerMm: number): string[] {
  switch (shape.kind) {
    case 'image': return [`<image ${boxAttributes(shape.box)} preserveAspectRatio="none" href="${dataOf(shape)}"/>`];
    case 'boxes': return shape.boxes.map((box) => `<rect ${boxAttributes(box)} fill="${shape.colour}"${shape.opacity === 1 ? '' : ` fill-opacity="${shape.opacity}"`}/>`);
    case 'lines': return shape.lines.count === 0 ? [] : [linesOf(shape, pixelsPerMm)];
    case 'texts': return shape.texts.map((line) => textOf(line, shape.colour));
  }
}

/** Coordinates are whole tenths of a pixel, each from the one before: a third of the bytes of millimetres. */
function linesOf({ lines, colour, widthMm, dashMm }: Extract<Shape, { kind: 'lines' }>, pixelsPerMm: number): string {
  const perMm = 10 * pixelsPerMm;
  const data: string[] = [];
  for (const line of lines) {
    let lastX = 0;
    let lastY = 0;
    for (let at = 0; at + 1 < line.length; at += 2) {
      const x = Math.round((line[at] ?? 0) * perMm);
      const y = Math.round((line[at + 1] ?? 0) * perMm);
      data.push(at === 0 ? `M${x} ${y}` : `l${x - lastX} ${y - lastY}`);
      lastX = x;
      lastY = y;
    }
  }
  const dash = dashMm.length === 0 ? '' : ` stroke-dasharray="${dashMm.map((length) => round(length * perMm)).join(' ')}"`;
  return `<path transform="scale(${Number((1 / perMm).toPrecision(12))})" fill="none" stroke="${colour}" stroke-width="${round(widthMm * perMm)}" stroke-linejoin="round"${dash} d="${data.join('')}"/>`;
}

function textOf({ text, x, y, sizeMm, bold }: TextLine, colour: string): string {
  const weight = bold ? ' font-weight="bold"' : '';
  return `<text x="${round(x)}" y="${round(y)}" font-family="'${surfaceFont}', Arial, Helvetica, sans-serif" font-size="${round(sizeMm)}"${weight} fill="${colour}">${escaped(text)}</text>`;
}

function dataOf({ surface, part }: Extract<Shape, { kind: 'image' }>): string {
  const png = surface.encode('image/png');
  // Cut paths that are drawn as pixels lie over the artwork, so they need their transparency.
  const isJpeg = png.length > largestPngBytes && part === 'artwork';
  const bytes = isJpeg ? surface.encode('image/jpeg') : png;
  return `data:image/${isJpeg ? 'jpeg' : 'png'};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}

function boxAttributes({ x, y, width, height }: Box): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function escaped(text: string): string {
  return printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
