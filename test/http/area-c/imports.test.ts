import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { onePage } from '../../pdf/builder.ts';
import { codeOf, importJob, jobBody, jsonInit, member, squareJob, startStage, type CheckedAnswer, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({});
});
after(() => stage.stop());

const post = (body: unknown): Promise<CheckedAnswer> => stage.api.ask('POST', '/jobs/import-json', jsonInit(body));
const detail = async (id: string): Promise<unknown> => (await stage.api.expect(200, 'GET', `/jobs/${id}`)).json;
const stored = async (id: string): Promise<Uint8Array> => (await stage.api.expect(200, 'GET', `/jobs/${id}/gpgl`)).bytes;

function errorsOf(answer: CheckedAnswer): { pointer: unknown; code: unknown }[] {
  const errors = member(answer.json, 'errors');
  assert.ok(Array.isArray(errors));
  return errors.map((error: unknown) => ({ pointer: member(error, 'pointer'), code: member(error, 'code') }));
}

async function countJobs(): Promise<number> {
  const { json } = await stage.api.expect(200, 'GET', '/jobs?limit=1000');
  assert.ok(Array.isArray(json));
  return json.length;
}

describe('a job imported as JSON', () => {
  it('is registered with what was given, and measured where its sequence can be read', async () => {
    const answer = await stage.api.expect(201, 'POST', '/jobs/import-json', jsonInit(jobBody({ regmark_fx: 61, regmark_fy: -2, regmark_rx: 3, regmark_ry: 4 })));
    const id = String(member(answer.json, 'id'));
    assert.equal(answer.headers.get('location'), `/jobs/${id}`);
    assert.deepEqual(await detail(id), answer.json);
    for (const [name, value] of Object.entries({ name: 'Square', barcode_link_info: 'A0200ROLL', command_type: 0, source: 'import-json', regmark_fx: 61, regmark_fy: -2, regmark_rx: 3, regmark_ry: 4, segments: 4, cut_length_mm: 160 })) {
      assert.equal(member(answer.json, name), value, name);
    }
    assert.deepEqual(member(answer.json, 'bounds_mm'), { x0: 30, y0: 15, x1: 70, y1: 55 });
    assert.equal(Buffer.from(await stored(id)).toString('latin1'), squareJob);
  });

  it('takes the defaults of encoding, ETX, command type and vector', async () => {
    const { name, barcode_link_info, command_sequence } = jobBody();
    const answer = await post({ name, barcode_link_info, command_sequence });
    assert.equal(answer.status, 201);
    assert.deepEqual(['command_type', 'regmark_fx', 'regmark_fy', 'regmark_rx', 'regmark_ry'].map((field) => member(answer.json, field)), [0, 60, 400, 0, 0]);
  });

  it('is kept byte for byte, whatever the bytes are', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), async (bytes, append) => {
      const id = await importJob(stage.api, { command_sequence: Buffer.from(bytes).toString('base64'), command_sequence_encoding: 'base64', append_etx: append });
      const expected = append && bytes.at(-1) !== 3 ? Uint8Array.of(...bytes, 3) : bytes;
      assert.deepEqual(await stored(id), new Uint8Array(expected));
    }), { numRuns: 40 });
  });

  it('in plain text may hold every code point from 0 to 127, and no other', async () => {
    const all = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
    assert.deepEqual([...await stored(await importJob(stage.api, { command_sequence: all }))], [...Array.from({ length: 128 }, (_, code) => code)]);
    for (const text of ['M0,0\u0080', 'é', '\u{1f600}', '\ud800']) {
      const answer = await post(jobBody({ command_sequence: text }));
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'INVALID_COMMAND_SEQUENCE'], JSON.stringify(text));
    }
  });

  it('in base64 must be spelt canonically', async () => {
    for (const text of ['TTA=', 'TTAs']) assert.equal((await post(jobBody({ command_sequence: text, command_sequence_encoding: 'base64' }))).status, 201, text);
    for (const text of ['TTA', 'TTB=', 'TTA=\n', 'T TA=', 'TT-_', '=', '====', 'TTA=TTA=', 'é']) {
      const answer = await post(jobBody({ command_sequence: text, command_sequence_encoding: 'base64' }));
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'INVALID_COMMAND_SEQUENCE'], JSON.stringify(text));
    }
  });

  it('is not measured when something in it cannot be worked out', async () => {
    for (const sequence of ['not GP-GL', 'W0,0,10,10,0,3600\x03', 'FX10\x03', 'M0,0\x03D10,1']) {
      const id = await importJob(stage.api, { command_sequence: sequence });
      assert.equal(member(await detail(id), 'bounds_mm'), null, sequence);
    }
    const id = await importJob(stage.api, { command_type: 1 });
    assert.deepEqual([member(await detail(id), 'command_type'), member(await detail(id), 'segments')], [1, null]);
  });

  it('is measured in the worker when it is long', async () => {
    const long = `M0,0\x03${'D1000,1000\x03D0,0\x03'.repeat(20_000)}`;
    assert.ok(long.length > 256 * 1024);
    const id = await importJob(stage.api, { command_sequence: long });
    assert.equal(member(await detail(id), 'segments'), 40_000);
  });

  it('is refused with every problem at once, and leaves nothing behind', async () => {
    const before = await countJobs();
    const answer = await post({
      name: 'a name that is far too long for the display', barcode_link_info: 'G0200ROLL', command_type: 2, regmark_fx: 1.5, regmark_fy: '400',
      regmark_rx: 1_000_000, command_sequence: '€', command_sequence_encoding: 'plain', append_etx: 'yes', colour: 'red',
    });
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'INVALID_BODY']);
    assert.deepEqual(errorsOf(answer).sort((a, b) => String(a.pointer).localeCompare(String(b.pointer))), [
      { pointer: '/append_etx', code: 'WRONG_TYPE' },
      { pointer: '/barcode_link_info', code: 'INVALID_BARCODE' },
      { pointer: '/colour', code: 'UNKNOWN_FIELD' },
      { pointer: '/command_sequence', code: 'INVALID_COMMAND_SEQUENCE' },
      { pointer: '/command_type', code: 'INVALID_COMMAND_TYPE' },
      { pointer: '/name', code: 'INVALID_NAME' },
      { pointer: '/regmark_fx', code: 'INVALID_REGISTRATION_MARK' },
      { pointer: '/regmark_fy', code: 'INVALID_REGISTRATION_MARK' },
      { pointer: '/regmark_rx', code: 'INVALID_REGISTRATION_MARK' },
    ]);
    assert.equal(await countJobs(), before);
  });

  it('is refused with the precise code where only one thing is wrong', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ name: '' }, 'INVALID_NAME'], [{ name: '   ' }, 'INVALID_NAME'], [{ name: 'x'.repeat(26) }, 'INVALID_NAME'], [{ name: 'Zoë' }, 'INVALID_NAME'], [{ name: 'tab\t' }, 'INVALID_NAME'],
      [{ name: 7 }, 'INVALID_NAME'], [{ name: undefined }, 'INVALID_NAME'],
      [{ barcode_link_info: 'A0200ROL' }, 'INVALID_BARCODE'], [{ barcode_link_info: 'A0200ROLLL' }, 'INVALID_BARCODE'], [{ barcode_link_info: 'a0200ROLL' }, 'INVALID_BARCODE'],
      [{ barcode_link_info: 'A0200ROLL\n' }, 'INVALID_BARCODE'], [{ barcode_link_info: null }, 'INVALID_BARCODE'],
      [{ command_type: -1 }, 'INVALID_COMMAND_TYPE'], [{ command_type: '0' }, 'INVALID_COMMAND_TYPE'],
      [{ command_sequence: '' }, 'INVALID_COMMAND_SEQUENCE'], [{ command_sequence: 5 }, 'INVALID_COMMAND_SEQUENCE'],
      [{ regmark_fy: null }, 'INVALID_REGISTRATION_MARK'], [{ command_sequence_encoding: 'hex' }, 'INVALID_BODY'],
    ];
    for (const [more, code] of cases) {
      const answer = await post(jobBody(more));
      assert.deepEqual([answer.status, codeOf(answer)], [400, code], JSON.stringify(more));
    }
    for (const body of [null, [], 'text', 7]) assert.deepEqual([(await post(body)).status, codeOf(await post(body))], [400, 'INVALID_BODY'], JSON.stringify(body));
    const broken = await stage.api.ask('POST', '/jobs/import-json', { body: '{"name":', headers: { 'Content-Type': 'application/json' } });
    assert.deepEqual([broken.status, codeOf(broken)], [400, 'MALFORMED_JSON']);
  });

  it('takes names of 25 printable characters, and of one', async () => {
    for (const name of ['x', ' ~'.padEnd(25, '!')]) assert.equal(member(await detail(await importJob(stage.api, { name })), 'name'), name);
  });
});

