import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { compileSchema, invalidInput, json, jsonBody, openApiDocument, problemSchema, route, type FieldError } from '../../src/http/index.ts';
import { problemOf, withServer } from './harness.ts';

const schema = Type.Object({
  name: Type.String({ maxLength: 25, pattern: '^[ -~]+$', description: '1 to 25 printable ASCII characters', 'x-code': 'INVALID_NAME' }),
  count: Type.Integer({ minimum: 0, maximum: 9 }),
  kind: Type.Union([Type.Literal('plain'), Type.Literal('base64')]),
  mode: Type.Enum(['a', 'b']),
  target: Type.Object({ 'a/b~c': Type.String({ format: 'uuid' }) }),
  list: Type.Optional(Type.Array(Type.Integer(), { maxItems: 2 })),
}, { additionalProperties: false });
const good = { name: 'x', count: 1, kind: 'plain', mode: 'a', target: { 'a/b~c': '01890a5d-ac96-774b-bcce-b302099a8057' } };

function errorsOf(value: unknown): readonly FieldError[] {
  const result = compileSchema(schema).check(value);
  return result.ok ? [] : result.errors;
}

const brief = (errors: readonly FieldError[]): string[] => errors.map((error) => `${error.pointer} ${error.code}`).sort();

describe('a schema', () => {
  it('lets through what fits', () => assert.deepEqual(errorsOf(good), []));

  it('tells every problem once, with an RFC 6901 pointer', () => {
    const errors = errorsOf({ name: 'ä'.repeat(30), count: -1, kind: 'hex', mode: 'c', target: { 'a/b~c': 'no' }, list: [1, 2, 'x'], 'odd/~name': 1 });
    assert.deepEqual(brief(errors), [
      '/count OUT_OF_RANGE', '/kind NOT_ALLOWED', '/list BAD_LENGTH', '/list/2 WRONG_TYPE', '/mode NOT_ALLOWED', '/name INVALID_NAME', '/odd~1~0name UNKNOWN_FIELD', '/target/a~1b~0c BAD_FORMAT',
    ]);
    assert.equal(errors.find((error) => error.pointer === '/kind')?.detail, 'must be one of "plain", "base64"');
  });

  it('names each missing field, with the code that the schema gives it', () => {
    assert.deepEqual(brief(errorsOf({ target: {} })), ['/count REQUIRED', '/kind REQUIRED', '/mode REQUIRED', '/name INVALID_NAME', '/target/a~1b~0c REQUIRED']);
  });

  it('does not collect errors without end', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 1]));
    const problem = invalidInput('INVALID_BODY', errorsOf({ ...good, ...many }));
    assert.ok((problem.errors?.length ?? 0) <= 64, String(problem.errors?.length));
  });
});

describe('a problem for invalid input', () => {
  it('bears the precise code when everything wrong has the same one, else the general', () => {
    const name = { pointer: '/name', code: 'INVALID_NAME', detail: 'd' };
    const barcode = { pointer: '/barcode_link_info', code: 'INVALID_BARCODE', detail: 'd' };
    assert.equal(invalidInput('INVALID_BODY', [name]).code, 'INVALID_NAME');
    assert.equal(invalidInput('INVALID_BODY', [name, barcode]).code, 'INVALID_BODY');
    assert.equal(invalidInput('VALIDATION_FAILED', [{ pointer: '/x', code: 'UNKNOWN_FIELD', detail: 'd' }]).code, 'VALIDATION_FAILED');
  });
});

const list = route({
  method: 'GET', path: '/jobs', access: 'open', summary: 'List jobs', tag: 'jobs',
  query: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }), all: Type.Optional(Type.Boolean()), cutter: Type.Optional(Type.String()) }),
  answers: { 200: { description: 'Jobs', schema: Type.Array(Type.Object({ id: Type.String() })), headers: { Link: 'The next page' } } },
  handle: (_request, { query }) => json(200, { limit: query.limit + 0, all: query.all ?? null, cutter: query.cutter ?? null }),
});
const detail = route({
  method: 'GET', path: '/jobs/:id', access: 'areaC', summary: 'One job', tag: 'jobs', notFound: 'JOB_NOT_FOUND', problems: ['JOB_NOT_FOUND'],
  params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
  answers: { 200: { description: 'The job', schema: Type.Object({ id: Type.Integer() }) } },
  handle: (_request, { params }) => json(200, { id: params.id }),
});
const create = route({
  method: 'POST', path: '/jobs/import-json', access: 'areaC', summary: 'Import', tag: 'jobs',
  body: jsonBody(schema, { capBytes: 1000, invalid: 'INVALID_BODY' }), problems: ['INVALID_BODY', 'INVALID_NAME'],
  answers: { 201: { description: 'Created' } },
  handle: (_request, { body }) => json(201, { name: body.name.length }),
});
const routes = [list, detail, create];
const access = { areaC: () => ({ ok: true, principal: null } as const) };

