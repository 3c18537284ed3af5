import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { geometryOf, polylinesOf } from '../support/paths.ts';
import { prepareSheet } from '../../src/prepare/compute.ts';
import type { PrepareRefusal } from '../../src/prepare/index.ts';
import { cutPath, input, letterF, pdfRoom, reading, type StandIn } from './stand-in.ts';

const pens = { 'cut': 1, 'kiss-cut': 2, 'perforation': 3, 'crease': 4 };

/** A point of the page in whole steps from mark 1, which is 50 mm from the right edge and 35 mm from the leading edge. */
function rounded(xMm: number, yMm: number, stepsPerMm: number, widthMm: number, pen: number): string {
  return `${pen}: ${Math.round((yMm - 35) * stepsPerMm)} ${Math.round((widthMm - 50 - xMm) * stepsPerMm)}`;
}

async function refusal(room: StandIn, more: Parameters<typeof input>[0] = {}): Promise<PrepareRefusal> {
  const result = await prepareSheet(input(more), room);
  assert.ok(!result.ok, 'it was prepared');
  return result.failure;
}

describe('preparing a sheet', () => {
  it('cuts the letter F where it is printed, unmirrored, at numbers worked out by hand', async () => {
    const room = pdfRoom(reading());
    const result = await prepareSheet(input(), room);
    assert.ok(result.ok);
    const { prepared } = result;
    // A4: mark 1 at x 160, y 35; so X = y − 35 and Y = 160 − x. (90, 100), the corner nearest to mark 1, becomes (65, 70).
    assert.equal(Buffer.from(prepared.commandSequence).toString('latin1').replaceAll('\x03', '␃'),
      'TB99␃TB51,200␃TB52,2␃TB54,0,0␃TB55,1␃TB24,2120,1100␃TB99␃J1␃M650,700␃'
      + 'D850,700,850,600,950,600,950,700,1050,700,1050,500,1150,500,1150,800,650,800,650,700␃M0,0␃TB0␃');
    assert.equal(prepared.commandSha256, createHash('sha256').update(prepared.commandSequence).digest('hex'));
    assert.deepEqual(prepared.vector, { fx: 60, fy: 400, rx: 0, ry: 0 });
    assert.deepEqual(prepared.boundsMm, { minXMm: 65, minYMm: 50, maxXMm: 115, maxYMm: 80 });
    assert.ok(Math.abs(prepared.cutLengthMm - 180) < 1e-9, `${prepared.cutLengthMm}`);
    assert.ok(Math.abs(prepared.travelLengthMm - 2 * Math.hypot(65, 70)) < 1e-9);
    assert.ok(prepared.estimateSeconds > 15);
    assert.deepEqual(prepared.sheet, { widthMm: 210, heightMm: 297 });
    assert.equal(prepared.cutSource, 'spot-color');
    assert.equal(prepared.segmentCount, 10);
    assert.deepEqual(prepared.warnings.map(({ code }) => code), ['SPOT_COLOR_LEGACY']);
    assert.equal(Buffer.from(prepared.markedPdf).toString(), '%PDF marked');
    assert.equal(room.overlays[0]?.rectsMm.length, 74);
    assert.equal(room.rendered.length, 0, 'nothing painted, nothing rendered');
  });

  it('draws every path where the page has it, whatever the paths, pages and steps', async () => {
    const pages = fc.record({ widthMm: fc.double({ min: 400, max: 1600, noNaN: true }), heightMm: fc.double({ min: 400, max: 3000, noNaN: true }) });
    // Within the marks and between their squares on any of those pages.
    const coordinate = fc.double({ min: 80, max: 310, noNaN: true });
    const points = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 9 });
    const path = fc.record({ points, closed: fc.boolean(), tool: fc.constantFrom('cut', 'kiss-cut', 'perforation', 'crease') });
    const steps = fc.constantFrom(10, 20, 40, 100);
    await fc.assert(fc.asyncProperty(pages, fc.array(path, { minLength: 1, maxLength: 6 }), steps, async (size, drawn, stepsPerMm) => {
      const paths = drawn.map((each) => cutPath(each.points.flat(), { closed: each.closed, tool: each.tool }));
      const result = await prepareSheet(input({ stepsPerMm }), pdfRoom(reading({ ...size, paths })));
      if (!result.ok) {
        assert.equal(result.failure.code, 'NO_CUT_PATHS');
        return;
      }
      const back = polylinesOf(geometryOf(result.prepared.commandSequence, stepsPerMm)).flatMap(({ pen, pointsMm }) => {
        const corners: string[] = [];
        for (let at = 0; at < pointsMm.length; at += 2) {
          corners.push(rounded(size.widthMm - 50 - (pointsMm[at + 1] ?? NaN), 35 + (pointsMm[at] ?? NaN), stepsPerMm, size.widthMm, pen));
        }
        return corners;
      });
      const wanted = drawn.filter(({ points: each }) => new Set(each.map(([x, y]) => rounded(x, y, stepsPerMm, size.widthMm, 0))).size > 1)
        .flatMap(({ points: each, tool }) => each.map(([x, y]) => rounded(x, y, stepsPerMm, size.widthMm, pens[tool])));
      assert.deepEqual([...new Set(back)].sort(), [...new Set(wanted)].sort());
    }), { numRuns: 100 });
  });

  it('counts in the steps of the machine', async () => {
    const result = await prepareSheet(input({ stepsPerMm: 40 }), pdfRoom(reading()));
    assert.ok(result.ok);
    assert.match(Buffer.from(result.prepared.commandSequence).toString('latin1'), /TB51,800\x03.*TB24,8480,4400\x03.*M2600,2800\x03/);
  });

  it('cuts what lies twice once, leaves out what is shorter than a step, and says both', async () => {
    const paths = [cutPath(letterF), cutPath([...letterF.slice(6), ...letterF.slice(0, 6)]), cutPath([120, 100, 120.01, 100], { closed: false })];
    const result = await prepareSheet(input(), pdfRoom(reading({ paths })));
    assert.ok(result.ok);
    assert.deepEqual(result.prepared.warnings.map(({ code }) => code), ['SPOT_COLOR_LEGACY', 'CUT_DUPLICATES_REMOVED', 'CUT_BELOW_STEP']);
    assert.equal(Buffer.from(result.prepared.commandSequence).toString('latin1').split('M').length, 3);
  });
});

