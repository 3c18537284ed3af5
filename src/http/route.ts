import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { isJsonType, parseJson } from './json.ts';
import { multipartBoundary, parseMultipart, type Form } from './multipart.ts';
import { problem, type FieldError, type Problem, type ProblemCode } from './problems.ts';
import { compileSchema, escapePointer, type SchemaCheck } from './schema.ts';
import type { Headers, HttpAnswer, HttpRequest, Method, Result } from './types.ts';

/** How a route reads its body: made by `jsonBody`, `formBody` or `bytesBody`. */
export interface BodyRule<T> {
  readonly capBytes: number;
  readonly tooLarge: 'BODY_TOO_LARGE' | 'UPLOAD_TOO_LARGE';
  /** Looks at the Content-Type before any byte is read. */
  readonly refuseType: (contentType: string | undefined) => Problem | null;
  readonly read: (bytes: Uint8Array, contentType: string | undefined) => Result<T>;
  /** For the OpenAPI description. */
  readonly mediaType: string;
  readonly schema: TSchema;
}

/** What an answer of a status looks like, for the OpenAPI description and for tests that hold answers against it. */
export interface AnswerDoc {
  readonly description: string;
  readonly mediaType?: string;
  readonly schema?: TSchema;
  /** Further forms of the same answer, without a schema. */
  readonly otherMediaTypes?: readonly string[];
  /** Media type → schema of what else may come with this status. */
  readonly alternatives?: Readonly<Record<string, TSchema>>;
  /** Header name → what it means. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

export interface RouteSpec<P extends TObject, Q extends TObject, B> {
  readonly method: Method;
  /** `/jobs/:id`. */
  readonly path: string;
  /** Name of an access check given to the server. */
  readonly access: string;
  readonly summary: string;
  readonly tag: string;
  /** Parameters are text; integers and booleans in the schema are converted strictly. A path that fails it is not found. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: BodyRule<B>;
  /** What a parameter in the path that cannot exist is answered with; NOT_FOUND unless the area has a code of its own. */
  readonly notFound?: ProblemCode;
  /** What a query that the schema refuses is answered with; INVALID_PARAMETER (400) by default. */
  readonly invalidQuery?: ProblemCode;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Codes this route refuses with, beyond those that every route has. */
  readonly problems?: readonly ProblemCode[];
  readonly handle: (request: HttpRequest, input: RouteInput<Static<P>, Static<Q>, B>) => HttpAnswer | Promise<HttpAnswer>;
}

/** A route as the server sees it: its types are inside `run`. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly access: string;
  readonly summary: string;
  readonly tag: string;
  readonly paramsSchema: TObject | null;
  readonly querySchema: TObject | null;
  readonly body: Pick<BodyRule<unknown>, 'capBytes' | 'tooLarge' | 'refuseType' | 'mediaType' | 'schema'> | null;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  readonly problems: readonly ProblemCode[];
  readonly run: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;
}

/** Makes a route out of schemas and a handler; what the handler gets has been validated against them. */
export function route<P extends TObject = TObject, Q extends TObject = TObject, B = undefined>(spec: RouteSpec<P, Q, B>): Route;
export function route(spec: RouteSpec<TObject, TObject, unknown>): Route {
  const params = compileSchema<TObject>(spec.params ?? Type.Object({}));
  const query = compileSchema<TObject>(spec.query ?? Type.Object({}));
  return {
    method: spec.method,
    path: spec.path,
    access: spec.access,
    summary: spec.summary,
    tag: spec.tag,
    paramsSchema: spec.params ?? null,
    querySchema: spec.query ?? null,
    body: spec.body ?? null,
    answers: spec.answers,
    problems: spec.problems ?? [],
    run(request) {
      const readParams = params.check(convertParameters(params.schema, Object.entries(request.params)));
      if (!readParams.ok) return problem(spec.notFound ?? 'NOT_FOUND', 'There is nothing at this address.');
      const readQuery = readQueryParameters(query, request.query, spec.invalidQuery ?? 'INVALID_PARAMETER');
      if (!readQuery.ok) return readQuery;
      const body = spec.body === undefined ? nothing : spec.body.read(request.body, request.headers.get('content-type'));
      if (!body.ok) return body;
      return spec.handle(request, { params: readParams.value, query: readQuery.value, body: body.value });
    },
  };
}

const nothing = { ok: true, value: undefined } as const;

