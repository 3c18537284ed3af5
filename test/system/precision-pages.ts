import fc from 'fast-check';
import { PdfBuilder, PT, onePage, separation } from '../pdf/builder.ts';

/** Pages whose cut geometry is known, drawn in as many ways as PDF has. Everything known is in the page frame: the page as
 * it is seen, origin bottom left, millimetres. */

type Matrix = readonly [number, number, number, number, number, number];
type Point = readonly [number, number];

export const penOfTool = { 'cut': 1, 'kiss-cut': 2, 'perforation': 3, 'crease': 4 } as const;
export type ToolName = keyof typeof penOfTool;

const inkOfTool: Readonly<Record<ToolName, string>> = { 'cut': 'CutContour', 'kiss-cut': 'KissCut', 'perforation': 'PerfCutContour', 'crease': 'Crease' };
const stepOfTool: Readonly<Record<ToolName, string>> = { 'cut': 'Cutting', 'kiss-cut': 'PartialCutting', 'perforation': 'Perforating', 'crease': 'Creasing' };
export const inks: readonly string[] = Object.values(inkOfTool);

interface Level {
  readonly matrix: Matrix;
  readonly isForm: boolean;
}

interface Drawn {
  readonly tool: ToolName;
  readonly marking: 'ink' | 'ink set outside' | 'layer' | 'layer outside';
  /** From the innermost to the outermost. */
  readonly levels: readonly Level[];
  readonly kind: 'closed' | 'closed by its end' | 'open' | 'rectangle' | 'curves';
  /** Fractions of the area for cutting. */
  readonly points: readonly Point[];
}

export interface PageDescription {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly rotate: number;
  readonly userUnit: number;
  readonly cropOffset: Point;
  readonly boxes: 'media' | 'crop' | 'crop and trim';
  readonly drawn: readonly Drawn[];
}

export interface KnownPage {
  readonly pdf: Uint8Array;
  readonly outlines: readonly { readonly tool: ToolName; readonly points: readonly number[] }[];
}

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const matrix: fc.Arbitrary<Matrix> = fc.record({
  angle: number(0, 6.28), sx: number(0.2, 4), sy: number(0.2, 4), mirror: fc.constantFrom(1, -1), shear: number(-0.7, 0.7), tx: number(-300, 300), ty: number(-300, 300),
}).map(({ angle, sx, sy, mirror, shear, tx, ty }): Matrix => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [mirror * sx * cos, mirror * sx * sin, sy * (shear * cos - sin), sy * (shear * sin + cos), tx, ty];
});

