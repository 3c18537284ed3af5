import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import type { FieldError } from './problems.ts';

/** A compiled TypeBox schema: checks a value, or tells everything that is wrong with it. */
export interface SchemaCheck<S extends TSchema> {
  readonly schema: S;
  check(value: unknown): { readonly ok: true; readonly value: Static<S> } | { readonly ok: false; readonly errors: readonly FieldError[] };
}

// The library stops at 8 by default, and "every problem at once" is promised; without any limit a client could ask for
// a million of them.
const maxErrors = 64;

/**
 * Compiles a schema once, when a route is made. A sub-schema may carry `'x-code': 'INVALID_NAME'` (a keyword JSON Schema
 * does not know is an annotation): that code is then used for whatever is wrong at its place.
 */
export function compileSchema<S extends TSchema>(schema: S): SchemaCheck<S> {
  const validator = Compile(schema);
  return {
    schema,
    check(value) {
      if (validates<S>(validator, value)) return { ok: true, value };
      Settings.Set({ maxErrors });
      return { ok: false, errors: fieldErrors(schema, validator.Errors(value)) };
    },
  };
}

function validates<S extends TSchema>(validator: { Check(value: unknown): boolean }, value: unknown): value is Static<S> {
  return validator.Check(value);
}

/** One entry per problem: what a failed union says about each of its variants, and repeated messages, are left out. */
function fieldErrors(schema: TSchema, errors: readonly TLocalizedValidationError[]): FieldError[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf').map((error) => `${error.schemaPath}/${error.keyword}/`);
  const found = new Map<string, FieldError>();
  for (const error of errors) {
    if (unions.some((prefix) => error.schemaPath.startsWith(prefix))) continue;
    for (const entry of entriesOf(schema, error)) {
      const key = `${entry.pointer} ${entry.code}`;
      if (!found.has(key)) found.set(key, entry);
    }
  }
  return [...found.values()];
}

function entriesOf(schema: TSchema, error: TLocalizedValidationError): FieldError[] {
  const at = error.instancePath;
  const own = annotatedCode(schema, error.schemaPath);
  const entry = (code: string, detail: string): FieldError[] => [{ pointer: at, code: own ?? code, detail }];
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        pointer: `${at}/${escapePointer(name)}`,
        code: annotatedCode(schema, `${error.schemaPath}/properties/${escapePointer(name)}`) ?? 'REQUIRED',
        detail: `${name} is missing`,
      }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => ({ pointer: `${at}/${escapePointer(name)}`, code: 'UNKNOWN_FIELD', detail: `${shorten(name)} is not a known field` }));
    case 'boolean':
      // Said again, better, by additionalProperties.
      return error.schemaPath.endsWith('/additionalProperties') ? [] : entry('NOT_ALLOWED', 'must not be given');
    case 'type':
      return entry('WRONG_TYPE', error.message);
    case 'const':
      return entry('NOT_ALLOWED', `must be ${JSON.stringify(error.params.allowedValue)}`);
    case 'enum':
      return entry('NOT_ALLOWED', `must be one of ${error.params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`);
    case 'anyOf':
    case 'oneOf':
      return entry('NOT_ALLOWED', unionDetail(schema, error.schemaPath));
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return entry('OUT_OF_RANGE', error.message);
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return entry('BAD_LENGTH', error.message);
    case 'pattern':
    case 'format':
      return entry('BAD_FORMAT', describedAt(schema, error.schemaPath) ?? error.message);
    default:
      return entry('INVALID', error.message);
  }
}

/** A union of literals names what it allows. */
function unionDetail(schema: TSchema, schemaPath: string): string {
  const variants = nodeMember(schemaNode(schema, schemaPath), 'anyOf');
  const values = Array.isArray(variants) ? variants.map((variant: unknown) => nodeMember(variant, 'const')) : [];
  const literals = values.length > 0 && values.every((value) => value !== undefined);
  return literals ? `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}` : 'fits none of the allowed forms';
}

function annotatedCode(schema: TSchema, schemaPath: string): string | undefined {
  const code = nodeMember(schemaNode(schema, schemaPath), 'x-code');
  return typeof code === 'string' ? code : undefined;
}

function describedAt(schema: TSchema, schemaPath: string): string | undefined {
  const description = nodeMember(schemaNode(schema, schemaPath), 'description');
  return typeof description === 'string' ? `must be: ${description}` : undefined;
}

/** `#/properties/name` → that part of the schema. */
function schemaNode(schema: TSchema, schemaPath: string): unknown {
  let node: unknown = schema;
  for (const part of schemaPath.split('/').slice(1)) node = nodeMember(node, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return node;
}

function nodeMember(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;
}

/** RFC 6901 section 3. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
