/**
 * Puts the rooms together: settings → store → runtime → cutters → http. The only place that knows them all.
 * Nothing happens before `startService`, and everything it began ends with `stop`.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { v7 as uuidV7 } from 'uuid';
import { registry } from '../machines/index.ts';
import { createFleet, createLinks, handOverEffect, type CutterLinks, type Fleet, type LinksResult } from './cutters/index.ts';
import { createHotFolders, folderEffects, type FolderDirectories, type FolderId, type HotFolders } from './folders/index.ts';
import { apiKeyAccess, areaCRoutes, createHttpServer, type HttpServer, type ListenResult } from './http/index.ts';
import { acquireInstanceLock, type InstanceLock } from './instance-lock.ts';
import { createJobLibrary, jobTables, readCommandSequence, type JobLibrary } from './jobs/index.ts';
import { readOrMakeKey } from './key-file.ts';
import type { Log } from './log.ts';
import { readMaterialsFile } from './materials-file.ts';
import {
  createJobImport, createPictures, createPreparer, createPrintPreparation, createRefusalShelf,
  type JobImport, type Materials, type Pictures, type Preparer, type PrintPreparation, type RefusalShelf,
} from './prepare/index.ts';
import { createRuntime, runtimeTables, systemClock, type Clock, type Effect, type Runtime } from './runtime/index.ts';
import type { Settings } from './settings/index.ts';
import { openStore, type Store } from './store/index.ts';
import { version } from './version.ts';
import { configuredEndpoints, createWebhooks, secretOf, webhookTables, type Webhooks } from './webhooks/index.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** The entry of the preparation worker, as source or bundled. */
  readonly workerUrl: URL;
}

export interface StartFailure {
  readonly code: 'CUTTERS_INVALID' | 'MATERIALS_INVALID' | 'DATA_DIRECTORY_IN_USE' | 'STORE_UNUSABLE' | 'LISTEN_FAILED';
  readonly detail: string;
}

export interface RunningService {
  readonly host: string;
  readonly port: number;
  /** Refuses new work, finishes what is in flight within 10 s; a job stream that has begun is finished, unless `force` is aborted. */
  stop(force?: AbortSignal): Promise<void>;
}

export type StartResult = { readonly ok: true; readonly service: RunningService } | { readonly ok: false; readonly failure: StartFailure };

const stopGraceMs = 10_000;

