import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { apiKeyAccess, bytesBody, createHttpServer, json, jsonBody, problem, route, type StreamWriter } from '../../src/http/index.ts';
import { silentLog } from '../../src/log.ts';
import { RawClient, Signal, get, post, problemOf, systemClock, withServer } from './harness.ts';

const echoSchema = Type.Object({ name: Type.String({ maxLength: 25 }) }, { additionalProperties: false });

const hello = route({ method: 'GET', path: '/hello', access: 'open', summary: 'Hello', tag: 't', answers: {}, handle: () => json(200, { hello: 'world' }) });
const job = route({ method: 'GET', path: '/jobs/:id', access: 'open', summary: 'Job', tag: 't', answers: {}, handle: (request) => json(200, { id: request.params.id }) });
const jobTypes = route({ method: 'GET', path: '/jobs/types', access: 'open', summary: 'Types', tag: 't', answers: {}, handle: () => json(200, { types: [] }) });
const removeJob = route({ method: 'DELETE', path: '/jobs/:id', access: 'open', summary: 'Remove', tag: 't', answers: {}, handle: () => ({ status: 204 }) });
const echo = route({
  method: 'POST', path: '/echo', access: 'open', summary: 'Echo', tag: 't', answers: {},
  body: jsonBody(echoSchema, { capBytes: 1000, invalid: 'INVALID_BODY' }),
  handle: (_request, { body }) => json(200, { name: body.name }),
});
const upload = route({
  method: 'POST', path: '/upload', access: 'open', summary: 'Upload', tag: 't', answers: {},
  body: bytesBody('application/octet-stream', Type.String(), { capBytes: 1_000_000 }),
  handle: (_request, { body }) => json(200, { bytes: body.length, sum: body.reduce((sum, byte) => (sum + byte) % 65_521, 0) }),
});

describe('routing', () => {
  it('finds fixed segments before parameters, and hands parameters over decoded', async () => {
    await withServer([job, jobTypes], async ({ url }) => {
      assert.deepEqual(await (await fetch(`${url}/jobs/types`)).json(), { types: [] });
      assert.deepEqual(await (await fetch(`${url}/jobs/a%2Fb%20%C3%A4`)).json(), { id: 'a/b ä' });
    });
  });

  it('answers 404 with a problem for an unknown path', async () => {
    await withServer([hello], async ({ url }) => {
      for (const path of ['/', '/hello/', '//hello', '/hello/x', '/HELLO']) {
        const answer = await fetch(url + path);
        assert.equal(answer.status, 404, path);
        assert.equal(answer.headers.get('content-type'), 'application/problem+json');
        const body = problemOf(await answer.text());
        assert.deepEqual([body.code, body.status, body.instance], ['NOT_FOUND', 404, path]);
        assert.equal(body.type, 'urn:kerf:problem:not-found');
      }
    });
  });

  it('answers 405 with Allow for another method, case included', async () => {
    await withServer([job, removeJob, echo], async ({ url, port }) => {
      const answer = await fetch(`${url}/jobs/1`, { method: 'PUT', body: 'x' });
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, DELETE');
      assert.equal(problemOf(await answer.text()).code, 'METHOD_NOT_ALLOWED');
      const client = new RawClient(port);
      assert.equal((await client.send('post /echo HTTP/1.1\r\nHost: x\r\n\r\n').answer()).status, 405);
      client.destroy();
    });
  });

  it('finds nothing behind paths that cannot be decoded or that hold control characters', async () => {
    await withServer([job], async ({ port }) => {
      for (const path of ['/jobs/%', '/jobs/%zz', '/jobs/%ff', '/jobs/%c3', '/jobs/%00', '/jobs/%0a', '/jobs/a%', '/jobs/\xff\xfe', '/jobs/', `/jobs/${'x'.repeat(300)}`, '/%2e%2e/%2e%2e/etc/passwd', '/jobs/%u0041']) {
        const client = new RawClient(port);
        const answer = await client.send(get(path)).answer();
        assert.equal(answer.status, 404, path);
        client.destroy();
      }
    });
  });

  it('refuses two routes for one address when the server is built', () => {
    assert.throws(() => createHttpServer({ routes: [hello, hello], access: {}, log: silentLog(), clock: systemClock, newId: () => 'x' }), /two routes/);
  });

  it('refuses a route whose access check is not there', () => {
    const guarded = route({ method: 'GET', path: '/x', access: 'areaC', summary: 'x', tag: 't', answers: {}, handle: () => json(200, {}) });
    assert.throws(() => createHttpServer({ routes: [guarded], access: {}, log: silentLog(), clock: systemClock, newId: () => 'x' }), /areaC/);
  });
});

