import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openPdf, readPage } from '../../src/pdf/index.ts';
import type { PdfLimits } from '../../src/pdf/index.ts';
import { CUT_CONTOUR, cutPage, pairs, read } from './shapes.ts';

/** Stand for the operators l and c, so that the same content can be written in two ways. */
const L = '\u00a7';
const C = '\u00a4';
const asRun = (content: string): string => content.replaceAll(L, 'l').replaceAll(C, 'c');
/** A comment before the operator is nothing to the lexer, and the end of a run. */
const oneByOne = (content: string): string => content.replaceAll(L, '%\nl').replaceAll(C, '%\nc');

const bits = ({ buffer, byteOffset, byteLength }: ArrayBufferView): string => Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** All that a reading yields, the points to the bit. */
async function readingOf(content: string, limits: Partial<PdfLimits> = {}): Promise<unknown> {
  const opened = await openPdf(cutPage(content, { resources: '/ExtGState << /G << /LW 3 >> >>' }), limits);
  assert.ok(opened.ok);
  const result = readPage(opened.document, { cutSpotColors: CUT_CONTOUR });
  const { memo } = opened.document;
  if (result.reading === null) return { result, memo };
  const { paths, ...reading } = result.reading;
  return { ...result, reading, memo, paths: { ...paths, first: bits(paths.first), closed: bits(paths.closed), pointsMm: bits(paths.pointsMm) } };
}

async function assertSame(content: string, limits?: Partial<PdfLimits>): Promise<void> {
  assert.deepEqual(await readingOf(asRun(content), limits), await readingOf(oneByOne(content), limits));
}

const plain = fc.double({ min: -300, max: 300, noNaN: true }).map((value) => value.toFixed(3));
const spelled = fc.tuple(fc.constantFrom('', '', '-', '+', '--'), fc.nat({ max: 10 ** 6 }), fc.constantFrom('', '.', '..'), fc.oneof(fc.constant(''), fc.nat().map(String))).map((parts) => parts.join(''));
const odd = fc.constantFrom(
  '0', '-0', '-0.0', '.5', '-.5', '5.', '.', '-', '-.', '+7', '007.50', '123456789', '-999999999', '1234567890', '2147483648', '4294967297', '12345.67891', '0.00000000000000000001',
  '9007199254740993', '123456789012345678901234567890', '1e2', '1E-3', '1-2', '3x', '99999999999999999999999999999999999999.5', '9'.repeat(400), '(a)', '/N', '[1 2]', '<00>', 'true',
);
const operand = fc.oneof({ arbitrary: plain, weight: 12 }, { arbitrary: spelled, weight: 2 }, { arbitrary: odd, weight: 1 });
const gap = fc.oneof({ arbitrary: fc.constant(' '), weight: 12 }, { arbitrary: fc.constantFrom('\n', '\r\n', '\t', '  ', '\0', '\f ', '% note\n', '', '/', ']', '(', ' [', '>'), weight: 1 });
const after = fc.oneof({ arbitrary: fc.constantFrom(' ', '\n'), weight: 8 }, { arbitrary: fc.constantFrom('\r\n', '\n \n', '%\n', '/N ', '(s)', '[]', '<< >>', ']', '', 'x '), weight: 1 });

