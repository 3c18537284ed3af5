import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeOf, importJob, member, startStage, type Stage } from './kit.ts';

let stage: Stage;
const newestFirst: string[] = [];
before(async () => {
  stage = await startStage({});
  for (let count = 0; count < 250; count++) {
    newestFirst.unshift(await importJob(stage.api, { name: `Job ${count}`, barcode_link_info: count % 2 === 0 ? 'EVENCODE1' : 'ODDCODE11' }));
  }
});
after(() => stage.stop());

async function page(path: string): Promise<{ ids: string[]; next: string | null }> {
  const answer = await stage.api.expect(200, 'GET', path);
  assert.ok(Array.isArray(answer.json));
  const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '');
  return { ids: answer.json.map((job: unknown) => String(member(job, 'id'))), next: link?.[1] ?? null };
}

async function follow(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = path; next !== null;) {
    const read = await page(next);
    pages.push(read.ids);
    next = read.next;
  }
  return pages;
}

describe('the list of jobs', () => {
  for (const limit of [1000, 250, 230, 100, 99]) {
    it(`has each job once, newest first, in pages of ${limit}`, async () => {
      const pages = await follow(`/jobs?limit=${limit}`);
      assert.deepEqual(pages.flat(), newestFirst);
      assert.ok(pages.slice(0, -1).every((ids) => ids.length === limit));
    });
  }

  it('of one code has no other, over pages too', async () => {
    const pages = await follow('/jobs?barcode_link_info=ODDCODE11&limit=60');
    assert.deepEqual(pages.flat(), newestFirst.filter((_, index) => index % 2 === 0));
  });

  it('is empty for a code that no job has, and refuses a cursor that is not its own', async () => {
    assert.deepEqual((await page('/jobs?barcode_link_info=NOBODYHAS')).ids, []);
    const answer = await stage.api.expect(400, 'GET', '/jobs?cursor=bm9uc2Vuc2U');
    assert.equal(codeOf(answer), 'INVALID_PARAMETER');
  });
});
