import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { prepare, samplePdf, temporaryDirectory } from '../../support/kerf.ts';
import { decodePng } from '../../prepare/preview/png.ts';
import { find, parseXml, part } from '../../prepare/preview/xml.ts';
import { PdfBuilder, pt } from '../../pdf/builder.ts';
import { cutPage } from '../../pdf/shapes.ts';
import { importJob, member, startStage, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({});
});
after(() => stage.stop());

const smallPage = (): Uint8Array<ArrayBuffer> => new Uint8Array(cutPage(`/C CS 1 SCN ${pt(10)} ${pt(10)} ${pt(30)} ${pt(30)} re S`, { mediaBox: `[0 0 ${pt(100)} ${pt(120)}]` }));

function twoPages(): Uint8Array {
  const builder = new PdfBuilder();
  const pages = builder.reserve();
  const page = (content: string): number => builder.put(`<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 200 300] /Contents ${builder.stream(content)} 0 R >>`);
  builder.put(`<< /Type /Pages /Kids [${page('10 10 50 50 re f')} 0 R ${page('')} 0 R] /Count 2 >>`, pages);
  return builder.build(builder.put(`<< /Type /Catalog /Pages ${pages} 0 R >>`));
}

async function prepared(): Promise<string> {
  const answer = await prepare(stage.kerf.url, samplePdf(), { name: '<b>&"Sample"' });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  return answer.headers.get('x-job-id') ?? '';
}

describe('the picture of a job', () => {
  it('is an SVG that stands alone and runs nothing, and a PNG of the same', async () => {
    const id = await prepared();
    const svg = await stage.api.expect(200, 'GET', `/jobs/${id}/preview.svg`);
    assert.match(svg.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    assert.equal(svg.headers.get('x-content-type-options'), 'nosniff');
    assert.match(svg.headers.get('cache-control') ?? '', /private/);
    const root = parseXml(svg.bytes);
    assert.match(find(root, ({ name }) => name === 'title')[0]?.text ?? '', /^<b>&"Sample", barcode F/);
    for (const id of ['artwork', 'cuts-cut', 'zones', 'barcode']) assert.ok((part(root, id)?.children.length ?? 0) > 0, id);
    const png = await stage.api.expect(200, 'GET', `/jobs/${id}/preview.png`);
    const image = decodePng(png.bytes);
    assert.ok(image.heightPx >= 1600);
    // Inside the stem of the F of the sample sheet, as it is printed.
    assert.deepEqual(image.at(120 * 1600 / 420, (420 - 200) * 1600 / 420).map((value) => Math.round(value / 32)), [0, 6, 7]);
  });

  it('is not sent again to whoever has it', async () => {
    const id = await prepared();
    const tag = (await stage.api.expect(200, 'GET', `/jobs/${id}/preview.png`)).headers.get('etag') ?? '';
    assert.match(tag, /^"[0-9a-f]{32}-png"$/);
    await stage.api.expect(304, 'GET', `/jobs/${id}/preview.png`, { headers: { 'If-None-Match': `"other", W/${tag}` } });
    await stage.api.expect(200, 'GET', `/jobs/${id}/preview.svg`, { headers: { 'If-None-Match': tag } });
    assert.notEqual((await stage.api.expect(200, 'GET', `/jobs/${await importJob(stage.api)}/preview.png`)).headers.get('etag'), tag);
  });

  it('that came as a command sequence shows what will be cut, without a page', async () => {
    const root = parseXml((await stage.api.expect(200, 'GET', `/jobs/${await importJob(stage.api)}/preview.svg`)).bytes);
    assert.equal(part(root, 'artwork'), undefined);
    assert.equal(part(root, 'mark-rectangle')?.children.length, 1);
    assert.equal(part(root, 'cuts-cut')?.children.length, 1);
  });

  it('is gone with its job', async () => {
    const id = await prepared();
    const answer = await stage.api.expect(200, 'GET', `/jobs/${id}/preview.svg`);
    await stage.api.expect(204, 'DELETE', `/jobs/${id}`);
    for (const ending of ['svg', 'png']) {
      const gone = await stage.api.expect(404, 'GET', `/jobs/${id}/preview.${ending}`, { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } });
      assert.equal(member(gone.json, 'code'), 'JOB_NOT_FOUND');
    }
  });
});