const segment = (operandCount: number, letter: string, placeholder: string): fc.Arbitrary<string> => (
  fc.tuple(fc.array(fc.tuple(operand, gap), { minLength: operandCount, maxLength: operandCount }), after).map(([operands, behind]) => {
    const before = operands.at(-1)?.[1] ?? '';
    return `${operands.flat().join('')}${/[\0\s\]>]$/.test(before) ? placeholder : letter}${behind}`;
  })
);
const line = segment(2, 'l', L);
const curve = segment(6, 'c', C);
const lineOrCurve = fc.oneof({ arbitrary: line, weight: 3 }, { arbitrary: curve, weight: 1 });
/** So many lines and curves, or some that lead nowhere. */
const segments = fc.oneof(
  { arbitrary: fc.array(line, { maxLength: 12 }).map((parts) => parts.join('')), weight: 4 },
  { arbitrary: fc.array(lineOrCurve, { maxLength: 12 }).map((parts) => parts.join('')), weight: 2 },
  { arbitrary: fc.tuple(lineOrCurve, fc.nat({ max: 4 })).map(([repeated, count]) => repeated.repeat(count)), weight: 1 },
);
const otherOperands = fc.array(operand, { maxLength: 7 }).map((parts) => parts.join(' '));
const other = fc.tuple(otherOperands, fc.constantFrom(
  'm', 'm', 'm', 'v', 'y', 'c', 'h', 're', 'S', 's', 'S', 'f', 'B*', 'n', 'W n', 'q', 'Q', 'cm', 'l', 'L', 'll', 'cl', 'w', '/G gs', 'BT ET', 'BI /W 1 /H 1 /BPC 8 ID x EI', L, C,
)).map(([operands, operator]) => ` ${operands} ${operator} `);
const elements = fc.array(fc.oneof(segments, other, fc.constantFrom(' 10 20 m ', ' S ', ' 10 20 30 40 v ', ' h ')), { maxLength: 24 });
const content = fc.tuple(fc.constantFrom('', '0.5 0 0 -0.5 100 200 cm', '0 -1 1e5 0 -0 0 cm'), elements).map(([matrix, parts]) => `/C CS 1 SCN ${matrix} 1 2 m ${parts.join('')}`);

describe('lines and curves read in a run', () => {
  it('are to the bit what they are one by one, whatever stands among them and however they are spelled', async () => {
    await fc.assert(fc.asyncProperty(content, fc.constantFrom('', ' S', ' s\n', ` 3 4 ${L}`, ` 3 4 5 6 7 8 ${C}`), async (body, end) => { await assertSame(body + end); }), { numRuns: 500, seed: 32000 });
  });

  it('meet the caps where they would one by one', async () => {
    const limits = fc.record({ maxOperators: fc.integer({ min: 1, max: 5000 }), maxCutPoints: fc.integer({ min: 1, max: 5000 }) });
    const contour = fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.constantFrom('S', 's', 'f', 'n', 'W n', '', 'h S q q q'), fc.nat({ max: 9 })).map(([count, end, curveAt]) => (
      `9 9 m ${Array.from({ length: count }, (_, i) => (i % 5 === curveAt ? `${i % 90} ${i / 8} 1 2 ${i % 7} ${i / 4} ${C}\n` : `${i % 90} ${i / 8} ${L}\n`)).join('')}${end} `
    ));
    await fc.assert(fc.asyncProperty(fc.array(contour, { minLength: 1, maxLength: 4 }), limits, async (contours, few) => {
      const body = `/C CS 1 SCN ${contours.join('')}`;
      await assertSame(body, few);
      await assertSame(`${body}${'q '.repeat(600)}`, few);
    }), { numRuns: 100, seed: 32000 });
  });

  it('have operands too many or too few, as they would one by one', async () => {
    for (let count = 0; count < 14; count += 1) {
      const operands = Array.from({ length: count }, (_, i) => `${i * i + 0.5} `).join('');
      for (const operator of [L, C]) await assertSame(`/C CS 1 SCN 1 2 m 3 4 ${L} ${operands}${operator} 50 60 ${L} 1 2 3 4 7 8 ${C} S${' '.repeat(64)}`);
    }
  });

  it('end where the content does, however close', async () => {
    for (let length = 0; length < 80; length += 1) {
      const body = `/C CS 1 SCN 1 2 m 3.25 -4.5 ${L} 123.456 789.012 ${L}\n5 6 ${L}`;
      await assertSame(`${body}${' '.repeat(length)}`);
      await assertSame(`${body} 7 8 ${L}${'9'.repeat(length)}`);
      await assertSame(`${body} 1 2 3 4 7 8 ${C}${' '.repeat(length)}`);
      await assertSame(`${body} 7 8 ${L} S ${'1 '.repeat(length)}`);
    }
  });

  it('leaves out a line that leads back to where a curve without length began', async () => {
    const body = '10 10 m 10 10 10 10 10.000002 10 c';
    assert.deepEqual(await readingOf(`/C CS 1 SCN ${body} 9.999998 10 l 50 50 l S`), await readingOf('/C CS 1 SCN 10 10 m 50 50 l S'));
  });
});

