import type { Static } from 'typebox';
import { configuredEndpointId } from '../../webhooks/index.ts';
import { json, route, type Route } from '../route.ts';
import { presentCutterBriefly, presentFolder, presentWebhooks, timestamp } from './present.ts';
import { Health, Version } from './schemas.ts';
import type { AreaCServices } from './services.ts';

export function systemRoutes(services: AreaCServices): Route[] {
  const startedAt = services.clock.now();
  return [
    route({
      method: 'GET', path: '/health', access: 'open', tag: 'system', summary: 'How the service and its cutters are',
      answers: { 200: { description: 'The process answers', schema: Health } },
      handle: () => json(200, health(services, startedAt)),
    }),
    route({
      method: 'GET', path: '/version', access: 'open', tag: 'system', summary: 'Name and version',
      answers: { 200: { description: 'Name, version and time', schema: Version } },
      handle: () => json(200, { name: 'kerf', version: services.version, server_time_utc: timestamp(services.clock.now()) } satisfies Static<typeof Version>),
    }),
  ];
}

function health({ version, clock, fleet, folders, store, webhooks, warnings, loopDelay }: AreaCServices, startedAt: number): Static<typeof Health> {
  const cutters = fleet.states();
  const isDegraded = cutters.some(({ isRunning, context, warnings: own }) => (isRunning && context.status < 0) || own.length > 0);
  const webhookWarnings = webhooks.warnings();
  const [ingest, print] = [folders.state('ingest'), folders.state('print_prepare')];
  const { usedBytes, mapBytes } = store.usage();
  const { p99Ms, maxMs } = loopDelay();
  return {
    status: isDegraded || webhookWarnings.length > 0 || ingest.isHeld || print.isHeld ? 'degraded' : 'ok',
    version,
    server_time_utc: timestamp(clock.now()),
    uptime_seconds: Math.max(0, Math.round((clock.now() - startedAt) / 1000)),
    warnings: [...warnings, ...webhookWarnings],
    cutters: cutters.map(presentCutterBriefly),
    webhooks: presentWebhooks(webhooks.counters(configuredEndpointId)),
    ingest: presentFolder(ingest),
    print_prepare: presentFolder(print),
    database_path: store.path,
    store: { used_bytes: usedBytes, map_bytes: mapBytes },
    event_loop: { delay_p99_ms: p99Ms, delay_max_ms: maxMs },
  };
}
