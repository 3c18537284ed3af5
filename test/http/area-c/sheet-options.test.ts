import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { geometryOf } from '../../support/paths.ts';
import { onePage, pt, separation } from '../../pdf/builder.ts';
import { read } from '../../pdf/shapes.ts';
import { samplePdf } from '../../support/kerf.ts';
import { codeOf, member, startStage, type CheckedAnswer, type Stage } from './kit.ts';

let stage: Stage;
before(async () => { stage = await startStage({}); });
after(() => stage.stop());

/** A page of 60 × 40 mm with a triangle. */
const small = (): Uint8Array => onePage({
  content: `/Cut CS 1 SCN ${pt(10)} ${pt(10)} m ${pt(50)} ${pt(10)} l ${pt(20)} ${pt(30)} l s`,
  mediaBox: `[0 0 ${pt(60)} ${pt(40)}]`, resources: `/ColorSpace << /Cut ${separation('CutContour')} >>`,
});

function send(status: number, pdf: Uint8Array, fields: Readonly<Record<string, string>>): Promise<CheckedAnswer> {
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(pdf)], { type: 'application/pdf' }), 'sheet.pdf');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return stage.api.expect(status, 'POST', '/print/prepare', { body: form });
}

async function pointersOf(fields: Readonly<Record<string, string>>): Promise<string[]> {
  const answer = await send(400, samplePdf(), fields);
  assert.equal(codeOf(answer), 'INVALID_PARAMETER');
  const errors = member(answer.json, 'errors');
  assert.ok(Array.isArray(errors));
  return errors.map((error: unknown) => String(member(error, 'pointer'))).sort();
}

describe('the sheet options of POST /print/prepare', () => {
  it('at their defaults give, byte for byte, the sheet of a form without any', async () => {
    const defaults = {
      cut_layers: 'hide', marks_from_side_mm: '50', marks_from_rear_mm: '50.0', marks_behind_band_mm: '6', mark_type: '2', mark_length_mm: '20', mark_thickness_mm: '0.7',
      copies_x: '1', copies_y: '1', gap_x_mm: '0', gap_y_mm: '3.5', barcode_edge: 'front',
    };
    const barcode_link_info = 'F0BYTES01';
    const plain = await send(200, samplePdf(), { barcode_link_info });
    const chosen = await send(200, samplePdf(), { barcode_link_info, ...defaults });
    assert.ok(Buffer.from(plain.bytes).equals(Buffer.from(chosen.bytes)));
  });

  it('move and change the marks, in print and in the job alike', async () => {
    const answer = await send(200, samplePdf(), { marks_from_side_mm: '52', marks_from_rear_mm: '55', marks_behind_band_mm: '9', mark_length_mm: '12', mark_thickness_mm: '1' });
    const id = answer.headers.get('x-job-id') ?? '';
    const job = (await stage.api.expect(200, 'GET', `/jobs/${id}`)).json;
    assert.deepEqual([member(job, 'regmark_fx'), member(job, 'regmark_fy')], [90, 420]);
    const { widthMm, heightMm } = await read(answer.bytes);
    const preview = member(job, 'command_preview');
    assert.ok(Array.isArray(preview));
    assert.deepEqual(preview.slice(1, 3), ['TB51,120', 'TB52,2']);
    assert.equal(preview.find((command) => String(command).startsWith('TB24')), `TB24,${Math.round((heightMm - 38 - 55) * 10)},${Math.round((widthMm - 104) * 10)}`);
    // The arm of mark 1 across the sheet: 12 mm and half a line.
    assert.ok(Buffer.from(answer.bytes).toString('latin1').includes(`${widthMm - 64} 37.5 12.5 1 re`));
  });

  it('that are unknown are refused whatever their name', async () => {
    assert.deepEqual(await pointersOf({ ['__proto__']: '1', constructor: '1', colour: 'red' }), ['/__proto__', '/colour', '/constructor']);
  });

  it('that are wrong are told all at once, each with its field', async () => {
    assert.deepEqual(await pointersOf({
      marks_from_side_mm: '49.9', mark_length_mm: 'long', mark_thickness_mm: '2', mark_type: '3', copies_x: '0', copies_y: '2.5', gap_x_mm: '-1', cut_layers: 'print', barcode_edge: 'left', margin: '5',
    }), ['/barcode_edge', '/copies_x', '/copies_y', '/cut_layers', '/gap_x_mm', '/margin', '/mark_length_mm', '/mark_thickness_mm', '/mark_type', '/marks_from_side_mm']);
    const answer = await send(400, samplePdf(), { marks_from_side_mm: '49.9' });
    assert.match(String(member(answer.json, 'detail')), /50 to 1000: .*E04017/);
  });

  it('refuse a rear barcode, and say what is not known', async () => {
    for (const edge of ['rear', 'both']) {
      assert.deepEqual(await pointersOf({ barcode_edge: edge }), ['/barcode_edge']);
      assert.match(String(member((await send(400, samplePdf(), { barcode_edge: edge })).json, 'detail')), /rx, ry.*Use front/);
    }
  });

  it('refuse arms that point into the barcode, with the distance that is needed', async () => {
    assert.deepEqual(await pointersOf({ mark_type: '1', marks_behind_band_mm: '10', barcode_edge: 'rear' }), ['/barcode_edge', '/marks_behind_band_mm']);
    assert.deepEqual(await pointersOf({ mark_type: '9', barcode_edge: 'rear' }), ['/barcode_edge', '/mark_type'], 'also beside a field that cannot be read');
    assert.match(String(member((await send(400, samplePdf(), { mark_type: '1', marks_behind_band_mm: '10' })).json, 'detail')), /at least 23 mm/);
    const answer = await send(200, samplePdf(), { mark_type: '1', mark_length_mm: '8' });
    assert.match(answer.headers.get('x-warnings') ?? '', /MARK_TYPE_NOT_VALIDATED/);
  });

  it('make a sheet of copies, and a job that cuts each', async () => {
    const answer = await send(200, small(), { copies_x: '3', copies_y: '4', gap_x_mm: '5', gap_y_mm: '2' });
    assert.equal(answer.headers.get('x-cut-segments'), '36');
    const { widthMm, heightMm, paths } = await read(answer.bytes);
    // 3 × 60 + 2 × 5, 6 mm beside the marks, 50 mm margins; 4 × 40 + 3 × 2, between squares of 26 mm, 35 and 50 mm margins.
    assert.ok(Math.abs(widthMm - 302) < 0.001 && Math.abs(heightMm - 303) < 0.001, `${widthMm} × ${heightMm}`);
    assert.equal(paths.length, 12);
    const gpgl = await stage.api.expect(200, 'GET', `/jobs/${answer.headers.get('x-job-id') ?? ''}/gpgl`);
    assert.equal(geometryOf(gpgl.bytes, 10).strokes.count, 12);
  });

  it('refuse more copies than a page of a PDF or a job can hold, naming field and numbers', async () => {
    const wide = await send(400, small(), { copies_x: '100' });
    assert.equal(codeOf(wide), 'INVALID_PARAMETER');
    assert.match(String(member(wide.json, 'detail')), /100 × 1 copies.*6112 × .*5080 mm/);
    assert.deepEqual(member(wide.json, 'errors', '0', 'pointer'), '/copies_x');
  });
});
