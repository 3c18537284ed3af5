import type { BoundsMm, Marks, Motion } from './plotter.ts';

// The drawing as the operator sees the printed sheet: page upright, mark 1 at the bottom right, in millimetres.
// X = y − y(mark 1) and Y = x(mark 1) − x (gpgl-and-data-link.md section 2), so on the page x = −Y and y = X from mark 1.
// SVG counts y downwards, hence (−Y, −X): the user unit is the millimetre and mark 1 is at 0,0.

export interface Drawing {
  readonly title: string;
  readonly motions: readonly Motion[];
  readonly marks: Marks | undefined;
}

const MARGIN_MM = 10;
const colours = ['#000000', '#d62728', '#1f77b4', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf', '#8c564b', '#e377c2'];
const DIGITS = 4;

/** -0.0000 would only confuse. */
const mm = (value: number): string => (Math.abs(value) < 0.5 * 10 ** -DIGITS ? 0 : value).toFixed(DIGITS);
const escapeText = (text: string): string =>
  text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/[^\x20-\x7e]/g, '?');

function* pairsOf(points: readonly number[]): Generator<readonly [number, number]> {
  for (let index = 0; index + 1 < points.length; index += 2) yield [-(points[index + 1] ?? 0), -(points[index] ?? 0)];
}

function markLines(marks: Marks): string[] {
  const arm = marks.armMm > 0 ? marks.armMm : 20;
  // Type 1 points outward to the sheet's edge, every other inward to the artwork (section 2).
  const inward = marks.type === 1 ? -1 : 1;
  const corners: readonly (readonly [string, number, number, number, number])[] = [
    ['1', 0, 0, -inward, -inward],
    ['2', -marks.carriageMm, 0, inward, -inward],
    ['3', 0, -marks.feedMm, -inward, inward],
    ['4', -marks.carriageMm, -marks.feedMm, inward, inward],
  ];
  return corners.slice(0, marks.points).map(([name, x, y, sideX, sideY]) =>
    `<polyline class="mark" data-mark="${name}" points="${mm(x + sideX * arm)},${mm(y)} ${mm(x)},${mm(y)} ${mm(x)},${mm(y + sideY * arm)}"/>`);
}

function frameOf(drawing: Drawing): BoundsMm {
  const box = { minX: 0, minY: 0, maxX: 0, maxY: 0 };
  const include = (x: number, y: number): void => {
    box.minX = Math.min(box.minX, x);
    box.maxX = Math.max(box.maxX, x);
    box.minY = Math.min(box.minY, y);
    box.maxY = Math.max(box.maxY, y);
  };
  if (drawing.marks !== undefined) include(-drawing.marks.carriageMm, -drawing.marks.feedMm);
  for (const motion of drawing.motions) for (const [x, y] of pairsOf(motion.points)) include(x, y);
  return box;
}

/** One <path> for each stroke of a lowered tool, with data-pen; marks and raised travel are <polyline>. */
export function drawingSvg(drawing: Drawing): string {
  const box = frameOf(drawing);
  const [left, top] = [box.minX - MARGIN_MM, box.minY - MARGIN_MM];
  const [width, height] = [box.maxX + MARGIN_MM - left, box.maxY + MARGIN_MM - top];
  const lines: string[] = [];
  const travels: string[] = [];
  for (const motion of drawing.motions) {
    const points = [...pairsOf(motion.points)].map(([x, y]) => `${mm(x)} ${mm(y)}`);
    if (motion.down) {
      const colour = colours[motion.pen] ?? '#000000';
      lines.push(`<path class="cut" data-pen="${motion.pen}" data-stroke="${lines.length}" stroke="${colour}" d="M${points.join(' L')}"/>`);
    } else {
      travels.push(`<polyline class="travel" points="${points.join(' ')}"/>`);
    }
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${mm(width)}mm" height="${mm(height)}mm" viewBox="${mm(left)} ${mm(top)} ${mm(width)} ${mm(height)}">`,
    `<title>${escapeText(drawing.title)}</title>`,
    '<desc>The sheet as the operator sees it: page upright, mark 1 at 0,0 (bottom right), unit mm, y down.</desc>',
    `<rect class="sheet" x="${mm(left)}" y="${mm(top)}" width="${mm(width)}" height="${mm(height)}" fill="#ffffff"/>`,
    '<g id="marks" fill="none" stroke="#000000" stroke-width="0.7">',
    ...(drawing.marks === undefined ? [] : markLines(drawing.marks)),
    '</g>',
    '<g id="travel" fill="none" stroke="#bbbbbb" stroke-width="0.1" stroke-dasharray="1 1">',
    ...travels,
    '</g>',
    '<g id="cut" fill="none" stroke-width="0.25" stroke-linejoin="round" stroke-linecap="round">',
    ...lines,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

export interface DrawingReport {
  readonly frame: string;
  readonly unit: 'mm';
  readonly marks: {
    readonly feed_mm: number;
    readonly carriage_mm: number;
    readonly points: number;
    readonly arm_mm: number;
    readonly type: number;
  } | null;
  readonly strokes: readonly {
    readonly pen: number;
    readonly speed_mm_per_s: number;
    readonly acceleration_level: number;
    /** null: the job did not say. */
    readonly force_level: number | null;
    readonly points: readonly (readonly number[])[];
  }[];
  readonly travel: readonly (readonly (readonly number[])[])[];
}

/** The polylines in the mark frame: [X, Y] pairs in mm, X along the feed, Y along the carriage. */
export function drawingJson(drawing: Drawing): DrawingReport {
  const pairs = (points: readonly number[]): number[][] => {
    const result: number[][] = [];
    for (let index = 0; index + 1 < points.length; index += 2) {
      result.push([Number(mm(points[index] ?? 0)), Number(mm(points[index + 1] ?? 0))]);
    }
    return result;
  };
  return {
    frame: 'mark: X along the feed, Y along the carriage, origin mark 1; on the page x = -Y and y = X from mark 1',
    unit: 'mm',
    marks: drawing.marks === undefined ? null : {
      feed_mm: drawing.marks.feedMm, carriage_mm: drawing.marks.carriageMm, points: drawing.marks.points,
      arm_mm: drawing.marks.armMm, type: drawing.marks.type,
    },
    strokes: drawing.motions.filter((motion) => motion.down).map((motion) => ({
      pen: motion.pen, speed_mm_per_s: motion.speedMmPerS, acceleration_level: motion.accelerationLevel, force_level: motion.forceLevel,
      points: pairs(motion.points),
    })),
    travel: drawing.motions.filter((motion) => !motion.down).map((motion) => pairs(motion.points)),
  };
}
