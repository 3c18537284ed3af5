import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { bytesBody, formBody, json, jsonBody, route } from '../../src/http/index.ts';
import { RawClient, get, post, problemOf, withServer } from './harness.ts';

const capBytes = 1_000_000;
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const upload = route({
  method: 'POST', path: '/upload', access: 'open', summary: 'Upload', tag: 't', answers: {},
  body: bytesBody('application/octet-stream', Type.String(), { capBytes }),
  handle: (_request, { body }) => json(200, { bytes: body.length, sha256: hash(body) }),
});
const form = route({
  method: 'POST', path: '/form', access: 'open', summary: 'Form', tag: 't', answers: {},
  body: formBody(Type.Object({}), { capBytes }),
  handle: (_request, { body }) => json(200, { fields: Object.fromEntries(body.fields), files: [...body.files.values()].map((file) => ({ name: file.fileName, bytes: file.bytes.length })) }),
});
const echo = route({
  method: 'POST', path: '/echo', access: 'open', summary: 'Echo', tag: 't', answers: {},
  body: jsonBody(Type.Object({ name: Type.String() }, { additionalProperties: false }), { capBytes: 1000, invalid: 'INVALID_BODY' }),
  handle: (_request, { body }) => json(200, body),
});
const big = Buffer.alloc(10_000_000, 'kerf cuts along the marked line. ');
const download = route({ method: 'GET', path: '/big', access: 'open', summary: 'Big', tag: 't', answers: {}, handle: () => ({ status: 200, body: big }) });
const hello = route({ method: 'GET', path: '/hello', access: 'open', summary: 'Hello', tag: 't', answers: {}, handle: () => json(200, {}) });
const routes = [upload, form, echo, download, hello];

