import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { apiKeyAccess, formBody, json, jsonBody, route } from '../../src/http/index.ts';
import { RawClient, get, withServer } from './harness.ts';

const routes = [
  route({ method: 'GET', path: '/health', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => json(200, {}) }),
  route({ method: 'GET', path: '/jobs/:id', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => json(200, {}) }),
  route({ method: 'GET', path: '/guarded', access: 'areaC', summary: 'x', tag: 't', answers: {}, handle: () => json(200, {}) }),
  route({ method: 'POST', path: '/json', access: 'open', summary: 'x', tag: 't', answers: {}, body: jsonBody(Type.Object({ a: Type.Integer() }), { capBytes: 10_000, invalid: 'INVALID_BODY' }), handle: () => json(200, {}) }),
  route({ method: 'POST', path: '/form', access: 'open', summary: 'x', tag: 't', answers: {}, body: formBody(Type.Object({}), { capBytes: 100_000 }), handle: () => json(200, {}) }),
];
const options = { access: { areaC: apiKeyAccess('right') } };

/** Status of the first answer; null when the engine closed without one, or waits for more. */
function statusOf(port: number, bytes: Buffer): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received === '' ? null : Number(received.split(' ')[1])));
    // Half-closing tells the engine that no more will come.
    socket.end(bytes);
  });
}

const odd = fc.constantFrom('%', '%zz', '%00', '%ff', '..', '//', '\xff', '\xc3\xa9', '?', '#', '&', '=', ';', '\\', '{', '"', "'", '<', 'a', '1', '%2e%2e%2f', '__proto__', ':id', '*', '~', '|', '^', '`');

describe('under attack', () => {
  it('a path is never answered with a fault of ours', async () => {
    await withServer(routes, async ({ port, logged }) => {
      await fc.assert(fc.asyncProperty(fc.array(odd, { maxLength: 12 }), async (pieces) => {
        const status = await statusOf(port, Buffer.from(get(`/${pieces.join('')}`), 'latin1'));
        assert.ok(status !== null && status < 500, String(status));
      }), { numRuns: 300 });
      assert.deepEqual(logged, []);
    }, options);
  });

  it('headers are never answered with a fault of ours', async () => {
    const header = fc.tuple(
      fc.constantFrom('X-API-Key', 'X-Request-Id', 'Content-Type', 'Accept', 'Range', 'If-None-Match', 'Upgrade', 'Connection', 'Expect', 'Cookie', 'x'.repeat(200), 'Transfer-Encoding', 'Content-Length'),
      fc.oneof(fc.array(odd, { maxLength: 8 }).map((pieces) => pieces.join('')), fc.constantFrom('right', 'chunked', '0', '-1', '99999999999999999999', 'x'.repeat(9000), 'multipart/form-data', 'multipart/form-data; boundary=', 'websocket', '100-continue', 'close')),
    );
    await withServer(routes, async ({ port, logged }) => {
      await fc.assert(fc.asyncProperty(fc.constantFrom('GET /guarded', 'POST /form', 'POST /json', 'HEAD /health'), fc.array(header, { maxLength: 6 }), async (line, headers) => {
        const text = `${line} HTTP/1.1\r\nHost: x\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
        const status = await statusOf(port, Buffer.from(text, 'latin1'));
        assert.ok(status === null || status < 500, `${String(status)} ${text}`);
      }), { numRuns: 300 });
      assert.deepEqual(logged, []);
    }, options);
  });

  it('bodies are never answered with a fault of ours', async () => {
    const body = fc.oneof(fc.json(), fc.string(), fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1')), fc.constantFrom('{"a":1e400}', '[[[[', '{"a":"\\ud800"}', '\u00ef\u00bb\u00bf{"a":1}'));
    const type = fc.constantFrom('application/json', 'multipart/form-data; boundary=X', 'text/plain', '');
    await withServer(routes, async ({ port, logged }) => {
      await fc.assert(fc.asyncProperty(fc.constantFrom('/json', '/form'), type, body, async (path, contentType, text) => {
        const bytes = Buffer.from(text, 'latin1');
        const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
        const status = await statusOf(port, Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
        assert.ok(status !== null && status < 500, String(status));
      }), { numRuns: 300 });
      assert.deepEqual(logged, []);
    }, options);
  });

  it('400 connections that send a byte now and then do not keep others waiting', async () => {
    await withServer(routes, async ({ port, url, server }) => {
      const slow = Array.from({ length: 400 }, (_, i) => new RawClient(port).send(i % 2 === 0 ? 'GET /health HT' : 'POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: 90000\r\n\r\n-'));
      while (server.load().requestsUnderWay < 200) await new Promise((resolve) => setImmediate(resolve));
      for (let i = 0; i < 20; i += 1) {
        for (const client of slow) client.send('x');
        const started = performance.now();
        assert.equal((await fetch(`${url}/health`)).status, 200);
        assert.ok(performance.now() - started < 1000);
      }
      assert.ok(server.load().bodyBytesHeld <= 200 * 65_536);
      for (const client of slow) client.destroy();
      while (server.load().requestsUnderWay > 0) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(server.load().bodyBytesHeld, 0);
    }, options);
  });

  it('more requests than the limit are told to come back, and served when there is room again', async () => {
    const open: (() => void)[] = [];
    const wait = route({ method: 'GET', path: '/wait', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => new Promise((resolve) => open.push(() => resolve(json(200, {})))) });
    await withServer([wait], async ({ url, server }) => {
      const waiting = [fetch(`${url}/wait`), fetch(`${url}/wait`)];
      while (server.load().requestsUnderWay < 2) await new Promise((resolve) => setImmediate(resolve));
      const refused = await fetch(`${url}/wait`);
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '2']);
      for (const release of open) release();
      for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200);
      const again = fetch(`${url}/wait`);
      while (open.length < 3) await new Promise((resolve) => setImmediate(resolve));
      open[2]?.();
      assert.equal((await again).status, 200);
    }, { limits: { requests: 2 } });
  });
});