export async function startService({ settings, log, workerUrl }: ServiceOptions): Promise<StartResult> {
  const clock = systemClock();
  const notes: { listener: Parameters<typeof createLinks>[1]['onNote'] } = { listener: () => undefined };
  const linked = connect(settings, clock, (cutter, note) => notes.listener(cutter, note));
  if (!linked.ok) return failure('CUTTERS_INVALID', linked.problems.map(({ cutter, detail }) => `${cutter}: ${detail}`).join('\n'));

  const read = readMaterialsFile(settings.materialsFile);
  if (!read.ok) return failure('MATERIALS_INVALID', read.problems.map((each) => `MATERIALS_FILE ${settings.materialsFile}: ${each}`).join('\n'));

  const locked = await lockDataDirectory(settings.appDataDir);
  if (!locked.ok) return locked;
  const { lock } = locked;
  const opened = openData(settings, clock, linked.links, log);
  if (!opened.ok) {
    await lock.release();
    return opened;
  }
  const house = furnish({ settings, log, clock, workerUrl, links: linked.links, materials: read.materials, ...opened });
  notes.listener = (cutter, note) => house.fleet.note(cutter, note);
  const stop = (force?: AbortSignal): Promise<void> => close(house, opened, linked.links, lock, force);
  try {
    const listening = await begin(house, opened, settings);
    if (listening.ok) return { ok: true, service: { host: listening.host, port: listening.port, stop } };
    await stop();
    return failure('LISTEN_FAILED', listening.failure.detail);
  } catch (error) {
    await stop();
    return failure('STORE_UNUSABLE', `The service cannot begin on ${settings.appDataDir}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface House {
  readonly jobs: JobLibrary;
  readonly fleet: Fleet;
  readonly folders: HotFolders;
  readonly preparer: Preparer;
  readonly refusals: RefusalShelf;
  readonly server: HttpServer;
  readonly loop: IntervalHistogram;
}

interface Ground extends OpenedRooms {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly workerUrl: URL;
  readonly links: CutterLinks;
  readonly materials: Materials;
}

/** Makes every room that stands on the store; none of them acts yet. */
function furnish({ settings, log, clock, workerUrl, links, materials, store, runtime, effects, webhooks }: Ground): House {
  const jobs = createJobLibrary({ store, runtime, clock, newId: uuidV7, barcodePrefix: settings.barcodePrefix, onTrouble: (message) => log.warn(message) });
  const fleet = createFleet({ links, runtime, jobs, clock, newId: uuidV7, pollIntervalMs: settings.dlsPollIntervalMs, stepsPerMm: settings.gpglStepsPerMm, acquireLock: acquireInstanceLock, log });
  const preparer = createPreparer({ workerUrl, clock, onWorkerDeath: (detail) => log.warn('a preparation worker died', { detail }) });
  const { gpglStepsPerMm: stepsPerMm, cutSpotColours: cutSpotColors } = settings;
  const order = { joinToleranceMm: settings.joinToleranceMm, overcutMm: settings.overcutMm };
  const printPreparation = createPrintPreparation({ preparer, jobs, stepsPerMm, cutSpotColors, order, materials });
  const jobImport = createJobImport({ preparer, jobs, stepsPerMm, cutSpotColors, order });
  // Random, not of the time: whoever knows an id and the key may see the page.
  const refusals = createRefusalShelf({ directory: join(settings.appDataDir, 'previews'), clock, newId: randomUUID });
  const pictures = createPictures({ preparer, jobs, shelf: refusals, stepsPerMm, cutSpotColors, baseUrl: settings.publicBaseUrl ?? '' });
  const directories = folderDirectories(settings);
  const steps = folderEffects({ directories, jobs, printPreparation, preparer, pictures, stepsPerMm, cutSpotColors, order, maxFileBytes: settings.maxUploadBytes, now: () => clock.now() });
  for (const [name, effect] of steps) effects.set(name, effect);
  const folders = createHotFolders({ directories, minAgeMs: settings.ingestFileMinAgeMs, runtime, clock, newId: uuidV7, log });
  const loop = monitorEventLoopDelay({ resolution: 20 });
  const server = createServer({ settings, log, clock, store, runtime, webhooks, jobs, fleet, printPreparation, jobImport, pictures, folders, loop });
  return { jobs, fleet, folders, preparer, refusals, server, loop };
}

/** Takes up what an earlier run left, opens the port, then lets cutters and folders go. */
async function begin({ jobs, fleet, folders, refusals, server, loop }: House, { runtime, webhooks }: OpenedRooms, settings: Settings): Promise<ListenResult> {
  loop.enable();
  await runtime.start();
  await webhooks.start(runtime);
  await refusals.start();
  const listening = await server.listen(settings.apiHost, settings.apiPort);
  if (!listening.ok) return listening;
  jobs.start();
  await fleet.start(settings.dlsEnabled);
  await folders.start({ ingest: settings.ingestEnabled, print_prepare: settings.printIngestEnabled });
  return listening;
}

async function close(house: House, { runtime, webhooks, store }: OpenedRooms, links: CutterLinks, lock: InstanceLock, force?: AbortSignal): Promise<void> {
  const { jobs, fleet, folders, preparer, refusals, server, loop } = house;
  server.drain();
  await folders.stop();
  await fleet.stop();
  await webhooks.stop();
  await runtime.stop(stopGraceMs, force);
  await Promise.all([...links.values()].map((link) => link.session.close()));
  await fleet.release();
  await preparer.stop();
  refusals.stop();
  await server.close();
  await jobs.stop();
  loop.disable();
  await store.close();
  await lock.release();
}

/** By its real path: a symbolic link must not let two services share one store. */
async function lockDataDirectory(directory: string): Promise<{ readonly ok: true; readonly lock: InstanceLock } | { readonly ok: false; readonly failure: StartFailure }> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const lock = await acquireInstanceLock(realpathSync(directory));
    return lock === null ? failure('DATA_DIRECTORY_IN_USE', `Another service runs on ${directory}.`) : { ok: true, lock };
  } catch (error) {
    return failure('STORE_UNUSABLE', `The data directory ${directory} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function failure(code: StartFailure['code'], detail: string): { ok: false; failure: StartFailure } {
  return { ok: false, failure: { code, detail } };
}

function connect(settings: Settings, clock: Clock, onNote: Parameters<typeof createLinks>[1]['onNote']): LinksResult {
  const { cutters, dlsTimeoutMs: timeoutMs, sendRetryTotalMs, sendRetryIntervalMs } = settings;
  return createLinks(cutters, { clock, timeoutMs, sendRetryTotalMs, sendRetryIntervalMs, onNote });
}

interface OpenedRooms {
  readonly store: Store;
  readonly runtime: Runtime;
  /** Filled by every room that has effects, before the runtime starts. */
  readonly effects: Map<string, Effect>;
  readonly webhooks: Webhooks;
}

type OpenedData = ({ readonly ok: true } & OpenedRooms) | { readonly ok: false; readonly failure: StartFailure };

function openData(settings: Settings, clock: Clock, links: CutterLinks, log: Log): OpenedData {
  try {
    const journalKey = readOrMakeKey(settings.appDataDir, 'journal.key');
    const store = openStore({ directory: settings.appDataDir, tables: [...runtimeTables, ...jobTables, ...webhookTables] });
    const handOver = handOverEffect({ links, readCommandSequence: (id) => readCommandSequence(store, id), now: () => clock.now() });
    const webhooks = openWebhooks(settings, store, clock, log);
    const effects = new Map<string, Effect>([['handOver', handOver], ...webhooks.effects]);
    const projections = [webhooks.projection];
    const runtime = createRuntime({ store, kinds: registry, effects, projections, clock, newId: uuidV7, journalKey, onTrouble: (message) => log.error(message) });
    return { ok: true, store, runtime, effects, webhooks };
  } catch (error) {
    return failure('STORE_UNUSABLE', `The data directory ${settings.appDataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Without WEBHOOK_SECRET the service makes one: nothing leaves unsigned. */
function openWebhooks({ webhookUrl, webhookSecret, webhookAllowCidrs: allowCidrs, appDataDir }: Settings, store: Store, clock: Clock, log: Log): Webhooks {
  const keyFile = 'webhook.key';
  const isMade = webhookUrl !== null && webhookSecret === null;
  if (isMade) log.warn(`WEBHOOK_SECRET is not set: webhooks are signed with "whsec_" followed by the content of ${join(appDataDir, keyFile)}`);
  const secret = isMade ? secretOf(readOrMakeKey(appDataDir, keyFile)) : webhookSecret ?? '';
  return createWebhooks({ store, clock, newId: uuidV7, random: Math.random, endpoints: configuredEndpoints(webhookUrl, secret), allowCidrs, version, log });
}

/** The print folder has no processed folder of its own. */
function folderDirectories(settings: Settings): Readonly<Record<FolderId, FolderDirectories>> {
  const { ingestInboxDir, ingestProcessedDir: processed, ingestErrorDir, printInboxDir, printOutboxDir, printErrorDir } = settings;
  return {
    ingest: { inbox: ingestInboxDir, processed, outbox: null, errors: ingestErrorDir },
    print_prepare: { inbox: printInboxDir, processed, outbox: printOutboxDir, errors: printErrorDir },
  };
}

interface ServerParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly webhooks: Webhooks;
  readonly jobs: JobLibrary;
  readonly fleet: Fleet;
  readonly printPreparation: PrintPreparation;
  readonly jobImport: JobImport;
  readonly pictures: Pictures;
  readonly folders: HotFolders;
  readonly loop: IntervalHistogram;
}

/** Requests' bodies in memory together: at least two of the largest uploads. */
const leastBodyBytes = 256 * 2 ** 20;

function createServer({ settings, log, clock, store, runtime, webhooks, jobs, fleet, printPreparation, jobImport, pictures, folders, loop }: ServerParts): HttpServer {
  const { apiKey, maxUploadBytes } = settings;
  const warnings = apiKey === null ? [{ code: 'NO_API_KEY', message: 'API_KEY is not set: whoever reaches this port can drive the cutters.' }] : [];
  const loopDelay = (): { p99Ms: number; maxMs: number } => {
    const read = { p99Ms: loop.percentile(99) / 1e6, maxMs: loop.max / 1e6 };
    loop.reset();
    return read;
  };
  const services = { version, store, runtime, webhooks, clock, fleet, folders, jobs, printPreparation, jobImport, pictures, maxUploadBytes, warnings, loopDelay };
  return createHttpServer({
    routes: areaCRoutes(services, settings.publicBaseUrl),
    access: { areaC: apiKeyAccess(apiKey) },
    log, clock, newId: uuidV7,
    limits: { bodyBytes: Math.max(leastBodyBytes, 2 * maxUploadBytes) },
  });
}
