import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, stream, untilStream } from './helpers.ts';

// A letter F on the page, in page millimetres (x to the right, y upwards), mark 1 at the bottom right (180, 40), and by the
// formulas of gpgl-and-data-link.md section 2: X = y − 40, Y = 180 − x, in steps of 0.1 mm.
const letterF: readonly (readonly [number, number])[] = [[60, 60], [60, 160], [120, 160], [120, 145], [75, 145], [75, 115], [105, 115], [105, 100], [75, 100], [75, 60], [60, 60]];
const steps = letterF.map(([x, y]) => `${(y - 40) * 10},${(180 - x) * 10}`);
const job = `TB99\x03TB51,200\x03TB52,2\x03TB55,1\x03TB24,1600,1400\x03TB99\x03J2\x03M${steps[0] ?? ''}\x03D${steps.slice(1).join(',')}\x03M0,0\x03TB0\x03`;

describe('the drawing', () => {
  it('shows a letter F on the upright page as an F, with mark 1 at 0,0 bottom right', async (t) => {
    const set = await bench(t);
    assert.equal(set.cutter.drawingSvg().ok, false);
    await untilStream(set);
    await stream(set.port, job);
    const svg = set.cutter.drawingSvg();
    assert.ok(svg.ok);
    const paths = [...svg.value.matchAll(/<path [^>]*data-pen="(\d)"[^>]*d="M([^"]*)"/g)];
    assert.equal(paths.length, 1);
    assert.equal(paths[0]?.[1], '2');
    const drawn = (paths[0][2] ?? '').split(' L').map((pair) => pair.split(' ').map(Number));
    // SVG counts y downwards from mark 1.
    assert.deepEqual(drawn, letterF.map(([x, y]) => [x - 180, 40 - y]));
    assert.match(svg.value, /width="160\.0000mm" height="180\.0000mm" viewBox="-150\.0000 -170\.0000 160\.0000 180\.0000"/);
    assert.equal([...svg.value.matchAll(/class="mark"/g)].length, 4);
  });

  it('gives the polylines in the mark frame', async (t) => {
    const set = await bench(t);
    await untilStream(set);
    await stream(set.port, job);
    const drawing = set.cutter.drawingJson(0);
    assert.ok(drawing.ok);
    assert.deepEqual(drawing.value.strokes, [{ pen: 2, speed_mm_per_s: 300, acceleration_level: 1, force_level: null, points: letterF.map(([x, y]) => [y - 40, 180 - x]) }]);
    assert.deepEqual(drawing.value.marks, { feed_mm: 160, carriage_mm: 140, points: 4, arm_mm: 20, type: 2 });
    assert.equal(set.cutter.drawingJson(1).ok, false);
  });
});
