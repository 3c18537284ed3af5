import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { openAccess } from '../../../src/http/index.ts';
import { eventStreamRoutes, type EventSource } from '../../../src/http/area-c/event-stream.ts';
import type { JournalEntry } from '../../../src/runtime/index.ts';
import { get, RawClient, systemClock, withServer } from '../harness.ts';
import { importJob, member, startStage, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({ left: {}, right: {} }, { DLS_ENABLED: 'false' });
});
after(() => stage.stop());

interface Feed {
  readonly type: string | null;
  /** The next event, comments and reconnection times passed over. */
  next(): Promise<{ id: number | null; event: string | null; data: unknown }>;
  /** Resolves when the server ends it. */
  ended(): Promise<void>;
  close(): void;
}

async function openFeed(query = '', headers: Readonly<Record<string, string>> = {}): Promise<Feed> {
  const abort = new AbortController();
  const answer = await fetch(`${stage.kerf.url}/dls/events/stream${query}`, { headers, signal: abort.signal });
  assert.equal(answer.status, 200);
  assert.ok(answer.body);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const block = async (): Promise<string | null> => {
    for (;;) {
      const end = rest.indexOf('\n\n');
      if (end >= 0) {
        const found = rest.slice(0, end);
        rest = rest.slice(end + 2);
        return found;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      rest += value;
    }
  };
  return {
    type: answer.headers.get('content-type'),
    async next() {
      for (;;) {
        const found = await block();
        assert.ok(found !== null, 'the feed goes on');
        const lines = new Map(found.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const));
        const data = lines.get('data');
        if (data === undefined) continue;
        return { id: lines.has('id') ? Number(lines.get('id')) : null, event: lines.get('event') ?? null, data: JSON.parse(data) as unknown };
      }
    },
    async ended() {
      while ((await block()) !== null);
    },
    close: () => abort.abort(),
  };
}

describe('the feed of events', () => {
  it('tells each entry as it happens, with its position, as the log has it', async () => {
    const feed = await openFeed();
    assert.equal(feed.type, 'text/event-stream');
    const job = await importJob(stage.api);
    const told = await feed.next();
    assert.deepEqual([member(told.data, 'kind'), member(told.data, 'data', 'job_id')], ['job_added', job]);
    assert.equal(member(told.data, 'seq'), told.id);
    const log = (await stage.api.expect(200, 'GET', '/dls/events?limit=1')).json;
    assert.deepEqual([told.data], log);
    feed.close();
  });

  it('brings a client that comes back what it missed, once and in order', async () => {
    const feed = await openFeed();
    await importJob(stage.api, { name: 'seen' });
    const { id } = await feed.next();
    feed.close();
    for (const name of ['missed 1', 'missed 2']) await importJob(stage.api, { name });
    const again = await openFeed('', { 'Last-Event-ID': String(id) });
    await importJob(stage.api, { name: 'new' });
    const messages = [await again.next(), await again.next(), await again.next()].map(({ data }) => member(data, 'message'));
    assert.deepEqual(messages.map((message) => String(message).split(' was')[0]), ['missed 1', 'missed 2', 'new']);
    again.close();
  });

  it('of one cutter tells nothing else', async () => {
    const feed = await openFeed('?cutter=right');
    await importJob(stage.api);
    await stage.api.expect(200, 'POST', '/dls/start?cutter=left');
    await stage.api.expect(200, 'POST', '/dls/start?cutter=right');
    const told = await feed.next();
    assert.deepEqual([member(told.data, 'cutter'), member(told.data, 'kind')], ['right', 'started']);
    feed.close();
    await stage.api.expect(200, 'POST', '/dls/stop');
    assert.equal((await fetch(`${stage.kerf.url}/dls/events/stream?cutter=none`)).status, 404);
  });
});

