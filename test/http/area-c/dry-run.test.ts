import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pt } from '../../pdf/builder.ts';
import { cutPage } from '../../pdf/shapes.ts';
import { codeOf, events, member, startStage, type CheckedAnswer, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({});
});
after(() => stage.stop());

const square = `/C CS 1 SCN ${pt(80)} ${pt(100)} ${pt(40)} ${pt(30)} re S`;
const a4 = `[0 0 ${pt(210)} ${pt(297)}]`;

function send(pdf: Uint8Array, query = '', fields: Readonly<Record<string, string>> = {}): Promise<CheckedAnswer> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'sheet.pdf');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return stage.api.ask('POST', `/print/prepare${query}`, { body: form });
}

/** Everything a dry run could have changed: jobs, journal, the codes to come, and what is on disk. */
async function traces(): Promise<unknown> {
  const jobs = await stage.api.expect(200, 'GET', '/jobs?limit=1000');
  const { directory } = stage.kerf;
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(directory, name)).isFile()).sort();
  const data = files.filter((name) => name.endsWith('.mdb') && !name.includes('lock')).map((name) => readFileSync(join(directory, name)).toString('base64'));
  return { jobs: jobs.json, journal: await events(stage.api), files, data };
}

describe('a dry run', () => {
  it('answers with what was found, and the same file is accepted afterwards', async () => {
    const pdf = cutPage(square, { mediaBox: a4, spaces: '/V [/Separation /Varnish /DeviceGray 1 0 R]' });
    const report = (await send(pdf, '?dry_run=true')).json;
    assert.equal(member(report, 'would_be_accepted'), true);
    assert.equal(member(report, 'refusal'), null);
    assert.equal(member(report, 'cut_source'), 'spot-color');
    assert.deepEqual(member(report, 'tools'), [{ tool: 'cut', paths: 1, segments: 4, length_mm: 140 }]);
    assert.deepEqual([member(report, 'page', 'width_mm'), member(report, 'page', 'height_mm'), member(report, 'page', 'pdf_version')], [210, 297, '1.7']);
    assert.deepEqual(member(report, 'page', 'media_box_mm'), [0, 0, 210, 297]);
    assert.deepEqual([0, 1].map((i) => [member(report, 'seen', i, 'name'), member(report, 'seen', i, 'is_taken')]), [['CutContour', true], ['Varnish', false]]);
    assert.match(String(member(report, 'seen', 1, 'reason')), /not in CUT_SPOT_COLORS/);
    assert.equal(member(report, 'warnings', 0, 'code'), 'SPOT_COLOR_LEGACY');
    const prepared = await send(pdf);
    assert.equal(prepared.status, 200);
    assert.equal(prepared.headers.get('content-type'), 'application/pdf');
    assert.equal(prepared.headers.get('x-warnings'), 'SPOT_COLOR_LEGACY');
  });

  it('changes nothing: no job, no code, no entry in the journal, not a byte of the store', async () => {
    const before = await traces();
    const pdf = cutPage(square, { mediaBox: a4 });
    for (const fields of [{}, { name: 'Labels', barcode_link_info: 'A0200ROLL' }]) assert.equal((await send(pdf, '?dry_run=true', fields)).status, 200);
    assert.equal((await send(cutPage('', { mediaBox: a4 }), '?dry_run=true')).status, 200);
    assert.deepEqual(await traces(), before);
  });

  it('takes no code: the next job gets the one that comes after the last', async () => {
    const pdf = cutPage(square, { mediaBox: a4 });
    const codeAfter = async () => {
      const answer = await send(pdf);
      assert.equal(answer.status, 200);
      return Number.parseInt(String(answer.headers.get('x-barcode')).slice(1), 36);
    };
    const last = await codeAfter();
    await send(pdf, '?dry_run=true');
    assert.equal(await codeAfter(), last + 1);
  });

  for (const [code, pdf] of [
    ['NO_CUT_PATHS', cutPage('0 0 0 1 K 0 0 50 50 re S', { mediaBox: a4 })],
    ['PAGE_TOO_SMALL', cutPage(square)],
    ['CUT_OUTSIDE_MARKS', cutPage('/C CS 1 SCN 3 3 40 40 re S', { mediaBox: a4 })],
    ['ARTWORK_IN_KEEP_CLEAR_ZONE', cutPage(`${square} 0 0 0 1 k 0 0 ${pt(210)} ${pt(40)} re f`, { mediaBox: a4 })],
    ['UNSUPPORTED_CUT_CONTENT', cutPage('/C cs 1 scn BT /F 40 Tf 200 300 Td (Cut) Tj ET', { mediaBox: a4 })],
  ] as const) {
    it(`describes a file that would be refused with ${code}`, async () => {
      const answer = await send(pdf, '?dry_run=true');
      assert.equal(answer.status, 200);
      assert.equal(member(answer.json, 'would_be_accepted'), false);
      assert.equal(member(answer.json, 'refusal', 'code'), code);
      const refused = await send(pdf);
      assert.deepEqual([refused.status, codeOf(refused)], [400, code]);
      assert.equal(member(answer.json, 'refusal', 'detail'), member(refused.json, 'detail'));
    });
  }

  it('refuses what cannot be described, and what is wrong with the request', async () => {
    const pdf = cutPage(square, { mediaBox: a4 });
    const codes = async (bytes: Uint8Array, query: string, fields = {}) => {
      const answer = await send(bytes, query, fields);
      return [answer.status, codeOf(answer)];
    };
    assert.deepEqual(await codes(Buffer.from('GIF89a'), '?dry_run=true'), [400, 'NOT_A_PDF']);
    assert.deepEqual(await codes(cutPage('q '.repeat(600)), '?dry_run=true'), [400, 'PDF_TOO_COMPLEX']);
    assert.deepEqual(await codes(pdf, '?dry_run=true', { barcode_link_info: 'G12345678' }), [400, 'INVALID_BARCODE']);
    assert.deepEqual(await codes(pdf, '?dry_run=true', { name: 'x'.repeat(26) }), [400, 'INVALID_NAME']);
    for (const value of ['yes', '1', '', 'TRUE', 'true&dry_run=true']) assert.deepEqual(await codes(pdf, `?dry_run=${value}`), [400, 'INVALID_PARAMETER'], value);
    for (const misspelt of ['dryrun=true', 'dry-run=true', 'Dry_run=true', 'dry_run=true&x=1']) assert.deepEqual(await codes(pdf, `?${misspelt}`), [400, 'INVALID_PARAMETER'], misspelt);
    assert.equal((await send(pdf, '?dry_run=false')).headers.get('content-type'), 'application/pdf');
  });
});
