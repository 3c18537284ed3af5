import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { nextPauseMs } from '../../machines/index.ts';
import { readRetryAfter } from '../../src/webhooks/attempt.ts';
import { configuredEndpointId } from '../../src/webhooks/index.ts';
import { assertSums, bench, pass, receiver, until, type Bench } from './bench.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

async function failedOnce(made: Bench): Promise<void> {
  await made.tell();
  await until(() => made.counters().failedAttempts === 1, () => JSON.stringify(made.counters()));
  await pass(made, 0);
}

describe('a receiver that does not take a webhook', () => {
  it('is not followed when it redirects, whereto ever', async () => {
    const other = await receiver();
    for (const status of [301, 302, 303, 307, 308]) {
      const shop = await receiver((response) => response.writeHead(status, { location: other.url }).end());
      const made = await bench({ url: shop.url });
      await failedOnce(made);
      assert.equal(made.counters().lastErrorCode, 'REDIRECTED');
      assert.equal(made.counters().pending, 1);
    }
    assert.equal(other.received.length, 0);
  });

  it('is not believed with anything but 2xx', async () => {
    const statuses = [200, 201, 202, 204, 299];
    const shop = await receiver((response) => response.writeHead(statuses.shift() ?? 500).end());
    const made = await bench({ url: shop.url });
    for (let count = 1; count <= 5; count += 1) {
      await made.tell();
      await until(() => made.counters().delivered === count);
    }
    for (const status of [400, 404, 409, 500]) {
      statuses.push(status);
      await made.tell();
      await until(() => made.counters().lastError?.includes(String(status)) === true);
    }
    assert.deepEqual([made.counters().delivered, made.counters().pending, made.counters().failedAttempts], [5, 4, 4]);
    assertSums(made.counters());
  });

  it('has 15 s, however it hangs: without an answer, or in the middle of one', async () => {
    const silent = await receiver(() => undefined);
    const made = await bench({ url: silent.url, timeouts: true });
    await made.tell();
    await until(() => silent.received.length === 1);
    await made.clock.advance(14_900);
    assert.equal(made.counters().failedAttempts, 0);
    await made.clock.advance(200);
    await until(() => made.counters().failedAttempts === 1);
    assert.equal(made.counters().lastErrorCode, 'TIMED_OUT');

    const trickling = await receiver((response) => {
      response.writeHead(200).write('a beginning');
    });
    const other = await bench({ url: trickling.url, timeouts: true });
    await other.tell();
    await until(() => trickling.received.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.clock.advance(15_100);
    await until(() => other.counters().delivered === 1, 'a 200 counts, though its body never ends');
  });

  it('cannot make the service read more than 64 KiB', async () => {
    let sentBytes = 0;
    let isClosed = false;
    const shop = await receiver((response) => {
      response.writeHead(200);
      response.on('close', () => {
        isClosed = true;
      });
      const more = (): void => {
        while (!isClosed && response.write(Buffer.alloc(16_384))) sentBytes += 16_384;
        if (!isClosed) response.once('drain', more);
      };
      more();
    });
    const made = await bench({ url: shop.url });
    await made.tell();
    await until(() => made.counters().delivered === 1 && isClosed);
    assert.ok(sentBytes < 8 * 2 ** 20, `${sentBytes} bytes were taken, more than socket buffers hold`);
  });

  it('may be no HTTP server, or nobody at all', async () => {
    for (const answer of ['SSH-2.0-OpenSSH_9.2\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', '']) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(answer);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      after(() => server.close());
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const made = await bench({ url: `http://127.0.0.1:${address.port}/` });
      await failedOnce(made);
      assert.equal(made.counters().lastErrorCode, 'CONNECTION_FAILED', answer);
      const overTls = await bench({ url: `https://127.0.0.1:${address.port}/` });
      await failedOnce(overTls);
      assert.equal(overTls.counters().lastErrorCode, 'CONNECTION_FAILED', answer);
    }
    const nobody = await bench({ url: 'http://127.0.0.1:1/' });
    await failedOnce(nobody);
    assert.match(nobody.counters().lastError ?? '', /^127\.0\.0\.1:1 could not be reached: .*ECONNREFUSED/);
  });

  it('is left alone as long as its Retry-After says, with all its deliveries', async () => {
    const shop = await receiver((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const made = await bench({ url: shop.url });
    await failedOnce(made);
    await made.tell();
    await pass(made, 59 * minuteMs);
    assert.equal(shop.received.length, 1);
    shop.answer = (response) => response.writeHead(204).end();
    await pass(made, minuteMs + 1000);
    assert.equal(made.counters().delivered, 2);
  });

  it('is asked again by one delivery after 5 failures in a row, and the others follow when that one arrives', async () => {
    const shop = await receiver((response) => response.writeHead(503).end());
    const made = await bench({ url: shop.url });
    await Promise.all(Array.from({ length: 40 }, () => made.tell()));
    await pass(made, 1, 1);
    const tried = shop.received.length;
    assert.ok(tried >= 5 && tried <= 8, `${tried} requests before the circuit opened`);
    await pass(made, 4 * minuteMs, minuteMs);
    assert.equal(shop.received.length, tried, 'nothing leaves while it is open');
    assert.deepEqual(made.webhooks.warnings().map(({ code }) => code), ['WEBHOOKS_FAILING']);
    await pass(made, minuteMs);
    assert.equal(shop.received.length, tried + 1);
    await pass(made, 4 * minuteMs, minuteMs);
    assert.equal(shop.received.length, tried + 1, 'one alone, and again a pause');
    shop.answer = (response) => response.writeHead(204).end();
    await pass(made, minuteMs + 1000);
    await pass(made, hourMs);
    assert.deepEqual([made.counters().delivered, made.counters().pending, made.counters().failuresInRow, made.webhooks.warnings()], [40, 0, 0, []]);
    assertSums(made.counters());
  });

  it('is given up with 410, keeps its deliveries, and gets them when it is enabled again', async () => {
    const shop = await receiver((response) => response.writeHead(410).end());
    const made = await bench({ url: shop.url });
    await failedOnce(made);
    assert.deepEqual([made.counters().enabled, made.counters().disabledReason], [false, 'GONE']);
    await until(() => made.runtime.journal({ limit: 1 })[0]?.kind === 'warning');
    assert.equal(made.runtime.journal({ limit: 1 })[0]?.data.code, 'WEBHOOK_ENDPOINT_DISABLED');
    await made.tell();
    await pass(made, hourMs);
    assert.equal(shop.received.length, 1);
    assert.deepEqual(made.webhooks.warnings().map(({ code }) => code), ['WEBHOOK_ENDPOINT_DISABLED']);
    shop.answer = (response) => response.writeHead(204).end();
    assert.equal(await made.webhooks.enable(configuredEndpointId), true);
    await until(() => made.counters().delivered === 2);
    assert.equal(await made.webhooks.enable(configuredEndpointId), false);
  });

  it('is given up after 5 failing days, not because of an old failure after a long silence, and is tried again after a restart', async () => {
    const shop = await receiver((response) => response.writeHead(500).end());
    const made = await bench({ url: shop.url });
    await made.tell();
    await pass(made, 13 * dayMs);
    assert.deepEqual([made.counters().dead, made.counters().failedAttempts], [1, 10]);
    await made.tell();
    await pass(made, minuteMs);
    assert.equal(made.counters().enabled, true, 'a quiet week is no proof');
    const failingSince = made.clock.now();
    while (made.counters().enabled) {
      await pass(made, 8 * hourMs);
      await made.tell();
      await pass(made, minuteMs);
      assert.ok(made.clock.now() < failingSince + 6 * dayMs);
    }
    assert.ok(made.clock.now() >= failingSince + 5 * dayMs - hourMs);
    assert.equal(made.counters().disabledReason, 'FAILING');
    await made.stop();
    shop.answer = (response) => response.writeHead(204).end();
    const again = await bench({ url: shop.url, directory: made.directory, clock: made.clock });
    assert.equal(again.counters().enabled, true);
    await pass(again, 2 * dayMs);
    assert.equal(again.counters().pending, 0);
    assertSums(again.counters());
  });
});

describe('a target inside the own network', () => {
  it('is refused with a sentence that says what to set, in the counters, the warnings and the log', async () => {
    const shop = await receiver();
    const made = await bench({ url: shop.url, allowCidrs: [] });
    const sentence = 'The webhook\'s host 127.0.0.1 is a loopback address. If that is meant, set WEBHOOK_ALLOW_CIDRS=127.0.0.1/32.';
    assert.deepEqual(made.webhooks.warnings(), [{ code: 'WEBHOOK_TARGET_REFUSED', message: sentence }]);
    assert.ok(made.logged.includes(sentence));
    await failedOnce(made);
    assert.equal(made.counters().lastError, sentence);
    assert.equal(shop.received.length, 0);
  });

  it('is found behind a name at every attempt anew, and a name that was checked is not looked up again', async () => {
    const shop = await receiver((response) => response.writeHead(500).end());
    const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1'];
    const asked: string[] = [];
    const made = await bench({
      url: `http://receiver.test:${shop.port}/`,
      resolve: (host) => {
        asked.push(host);
        return Promise.resolve([{ address: answers.shift() ?? '10.0.0.1', family: 4 }]);
      },
    });
    await failedOnce(made);
    assert.equal(made.counters().lastErrorCode, 'ANSWER_REFUSED');
    assert.equal(shop.received[0]?.headers.host, `receiver.test:${shop.port}`);
    await pass(made, 6000);
    assert.equal(made.counters().failedAttempts, 2);
    assert.equal(made.counters().lastErrorCode, 'TARGET_REFUSED');
    assert.deepEqual(made.webhooks.warnings().map(({ code }) => code), ['WEBHOOK_TARGET_REFUSED']);
    shop.answer = (response) => response.writeHead(204).end();
    await pass(made, 5 * minuteMs + 1000);
    assert.equal(made.counters().delivered, 1);
    assert.deepEqual(asked, ['receiver.test', 'receiver.test', 'receiver.test']);
  });

  it('does not hang with its name server', async () => {
    const made = await bench({ url: 'http://receiver.test/', timeouts: true, resolve: () => new Promise(() => undefined) });
    await made.tell();
    await until(() => made.counters().pending === 1);
    await made.clock.advance(15_100);
    await until(() => made.counters().lastErrorCode === 'TIMED_OUT');
  });
});

describe('pauses', () => {
  it('are scattered by a fifth, and lengthened, never shortened, by Retry-After', () => {
    assert.deepEqual([nextPauseMs(1, -1, null), nextPauseMs(1, 0, null), nextPauseMs(1, 1, null)], [4000, 5000, 6000]);
    assert.equal(nextPauseMs(9, 1, null), 1.2 * dayMs);
    assert.equal(nextPauseMs(10, 0, 1), null);
    assert.equal(nextPauseMs(1, 0, 1000), 5000);
    assert.equal(nextPauseMs(1, -1, 7000), 7000);
    assert.equal(nextPauseMs(1, 0, 400 * dayMs), dayMs);
    assert.equal(nextPauseMs(1, 55, null), 6000);
  });

  it('read Retry-After in seconds and as a date', () => {
    const now = Date.parse('2026-11-21T03:00:00Z');
    assert.equal(readRetryAfter('120', now), 120_000);
    assert.equal(readRetryAfter('Sat, 21 Nov 2026 03:01:00 GMT', now), 60_000);
    assert.equal(readRetryAfter('Sat, 21 Nov 2026 02:00:00 GMT', now), 0);
    for (const nonsense of [undefined, '', '-5', '1e9', 'soon', '2026-11-21', '99999999999999']) assert.equal(readRetryAfter(nonsense, now), null, String(nonsense));
  });
});
