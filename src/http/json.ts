import type { Result } from './types.ts';

/** Deeper documents are nobody's data; walking them would only exhaust the stack of whoever does. */
const maxDepth = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON document, or says what is wrong with it and where. The value is not validated. */
export function parseJson(bytes: Uint8Array): Result<unknown> {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return malformed('the body is not UTF-8 text');
  }
  if (text.trim() === '') return malformed('the body is empty; a JSON document was expected');
  if (depthOf(text) > maxDepth) return malformed(`the document is nested deeper than ${maxDepth} levels`);
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return malformed(`the body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** `application/json`, `application/…+json`, UTF-8 or no charset. A body whose type is not named is taken for JSON. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType.trim() === '') return true;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (!/^application\/([a-z0-9.!#$&^_-]+\+)?json$/.test(type)) return false;
  return parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
}

function malformed(detail: string): Result<never> {
  return { ok: false, problem: { code: 'MALFORMED_JSON', detail } };
}

/** Deepest nesting of brackets outside strings; of no meaning when the text is not JSON, which the parser then says. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (character === quote) i = endOfString(text, i);
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (character === 0x7d || character === 0x5d) depth -= 1;
  }
  return deepest;
}

const quote = 0x22;
const backslash = 0x5c;

/** The closing quote of the string that opens at `start`. Long strings are skipped at memory speed: a cut job is one string of many megabytes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
