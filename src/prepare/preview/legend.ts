import type { Shape, TextLine } from './drawing.ts';
import { textColour } from './colours.ts';
import { Lines } from './lines.ts';

export interface LegendEntry {
  readonly text: string;
  /** A piece of line or a field of colour before it; a number in that colour for what is numbered in the picture. */
  readonly sign: { readonly kind: 'line' | 'field'; readonly colour: string; readonly dashMm: readonly number[] } | null;
  readonly bold: boolean;
}

export interface Legend {
  readonly heightMm: number;
  readonly shapes: readonly Shape[];
}

/** Of Liberation Sans, on the average, in text like this. */
const letterEm = 0.53;
const lineEm = 1.45;
const signEm = 2.4;
/** A hostile name may have a thousand words. */
const mostLinesOfOne = 4;

/** Text under the picture, wrapped to its width; texts are set where they would fit in any plain font. */
export function legendOf(entries: readonly LegendEntry[], topMm: number, widthMm: number, sizeMm: number): Legend {
  const texts: TextLine[] = [];
  const shapes: Shape[] = [];
  const left = sizeMm;
  let y = topMm + sizeMm * lineEm;
  for (const [index, { text, sign, bold }] of entries.entries()) {
    const x = left + (sign === null ? 0 : signEm * sizeMm);
    const letters = Math.max(8, Math.floor((widthMm - x - left) / (sizeMm * letterEm * (bold ? 1.08 : 1))));
    if (sign !== null) shapes.push(signShape(sign, index, left, y, sizeMm));
    for (const line of wrapped(text, letters)) {
      texts.push({ text: line, x, y, sizeMm, bold });
      y += sizeMm * lineEm;
    }
  }
  return { heightMm: y - topMm, shapes: [...shapes, { kind: 'texts', part: 'legend', texts, colour: textColour }] };
}

function signShape({ kind, colour, dashMm }: NonNullable<LegendEntry['sign']>, index: number, x: number, y: number, sizeMm: number): Shape {
  const part = `legend-${index}`;
  const middle = y - sizeMm * 0.35;
  if (kind === 'line') return { kind: 'lines', part, lines: new Lines([Float64Array.of(x, middle, x + 1.9 * sizeMm, middle)]), colour, widthMm: sizeMm * 0.18, dashMm };
  return { kind: 'boxes', part, boxes: [{ x, y: y - sizeMm * 0.75, width: 1.9 * sizeMm, height: sizeMm * 0.8 }], colour, opacity: 0.5 };
}

function wrapped(text: string, letters: number): string[] {
  const lines: string[] = [];
  let rest = printable(text);
  while (rest.length > letters && lines.length < mostLinesOfOne - 1) {
    const space = rest.lastIndexOf(' ', letters);
    const end = space > letters / 2 ? space : letters;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest.length > letters ? `${rest.slice(0, letters - 1)}…` : rest];
}

/** Control characters and halves of surrogate pairs can stand in no XML, and in no line of text. */
export function printable(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]+/gu, ' ').trim();
}