describe('a body', () => {
  it('arrives byte-exact, with a length or in chunks', async () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff));
    await withServer(routes, async ({ url, port, server }) => {
      const whole = await fetch(`${url}/upload`, { method: 'POST', body: bytes });
      assert.deepEqual(await whole.json(), { bytes: bytes.length, sha256: hash(bytes) });
      const client = new RawClient(port);
      client.send('POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let at = 0; at < bytes.length; at += 70_001) {
        const piece = bytes.subarray(at, at + 70_001);
        client.send(`${piece.length.toString(16)}\r\n`).send(piece).send('\r\n');
      }
      const chunked = await client.send('0\r\n\r\n').answer();
      assert.equal(chunked.body.toString(), JSON.stringify({ bytes: bytes.length, sha256: hash(bytes) }));
      client.destroy();
      assert.equal(server.load().bodyBytesHeld, 0);
    });
  });

  it('of exactly the cap is taken, one byte more is not', async () => {
    await withServer(routes, async ({ url }) => {
      assert.equal((await fetch(`${url}/upload`, { method: 'POST', body: Buffer.alloc(capBytes) })).status, 200);
      const refused = await fetch(`${url}/upload`, { method: 'POST', body: Buffer.alloc(capBytes + 1) });
      assert.deepEqual([refused.status, problemOf(await refused.text()).code], [413, 'UPLOAD_TOO_LARGE']);
      const json413 = await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(1001), headers: { 'Content-Type': 'application/json' } });
      assert.deepEqual([json413.status, problemOf(await json413.text()).code], [413, 'BODY_TOO_LARGE']);
    });
  });

  it('that announces too much is refused before it is sent, and a client that sends it all can read the answer', async () => {
    await withServer(routes, async ({ port }) => {
      const early = new RawClient(port);
      assert.equal((await early.send(`POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: ${capBytes * 5}\r\n\r\n`).answer()).status, 413);
      early.destroy();
      const eager = new RawClient(port);
      eager.send(`POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: ${capBytes * 5}\r\n\r\n`).send(Buffer.alloc(capBytes * 5));
      assert.equal((await eager.answer()).status, 413);
      assert.equal((await eager.send(get('/hello')).answer()).status, 200, 'the connection goes on');
      eager.destroy();
    });
  });

  it('of announced gigabytes is refused within the second, and the connection closed', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      const answer = await client.send('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000000\r\n\r\n').answer();
      assert.equal(answer.status, 413);
      await client.end();
    });
  });

  it('of endless chunks is refused without being kept', async () => {
    await withServer(routes, async ({ port, server }) => {
      const client = new RawClient(port);
      client.send('POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = Buffer.concat([Buffer.from('186a0\r\n'), Buffer.alloc(100_000), Buffer.from('\r\n')]);
      for (let i = 0; i < 30; i += 1) client.send(chunk);
      const answer = await client.answer();
      assert.equal(answer.status, 413);
      assert.equal(server.load().bodyBytesHeld, 0);
      await client.end();
    });
  });

  it('that breaks off leaves nothing behind', async () => {
    await withServer(routes, async ({ port, server, url }) => {
      for (let i = 0; i < 20; i += 1) {
        const client = new RawClient(port);
        client.send(`POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n${'x'.repeat(1000)}`);
        await new Promise((resolve) => client.socket.once('connect', resolve));
        client.destroy();
      }
      while (server.load().requestsUnderWay > 0) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(server.load().bodyBytesHeld, 0);
      assert.equal((await fetch(`${url}/hello`)).status, 200);
    });
  });

  it('costs memory as it arrives, not as announced', async () => {
    await withServer(routes, async ({ port, server }) => {
      const clients = Array.from({ length: 50 }, () => new RawClient(port).send(`POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: ${capBytes}\r\n\r\nx`));
      while (server.load().bodyBytesHeld < 50 * 65_536) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(server.load().bodyBytesHeld, 50 * 65_536);
      for (const client of clients) client.destroy();
      while (server.load().bodyBytesHeld > 0) await new Promise((resolve) => setImmediate(resolve));
    });
  });

  it('for which there is no room is told to come back', async () => {
    await withServer(routes, async ({ url }) => {
      const refused = await fetch(`${url}/upload`, { method: 'POST', body: Buffer.alloc(600_000) });
      assert.deepEqual([refused.status, refused.headers.get('retry-after'), problemOf(await refused.text()).code], [503, '2', 'UNAVAILABLE']);
      assert.equal((await fetch(`${url}/upload`, { method: 'POST', body: Buffer.alloc(60_000) })).status, 200);
    }, { limits: { bodyBytes: 300_000 } });
  });

  it('is memory of its own, also when it is small: a handler may transfer it', async () => {
    const owned = route({
      method: 'POST', path: '/owned', access: 'open', summary: 'x', tag: 't', answers: {},
      body: bytesBody('application/octet-stream', Type.String(), { capBytes: 100 }),
      handle: (_request, { body }) => json(200, { bytes: body.length, memory: body.buffer.byteLength }),
    });
    await withServer([owned], async ({ url }) => {
      assert.deepEqual(await (await fetch(`${url}/owned`, { method: 'POST', body: 'abc' })).json(), { bytes: 3, memory: 3 });
    });
  });

  it('on a route that takes none is ignored, and the connection goes on', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      client.send(`GET /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}${get('/hello')}`);
      assert.equal((await client.answer()).status, 200);
      assert.equal((await client.answer()).status, 200);
      client.destroy();
    });
  });

  it('may be waited for with Expect: 100-continue', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      client.send('POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n');
      await client.text('100 Continue');
      assert.equal((await client.send('{"name":"a"}').answer()).status, 200);
      client.destroy();
    });
  });
});