describe('request ids', () => {
  it('are echoed when visible ASCII of at most 128 characters, else minted', async () => {
    await withServer([hello], async ({ url }) => {
      const idFor = async (given: string): Promise<string | null> => (await fetch(`${url}/hello`, { headers: { 'X-Request-Id': given } })).headers.get('x-request-id');
      assert.equal(await idFor('abc-123'), 'abc-123');
      assert.equal(await idFor('x'.repeat(128)), 'x'.repeat(128));
      for (const bad of ['x'.repeat(129), 'a b', '']) assert.match((await idFor(bad)) ?? '', /^id-\d+$/);
    });
  });

  it('stand in problems too', async () => {
    await withServer([], async ({ url }) => {
      const answer = await fetch(`${url}/x`, { headers: { 'X-Request-Id': 'mine' } });
      assert.equal(problemOf(await answer.text()).request_id, 'mine');
      assert.equal(answer.headers.get('x-request-id'), 'mine');
    });
  });
});

describe('a handler that throws', () => {
  const broken = route({ method: 'GET', path: '/broken', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => { throw new Error('secret detail'); } });
  const brokenLater = route({ method: 'GET', path: '/later', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => Promise.reject(new Error('secret detail')) });

  it('is answered 500 without stack or message, and logged with both under the request id', async () => {
    await withServer([broken, brokenLater], async ({ url, logged }) => {
      for (const path of ['/broken', '/later']) {
        const answer = await fetch(url + path, { headers: { 'X-Request-Id': `for${path}` } });
        const text = await answer.text();
        assert.equal(answer.status, 500);
        assert.equal(problemOf(text).code, 'INTERNAL');
        assert.doesNotMatch(text, /secret|\.ts/);
        assert.ok(logged.some((line) => line.includes(`for${path}`) && line.includes('secret detail') && line.includes('server.test.ts')));
      }
    });
  });
});

describe('credentials of Area C', () => {
  const seen = { bodies: 0 };
  const guarded = route({ method: 'GET', path: '/guarded', access: 'areaC', summary: 'x', tag: 't', answers: {}, handle: () => json(200, { in: true }) });
  const guardedWrite = route({
    method: 'POST', path: '/guarded', access: 'areaC', summary: 'x', tag: 't', answers: {},
    body: { ...jsonBody(echoSchema, { capBytes: 1000, invalid: 'INVALID_BODY' }), read: () => { seen.bodies += 1; return { ok: true, value: { name: '' } }; } },
    handle: () => json(200, {}),
  });
  const key = 'Correct-Horse-9';
  const options = { access: { areaC: apiKeyAccess(key) } };

  it('let the right key in', async () => {
    await withServer([guarded], async ({ url }) => {
      assert.equal((await fetch(`${url}/guarded`, { headers: { 'X-API-Key': key } })).status, 200);
      assert.equal((await fetch(`${url}/guarded`, { headers: { 'x-api-key': key }, method: 'HEAD' })).status, 200);
    }, options);
  });

  const wrong: readonly string[] = [
    '', 'X-API-Key:\r\n', 'X-API-Key: wrong\r\n', `X-API-Key: ${key}x\r\n`, `X-API-Key: ${key.slice(0, -1)}\r\n`, `X-API-Key: ${key.toLowerCase()}\r\n`,
    `X-API-Key: ${key.toUpperCase()}\r\n`, `X-API-Key: "${key}"\r\n`, `X-API-Key: Bearer ${key}\r\n`, `Authorization: Bearer ${key}\r\n`, `Authorization: ${key}\r\n`,
    `Authorization: Basic ${Buffer.from(`x:${key}`).toString('base64')}\r\n`, `X-Public-API-Key: ${key}\r\n`, `Cookie: X-API-Key=${key}\r\n`, `X-API-Key: ${key}\r\nX-API-Key: ${key}\r\n`,
    `X-API-Key: wrong\r\nX-API-Key: ${key}\r\n`, `X-API-Key: ${key}\r\nX-API-Key: wrong\r\n`, `X-API-Key: ${key},${key}\r\n`, `X-API-Key: ${'k'.repeat(7000)}\r\n`, 'X-API-Key: \xff\xfe\r\n',
    `X-API-Key: ${key.slice(0, 4)}\xe4${key.slice(4)}\r\n`, `X_API_Key: ${key}\r\n`, 'X-API-Key: null\r\n', 'X-API-Key: undefined\r\n', `X-API-Key: ${encodeURIComponent(key)}%00\r\n`, `X-API-Key: ${Buffer.from(key).toString('base64')}\r\n`,
  ];

  it('refuse every other form with one identical answer', async () => {
    await withServer([guarded], async ({ port }) => {
      const answers = new Set<string>();
      for (const headers of wrong) {
        const client = new RawClient(port);
        const answer = await client.send(get('/guarded', `X-Request-Id: same\r\n${headers}`)).answer();
        assert.equal(answer.status, 401, JSON.stringify(headers));
        assert.match(answer.headers['www-authenticate'] ?? '', /^ApiKey /);
        answers.add(answer.body.toString());
        client.destroy();
      }
      assert.equal(answers.size, 1);
      assert.equal(problemOf([...answers][0] ?? '').code, 'UNAUTHENTICATED');
    }, options);
  });

  it('do not count in the query', async () => {
    await withServer([guarded], async ({ url }) => {
      assert.equal((await fetch(`${url}/guarded?X-API-Key=${key}&api_key=${key}`)).status, 401);
    }, options);
  });

  it('are checked before anything of the body is read or parsed', async () => {
    await withServer([guardedWrite], async ({ port, server }) => {
      const client = new RawClient(port);
      const answer = await client.send('POST /guarded HTTP/1.1\r\nHost: x\r\nContent-Type: text/wrong\r\nContent-Length: 900000\r\n\r\n{').answer();
      assert.equal(answer.status, 401);
      assert.equal(seen.bodies, 0);
      assert.equal(server.load().bodyBytesHeld, 0);
      client.destroy();
    }, options);
  });

  it('are not asked for when there is no key, but then a browser may not write from another site', async () => {
    await withServer([guarded, guardedWrite], async ({ port, url }) => {
      assert.equal((await fetch(`${url}/guarded`)).status, 200);
      const client = new RawClient(port);
      const refused = await client.send(post('/guarded', '{}', 'Sec-Fetch-Site: cross-site\r\n')).answer();
      assert.deepEqual([refused.status, problemOf(refused.body).code], [403, 'FORBIDDEN']);
      assert.equal((await client.send(post('/guarded', '{}', 'Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n')).answer()).status, 200);
      client.destroy();
    }, { access: { areaC: apiKeyAccess(null) } });
  });
});

