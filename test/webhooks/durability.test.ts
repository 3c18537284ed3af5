import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { configuredEndpointId } from '../../src/webhooks/index.ts';
import { deliveredKept } from '../../src/webhooks/projection.ts';
import { endedDeliveries, endpointHealth, queuedDeliveries } from '../../src/webhooks/records.ts';
import { actors, steps, timers } from '../../src/runtime/records.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { assertSums, bench, pass, receiver, until, type Bench } from './bench.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

interface Standings {
  readonly queued: number;
  readonly sending: number;
  readonly waiting: number;
  readonly delivered: number;
  readonly dead: number;
}

/** Counted from the actors as they stand on disk: the runtime's views may lag behind by the moment of a commit's notice. */
function standings({ store }: Bench): Standings {
  const rows = store.range(actors, { start: ['delivery'], end: ['delivery', '\u{10ffff}'], limit: 100_000 });
  const count = (state: string): number => rows.filter(({ value }) => value.value === state).length;
  return { queued: count('queued'), sending: count('sending'), waiting: count('waiting'), delivered: count('delivered'), dead: count('dead') };
}

function assertCountersMatch(made: Bench): void {
  const actual = standings(made);
  const health = made.store.get(endpointHealth, [configuredEndpointId]);
  assertSums(made.counters());
  assert.equal(made.counters().pending, actual.queued + actual.sending + actual.waiting);
  assert.equal(health?.sending ?? 0, actual.sending);
  assert.equal(health?.delivered_kept ?? 0, actual.delivered);
  assert.equal(made.store.range(queuedDeliveries, { limit: 100_000 }).length, actual.queued);
  assert.equal(made.store.range(endedDeliveries, { limit: 100_000 }).length, actual.delivered + actual.dead);
}

const idsOf = (received: readonly { headers: Record<string, unknown> }[]): Set<string> => new Set(received.map(({ headers }) => String(headers['webhook-id'])));

