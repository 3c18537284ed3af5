import Type, { type TObject, type TSchema } from 'typebox';
import { problemCodes, problemStatus, problemTitle, type ProblemCode } from './problems.ts';
import type { AnswerDoc, Route } from './route.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly routes: readonly Route[];
  /** Access check name → the header that carries its credential; checks that are not named need none. */
  readonly credentialHeaders: Readonly<Record<string, string>>;
}

/** Every problem answer fits this. */
export const problemSchema = Type.Object({
  type: Type.String({ description: 'A name for this kind of problem' }),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String({ description: 'A sentence a person can act on' }),
  instance: Type.String({ description: 'The path of the request' }),
  code: Type.Enum([...problemCodes]),
  request_id: Type.String(),
  errors: Type.Array(Type.Object({
    pointer: Type.String({ description: 'RFC 6901 pointer, or the name of a parameter or form field after "/"' }),
    code: Type.String(),
    detail: Type.String(),
  })),
  preview: Type.Optional(Type.String({ description: 'Where an SVG shows what is wrong, for an hour' })),
  preview_png: Type.Optional(Type.String({ description: 'The same as PNG' })),
});

/** Codes that the pipeline itself can answer on any route. */
const pipelineCodes: readonly ProblemCode[] = ['MALFORMED_REQUEST', 'INTERNAL', 'UNAVAILABLE'];

/** An OpenAPI 3.1 description, made from the same schemas that validate. */
export function openApiDocument(options: OpenApiOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of options.routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, options) };
  }
  const securitySchemes = Object.fromEntries(Object.entries(options.credentialHeaders).map(([name, header]) => [name, { type: 'apiKey', in: 'header', name: header }]));
  return {
    openapi: '3.1.0',
    info: { title: options.title, version: options.version, description: options.description },
    servers: [{ url: options.serverUrl }],
    paths,
    components: { schemas: { Problem: problemSchema }, securitySchemes },
  };
}

function operation(route: Route, options: OpenApiOptions): Record<string, unknown> {
  const isGuarded = Object.hasOwn(options.credentialHeaders, route.access);
  const parameters = [...parametersOf(route.paramsSchema, 'path', pathNames(route.path)), ...parametersOf(route.querySchema, 'query', [])];
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    security: isGuarded ? [{ [route.access]: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body === null ? {} : { requestBody: { required: true, content: { [route.body.mediaType]: { schema: route.body.schema } } } }),
    responses: { ...successes(route), ...refusals(route, isGuarded) },
  };
}

function successes(route: Route): Record<string, unknown> {
  return Object.fromEntries(Object.entries(route.answers).map(([status, doc]) => [status, describeAnswer(doc)]));
}

function describeAnswer(doc: AnswerDoc): Record<string, unknown> {
  const headers = Object.entries(doc.headers ?? {}).map(([name, description]) => [name, { description, schema: { type: 'string' } }] as const);
  return {
    description: doc.description,
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    ...contentOf(doc),
  };
}

/** An answer without media type and schema has no body. */
function contentOf({ mediaType, schema, otherMediaTypes = [], alternatives = {} }: AnswerDoc): Record<string, unknown> {
  if (mediaType === undefined && schema === undefined) return {};
  const main = { [mediaType ?? 'application/json']: schema === undefined ? {} : { schema } };
  const others = [...otherMediaTypes.map((type) => [type, {}] as const), ...Object.entries(alternatives).map(([type, its]) => [type, { schema: its }] as const)];
  return { content: { ...main, ...Object.fromEntries(others) } };
}

/** One answer per status, naming its codes. */
function refusals(route: Route, isGuarded: boolean): Record<string, unknown> {
  const codes = new Set<ProblemCode>([...pipelineCodes, ...route.problems]);
  if (isGuarded) codes.add('UNAUTHENTICATED');
  if (route.body !== null) codes.add(route.body.tooLarge).add('UNSUPPORTED_MEDIA_TYPE');
  if (route.querySchema !== null) codes.add('INVALID_PARAMETER');
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) byStatus.set(problemStatus(code), [...(byStatus.get(problemStatus(code)) ?? []), code]);
  return Object.fromEntries([...byStatus].filter(([status]) => !(status in route.answers)).map(([status, its]) => [String(status), {
    description: its.map((code) => `\`${code}\`: ${problemTitle(code)}`).join('\n\n'),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }]));
}

function parametersOf(schema: TObject | null, place: 'path' | 'query', otherNames: readonly string[]): Record<string, unknown>[] {
  const properties: Readonly<Record<string, TSchema>> = schema?.properties ?? {};
  const required = new Set<string>(schema?.required ?? []);
  const described = Object.entries(properties).map(([name, property]) => ({ name, in: place, required: place === 'path' || (required.has(name) && !('default' in property)), schema: property }));
  const plain = otherNames.filter((name) => !(name in properties)).map((name) => ({ name, in: place, required: true, schema: { type: 'string' } }));
  return [...described, ...plain];
}

function pathNames(path: string): string[] {
  return path.split('/').filter((part) => part.startsWith(':')).map((part) => part.slice(1));
}

function operationId(route: Route): string {
  const words = route.path.split(/[/:._-]+/).filter((word) => word !== '');
  return [route.method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}
