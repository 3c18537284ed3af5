import type { Method } from './types.ts';

export interface Routable {
  readonly method: Method;
  /** `/jobs/:id`: a segment that begins with ":" is a parameter. */
  readonly path: string;
}

export type RouteMatch<R> =
  | { readonly kind: 'found'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'not-found' };

interface Pattern<R> {
  readonly path: string;
  readonly segments: readonly string[];
  readonly byMethod: Map<string, R>;
}

/** Longer parameters are no name or id of ours. */
const maxParameterLength = 256;

/**
 * Our own small table instead of the engine's router: it tells 404 from 405, prefers a fixed segment to a parameter
 * (`/actions/types` before `/actions/:id`), and a path that cannot be decoded is simply not found.
 */
export class Router<R extends Routable> {
  readonly #patterns: readonly Pattern<R>[];

  constructor(routes: readonly R[]) {
    const patterns = new Map<string, Pattern<R>>();
    for (const route of routes) {
      const shape = route.path.replaceAll(/:[^/]+/g, ':');
      const pattern = patterns.get(shape) ?? { path: route.path, segments: route.path.split('/'), byMethod: new Map<string, R>() };
      if (pattern.path !== route.path || pattern.byMethod.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
      pattern.byMethod.set(route.method, route);
      patterns.set(shape, pattern);
    }
    this.#patterns = [...patterns.values()].sort(moreFixedFirst);
  }

  match(method: string, rawPath: string): RouteMatch<R> {
    const segments = decodeSegments(rawPath);
    if (segments === null) return { kind: 'not-found' };
    const pattern = this.#patterns.find((candidate) => fits(candidate.segments, segments));
    if (pattern === undefined) return { kind: 'not-found' };
    const route = pattern.byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (route === undefined) return { kind: 'method-not-allowed', allow: allowHeader(pattern.byMethod) };
    return { kind: 'found', route, params: parametersOf(pattern.segments, segments) };
  }
}

function moreFixedFirst(a: Pattern<unknown>, b: Pattern<unknown>): number {
  for (const [index, segment] of a.segments.entries()) {
    const difference = Number(segment.startsWith(':')) - Number(b.segments[index]?.startsWith(':') ?? false);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Null when an escape is broken, or when the decoded text could not be a name or an id. */
function decodeSegments(rawPath: string): string[] | null {
  const segments: string[] = [];
  for (const raw of rawPath.split('/')) {
    let segment: string;
    try {
      segment = decodeURIComponent(raw);
    } catch {
      return null;
    }
    if (segment.length > maxParameterLength || /[\u0000-\u001f\u007f\ufffd]/.test(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length
    && pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = segments[index] ?? '';
  }
  return params;
}

function allowHeader(byMethod: ReadonlyMap<string, unknown>): string {
  return [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
