import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { samplePdf } from '../../support/kerf.ts';
import { codeOf, member, startStage, temporaryDirectory, type CheckedAnswer, type Stage } from './kit.ts';

const condition = { speed_cm_per_s: 30, acceleration: 2, force: 14 };
const material = { 'cut': condition, 'kiss-cut': condition, 'perforation': condition, 'crease': condition };

let stage: Stage;
before(async () => {
  const file = join(temporaryDirectory('materials'), 'materials.json');
  writeFileSync(file, JSON.stringify({ materials: { vinyl: material, card: material } }));
  stage = await startStage({}, { MATERIALS_FILE: file });
});
after(() => stage.stop());

function send(status: number, fields: Readonly<Record<string, string>>, query = ''): Promise<CheckedAnswer> {
  const form = new FormData();
  form.set('file', new Blob([samplePdf()], { type: 'application/pdf' }), 'sheet.pdf');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return stage.api.expect(status, 'POST', `/print/prepare${query}`, { body: form });
}

async function sequenceOf(answer: CheckedAnswer): Promise<string> {
  const job = await stage.api.expect(200, 'GET', `/jobs/${answer.headers.get('x-job-id') ?? ''}/gpgl`);
  return Buffer.from(job.bytes).toString('latin1');
}

describe('the material of a print', () => {
  it('brings its conditions into the job', async () => {
    assert.match(await sequenceOf(await send(200, { material: 'vinyl' })), /\x03J\d\x03!130\x03\*2,14\x03M/);
  });

  it('is no material unless one is named', async () => {
    assert.doesNotMatch(await sequenceOf(await send(200, {})), /[!*]/);
  });

  it('that the shop does not have is refused, and the known ones are named', async () => {
    for (const query of ['', '?dry_run=true']) {
      const answer = await send(400, { material: 'velvet' }, query);
      assert.equal(codeOf(answer), 'INVALID_PARAMETER');
      assert.match(String(member(answer.json, 'detail')), /"velvet" is no material\. Known are: vinyl, card\./);
      assert.equal(member(answer.json, 'errors', '0', 'pointer'), '/material');
    }
  });
});