describe('a JSON body', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['', '', 'MALFORMED_JSON'],
    ['truncated', '{"name":', 'MALFORMED_JSON'],
    ['no UTF-8', '{"name":"\xff"}', 'MALFORMED_JSON'],
    ['two documents', '{"name":"a"}{}', 'MALFORMED_JSON'],
    ['single quotes', "{'name':'a'}", 'MALFORMED_JSON'],
    ['too deep', '['.repeat(400) + ']'.repeat(400), 'MALFORMED_JSON'],
    ['wrong type', '[]', 'INVALID_BODY'],
    ['null', 'null', 'INVALID_BODY'],
    ['unknown field', '{"name":"a","x":1}', 'INVALID_BODY'],
    ['own prototype', '{"name":"a","__proto__":{"x":1}}', 'INVALID_BODY'],
    ['missing field', '{}', 'INVALID_BODY'],
    ['number', '{"name":1e999}', 'INVALID_BODY'],
  ];
  for (const [name, body, code] of cases) {
    it(`that is wrong (${name}) gets 400 ${code}`, async () => {
      await withServer(routes, async ({ port }) => {
        const client = new RawClient(port);
        const answer = await client.send(post('/echo', body)).answer();
        assert.deepEqual([answer.status, problemOf(answer.body).code], [400, code], answer.body.toString());
        client.destroy();
      });
    });
  }

  it('that is compressed gets 415: it would get around the cap', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      assert.equal((await client.send(post('/echo', 'x', 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n')).answer()).status, 415);
      assert.equal((await client.send(post('/echo', '{"name":"a"}', 'Content-Encoding: identity\r\n')).answer()).status, 200);
      client.destroy();
    });
  });

  it('of another type gets 415, one that names no type is taken for JSON', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'application/json; charset=latin1', 'multipart/form-data; boundary=x']) {
        const answer = await client.send(post('/echo', '{"name":"a"}', `Content-Type: ${type}\r\n`)).answer();
        assert.deepEqual([answer.status, problemOf(answer.body).code], [415, 'UNSUPPORTED_MEDIA_TYPE'], type);
      }
      for (const headers of ['', 'Content-Type: application/json; charset=UTF-8\r\n', 'Content-Type: APPLICATION/vnd.kerf+json\r\n']) {
        assert.equal((await client.send(post('/echo', '{"name":"a"}', headers)).answer()).status, 200, headers);
      }
      client.destroy();
    });
  });
});

describe('a form', () => {
  it('sent by fetch arrives with fields, files and Unicode names', async () => {
    await withServer(routes, async ({ url }) => {
      const body = new FormData();
      body.set('name', 'Ärmel €');
      body.set('file', new Blob(['%PDF-1.7']), 'Größe "1".pdf');
      const answer = await fetch(`${url}/form`, { method: 'POST', body });
      assert.deepEqual(await answer.json(), { fields: { name: 'Ärmel €' }, files: [{ name: 'Größe "1".pdf', bytes: 8 }] });
    });
  });

  it('of another type gets 415 before it is read', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      const answer = await client.send('POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: application/pdf\r\nContent-Length: 500000\r\n\r\n').answer();
      assert.deepEqual([answer.status, problemOf(answer.body).code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
      client.destroy();
    });
  });
});

describe('a large answer', () => {
  it('reaches a slow reader whole, and other clients meanwhile', async () => {
    await withServer(routes, async ({ port, url }) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(get('/big', 'Connection: close\r\n'));
      const received: Buffer[] = [];
      let total = 0;
      for await (const data of socket) {
        assert.ok(Buffer.isBuffer(data));
        received.push(data);
        total += data.length;
        // Reading stands still after each megabyte until somebody else has been served.
        if (Math.floor(total / 1e6) > Math.floor((total - data.length) / 1e6)) assert.equal((await fetch(`${url}/hello`)).status, 200);
      }
      const all = Buffer.concat(received);
      const body = all.subarray(all.indexOf('\r\n\r\n') + 4);
      assert.equal(body.length, big.length);
      assert.equal(hash(body), hash(big));
    });
  });

  it('that nobody reads any more is given up', async () => {
    await withServer(routes, async ({ port, server }) => {
      const client = new RawClient(port);
      client.socket.pause();
      client.send(get('/big'));
      while (server.load().requestsUnderWay === 0) await new Promise((resolve) => setImmediate(resolve));
      client.destroy();
      while (server.load().requestsUnderWay > 0) await new Promise((resolve) => setImmediate(resolve));
    });
  });

  it('to HEAD has its length only', async () => {
    await withServer(routes, async ({ port }) => {
      const client = new RawClient(port);
      const answer = await client.send('HEAD /big HTTP/1.1\r\nHost: x\r\n\r\n').answer({ toHead: true });
      assert.equal(answer.headers['content-length'], '10000000');
      assert.equal((await client.send(get('/hello')).answer()).status, 200);
      client.destroy();
    });
  });
});