const drawn: fc.Arbitrary<Drawn> = fc.record({
  tool: fc.constantFrom<ToolName>('cut', 'kiss-cut', 'perforation', 'crease'),
  marking: fc.constantFrom('ink', 'ink set outside', 'layer', 'layer outside'),
  levels: fc.array(fc.record({ matrix, isForm: fc.boolean() }), { maxLength: 4 }),
  kind: fc.constantFrom('closed', 'closed by its end', 'open', 'rectangle', 'curves'),
  // Apart from each other, or little is left of the path at the coarse steps.
  points: fc.uniqueArray(fc.tuple(number(0, 1), number(0, 1)), { minLength: 4, maxLength: 10, selector: ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}` }),
});

export const pageDescription: fc.Arbitrary<PageDescription> = fc.record({
  widthMm: number(230, 400), heightMm: number(250, 500),
  rotate: fc.constantFrom(0, 90, 180, 270, -90, 450), userUnit: fc.constantFrom(1, 2, 0.5, 1.7),
  cropOffset: fc.tuple(number(-500, 500), number(-500, 500)), boxes: fc.constantFrom('media', 'crop', 'crop and trim'),
  drawn: fc.array(drawn, { minLength: 1, maxLength: 4 }),
});

const apply = ([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point => [a * x + c * y + e, b * x + d * y + f];

function inverse([a, b, c, d, e, f]: Matrix): Matrix {
  const det = a * d - b * c;
  return [d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det];
}

const numbers = (values: readonly number[]): string => values.map((value) => value.toFixed(9)).join(' ');

/** From the page as it is seen, in millimetres, to user space. Seen turned clockwise by `Rotate` (ISO 32000-1, table 30). */
function toUser({ widthMm, heightMm, rotate, userUnit, cropOffset: [x, y] }: PageDescription): Matrix {
  const k = PT / userUnit;
  switch ((rotate + 360) % 360) {
    case 90: return [0, k, -k, 0, x + heightMm * k, y];
    case 180: return [-k, 0, 0, -k, x + widthMm * k, y + heightMm * k];
    case 270: return [0, -k, k, 0, x, y + widthMm * k];
    default: return [k, 0, 0, k, x, y];
  }
}

export function knownPage(description: PageDescription): KnownPage {
  const builder = new PdfBuilder();
  const toPage = toUser(description);
  const xObjects: string[] = [];
  const outlines: { tool: ToolName; points: readonly number[] }[] = [];
  const layers = new Map(Object.entries(stepOfTool).map(([tool, step]) => [tool,
    builder.put(`<< /Type /OCG /Name (${tool}) /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /${step} >> >>`)]));
  const spaces = `/ColorSpace << ${Object.entries(inkOfTool).map(([tool, ink]) => `/Ink_${tool} ${separation(ink)}`).join(' ')} >>`;
  const properties = `/Properties << ${[...layers].map(([tool, num]) => `/Step_${tool} ${num} 0 R`).join(' ')} >>`;
  const contents = description.drawn.map((each) => {
    const path = pathOf(each, toPage, description);
    outlines.push({ tool: each.tool, points: path.known });
    const ink = `/Ink_${each.tool} CS 1 SCN`;
    const layered = (inner: string): string => `0 0 0 1 K /OC /Step_${each.tool} BDC ${inner} EMC`;
    let content = `0.2 w ${path.operators} S`;
    if (each.marking === 'ink') content = `${ink} ${content}`;
    if (each.marking === 'layer') content = layered(content);
    let inside = '';
    for (const { matrix: to, isForm } of each.levels) {
      if (isForm) {
        const num = builder.stream(content, `/Type /XObject /Subtype /Form /BBox [-1e6 -1e6 1e6 1e6] /Matrix [${numbers(to)}] /Resources << ${spaces} ${properties} ${inside} >>`, { flate: true });
        inside = `/XObject << /F${num} ${num} 0 R >>`;
        content = `/F${num} Do`;
      } else content = `q ${numbers(to)} cm ${content} Q`;
    }
    if (inside !== '') xObjects.push(inside.slice('/XObject << '.length, -' >>'.length));
    if (each.marking === 'ink set outside') content = `${ink} ${content}`;
    if (each.marking === 'layer outside') content = layered(content);
    return `q ${content} Q`;
  });
  const pdf = onePage({
    builder, content: contents.join('\n'), flate: true,
    ...boxesOf(description),
    resources: `${spaces} ${properties} /XObject << ${xObjects.join(' ')} >>`,
    catalogEntries: `/OCProperties << /OCGs [${[...layers.values()].map((num) => `${num} 0 R`).join(' ')}] /D << >> >>`,
  });
  return { pdf, outlines };
}

function boxesOf(description: PageDescription): { readonly mediaBox: string; readonly pageEntries: string } {
  const { boxes, rotate, userUnit, widthMm, heightMm } = description;
  const corners = [apply(toUser(description), [0, 0]), apply(toUser(description), [widthMm, heightMm])];
  const crop = [Math.min, Math.max].flatMap((pick) => [0, 1].map((axis) => pick(...corners.map((corner) => corner[axis] ?? NaN))));
  const grown = (by: readonly number[]): string => `[${numbers(crop.map((value, index) => value + (by[index] ?? 0)))}]`;
  const entries = `/Rotate ${rotate} /UserUnit ${userUnit}`;
  if (boxes === 'media') return { mediaBox: grown([]), pageEntries: entries };
  const trim = boxes === 'crop and trim' ? `/TrimBox ${grown([20, 25, -30, -15])} /BleedBox ${grown([12, 17, -22, -7])}` : '';
  return { mediaBox: grown([-40, -7, 90, 33]), pageEntries: `${entries} /CropBox ${grown([])} ${trim}` };
}

/** The area for cutting: clear of marks and barcode on every page generated here. */
function placed(points: readonly Point[], { widthMm, heightMm }: PageDescription): readonly Point[] {
  return points.map(([x, y]) => [80 + x * (widthMm - 160), 80 + y * (heightMm - 160)]);
}

/** The operators that draw it inside all matrices, and what is then seen on the page. */
function pathOf(each: Drawn, toPage: Matrix, description: PageDescription): { readonly operators: string; readonly known: readonly number[] } {
  const seen = placed(each.points, description);
  const inner = (point: Point): Point => each.levels.reduceRight((at, { matrix: m }) => apply(inverse(m), at), apply(toPage, point));
  const outer = (point: Point): Point => apply(inverse(toPage), each.levels.reduce((at, { matrix: m }) => apply(m, at), point));
  const write = (points: readonly Point[], operator: string): string => `${numbers(points.flatMap(inner))} ${operator}`;
  const [start = [0, 0], ...others] = seen;
  switch (each.kind) {
    case 'rectangle': return rectangle(description, each.points, inner, outer);
    case 'curves': {
      const curves = Array.from({ length: Math.floor(others.length / 3) }, (_, index) => others.slice(index * 3, index * 3 + 3));
      const known = [...start];
      for (const [b = start, c = start, d = start] of curves) known.push(...curvePoints([known.at(-2) ?? NaN, known.at(-1) ?? NaN], b, c, d));
      return { operators: [write([start], 'm'), ...curves.map((curve) => write(curve, 'c'))].join(' '), known };
    }
    case 'closed': return { operators: `${write([start], 'm')} ${others.map((point) => write([point], 'l')).join(' ')} h`, known: [...seen, start].flat() };
    case 'closed by its end': return { operators: [write([start], 'm'), ...[...others, start].map((point) => write([point], 'l'))].join(' '), known: [...seen, start].flat() };
    case 'open': return { operators: [write([start], 'm'), ...others.map((point) => write([point], 'l'))].join(' '), known: seen.flat() };
  }
}

/** Upright where it is drawn, a parallelogram on the page: about the first point, as large as there is room, or a share of that. */
function rectangle(description: PageDescription, points: readonly Point[], inner: (point: Point) => Point, outer: (point: Point) => Point): ReturnType<typeof pathOf> {
  const [[i, j] = [0, 0], [share] = [0]] = points;
  const [[left, bottom] = [0, 0], [right, top] = [0, 0], middle = [0, 0]] = placed([[0, 0], [1, 1], [0.1 + 0.8 * i, 0.1 + 0.8 * j]], description);
  const [x, y] = inner(middle);
  const cornersAt = (half: number): Point[] =>
    ([[-1, -0.6], [1, -0.6], [1, 0.6], [-1, 0.6], [-1, -0.6]] as const).map(([across, up]) => outer([x + across * half, y + up * half]));
  const hasRoom = ([cx, cy]: Point): boolean => cx >= left && cx <= right && cy >= bottom && cy <= top;
  let half = 1e6;
  while (!cornersAt(half).every(hasRoom)) half *= 0.8;
  half *= 0.3 + 0.7 * share;
  return { operators: `${numbers([x - half, y - 0.6 * half, 2 * half, 1.2 * half])} re`, known: cornersAt(half).flat() };
}

/** So many that the chords are within a ten-thousandth of a millimetre. */
function curvePoints(a: Point, b: Point, c: Point, d: Point): number[] {
  const parts = 1000;
  return Array.from({ length: parts }, (_, index) => {
    const t = (index + 1) / parts;
    const u = 1 - t;
    return [0, 1].map((axis) => u ** 3 * (a[axis] ?? NaN) + 3 * u * u * t * (b[axis] ?? NaN) + 3 * u * t * t * (c[axis] ?? NaN) + t ** 3 * (d[axis] ?? NaN));
  }).flat();
}
