import { json, route, type Route } from '../route.ts';
import { openApiDocument } from '../openapi.ts';
import { cutterControlRoutes } from './cutter-control.ts';
import { dataLinkRoutes } from './data-link.ts';
import { eventStreamRoutes } from './event-stream.ts';
import { folderRoutes } from './folders.ts';
import { jobImportRoutes } from './job-import.ts';
import { jobRoutes } from './jobs.ts';
import { previewRoutes } from './previews.ts';
import { printRoutes } from './print.ts';
import type { AreaCServices } from './services.ts';
import { startPageRoutes } from './start-page.ts';
import { systemRoutes } from './system.ts';

export type { AreaCServices } from './services.ts';

/**
 * All routes of the cutter server, and their description. Without `baseUrl`, addresses are given without a host: what a
 * client called this server by is right for that client.
 */
export function areaCRoutes(services: AreaCServices, baseUrl: string | null): Route[] {
  const routes = [
    ...startPageRoutes(services), ...systemRoutes(services), ...dataLinkRoutes(services), ...eventStreamRoutes(services), ...cutterControlRoutes(services),
    ...folderRoutes(services), ...printRoutes(services), ...jobRoutes(services), ...previewRoutes(services), ...jobImportRoutes(services, baseUrl ?? ''),
  ];
  const description = openApiDocument({
    title: 'Kerf cutter server', version: services.version, serverUrl: baseUrl ?? '/', routes, credentialHeaders: { areaC: 'X-API-Key' },
    description: 'Marked print PDFs, cut jobs, and the cutters that scan them.',
  });
  const openapi = route({
    method: 'GET', path: '/openapi.json', access: 'areaC', tag: 'system', summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1', mediaType: 'application/json' } },
    handle: () => json(200, description),
  });
  return [...routes, openapi];
}