describe('refusing a sheet', () => {
  it('without cut paths lists every ink and layer that was not taken, and why', async () => {
    const seen = [
      { kind: 'ink', name: 'Die Line', taken: false, tool: null, cutPaths: 0, otherObjects: 0, overprints: null, reason: 'not in CUT_SPOT_COLORS' },
      { kind: 'layer', name: 'Varnish', taken: false, tool: null, cutPaths: 0, otherObjects: 0, overprints: null, reason: 'a step that is not cut' },
    ] as const;
    const failure = await refusal(pdfRoom(reading({ paths: [], cutSource: null, seen })));
    assert.equal(failure.code, 'NO_CUT_PATHS');
    assert.match(failure.detail, /ink "Die Line" \(not in CUT_SPOT_COLORS\); layer "Varnish" \(a step that is not cut\)/);
    assert.match((await refusal(pdfRoom(reading({ paths: [], cutSource: null, seen: [] })))).detail, /no spot colours/);
  });

  it('whose cut paths are all shorter than a step is one without cut paths', async () => {
    assert.equal((await refusal(pdfRoom(reading({ paths: [cutPath([120, 100, 120.01, 100])] })))).code, 'NO_CUT_PATHS');
  });

  it('that is too small says what is needed', async () => {
    const failure = await refusal(pdfRoom(reading({ widthMm: 148, heightMm: 210 })));
    assert.equal(failure.code, 'PAGE_TOO_SMALL');
    assert.match(failure.detail, /148 × 210 mm.*at least 192\.75 × 145 mm/);
  });

  it('whose cut leaves the marks names path and place', async () => {
    const failure = await refusal(pdfRoom(reading({ paths: [cutPath(letterF), cutPath([40, 100, 60, 100, 60, 120], { tool: 'crease' })] })));
    assert.equal(failure.code, 'CUT_OUTSIDE_MARKS');
    assert.match(failure.detail, /Cut path 2 of 2 \(crease\).*x 40, y 1[02]0 mm/);
  });

  it('with ink in a keep-clear zone names the object, the zone and the place', async () => {
    const painted = [
      { kind: 'image', description: 'image /Im3', boxMm: { x0Mm: 60, y0Mm: 61, x1Mm: 150, y1Mm: 200 } },
      { kind: 'path', description: 'fill in DeviceCMYK', boxMm: { x0Mm: 90, y0Mm: 20, x1Mm: 110, y1Mm: 60 } },
    ] as const;
    const room = pdfRoom(reading({ painted }), () => ({ x0Mm: 91, y0Mm: 25, x1Mm: 100, y1Mm: 32 }));
    const failure = await refusal(room);
    assert.equal(failure.code, 'ARTWORK_IN_KEEP_CLEAR_ZONE');
    assert.match(failure.detail, /fill in DeviceCMYK \(x 90 to 110, y 20 to 60 mm\).*leading edge.*x 0 to 210, y 0 to 32 mm.*ink at x 91 to 100, y 25 to 32 mm/);
    assert.deepEqual(failure.offenders, [
      { kind: 'ink', description: 'Ink in the strip of the leading edge with the barcode', boxMm: { x0Mm: 91, y0Mm: 25, x1Mm: 100, y1Mm: 32 } },
      { kind: 'artwork', description: 'fill in DeviceCMYK', boxMm: { x0Mm: 90, y0Mm: 20, x1Mm: 110, y1Mm: 60 } },
    ]);
    assert.deepEqual(failure.page?.sheet?.mark_rect_mm, [50, 35, 160, 247]);
    assert.deepEqual(room.rendered, [{ x0Mm: 89, y0Mm: 19, x1Mm: 111, y1Mm: 32 }], 'only where a box touches a zone is rendered');
  });

  it('is not for a box that reaches into a zone where nothing is printed', async () => {
    const painted = [{ kind: 'path', description: 'fill in DeviceGray', boxMm: { x0Mm: 0, y0Mm: 0, x1Mm: 210, y1Mm: 297 } }] as const;
    const room = pdfRoom(reading({ painted }));
    assert.ok((await prepareSheet(input(), room)).ok);
    assert.equal(room.rendered.length, 5);
  });

  it('tells of the page what a picture needs, also where there is no layout for it', async () => {
    const small = await refusal(pdfRoom(reading({ widthMm: 100, heightMm: 120 })));
    assert.equal(small.code, 'PAGE_TOO_SMALL');
    assert.deepEqual(small.page, { page_mm: [100, 120], copies_mm: [[0, 0]], sheet: null, cut_paths: 'marked' });
    const without = await refusal(pdfRoom(reading({ paths: [], cutSource: null })));
    assert.equal(without.code, 'NO_CUT_PATHS');
    assert.equal(without.page?.sheet?.zones.length, 5);
    const boxMm = { x0Mm: 80, y0Mm: 90, x1Mm: 100, y1Mm: 110 };
    const failure = { code: 'UNSUPPORTED_CUT_CONTENT', detail: 'It is text.', objects: [{ kind: 'text', description: 'text in /F1', boxMm }] } as const;
    const unsupported = await refusal({ ...pdfRoom(reading()), readPage: () => ({ ok: false, failure, reading: reading() }) });
    assert.equal(unsupported.page?.sheet?.zones.length, 5);
    assert.deepEqual(unsupported.offenders, [{ kind: 'cut-content', description: 'text in /F1', boxMm }]);
  });

  it('with a bad link info does not even open the file', async () => {
    const room = { ...pdfRoom(reading()), openPdf: () => assert.fail('opened') };
    for (const linkInfo of ['G12345678', 'A0200', 'a0200roll']) assert.equal((await refusal(room, { linkInfo })).code, 'INVALID_BARCODE');
  });

  it('passes on what the PDF room refuses', async () => {
    const failure = { code: 'PDF_ENCRYPTED', detail: 'The file needs a password.' } as const;
    assert.deepEqual(await refusal({ ...pdfRoom(reading()), openPdf: () => Promise.resolve({ ok: false, failure }) }), failure);
    const unread = await refusal({ ...pdfRoom(reading()), readPage: () => ({ ok: false, failure, reading: null }) });
    assert.deepEqual(unread, { ...failure, page: { page_mm: [210, 297], copies_mm: [[0, 0]], sheet: null, cut_paths: 'marked' } });
  });
});
