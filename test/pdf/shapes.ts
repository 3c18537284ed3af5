import assert from 'node:assert/strict';
import { openPdf, readPage } from '../../src/pdf/index.ts';
import type { PageReading, PdfDocument, PdfRefusal } from '../../src/pdf/index.ts';
import type { ToolPath } from '../../src/gpgl/index.ts';
import { withList } from '../support/paths.ts';
import { PdfBuilder, onePage, separation } from './builder.ts';
import type { PageOptions } from './builder.ts';

export const CUT_CONTOUR = ['CutContour'];

/** The letter F, which no rotation and no mirror maps onto itself. Millimetres, page frame. */
export const LETTER_F: readonly (readonly [number, number])[] = [
  [20, 20], [20, 80], [60, 80], [60, 70], [30, 70], [30, 55], [50, 55], [50, 45], [30, 45], [30, 20],
];

/** Path operators through points, in the unit given per millimetre. */
export function polygon(points: readonly (readonly [number, number])[], perMm: number): string {
  return `${points.map(([x, y], i) => `${(x * perMm).toFixed(6)} ${(y * perMm).toFixed(6)} ${i === 0 ? 'm' : 'l'}`).join(' ')} h`;
}

export async function open(bytes: Uint8Array): Promise<PdfDocument> {
  const result = await openPdf(bytes);
  assert.ok(result.ok, result.ok ? '' : `${result.failure.code}: ${result.failure.detail}`);
  return result.document;
}

/** A reading whose paths are a list. */
export type ListedReading = Omit<PageReading, 'paths'> & { readonly paths: readonly ToolPath[] };

export async function read(bytes: Uint8Array, cutSpotColors: readonly string[] = CUT_CONTOUR): Promise<ListedReading> {
  const result = readPage(await open(bytes), { cutSpotColors });
  assert.ok(result.ok, result.ok ? '' : `${result.failure.code}: ${result.failure.detail}`);
  return withList(result.reading);
}

export async function refusalOf(bytes: Uint8Array, cutSpotColors: readonly string[] = CUT_CONTOUR): Promise<PdfRefusal> {
  const opened = await openPdf(bytes);
  if (!opened.ok) return opened.failure;
  const result = readPage(opened.document, { cutSpotColors });
  assert.ok(!result.ok, 'a refusal was expected');
  return result.failure;
}

/** A page whose resources have the spot colour CutContour as /C. */
export function cutPage(content: string, options: Omit<PageOptions, 'content'> & { spaces?: string } = {}): Uint8Array {
  const spaces = `/ColorSpace << /C ${separation('CutContour')} ${options.spaces ?? ''} >>`;
  return onePage({ ...options, content, resources: `${spaces} ${options.resources ?? ''}` });
}

export function pairs(path: ToolPath): [number, number][] {
  return Array.from({ length: path.pointsMm.length / 2 }, (_, i) => [path.pointsMm[i * 2] ?? NaN, path.pointsMm[i * 2 + 1] ?? NaN]);
}

/** The path visits these points in this order, and no others. */
export function assertPoints(path: ToolPath | undefined, expected: readonly (readonly [number, number])[], toleranceMm = 0.001): void {
  assert.ok(path !== undefined, 'there is such a path');
  const found = pairs(path);
  assert.equal(found.length, expected.length, `points: ${JSON.stringify(found)}`);
  for (const [i, [x, y]] of expected.entries()) {
    const [foundX, foundY] = found[i] ?? [NaN, NaN];
    assert.ok(Math.hypot(foundX - x, foundY - y) <= toleranceMm, `point ${i}: found ${foundX}, ${foundY}, expected ${x}, ${y}`);
  }
}

/** The closed path goes through these points in this order, wherever it starts. */
export function assertContour(path: ToolPath | undefined, expected: readonly (readonly [number, number])[], toleranceMm: number): void {
  assert.ok(path !== undefined, 'there is such a path');
  assert.ok(path.closed, 'the path is closed');
  const [first] = pairs(path);
  const start = expected.findIndex(([x, y]) => first !== undefined && Math.hypot(first[0] - x, first[1] - y) <= toleranceMm);
  assert.ok(start >= 0, `starts at ${JSON.stringify(first)}`);
  assertPoints(path, [...expected.slice(start), ...expected.slice(0, start)], toleranceMm);
}

export function codesOf(reading: Pick<PageReading, 'warnings'>): string[] {
  return [...new Set(reading.warnings.map(({ code }) => code))].sort();
}

export interface LayersOptions {
  /** Entries of each group besides Type and Name; the content calls them /L0, /L1, … */
  readonly groups: readonly string[];
  /** Further entries of the page's Properties, of the configuration D, and of the resources, by the references of the groups. */
  readonly properties?: (refs: readonly string[]) => string;
  readonly config?: (refs: readonly string[]) => string;
  readonly resources?: string;
  readonly pageEntries?: (refs: readonly string[]) => string;
  readonly builder?: PdfBuilder;
}

/** A page with optional content groups, and the spot colour CutContour as /C. */
export function layersPage(content: string, { groups, properties, config, resources = '', pageEntries, builder = new PdfBuilder() }: LayersOptions): Uint8Array {
  const refs = groups.map((entries, i) => `${builder.put(`<< /Type /OCG /Name (Layer ${i}) ${entries} >>`)} 0 R`);
  // By reference, as Illustrator writes it.
  const named = builder.put(`<< ${refs.map((ref, i) => `/L${i} ${ref}`).join(' ')} ${properties?.(refs) ?? ''} >>`);
  return cutPage(content, {
    builder, resources: `/Properties ${named} 0 R ${resources}`, pageEntries: pageEntries?.(refs) ?? '',
    catalogEntries: `/OCProperties << /OCGs [${refs.join(' ')}] /D << /Order [(Group) [${refs.join(' ')}]] ${config?.(refs) ?? ''} >> >>`,
  });
}

export const CUTTING = '/GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >>';