describe('deliveries', () => {
  it('survive a crash between the commit of the event and the first request', async () => {
    const hanging = await receiver(() => undefined);
    const made = await bench({ url: hanging.url });
    await made.tell();
    await until(() => hanging.received.length === 1);
    await made.tell('Second');
    await made.crash();
    hanging.answer = (response) => response.writeHead(204).end();
    const again = await bench({ url: hanging.url, directory: made.directory, clock: made.clock });
    await until(() => again.counters().delivered === 2);
    assert.equal(idsOf(hanging.received).size, 2);
    assertCountersMatch(again);
  });

  it('wait for the next start when the service stops in the middle of a request, without a lost attempt', async () => {
    const hanging = await receiver(() => undefined);
    const made = await bench({ url: hanging.url });
    await made.tell();
    await until(() => hanging.received.length === 1);
    await made.stop();
    assert.deepEqual(made.logged, []);
    hanging.answer = (response) => response.writeHead(204).end();
    const again = await bench({ url: hanging.url, directory: made.directory, clock: made.clock });
    await until(() => again.counters().delivered === 1);
    assert.equal(again.counters().failedAttempts, 0);
  });

  it('of every event that was on disk arrive, though the service is killed again and again', { timeout: 60_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kerf-webhooks-'));
    let requests = 0;
    const shop = await receiver((response) => {
      requests += 1;
      if (requests % 7 === 0) response.destroy();
      else response.writeHead(204).end();
    });
    const acknowledged = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      for (const name of await runUntilKilled([directory, shop.url, String(1 + round * 8)], 30 + round * 25)) acknowledged.add(name);
    }
    const made = await bench({ url: shop.url, directory, clock: fakeClock(Date.now()) });
    assertCountersMatch(made);
    shop.answer = (response) => response.writeHead(204).end();
    await pass(made, 20 * minuteMs, minuteMs);
    assert.equal(made.counters().pending, 0, JSON.stringify(made.counters()));
    const arrived = new Set(shop.received.map(({ body }) => /"job_name":"([^"]+)"/.exec(body)?.[1]));
    const lost = [...acknowledged].filter((name) => !arrived.has(name));
    assert.deepEqual(lost, []);
    assert.ok(acknowledged.size > 100, `${acknowledged.size} events`);
    assert.equal(made.counters().events, made.runtime.journal({ limit: 100_000 }).filter(({ kind }) => kind === 'job_added').length);
    assert.equal(idsOf(shop.received).size, made.counters().delivered);
    assertCountersMatch(made);
  });

  it('of a flood leave four at a time, all arrive, and what is kept stays bounded', async () => {
    let open = 0;
    let most = 0;
    const shop = await receiver((response) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        response.writeHead(204).end();
      });
    });
    const made = await bench({ url: shop.url });
    const events = deliveredKept + 60;
    await Promise.all(Array.from({ length: events }, (_, index) => made.tell(String(index))));
    await until(() => made.counters().delivered === events, () => JSON.stringify(made.counters()));
    assert.ok(most <= 4, `${most} at once`);
    assert.equal(idsOf(shop.received).size, events);
    assertCountersMatch(made);
    assert.equal(standings(made).delivered, deliveredKept);
  });

  it('that are dead are kept for 30 days, and those for a receiver that was given up as well', async () => {
    const shop = await receiver((response) => response.writeHead(500).end());
    const made = await bench({ url: shop.url });
    await made.tell('dead');
    await pass(made, 4 * dayMs);
    assert.equal(made.counters().dead, 1);
    shop.answer = (response) => response.writeHead(410).end();
    await made.tell('held');
    await until(() => !made.counters().enabled);
    await pass(made, 29 * dayMs, 12 * 60 * minuteMs);
    await made.tell('later');
    assert.equal(made.webhooks.deadLetters(configuredEndpointId, 10).length, 1);
    await pass(made, 2 * dayMs, 12 * 60 * minuteMs);
    await made.tell('sweeps');
    assert.equal(made.webhooks.deadLetters(configuredEndpointId, 10).length, 0);
    assert.deepEqual([made.counters().events, made.counters().dead, made.counters().pending], [4, 2, 2]);
    assert.deepEqual(standings(made), { queued: 2, sending: 0, waiting: 0, delivered: 0, dead: 0 });
    assertSums(made.counters());
    assert.deepEqual([made.store.range(steps, { limit: 1 }).length, made.store.range(timers, { limit: 1 }).length], [0, 0]);
  });

  it('write nothing while nothing is due, even with a receiver that fails', async () => {
    const shop = await receiver((response) => response.writeHead(500).end());
    const made = await bench({ url: shop.url });
    await made.tell();
    await pass(made, 40 * minuteMs, minuteMs);
    const digest = (): string => createHash('sha256').update(readFileSync(join(made.directory, 'kerf.mdb'))).digest('hex');
    const before = digest();
    await pass(made, 100 * minuteMs, minuteMs);
    assert.equal(digest(), before);
    await pass(made, 30 * minuteMs, minuteMs);
    assert.notEqual(digest(), before, 'the next attempt is written');
  });

  it('are counted right, whatever receivers answer and whenever the service is killed', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('tell' as const), count: fc.integer({ min: 1, max: 6 }) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('answer' as const), status: fc.constantFrom(204, 204, 500, 410, 429) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.constantFrom(1, 6, 40) }) },
      { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'replay' as const }) },
    );
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (plan) => {
      let status = 204;
      const shop = await receiver((response) => response.writeHead(status, status === 429 ? { 'retry-after': '60' } : {}).end());
      let made = await bench({ url: shop.url });
      let told = 0;
      for (const one of plan) {
        if (one.do === 'tell') {
          told += one.count;
          await Promise.all(Array.from({ length: one.count }, () => made.tell()));
        }
        if (one.do === 'answer') status = one.status;
        if (one.do === 'pass') await pass(made, one.minutes * minuteMs, 10 * minuteMs);
        if (one.do === 'replay') for (const { id } of made.webhooks.deadLetters(configuredEndpointId, 10)) await made.webhooks.replay(id);
        if (one.do === 'crash') {
          await made.crash();
          made = await bench({ url: shop.url, directory: made.directory, clock: made.clock });
        }
        assertCountersMatch(made);
      }
      assert.equal(made.counters().events, told);
      status = 204;
      // Answers that are under way may still disable it.
      await pass(made, 1);
      await made.webhooks.enable(configuredEndpointId);
      for (let hour = 0; hour < 30 && made.counters().pending > 0; hour += 1) await pass(made, 60 * minuteMs);
      assert.equal(made.counters().pending, 0, JSON.stringify(made.counters()));
      assertCountersMatch(made);
      await made.stop();
    }), { numRuns: 4 });
  });
});

/** Runs the child until it has said so many lines, and kills it. What it said before is on disk. */
function runUntilKilled(args: readonly string[], lines: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('crash-child.ts', import.meta.url)), ...args], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    // The whole group: the child's compiler would outlive it.
    if (text.split('\n').length > lines && child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  return new Promise((resolve) => {
    // A line cut short by the kill was said after its commit, too, but its name is not known whole.
    child.on('close', () => resolve(text.split('\n').slice(1, -1)));
  });
}
