import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { attemptDelaysMs } from '../../machines/index.ts';
import { configuredEndpointId, type Endpoints } from '../../src/webhooks/index.ts';
import { assertSums, bench, pass, receiver, secret, tick, until, type Received } from './bench.ts';

const verified = (received: Received, withSecret = secret): Record<string, unknown> => {
  const headers = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)]));
  const parsed: unknown = new Webhook(withSecret).verify(received.body, headers);
  assert.ok(typeof parsed === 'object' && parsed !== null);
  return { ...parsed };
};

describe('a webhook', () => {
  it('brings a registered job to the receiver, signed so that the receiver\'s own package accepts it', async () => {
    const shop = await receiver();
    const made = await bench({ url: shop.url });
    await made.tell('Étiquette №1');
    await until(() => made.counters().delivered === 1);
    const [one] = shop.received;
    assert.ok(one);
    assert.equal(one.path, '/hook?shop=1');
    assert.equal(one.headers['content-type'], 'application/json');
    const [entry] = made.runtime.journal({ limit: 1 });
    assert.ok(entry);
    assert.equal(one.headers['webhook-id'], entry.id);
    assert.deepEqual(verified(one), {
      id: entry.id, type: 'job.registered', timestamp: new Date(entry.at).toISOString(), api_version: 'v1',
      data: { job_id: 'job-Étiquette №1', job_name: 'Étiquette №1', barcode_link_info: 'F00000001', source: 'import-json', sequence: 1 },
    });
    assert.throws(() => verified({ ...one, body: one.body.replace('F00000001', 'F00000002') }));
    assertSums(made.counters());
  });

  it('is signed with both secrets while one is rotated', async () => {
    const shop = await receiver();
    const other = `whsec_${Buffer.from('another secret of 24 bytes or more').toString('base64')}`;
    const endpoint = { id: configuredEndpointId, url: new URL(shop.url), secrets: [other, secret], eventTypes: ['job.registered'] };
    const endpoints: Endpoints = { get: () => endpoint, all: () => [endpoint] };
    const made = await bench({ url: null, endpoints });
    await made.tell();
    await until(() => shop.received.length === 1);
    const [one] = shop.received;
    assert.ok(one);
    verified(one, secret);
    verified(one, other);
  });

  it('goes only to endpoints that want its type, and to each with its own delivery', async () => {
    const [first, second] = [await receiver(), await receiver()];
    const endpoint = (id: string, url: string, eventTypes: string[]) => ({ id, url: new URL(url), secrets: [secret], eventTypes });
    const all = [endpoint('a', first.url, ['job.registered', 'job.sent']), endpoint('b', second.url, ['job.registered']), endpoint('c', second.url, [])];
    const made = await bench({ url: null, endpoints: { get: (id) => all.find((one) => one.id === id), all: () => all } });
    await made.tell();
    await made.runtime.change(() => ({ writes: [], news: [{ subject: 'cutter/left', publication: { kind: 'sent', message: '', data: {} } }], result: undefined }));
    await until(() => made.webhooks.counters('a').delivered === 2 && made.webhooks.counters('b').delivered === 1);
    assert.equal(made.webhooks.counters('c').events, 0);
    assert.equal(first.received[0]?.headers['webhook-id'], second.received[0]?.headers['webhook-id']);
    assert.equal(await made.webhooks.sendTest('c'), true);
    await until(() => made.webhooks.counters('c').delivered === 1);
    assert.equal(made.webhooks.counters('a').events, 2);
    assert.equal(await made.webhooks.sendTest('nobody'), false);
  });

  it('tells what happens at a cutter under the public names, and nothing of the rest', async () => {
    const shop = await receiver();
    const made = await bench({ url: shop.url });
    const handOff = { hand_off_id: 'h1', job_id: 'j1', job_name: 'Sticker', link_info: 'F00000001', bytes_total: 10, bytes_sent: 10, secret_note: 'not for others' };
    const kinds = ['status', 'scan', 'offer', 'no_match', 'selected', 'sent', 'finished', 'interrupted', 'unknown_outcome', 'standby', 'rejected', 'link_lost', 'started', 'job_removed', 'warning'];
    await made.runtime.change(() => ({
      writes: [], result: undefined,
      news: kinds.map((kind) => ({ subject: 'cutter/left', publication: { kind, message: `It is ${kind}.`, data: handOff } })),
    }));
    await until(() => made.counters().delivered === 5, () => JSON.stringify(made.counters()));
    const bodies = shop.received.map((one) => verified(one));
    const dataOf = (type: string) => bodies.filter((body) => body.type === type).map((body) => body.data);
    const cut = { cutter: 'left', hand_off_id: 'h1', job_id: 'j1', job_name: 'Sticker', barcode_link_info: 'F00000001', bytes_total: 10, bytes_sent: 10 };
    assert.deepEqual(dataOf('barcode.no_match'), [{ cutter: 'left', barcode_link_info: 'F00000001', sequence: 4 }]);
    assert.deepEqual(dataOf('job.sent'), [{ ...cut, sequence: 6 }]);
    assert.deepEqual(dataOf('job.finished'), [{ ...cut, sequence: 7 }]);
    assert.deepEqual(new Set(dataOf('job.interrupted')), new Set([
      { ...cut, outcome: 'interrupted', reason: 'It is interrupted.', sequence: 8 },
      { ...cut, outcome: 'unknown_outcome', reason: 'It is unknown_outcome.', sequence: 9 },
    ]));
  });

  it('makes nothing when no receiver is configured', async () => {
    const made = await bench({ url: null });
    await made.tell();
    assert.deepEqual({ ...made.counters() }, {
      configured: false, enabled: false, disabledReason: null, events: 0, pending: 0, delivered: 0, dead: 0, failedAttempts: 0,
      failuresInRow: 0, lastError: null, lastErrorCode: null, lastFailureAt: null, lastDeliveredAt: null,
    });
  });
});

