import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startStage, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({ only: {} });
});
after(() => stage.stop());

/** What a request needs before it is looked at any further. */
const bodies: Readonly<Record<string, () => RequestInit>> = {
  'POST /print/prepare': () => ({ body: new FormData() }),
  'POST /jobs/import-pdf': () => ({ body: new FormData() }),
  'POST /jobs/import-json': () => ({ body: '{}', headers: { 'Content-Type': 'application/json' } }),
};

describe('every operation of the description', () => {
  it('is there, and answers as described to a request that has nothing in it', async () => {
    for (const operation of stage.api.operations) {
      const [method = '', path = ''] = operation.split(' ');
      if (path === '/dls/events/stream') continue;
      const answer = await stage.api.ask(method, path.replaceAll(/\{[^}]+\}/g, 'there-is-none'), bodies[operation]?.());
      assert.ok(answer.status < 500 || answer.status === 503, `${operation} answered ${answer.status}`);
      assert.notEqual(answer.status, 405, operation);
    }
    assert.deepEqual(stage.api.operations.filter((operation) => !stage.api.asked.has(operation)), ['GET /dls/events/stream']);
  });

  it('needs the key where one is set, but for the three that are open', async () => {
    const guarded = await startStage({}, { API_KEY: 'a key of some length' });
    try {
      const open: string[] = [];
      for (const operation of guarded.api.operations) {
        const [method = '', path = ''] = operation.split(' ');
        const answer = await fetch(guarded.kerf.url + path.replaceAll(/\{[^}]+\}/g, 'there-is-none'), { method });
        await answer.body?.cancel();
        if (answer.status !== 401) open.push(operation);
      }
      assert.deepEqual(open.filter((operation) => operation !== 'GET /openapi.json').sort(), ['GET /', 'GET /health', 'GET /version']);
    } finally {
      await guarded.stop();
    }
  });
});