/** A JSON body that fits `schema`. `invalid` is the code for one that does not: VALIDATION_FAILED (422), in Area C INVALID_BODY (400). */
export function jsonBody<S extends TSchema>(
  schema: S,
  options: { readonly capBytes: number; readonly tooLarge?: BodyRule<unknown>['tooLarge']; readonly invalid: ProblemCode },
): BodyRule<Static<S>> {
  const check = compileSchema(schema);
  return {
    capBytes: options.capBytes,
    tooLarge: options.tooLarge ?? 'BODY_TOO_LARGE',
    mediaType: 'application/json',
    schema,
    refuseType: (contentType) => (isJsonType(contentType) ? null : { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'This endpoint takes application/json in UTF-8.' }),
    read(bytes) {
      const parsed = parseJson(bytes);
      if (!parsed.ok) return parsed;
      const checked = check.check(parsed.value);
      return checked.ok ? checked : { ok: false, problem: invalidInput(options.invalid, checked.errors) };
    },
  };
}

/** A multipart/form-data body; `schema` describes it (files as `{type: 'string', contentMediaType}`), the handler checks the fields. */
export function formBody(schema: TSchema, options: { readonly capBytes: number }): BodyRule<Form> {
  return {
    capBytes: options.capBytes,
    tooLarge: 'UPLOAD_TOO_LARGE',
    mediaType: 'multipart/form-data',
    schema,
    refuseType(contentType) {
      const boundary = multipartBoundary(contentType);
      return boundary.ok ? null : boundary.problem;
    },
    read(bytes, contentType) {
      const boundary = multipartBoundary(contentType);
      return boundary.ok ? parseMultipart(bytes, boundary.value) : boundary;
    },
  };
}

/** A body that is taken as it is. */
export function bytesBody(mediaType: string, schema: TSchema, options: { readonly capBytes: number }): BodyRule<Uint8Array> {
  return { capBytes: options.capBytes, tooLarge: 'UPLOAD_TOO_LARGE', mediaType, schema, refuseType: () => null, read: (bytes) => ({ ok: true, value: bytes }) };
}

/**
 * The problem for input that a schema refused: when everything that is wrong carries one and the same problem code
 * (`'x-code': 'INVALID_NAME'` in the schema), that code, else `code`. `errors` tells each thing.
 */
export function invalidInput(code: ProblemCode, errors: readonly FieldError[]): Problem {
  const distinct = new Set(errors.map((error) => error.code));
  const [only] = distinct;
  const precise = distinct.size === 1 ? ownCodes.find((candidate) => candidate === only) : undefined;
  const told = errors.slice(0, 3).map((error) => `${error.pointer === '' ? 'the body' : error.pointer}: ${error.detail}`);
  const more = errors.length > 3 ? ` (and ${errors.length - 3} more)` : '';
  return { code: precise ?? code, detail: `${told.join('; ')}${more}`, errors };
}

/** Codes that a schema may carry and a whole answer may bear. */
const ownCodes = ['INVALID_NAME', 'INVALID_BARCODE', 'INVALID_COMMAND_TYPE', 'INVALID_COMMAND_SEQUENCE', 'INVALID_REGISTRATION_MARK'] as const;

/** JSON with the headers an answer of ours bears. */
export function json(status: number, value: unknown, headers: Headers = {}): HttpAnswer {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers }, body: JSON.stringify(value) };
}

/** Parameters that the schema does not know are left alone; one that it knows may come only once. */
function readQueryParameters(check: SchemaCheck<TObject>, query: URLSearchParams, code: ProblemCode): Result<Static<TObject>> {
  const known = Object.keys(check.schema.properties);
  const repeated = known.filter((name) => query.getAll(name).length > 1);
  if (repeated.length > 0) {
    return { ok: false, problem: invalidInput(code, repeated.map((name) => ({ pointer: `/${escapePointer(name)}`, code: 'DUPLICATE', detail: `${name} is given more than once` }))) };
  }
  const checked = check.check(convertParameters(check.schema, [...query].filter(([name]) => known.includes(name))));
  return checked.ok ? checked : { ok: false, problem: invalidInput(code, checked.errors) };
}

/** Text becomes a number or a boolean where the schema asks for one and the text is exactly that; else the schema complains. */
export function convertParameters(schema: TObject, given: readonly (readonly [string, string])[]): Record<string, unknown> {
  const defaults = Object.entries(schema.properties).flatMap(([name, property]) => 'default' in property ? [[name, property.default] as const] : []);
  // Not by assignment: a parameter named __proto__ must become one that the schema can refuse.
  return Object.fromEntries<unknown>([...defaults, ...given.map(([name, text]) => [name, converted(schema.properties[name], text)] as const)]);
}

function converted(property: TSchema | undefined, text: string): unknown {
  const type = property !== undefined && 'type' in property ? property.type : undefined;
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