describe('a long path', () => {
  const points = Array.from({ length: 40_000 }, (_, i): readonly [number, number] => [(i * 7919) % 283, (i * 104_729) % 281]);
  const path = (from: readonly (readonly [number, number])[]): string => from.map(([x, y], i) => `${x} ${y} ${i === 0 ? 'm' : 'l'}\n`).join('');
  const [first = [0, 0]] = points;
  const bodies = new Map([
    ['of lines', path(points)],
    ['that ends where it began', path([...points, first])],
    ['with an empty line', path([...points.slice(0, 9), ...points.slice(8)])],
    ['of two subpaths', `${path(points)} ${path(points.slice(0, 9))}`],
    ['that goes on behind its end', `${path(points)} h 5 5 l`],
    ['with a curve', `${path(points)} 1 2 3 4 5 6 c`],
    ['closed twice', `${path(points)} h h`],
  ]);
  for (const [name, body] of bodies) {
    it(`${name} is the same as the first of its page and as a later one`, async () => {
      for (const end of ['S', 's', 'f', 'h f']) {
        const alone = await pathsOf(`${body} ${end} 1 2 m 3 4 l S ${body} ${end}`);
        const later = await pathsOf(`1 2 m 3 4 l S ${body} ${end} 1 2 m 3 4 l S ${body} ${end}`);
        assert.ok(alone.length >= 3);
        assert.deepEqual(later.slice(1), alone);
      }
    });
  }

  it('may have as many points as are allowed, as the first of its page and as a later one', async () => {
    const limits = { maxCutPoints: points.length - 1 };
    assert.equal((await pathsOf(`${path(points)} S`, limits)).length, 1);
    assert.equal((await pathsOf(`1 2 m 3 4 l S ${path(points.slice(2))} S`, limits)).length, 2);
    await assert.rejects(pathsOf(`${path([...points, [5, 5]])} S`, limits), /points in cut paths/);
    await assert.rejects(pathsOf(`1 2 m 3 4 l S ${path(points.slice(1))} S`, limits), /points in cut paths/);
    await assert.rejects(pathsOf(`${path(points)} S 1 2 m 3 4 l S`, limits), /points in cut paths/);
  });

  async function pathsOf(body: string, limits: Partial<PdfLimits> = {}): Promise<readonly (readonly [boolean, string])[]> {
    const opened = await openPdf(cutPage(`/C CS 1 SCN /C cs 1 scn ${body}`), limits);
    assert.ok(opened.ok);
    const result = readPage(opened.document, { cutSpotColors: CUT_CONTOUR });
    assert.ok(result.ok, result.ok ? '' : result.failure.detail);
    const { count, closed, first: starts, pointsMm } = result.reading.paths;
    return Array.from({ length: count }, (_, i) => [closed[i] === 1, bits(pointsMm.subarray((starts[i] ?? 0) * 2, (starts[i + 1] ?? 0) * 2))]);
  }
});

describe('a curve from the current point', () => {
  it('starts where the subpath did that was closed before it', async () => {
    const { paths } = await read(cutPage('/C CS 1 SCN 10 10 m 90 10 l 90 70 l h 10 200 150 200 v S'));
    const explicit = await read(cutPage('/C CS 1 SCN 10 10 m 90 10 l 90 70 l h 10 10 m 10 10 10 200 150 200 c S'));
    assert.deepEqual(paths.map(pairs), explicit.paths.map(pairs));
  });
});