describe('the picture of a refusal', () => {
  it('is named in the answer and can be had in both forms', async () => {
    const form = new FormData();
    form.set('file', new Blob([smallPage()], { type: 'application/pdf' }), '<script>.pdf');
    const refusal = await stage.api.expect(400, 'POST', '/print/prepare', { body: form });
    assert.equal(member(refusal.json, 'code'), 'PAGE_TOO_SMALL');
    const [svg, png] = [String(member(refusal.json, 'preview')), String(member(refusal.json, 'preview_png'))];
    assert.match(svg, /^\/previews\/[0-9a-f-]{36}\.svg$/);
    const root = parseXml((await stage.api.expect(200, 'GET', svg)).bytes);
    assert.match(find(root, ({ name }) => name === 'title')[0]?.text ?? '', /^<script>\.pdf: PAGE_TOO_SMALL/);
    assert.equal(part(root, 'cuts-cut')?.children.length, 1);
    assert.ok(decodePng((await stage.api.expect(200, 'GET', png)).bytes).widthPx > 500);
  });

  it('is not there for ids that are none, nor for files outside', async () => {
    for (const file of ['00000000-0000-4000-8000-000000000000.svg', '..%2Fkerf.mdb', 'x.svg', '00000000-0000-4000-8000-000000000000.pdf']) {
      assert.equal(member((await stage.api.expect(404, 'GET', `/previews/${file}`)).json, 'code'), 'NOT_FOUND');
    }
  });

  for (const [code, pdf] of [
    ['NOT_A_PDF', Buffer.from('no PDF')],
    ['MULTIPLE_PAGES', twoPages()],
    ['PDF_TOO_COMPLEX', cutPage('q '.repeat(600))],
  ] as const) {
    it(`is there for ${code} too, where nothing or not all of the page could be read`, async () => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(pdf)]), 'odd.pdf');
      const refusal = await stage.api.expect(400, 'POST', '/print/prepare', { body: form });
      const root = parseXml((await stage.api.expect(200, 'GET', String(member(refusal.json, 'preview')))).bytes);
      const texts = find(root, ({ name }) => name === 'text').map(({ text }) => text).join(' ');
      assert.match(texts, new RegExp(`odd\\.pdf: ${code}.*${code === 'MULTIPLE_PAGES' ? 'The first page is shown' : 'The page itself is not shown'}`));
      assert.equal(part(root, 'artwork') !== undefined, code === 'MULTIPLE_PAGES');
    });
  }

  it('frames what is marked as a cut and is no path', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(cutPage('/C cs 1 scn BT /F 40 Tf 200 300 Td (Cut) Tj ET', { mediaBox: `[0 0 ${pt(210)} ${pt(297)}]` }))]), 'text.pdf');
    const refusal = await stage.api.expect(400, 'POST', '/print/prepare', { body: form });
    assert.equal(member(refusal.json, 'code'), 'UNSUPPORTED_CUT_CONTENT');
    const root = parseXml((await stage.api.expect(200, 'GET', String(member(refusal.json, 'preview')))).bytes);
    assert.equal(part(root, 'offenders')?.children.length, 1);
  });

  it('of a cut PDF shows every stroke, and frames those that leave the page', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(cutPage('0 0 1 RG 10 10 m 60 60 l S 20 20 m 300 30 l S', { mediaBox: '[0 0 200 200]' }))]), 'cut.pdf');
    form.set('barcode_link_info', 'A12345678');
    const refusal = await stage.api.expect(400, 'POST', '/jobs/import-pdf', { body: form });
    assert.equal(member(refusal.json, 'code'), 'CUT_OUTSIDE_MARKS');
    const root = parseXml((await stage.api.expect(200, 'GET', String(member(refusal.json, 'preview')))).bytes);
    assert.equal(part(root, 'cuts-cut')?.children.length, 1);
    assert.equal(part(root, 'offenders')?.children.length, 1);
    assert.match(find(root, ({ name }) => name === 'text').map(({ text }) => text).join(' '), /Cut path 2 of 2/);
  });

  it('is left out where it cannot be kept, and where the refusal is not about the file; the refusal stays what it is', async () => {
    const nameless = await prepare(stage.kerf.url, samplePdf(), { name: 'x'.repeat(26) });
    assert.equal(member(await nameless.json(), 'preview'), undefined);
    const directory = temporaryDirectory('data');
    writeFileSync(join(directory, 'previews'), 'a file where the directory should be');
    const other = await startStage({}, {}, directory);
    try {
      const refusal: unknown = await (await prepare(other.kerf.url, smallPage())).json();
      assert.deepEqual([member(refusal, 'code'), member(refusal, 'preview')], ['PAGE_TOO_SMALL', undefined]);
    } finally {
      await other.stop();
    }
  });

  it('is made of nothing but what was refused: a dry run and a prepared file keep nothing', async () => {
    const other = await startStage({});
    try {
      await (await prepare(other.kerf.url, samplePdf())).body?.cancel();
      const form = new FormData();
      form.set('file', new Blob([smallPage()]), 'small.pdf');
      assert.equal((await fetch(`${other.kerf.url}/print/prepare?dry_run=true`, { method: 'POST', body: form })).status, 200);
      assert.ok(!readdirSync(other.kerf.directory).includes('previews'));
    } finally {
      await other.stop();
    }
  });
});