describe('the feed of a long log', () => {
  const log = Array.from({ length: 1500 }, (_, n): JournalEntry => ({ seq: n + 1, id: `event-${n + 1}`, at: n, subject: 'cutter/left', kind: 'status', message: '', data: {}, mac: '' }));
  const source: EventSource = {
    runtime: { journal: ({ limit }) => log.slice(-limit), subscribe: () => () => undefined },
    clock: systemClock,
    fleet: { state: () => undefined },
  };

  const missed = (lastEventId: string, until: string): Promise<string[]> => new Promise((resolve, reject) => {
    withServer(eventStreamRoutes(source), async ({ port }) => {
      const client = new RawClient(port);
      client.send(get('/dls/events/stream', `Last-Event-ID: ${lastEventId}\r\n`));
      const text = await client.text(until);
      client.destroy();
      resolve([...text.matchAll(/^(?:event|id): .*$/gm)].map(([line]) => line));
    }, { access: { areaC: openAccess } }).catch(reject);
  });

  it('says when more was missed than it brings', async () => {
    const lines = await missed('499', 'id: 1500');
    assert.deepEqual([lines.length, ...lines.slice(0, 2), lines.at(-1)], [1001, 'event: gap', 'id: 501', 'id: 1500']);
  });

  it('has no gap when just so much was missed', async () => {
    const lines = await missed('500', 'id: 1500');
    assert.deepEqual([lines.length, lines[0]], [1000, 'id: 501']);
  });
});

describe('the start page', () => {
  const start = (accept: string): Promise<Response> => fetch(stage.kerf.url, { headers: { Accept: accept } });

  it('is a page for browsers and links for programs', async () => {
    for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html', 'application/json, text/html']) {
      assert.match((await start(accept)).headers.get('content-type') ?? '', /^text\/html/, accept);
    }
    for (const accept of ['*/*', 'application/json', 'text/html;q=0.5, application/json', 'text/html;q=0', 'text/plain']) {
      assert.match((await start(accept)).headers.get('content-type') ?? '', /^application\/json/, accept);
    }
    const { json } = await stage.api.expect(200, 'GET', '/', { headers: { Accept: 'application/json' } });
    assert.equal(member(json, 'name'), 'kerf');
    for (const link of Object.values(member(json, 'links') ?? {})) {
      if (link === '/cutter/info' || link === '/dls/events/stream') continue;
      assert.equal((await fetch(stage.kerf.url + String(link))).status, 200, String(link));
    }
    await stage.api.expect(200, 'GET', '/', { headers: { Accept: 'text/html' } });
  });

  it('needs nothing from outside, and its policy allows just what is in it', async () => {
    const answer = await start('text/html');
    const html = await answer.text();
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const [tag, directive] of [['style', 'style-src'], ['script', 'script-src']] as const) {
      const source = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1];
      assert.ok(source !== undefined);
      assert.ok(policy.includes(`${directive} 'sha256-${createHash('sha256').update(source).digest('base64')}'`));
    }
    assert.ok(policy.startsWith("default-src 'none'"));
    assert.doesNotMatch(html, /https?:\/\/|<script [^>]*src|innerHTML|insertAdjacentHTML|document\.write|style=/);
  });

  it('is open where a key guards the rest', async () => {
    const guarded = await startStage({}, { API_KEY: 'a-key-of-the-shop' });
    try {
      assert.equal((await fetch(guarded.kerf.url, { headers: { Accept: 'text/html' } })).status, 200);
      assert.equal((await fetch(`${guarded.kerf.url}/dls/events/stream`)).status, 401);
      const feed = await fetch(`${guarded.kerf.url}/dls/events/stream`, { headers: { 'X-API-Key': 'a-key-of-the-shop' } });
      assert.equal(feed.status, 200);
      await feed.body?.cancel();
    } finally {
      await guarded.stop();
    }
  });
});

describe('the feed when the service stops', () => {
  it('ends', async () => {
    const feed = await openFeed();
    const ended = feed.ended();
    await stage.kerf.stop();
    await ended;
  });
});