describe('parameters', () => {
  it('are converted strictly and have their defaults', async () => {
    await withServer(routes, async ({ url }) => {
      assert.deepEqual(await (await fetch(`${url}/jobs`)).json(), { limit: 100, all: null, cutter: null });
      assert.deepEqual(await (await fetch(`${url}/jobs?limit=7&all=true&cutter=big%20one&other=1`)).json(), { limit: 7, all: true, cutter: 'big one' });
      for (const query of ['limit=0', 'limit=1001', 'limit=7.5', 'limit=0x7', 'limit=', 'limit=%207', 'limit=1e2', 'limit=9'.repeat(20), 'all=1', 'limit=1&limit=2', 'cutter=a&cutter=b']) {
        const answer = await fetch(`${url}/jobs?${query}`);
        assert.deepEqual([answer.status, problemOf(await answer.text()).code], [400, 'INVALID_PARAMETER'], query);
      }
    }, { access });
  });

  it('with broken escapes are taken as text, never as a fault of ours', async () => {
    await withServer(routes, async ({ url }) => {
      for (const query of ['cutter=%', 'cutter=%zz', 'cutter=%ff', '%=1', '&&&', '=', '__proto__=1', 'constructor=1']) assert.equal((await fetch(`${url}/jobs?${query}`)).status, 200, query);
    }, { access });
  });

  it('in the path that cannot exist are not found, with the code of the route', async () => {
    await withServer(routes, async ({ url }) => {
      assert.deepEqual(await (await fetch(`${url}/jobs/12`)).json(), { id: 12 });
      for (const id of ['0', '-1', 'x', '1.5', '1e3', '%20', '99999999999999999999', '__proto__']) {
        const answer = await fetch(`${url}/jobs/${id}`);
        assert.deepEqual([answer.status, problemOf(await answer.text()).code], [404, 'JOB_NOT_FOUND'], id);
      }
    }, { access });
  });
});

describe('the OpenAPI description', () => {
  const document: unknown = JSON.parse(JSON.stringify(openApiDocument({ title: 'Kerf', version: '0.4.0', description: 'd', serverUrl: 'http://localhost:8080', routes, credentialHeaders: { areaC: 'X-API-Key' } })));
  const at = (...path: string[]): unknown => path.reduce<unknown>((node, name) => (typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined), document);

  it('has every route under its path and method', () => {
    assert.equal(at('openapi'), '3.1.0');
    assert.equal(at('paths', '/jobs/{id}', 'get', 'operationId'), 'getJobsId');
    assert.ok(at('paths', '/jobs', 'get') !== undefined && at('paths', '/jobs/import-json', 'post') !== undefined);
  });

  it('shows the schemas that validate', () => {
    assert.deepEqual(at('paths', '/jobs/import-json', 'post', 'requestBody', 'content', 'application/json', 'schema'), JSON.parse(JSON.stringify(schema)));
    assert.deepEqual(at('paths', '/jobs', 'get', 'parameters', '0'), { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } });
    assert.deepEqual(at('paths', '/jobs/{id}', 'get', 'parameters', '0'), { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } });
  });

  it('says which routes need a key, and which codes each status has', () => {
    assert.deepEqual(at('paths', '/jobs', 'get', 'security'), []);
    assert.deepEqual(at('paths', '/jobs/{id}', 'get', 'security'), [{ areaC: [] }]);
    assert.match(String(at('paths', '/jobs/{id}', 'get', 'responses', '404', 'description')), /`JOB_NOT_FOUND`/);
    assert.match(String(at('paths', '/jobs/{id}', 'get', 'responses', '401', 'description')), /`UNAUTHENTICATED`/);
    assert.match(String(at('paths', '/jobs/import-json', 'post', 'responses', '400', 'description')), /`INVALID_NAME`/);
  });

  it('holds a problem schema that real problems fit', async () => {
    await withServer(routes, async ({ url }) => {
      const answer: unknown = await (await fetch(`${url}/jobs/x`)).json();
      assert.deepEqual(compileSchema(problemSchema).check(answer), { ok: true, value: answer });
    }, { access });
  });
});
