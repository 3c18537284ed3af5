import { cuttingOrder, nearestFirstOrder, travelMm } from '../src/order/index.ts';
import { toolPathsOf, type ToolPath, type ToolPaths } from '../src/gpgl/index.ts';
import { quantile, spread, type Figure } from './figures.ts';

interface Page {
  readonly name: string;
  readonly paths: ToolPaths;
  /** Of the sheet on which the paths lie; null: the yardstick is for paths that lie at random. */
  readonly areaMm2: number | null;
  readonly times: number;
}

const sheetMm = 1000;

/** Pen-up travel against the order of the file, against nearest first alone, and against the yardstick; and the time it takes. */
export function benchOrder({ isShort }: { readonly isShort: boolean }): Promise<Figure[]> {
  const counts = isShort ? [1000, 10_000] : [1000, 10_000, 100_000];
  const pages = counts.flatMap((count): Page[] => {
    const times = Math.max(3, Math.min(isShort ? 10 : 50, Math.round(100_000 / count)));
    return [
      { name: `${shown(count)} random lines`, paths: toolPathsOf(randomLines(count)), areaMm2: sheetMm ** 2, times },
      { name: `${shown(count)} small contours`, paths: toolPathsOf(randomContours(count)), areaMm2: sheetMm ** 2, times },
      { name: `${shown(count)} contours on stickers with holes`, paths: toolPathsOf(stickers(count)), areaMm2: null, times },
    ];
  });
  return Promise.resolve(pages.flatMap(figuresOf));
}

function figuresOf({ name, paths, areaMm2, times }: Page): Figure[] {
  const took: number[] = [];
  let ordered = paths;
  for (let time = 0; time < times; time++) {
    const before = performance.now();
    ordered = cuttingOrder(paths).paths;
    took.push(performance.now() - before);
  }
  const travel = travelMm(ordered);
  const nearest = travelMm(nearestFirstOrder(paths));
  const ratio = (figure: string, of: number, detail: string): Figure => ({ name: `${name}: ${figure}`, value: travel / of, unit: '×', digits: 3, detail });
  return [
    { name: `${name}: time`, value: quantile(took, 0.5), unit: 'ms', digits: 1, detail: spread(took, 1) },
    ratio('travel against the order of the file', travelMm(paths), `${metres(travel)} instead of ${metres(travelMm(paths))}`),
    { ...ratio('travel against nearest first alone', nearest, `instead of ${metres(nearest)}`), limit: { kind: 'at most', value: 1 } },
    ...(areaMm2 === null ? [] : [ratio('travel against 0.7124·√(nA)', 0.7124 * Math.sqrt(paths.count * areaMm2), metres(0.7124 * Math.sqrt(paths.count * areaMm2)))]),
  ];
}

function shown(count: number): string {
  return count.toLocaleString('en');
}

function metres(lengthMm: number): string {
  return `${(lengthMm / 1000).toFixed(1)} m`;
}

/** Park and Miller's generator: the same pages in every run. */
function generator(): () => number {
  let seed = 1;
  return () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Up to 3 mm long, in any direction. */
function randomLines(count: number): ToolPath[] {
  const random = generator();
  return Array.from({ length: count }, () => {
    const x = random() * sheetMm;
    const y = random() * sheetMm;
    const direction = random() * 2 * Math.PI;
    const length = random() * 3;
    return { tool: 'cut', closed: false, pointsMm: Float64Array.of(x, y, x + length * Math.cos(direction), y + length * Math.sin(direction)) };
  });
}

/** Squares of 0.1 to 2.1 mm; where there are many, some lie over or within others. */
function randomContours(count: number): ToolPath[] {
  const random = generator();
  return Array.from({ length: count }, () => square(random() * sheetMm, random() * sheetMm, 0.1 + random() * 2));
}

/** Round stickers with three holes, in rows, each a little out of its place; a third of the places is empty. The file has them in any order. */
function stickers(count: number): ToolPath[] {
  const random = generator();
  const columns = Math.ceil(Math.sqrt((count / 4) * 1.5));
  const paths: ToolPath[] = [];
  for (let place = 0; paths.length < count; place++) {
    if (random() < 1 / 3) continue;
    const x = (place % columns) * 30 + random() * 4;
    const y = Math.floor(place / columns) * 30 + random() * 4;
    paths.push(circle(x, y, 12), circle(x - 5, y, 2), circle(x + 5, y, 2), circle(x, y + 5, 3));
  }
  for (let at = paths.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const [one, two] = [paths[at], paths[other]];
    if (one === undefined || two === undefined) continue;
    paths[at] = two;
    paths[other] = one;
  }
  return paths;
}

function square(x: number, y: number, side: number): ToolPath {
  return { tool: 'cut', closed: true, pointsMm: Float64Array.of(x, y, x + side, y, x + side, y + side, x, y + side) };
}

function circle(x: number, y: number, radius: number): ToolPath {
  const pointsMm = Float64Array.from({ length: 48 }, (_, at) => {
    const turn = (2 * Math.PI * (at >> 1)) / 24;
    return at % 2 === 0 ? x + radius * Math.cos(turn) : y + radius * Math.sin(turn);
  });
  return { tool: 'cut', closed: true, pointsMm };
}