describe('heads', () => {
  it('may be up to 16 KiB: a key of 15,000 bytes is read and refused, not too large', async () => {
    const guarded = route({ method: 'GET', path: '/guarded', access: 'areaC', summary: 'x', tag: 't', answers: {}, handle: () => json(200, {}) });
    await withServer([guarded], async ({ port }) => {
      for (const [length, status] of [[7000, 401], [15_000, 401], [17_000, 431]] as const) {
        const client = new RawClient(port);
        client.send(get('/guarded', `X-API-Key: ${'k'.repeat(length)}\r\n`));
        assert.match(await client.text('\r\n\r\n'), new RegExp(`^HTTP/1.1 ${status} `));
        client.destroy();
      }
    }, { access: { areaC: apiKeyAccess('right') } });
  });

  it('with an unclear body length are refused and the connection closed', async () => {
    await withServer([upload], async ({ port }) => {
      for (const headers of ['Content-Length: 3\r\nContent-Length: 5\r\n', 'Content-Length: 3\r\nContent-Length: 3\r\n', 'Content-Length: +3\r\n', 'Content-Length: 0x3\r\n', 'Content-Length: 3, 3\r\n', 'Transfer-Encoding: gzip, chunked\r\n', 'Transfer-Encoding: identity\r\n']) {
        const client = new RawClient(port);
        client.send(`POST /upload HTTP/1.1\r\nHost: x\r\n${headers}\r\nabc`);
        assert.match(await client.text('\r\n\r\n'), /^HTTP\/1.1 400 /, headers);
        await client.end();
      }
    });
  });

  it('of an answer cannot be split by what a client sent', async () => {
    const reflect = route({ method: 'GET', path: '/r/:v', access: 'open', summary: 'x', tag: 't', answers: {}, handle: (request) => ({ status: 200, headers: { 'X-Value': `${request.query.get('v') ?? ''}é` }, body: '' }) });
    await withServer([reflect], async ({ port }) => {
      const client = new RawClient(port);
      const answer = await client.send(get('/r/x?v=a%0d%0aSet-Cookie:%20b')).answer();
      assert.equal(answer.headers['x-value'], 'a??Set-Cookie: b?');
      client.destroy();
    });
  });

  it('carry no name of the engine, and nosniff', async () => {
    await withServer([hello], async ({ url }) => {
      const { headers } = await fetch(`${url}/hello`);
      assert.equal(headers.get('uwebsockets'), null);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    });
  });
});