describe('the schedule', () => {
  it('tries ten times by the published pauses, with the same id and bytes, then keeps a dead letter that can be replayed', async () => {
    const shop = await receiver((response) => response.writeHead(500).end('no'));
    const made = await bench({ url: shop.url });
    await made.tell();
    const firstAt = made.clock.now();
    const times: number[] = [];
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      await until(() => made.counters().failedAttempts === attempts || tick(made), () => `attempt ${attempts}: ${JSON.stringify(made.counters())}`);
      await pass(made, 0);
      const headers = shop.received.at(-1)?.headers;
      times.push(Number(headers?.['webhook-timestamp']) - Math.floor(firstAt / 1000));
      const pause = attemptDelaysMs[attempts];
      if (pause === undefined) break;
      await made.clock.advance(pause - 1000);
      assert.equal(shop.received.length, attempts, 'not before its time');
      await made.clock.advance(1000);
    }
    assert.equal(made.counters().dead, 1);
    assert.equal(made.counters().pending, 0);
    const expected = attemptDelaysMs.map((_, index) => attemptDelaysMs.slice(0, index + 1).reduce((sum, ms) => sum + ms, 0) / 1000);
    times.forEach((seconds, index) => assert.ok(Math.abs(seconds - (expected[index] ?? 0)) <= 62, `${times.join()} instead of ${expected.join()}`));
    assert.equal(new Set(shop.received.map((one) => `${String(one.headers['webhook-id'])} ${one.body}`)).size, 1);
    const [letter] = made.webhooks.deadLetters(configuredEndpointId, 10);
    assert.ok(letter);
    shop.answer = (response) => response.writeHead(200).end('ok');
    await pass(made, 5 * 60_000);
    assert.equal(await made.webhooks.replay(letter.id), true);
    await until(() => made.counters().delivered === 1);
    assert.equal(shop.received.at(-1)?.headers['webhook-id'], shop.received[0]?.headers['webhook-id']);
    assert.deepEqual([made.counters().dead, made.counters().events], [0, 1]);
    assert.equal(await made.webhooks.replay(letter.id), false);
    assertSums(made.counters());
  });
});