const pt = (mm: number): string => (mm * 72 / 25.4).toFixed(6);
const cutPdf = (content = `${pt(30)} ${pt(20)} ${pt(20)} ${pt(50)} re S`): Uint8Array => onePage({ content, mediaBox: `[0 0 ${pt(160)} ${pt(100)}]` });

function form(fields: Readonly<Record<string, string>>, pdf: Uint8Array | null = cutPdf(), fileName = 'Plaque.pdf'): RequestInit {
  const body = new FormData();
  if (pdf !== null) body.set('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), fileName);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { body };
}

describe('a cut PDF that is imported', () => {
  const postPdf = (init: RequestInit): Promise<CheckedAnswer> => stage.api.ask('POST', '/jobs/import-pdf', init);

  it('becomes a job named after its file, with the vector of a sheet of ours', async () => {
    const answer = await stage.api.expect(201, 'POST', '/jobs/import-pdf', form({ barcode_link_info: 'P00000001' }));
    for (const [name, value] of Object.entries({ name: 'Plaque', barcode_link_info: 'P00000001', command_type: 0, source: 'import-pdf', regmark_fx: 60, regmark_fy: 400, regmark_rx: 0, regmark_ry: 0, segments: 4 })) {
      assert.equal(member(answer.json, name), value, name);
    }
    const id = String(member(answer.json, 'id'));
    assert.equal(answer.headers.get('location'), `/jobs/${id}`);
    const text = Buffer.from(await stored(id)).toString('latin1');
    assert.match(text, /^TB99\x03TB51,200\x03TB52,2\x03TB54,0,0\x03TB55,1\x03TB24,1000,1600\x03TB99\x03J1\x03M/);
    assert.deepEqual(member(answer.json, 'bounds_mm'), { x0: 20, y0: 110, x1: 70, y1: 130 });
  });

  it('takes name and vector from the form', async () => {
    const answer = await postPdf(form({ barcode_link_info: 'P00000002', name: 'My job', command_type: '0', regmark_fx: '-5', regmark_fy: '410', regmark_rx: '1', regmark_ry: '2' }));
    assert.deepEqual(['name', 'regmark_fx', 'regmark_fy', 'regmark_rx', 'regmark_ry'].map((field) => member(answer.json, field)), ['My job', -5, 410, 1, 2]);
  });

  it('is refused with every problem of its fields at once', async () => {
    const before = await countJobs();
    const answer = await postPdf(form({ name: 'ö', command_type: '1', regmark_fx: '1e3', colour: 'red' }));
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'INVALID_BODY']);
    assert.deepEqual(errorsOf(answer), [
      { pointer: '/name', code: 'INVALID_NAME' }, { pointer: '/barcode_link_info', code: 'INVALID_BARCODE' }, { pointer: '/command_type', code: 'INVALID_COMMAND_TYPE' },
      { pointer: '/regmark_fx', code: 'INVALID_REGISTRATION_MARK' }, { pointer: '/colour', code: 'UNKNOWN_FIELD' },
    ]);
    assert.equal(await countJobs(), before);
  });

  it('is refused with a precise reason', async () => {
    const code = { barcode_link_info: 'P00000003' };
    const cases: [RequestInit, string][] = [
      [form(code, null), 'MISSING_FILE'], [form(code, Buffer.from('no PDF')), 'NOT_A_PDF'], [form(code, cutPdf('1 0 0 rg 10 10 20 20 re f')), 'NO_CUT_PATHS'],
      [form(code, cutPdf('-20 10 m 90 90 l S')), 'CUT_OUTSIDE_MARKS'], [form({ ...code, command_type: '1' }), 'INVALID_COMMAND_TYPE'], [form({ ...code, name: '' }), 'INVALID_NAME'],
      [form({}), 'INVALID_BARCODE'],
    ];
    const before = await countJobs();
    for (const [init, expected] of cases) {
      const answer = await postPdf(init);
      assert.deepEqual([answer.status, codeOf(answer)], [400, expected]);
    }
    assert.equal(await countJobs(), before);
  });
});
