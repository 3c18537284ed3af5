import Type from 'typebox';
import { statusPage } from '../../dashboard/index.ts';
import { json, route, type Route } from '../route.ts';
import type { AreaCServices } from './services.ts';

const links = {
  health: '/health', version: '/version', openapi: '/openapi.json', status: '/dls/status', events: '/dls/events', event_stream: '/dls/events/stream',
  cutter_info: '/cutter/info', jobs: '/jobs', ingest: '/ingest/status', print: '/print/status',
} as const;

const Links = Type.Object({ name: Type.String(), version: Type.String(), links: Type.Record(Type.String(), Type.String()) });

/** `/`: the status page for people, links for programs. */
export function startPageRoutes({ version }: AreaCServices): Route[] {
  return [
    route({
      method: 'GET', path: '/', access: 'open', tag: 'system', summary: 'The status page for browsers, links for others',
      answers: { 200: { description: 'By the Accept header', schema: Links, otherMediaTypes: ['text/html'] } },
      handle(request) {
        if (!prefersHtml(request.headers.get('accept') ?? '')) return json(200, { name: 'kerf', version, links }, { Vary: 'Accept' });
        const { html, contentSecurityPolicy } = statusPage();
        return {
          status: 200, body: html,
          headers: {
            'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-store',
            'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', Vary: 'Accept',
          },
        };
      },
    }),
  ];
}

/** HTML must be asked for by name, and no less than JSON: a program that takes anything gets JSON (RFC 9110 section 12.5.1). */
export function prefersHtml(accept: string): boolean {
  const html = weightOf(accept, 'text/html');
  return html > 0 && html >= weightOf(accept, 'application/json');
}

function weightOf(accept: string, type: string): number {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
  }
  return 0;
}
