/** Holds every answer of a running service against its own OpenAPI description. */
import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';

export interface CheckedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The JSON document; undefined for other media types. */
  readonly json: unknown;
}

export interface CheckedApi {
  readonly url: string;
  /** Asks, and fails unless status, media type and body are what the description says of this operation. */
  ask(method: string, path: string, init?: RequestInit): Promise<CheckedAnswer>;
  /** `ask`, and fails unless it answers with this status. */
  expect(status: number, method: string, path: string, init?: RequestInit): Promise<CheckedAnswer>;
  /** The operations that were asked so far: "GET /jobs/{id}". */
  readonly asked: ReadonlySet<string>;
  readonly operations: readonly string[];
}

type Check = (value: unknown) => string | null;

interface Described {
  readonly key: string;
  readonly method: string;
  readonly path: RegExp;
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, Check | null>>;
}

export async function checkedApi(url: string, headers: Readonly<Record<string, string>> = {}): Promise<CheckedApi> {
  const description: unknown = await (await fetch(`${url}/openapi.json`, { headers })).json();
  assert.equal(member(description, 'openapi'), '3.1.0');
  const described = operationsOf(description);
  const asked = new Set<string>();
  const ask = async (method: string, path: string, init: RequestInit = {}): Promise<CheckedAnswer> => {
    const sent = new Headers(init.headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const answer = await fetch(url + path, { ...init, method, headers: sent });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const operation = described.find((each) => each.method === method && each.path.test(path.split('?')[0] ?? ''));
    assert.ok(operation, `${method} ${path} is described`);
    asked.add(operation.key);
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const json: unknown = type.endsWith('json') ? JSON.parse(Buffer.from(bytes).toString('utf8')) : undefined;
    const types = operation.answers.get(String(answer.status));
    assert.ok(types, `${operation.key} may answer ${answer.status}: ${Buffer.from(bytes).toString('utf8').slice(0, 300)}`);
    if (types.size === 0) assert.equal(bytes.length, 0, `${operation.key} ${answer.status} has no body`);
    else {
      const check = types.get(type);
      assert.notEqual(check, undefined, `${operation.key} ${answer.status} may be ${type}`);
      const wrong = check === null || check === undefined ? null : check(json);
      assert.equal(wrong, null, `${operation.key} ${answer.status} is not as described: ${String(wrong)}`);
    }
    return { status: answer.status, headers: answer.headers, bytes, json };
  };
  return {
    url, asked, ask,
    operations: described.map(({ key }) => key),
    async expect(status, method, path, init) {
      const answer = await ask(method, path, init);
      assert.equal(answer.status, status, `${method} ${path}: ${Buffer.from(answer.bytes).toString('utf8').slice(0, 500)}`);
      return answer;
    },
  };
}

export function member(value: unknown, ...path: readonly (string | number)[]): unknown {
  let node = value;
  for (const name of path) node = typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;
  return node;
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function operationsOf(description: unknown): Described[] {
  return entries(member(description, 'paths')).flatMap(([path, operations]) => entries(operations).map(([method, operation]) => ({
    key: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replaceAll(/[.]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    answers: new Map(entries(member(operation, 'responses')).map(([status, response]) =>
      [status, new Map(entries(member(response, 'content')).map(([type, content]) => [type, checkOf(description, member(content, 'schema'))] as const))] as const)),
  })));
}

/** Null: the media type has no schema. */
function checkOf(description: unknown, schema: unknown): Check | null {
  if (schema === undefined) return null;
  const reference = member(schema, '$ref');
  const resolved = typeof reference === 'string' ? member(description, ...reference.replace('#/', '').split('/')) : schema;
  assert.ok(typeof resolved === 'object' && resolved !== null, 'a schema is an object');
  const validator = Compile(resolved);
  return (value) => {
    if (validator.Check(value)) return null;
    const [, errors] = validator.Errors(value);
    return errors.map((error) => `${error.instancePath}: ${error.message}`).join('; ');
  };
}
