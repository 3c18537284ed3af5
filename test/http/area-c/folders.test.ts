import assert from 'node:assert/strict';
import { writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Static } from 'typebox';
import { Check } from 'typebox/value';
import { WorkerStatus } from '../../../src/http/area-c/schemas.ts';
import { eventually, samplePdf, startKerf } from '../../support/kerf.ts';

it('the workers of both folders are started, stopped, asked and told to try again over HTTP', { timeout: 60_000 }, async () => {
  const kerf = await startKerf({ INGEST_FILE_MIN_AGE_SECONDS: '0', INGEST_ENABLED: 'false' });
  const post = async (path: string, body?: unknown): Promise<{ status: number; body: unknown }> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(kerf.url + path, { method: 'POST', ...sent });
    return { status: answer.status, body: await answer.json() };
  };
  const status = async (path: string): Promise<Static<typeof WorkerStatus>> => {
    const body = await kerf.get(path);
    assert.ok(Check(WorkerStatus, body), JSON.stringify(body));
    return body;
  };
  try {
    assert.deepEqual([(await status('/ingest/status')).is_running, (await status('/print/status')).is_running], [false, true]);
    const started = await post('/ingest/start');
    assert.ok(started.status === 200 && Check(WorkerStatus, started.body) && started.body.is_running);
    const stopped = await post('/ingest/stop');
    assert.ok(stopped.status === 200 && Check(WorkerStatus, stopped.body) && !stopped.body.is_running);

    const inbox = join(kerf.directory, 'inbox', 'print');
    writeFileSync(join(inbox, 'sample.pdf'), samplePdf());
    writeFileSync(join(inbox, 'bad.pdf'), '%PDF-1.7\n%%EOF\n');
    const done = await eventually('both files are done', async () => {
      const now = await status('/print/status');
      return now.processed_count === 1 && now.error_count === 1 ? now : undefined;
    });
    assert.equal(done.last_processed_file, 'sample.pdf');
    assert.equal(readdirSync(join(kerf.directory, 'outbox', 'print')).length, 1);

    const retried = await post('/print/retry', { file: 'bad.pdf' });
    assert.ok(retried.status === 200 && Check(WorkerStatus, retried.body));
    await eventually('it is refused again', async () => ((await status('/print/status')).error_count === 2 ? true : undefined));
    const codes = [];
    for (const body of [{ file: 'none.pdf' }, { file: '../x.pdf' }, { file: 7 }, {}]) codes.push((await post('/print/retry', body)).status);
    assert.deepEqual(codes, [404, 400, 400, 400]);
    const health = await kerf.get('/health');
    assert.ok(typeof health === 'object' && health !== null && 'print_prepare' in health && 'ingest' in health && Check(WorkerStatus, health.print_prepare) && Check(WorkerStatus, health.ingest));
  } finally {
    await kerf.stop();
  }
});
