import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ToolPath } from '../../src/gpgl/index.ts';
import { FLATTENING_TOLERANCE_MM } from '../../src/pdf/index.ts';
import { PT, PdfBuilder } from './builder.ts';
import { cutPage, pairs, read } from './shapes.ts';

type M = readonly [number, number, number, number, number, number];

const apply = ([a, b, c, d, e, f]: M, [x, y]: readonly [number, number]): [number, number] => [a * x + c * y + e, b * x + d * y + f];

function inverse([a, b, c, d, e, f]: M): M {
  const det = a * d - b * c;
  return [d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det];
}

const text = (m: M) => m.map((value) => value.toFixed(12)).join(' ');

const matrix: fc.Arbitrary<M> = fc.record({
  angle: fc.double({ min: 0, max: 6.28, noNaN: true }), sx: fc.double({ min: 0.2, max: 4, noNaN: true }), sy: fc.double({ min: 0.2, max: 4, noNaN: true }),
  mirrored: fc.boolean(), shear: fc.double({ min: -0.7, max: 0.7, noNaN: true }), tx: fc.double({ min: -300, max: 300, noNaN: true }), ty: fc.double({ min: -300, max: 300, noNaN: true }),
}).map(({ angle, sx, sy, mirrored, shear, tx, ty }): M => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const flip = mirrored ? -1 : 1;
  return [flip * sx * cos, flip * sx * sin, sy * (shear * cos - sin), sy * (shear * sin + cos), tx, ty];
});

const point = fc.tuple(fc.double({ min: 5, max: 95, noNaN: true }), fc.double({ min: 5, max: 95, noNaN: true }));

describe('geometry through any matrices and nested forms', () => {
  it('comes back within 0.02 mm, and a page turned or scaled makes no difference', async () => {
    await fc.assert(fc.asyncProperty(
      fc.array(matrix, { minLength: 0, maxLength: 5 }), fc.uniqueArray(point, { minLength: 3, maxLength: 12, selector: ([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}` }),
      fc.constantFrom(0, 90, 180, 270), fc.constantFrom(1, 2, 0.5), fc.boolean(),
      async (matrices, points, rotate, userUnit, asForms) => {
        const k = PT / userUnit;
        const w = 100 * k;
        const toUser: Record<number, M> = { 0: [k, 0, 0, k, 30, 40], 90: [0, k, -k, 0, w + 30, 40], 180: [-k, 0, 0, -k, w + 30, w + 40], 270: [0, -k, k, 0, 30, w + 40] };
        const user = toUser[rotate] ?? [k, 0, 0, k, 0, 0];
        // What must be drawn inside all matrices so that it lands on the points.
        const inner = points.map((p) => matrices.reduce((at, m) => apply(inverse(m), at), apply(user, p)));
        const drawn = `/C CS 1 SCN ${inner.map(([x, y], i) => `${x.toFixed(9)} ${y.toFixed(9)} ${i === 0 ? 'm' : 'l'}`).join(' ')} h S`;
        const builder = new PdfBuilder();
        let content = drawn;
        let resources = '';
        for (const m of [...matrices].reverse()) {
          if (asForms) {
            const num = builder.stream(content, `/Type /XObject /Subtype /Form /BBox [-1e6 -1e6 1e6 1e6] /Matrix [${text(m)}] ${resources === '' ? '' : `/Resources << ${resources} /ColorSpace << /C [/Separation /CutContour /DeviceGray 9 0 R] >> >>`}`, { flate: true });
            resources = `/XObject << /F ${num} 0 R >>`;
            content = '/F Do';
          } else content = `q ${text(m)} cm ${content} Q`;
        }
        const reading = await read(cutPage(content, {
          builder, resources, mediaBox: `[0 0 ${w + 60} ${w + 80}]`, pageEntries: `/Rotate ${rotate} /UserUnit ${userUnit} /CropBox [30 40 ${30 + w} ${40 + w}]`,
        }));
        const found = pairs(reading.paths[0] ?? { tool: 'cut', closed: true, pointsMm: new Float64Array() });
        assert.equal(found.length, points.length);
        for (const [i, [x, y]] of points.entries()) assert.ok(Math.hypot((found[i]?.[0] ?? NaN) - x, (found[i]?.[1] ?? NaN) - y) < 0.02);
      },
    ), { numRuns: 150 });
  });
});

function distanceToPath([x, y]: readonly [number, number], points: readonly (readonly [number, number])[]): number {
  let best = Infinity;
  for (let i = 1; i < points.length; i += 1) {
    const [ax, ay] = points[i - 1] ?? [0, 0];
    const [bx, by] = points[i] ?? [0, 0];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    best = Math.min(best, Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)));
  }
  return best;
}

describe('flattening', () => {
  it('keeps every point of a curve within the tolerance of its chords', async () => {
    await fc.assert(fc.asyncProperty(point, point, point, point, async (p0, p1, p2, p3) => {
      const pt = (p: readonly [number, number]) => `${(p[0] * PT).toFixed(9)} ${(p[1] * PT).toFixed(9)}`;
      const reading = await read(cutPage(`/C CS 1 SCN ${pt(p0)} m ${pt(p1)} ${pt(p2)} ${pt(p3)} c S`));
      const path: ToolPath | undefined = reading.paths[0];
      if (path === undefined) return;
      const chords = pairs(path);
      if (path.closed && chords[0] !== undefined) chords.push(chords[0]);
      for (let i = 0; i <= 200; i += 1) {
        const t = i / 200;
        const u = 1 - t;
        const on = (axis: 0 | 1) => u ** 3 * p0[axis] + 3 * u * u * t * p1[axis] + 3 * u * t * t * p2[axis] + t ** 3 * p3[axis];
        const away = distanceToPath([on(0), on(1)], chords);
        assert.ok(away <= FLATTENING_TOLERANCE_MM + 1e-6, `${away} mm away at ${t}`);
      }
    }), { numRuns: 100 });
  });

  it('takes no more points for a circle than the tolerance asks for, give or take one in ten', async () => {
    const r = 40;
    const k = 0.5522847498 * r;
    const at = (x: number, y: number) => `${((50 + x) * PT).toFixed(6)} ${((50 + y) * PT).toFixed(6)}`;
    const circle = `${at(r, 0)} m ${at(r, k)} ${at(k, r)} ${at(0, r)} c ${at(-k, r)} ${at(-r, k)} ${at(-r, 0)} c ${at(-r, -k)} ${at(-k, -r)} ${at(0, -r)} c ${at(k, -r)} ${at(r, -k)} ${at(r, 0)} c h`;
    const reading = await read(cutPage(`/C CS 1 SCN ${circle} S`));
    // Chords of sagitta s on radius r: n = π / acos(1 - s / r).
    const ideal = Math.PI / Math.acos(1 - FLATTENING_TOLERANCE_MM / r);
    assert.ok(reading.segmentCount >= Math.floor(ideal) && reading.segmentCount <= ideal * 1.1 + 4, `${reading.segmentCount} for ${ideal}`);
  });

  it('leaves a straight curve a single line', async () => {
    const reading = await read(cutPage('/C CS 1 SCN 10 10 m 12 12 80 80 90 90 c S'));
    assert.equal(reading.segmentCount, 1);
  });

  it('knows v and y', async () => {
    const c = await read(cutPage('/C CS 1 SCN 10 10 m 10 10 50 90 90 10 c S 10 10 m 50 90 90 10 90 10 c S'));
    const vy = await read(cutPage('/C CS 1 SCN 10 10 m 50 90 90 10 v S 10 10 m 50 90 90 10 y S'));
    assert.deepEqual(vy.paths, c.paths);
  });
});