describe('methods', () => {
  it('HEAD answers with the length of GET and no body', async () => {
    await withServer([hello], async ({ port }) => {
      const client = new RawClient(port);
      const whole = await client.send(get('/hello')).answer();
      const head = await client.send('HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n').answer({ toHead: true });
      assert.equal(head.status, 200);
      assert.equal(head.headers['content-length'], whole.headers['content-length']);
      assert.equal(client.unread, 0);
      const missing = await client.send('HEAD /nothing HTTP/1.1\r\nHost: x\r\n\r\n').answer({ toHead: true });
      assert.equal(missing.status, 404);
      assert.equal((await client.send(get('/hello')).answer()).status, 200, 'the connection is still in step');
      client.destroy();
    });
  });

  it('204 has neither body nor length', async () => {
    await withServer([removeJob, hello], async ({ port }) => {
      const client = new RawClient(port);
      const answer = await client.send('DELETE /jobs/1 HTTP/1.1\r\nHost: x\r\n\r\n').answer();
      assert.equal(answer.status, 204);
      assert.equal(answer.headers['content-length'], undefined);
      assert.equal(answer.headers['transfer-encoding'], undefined);
      assert.equal((await client.send(get('/hello')).answer()).status, 200);
      client.destroy();
    });
  });

  it('pipelined requests are answered in order, bodies included', async () => {
    await withServer([hello, job, echo], async ({ port }) => {
      const client = new RawClient(port);
      client.send(get('/jobs/1') + post('/echo', '{"name":"a"}') + get('/nothing') + post('/echo', '{"name":"b"}') + get('/jobs/2'));
      const bodies = [];
      for (let i = 0; i < 5; i += 1) bodies.push((await client.answer()).body.toString());
      assert.deepEqual([bodies[0], bodies[1], bodies[3], bodies[4]], ['{"id":"1"}', '{"name":"a"}', '{"name":"b"}', '{"id":"2"}']);
      client.destroy();
    });
  });
});

describe('streams', () => {
  it('reach the client piece by piece, and the end is seen', async () => {
    const writers: StreamWriter[] = [];
    const events = route({
      method: 'GET', path: '/events', access: 'open', summary: 'x', tag: 't', answers: {},
      handle: () => ({ status: 200, headers: { 'Content-Type': 'text/event-stream' }, opening: 'data: 1\n\n', stream: (writer) => { writers.push(writer); return () => undefined; } }),
    });
    await withServer([events], async ({ url }) => {
      const answer = await fetch(`${url}/events`);
      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      assert.equal((await reader?.read())?.value, 'data: 1\n\n');
      writers[0]?.write('data: zwei €\n\n');
      assert.equal((await reader?.read())?.value, 'data: zwei €\n\n');
      writers[0]?.end();
      assert.equal((await reader?.read())?.done, true);
      writers[0]?.write('after the end nothing is written');
    });
  });

  it('tell their source when the client goes away', async () => {
    const over = new Signal();
    const events = route({ method: 'GET', path: '/events', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => ({ status: 200, opening: ':\n\n', stream: () => () => over.set() }) });
    await withServer([events], async ({ port, server }) => {
      const client = new RawClient(port);
      client.send(get('/events'));
      await client.text('\r\n\r\n');
      client.destroy();
      await over.seen;
      assert.equal(server.load().requestsUnderWay, 0);
    });
  });

  it('tell backpressure, and cut a reader off that is too far behind', async () => {
    const full = { seen: false };
    const over = new Signal();
    const firehose = route({
      method: 'GET', path: '/firehose', access: 'open', summary: 'x', tag: 't', answers: {},
      handle: () => ({
        status: 200,
        opening: 'x',
        stream: (writer) => {
          const stop = { wanted: false };
          const pump = (): void => {
            if (stop.wanted) return;
            if (!writer.write('x'.repeat(100_000))) full.seen = true;
            setImmediate(pump);
          };
          pump();
          return () => {
            stop.wanted = true;
            over.set();
          };
        },
      }),
    });
    await withServer([firehose], async ({ port }) => {
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      socket.write(get('/firehose'));
      await over.seen;
      assert.ok(full.seen);
      socket.destroy();
    }, { limits: { streamBacklogBytes: 500_000 } });
  });

  it('end properly when the server closes', async () => {
    const events = route({ method: 'GET', path: '/events', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => ({ status: 200, opening: 'first', stream: (writer) => { writer.write(', second'); return () => undefined; } }) });
    await withServer([events], async ({ url, server }) => {
      const answer = await fetch(`${url}/events`);
      await server.close();
      assert.equal(await answer.text(), 'first, second');
    });
  });
});

describe('the listener', () => {
  const build = () => createHttpServer({ routes: [hello], access: {}, log: silentLog(), clock: systemClock, newId: () => 'x' });

  it('gives a port to one server only, and says why to the other', async () => {
    const first = build();
    const second = build();
    const listening = await first.listen('127.0.0.1', 0);
    assert.ok(listening.ok);
    const refused = await second.listen('127.0.0.1', listening.port);
    assert.ok(!refused.ok);
    assert.equal(refused.failure.code, 'ADDRESS_IN_USE');
    await first.close();
    const third = build();
    assert.ok((await third.listen('127.0.0.1', listening.port)).ok, 'after closing the port is free');
    await third.close();
  });

  it('names an address that is not of this machine, and a host nobody knows', async () => {
    const foreign = await build().listen('192.0.2.1', 0);
    assert.ok(!foreign.ok);
    assert.equal(foreign.failure.code, 'ADDRESS_NOT_AVAILABLE');
    const unknown = await build().listen('kerf.invalid', 0);
    assert.ok(!unknown.ok);
    assert.equal(unknown.failure.code, 'HOST_NOT_FOUND');
  });
});

describe('closing', () => {
  it('lets an answer in flight finish, and takes no new connection', async () => {
    const gate = new Signal();
    const entered = new Signal();
    const slow = route({ method: 'GET', path: '/slow', access: 'open', summary: 'x', tag: 't', answers: {}, handle: async () => { entered.set(); await gate.seen; return json(200, { done: true }); } });
    await withServer([slow], async ({ url, port, server }) => {
      const answer = fetch(`${url}/slow`);
      await entered.seen;
      const closing = server.close();
      const late = connect(port, '127.0.0.1');
      const [error] = await once(late, 'error').catch((cause: unknown) => [cause]);
      assert.match(String(error), /ECONNREFUSED/);
      gate.set();
      assert.deepEqual(await (await answer).json(), { done: true });
      await closing;
    });
  });

  it('breaks off what does not finish in time, and tells its handler', async () => {
    const aborted = new Signal();
    const entered = new Signal();
    const stuck = route({ method: 'GET', path: '/stuck', access: 'open', summary: 'x', tag: 't', answers: {}, handle: (request) => { request.signal.addEventListener('abort', () => aborted.set()); entered.set(); return new Promise(() => undefined); } });
    await withServer([stuck], async ({ url, server }) => {
      const answer = fetch(`${url}/stuck`).catch((error: unknown) => error);
      await entered.seen;
      await server.close();
      await aborted.seen;
      assert.ok((await answer) instanceof Error);
    }, { limits: { closeWithinMs: 50 } });
  });

  it('refuses writes while draining, reads go on', async () => {
    await withServer([hello, echo], async ({ url, server }) => {
      server.drain();
      assert.equal((await fetch(`${url}/hello`)).status, 200);
      const refused = await fetch(`${url}/echo`, { method: 'POST', body: '{"name":"x"}', headers: { 'Content-Type': 'application/json' } });
      assert.equal(refused.status, 503);
      assert.equal(refused.headers.get('retry-after'), '2');
      assert.equal(problemOf(await refused.text()).code, 'UNAVAILABLE');
    });
  });
});

describe('problems that handlers return', () => {
  it('bear their code, status, errors and headers', async () => {
    const refuse = route({ method: 'GET', path: '/r', access: 'open', summary: 'x', tag: 't', answers: {}, handle: () => problem('CUTTER_BUSY', 'Cutter big is in a scan cycle.', { errors: [{ pointer: '/cutter', code: 'BUSY', detail: 'big' }], headers: { 'Retry-After': '5' } }) });
    await withServer([refuse], async ({ url }) => {
      const answer = await fetch(`${url}/r?secret=1`);
      assert.equal(answer.headers.get('retry-after'), '5');
      assert.deepEqual(problemOf(await answer.text()), {
        type: 'urn:kerf:problem:cutter-busy', title: 'Cutter busy', status: 409, detail: 'Cutter big is in a scan cycle.', instance: '/r', code: 'CUTTER_BUSY', request_id: 'id-1',
        errors: [{ pointer: '/cutter', code: 'BUSY', detail: 'big' }],
      });
    });
  });
});

