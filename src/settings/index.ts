/**
 * The settings room: environment variables (and a `.env` file) become one validated, deeply frozen object, read once.
 * Every problem is told in one answer. The table of variables is api-decisions.md section 8.
 */
import { resolve } from 'node:path';
import { readEnvironment, type Environment } from './environment.ts';
import { lookalikeWarnings } from './lookalikes.ts';
import { settingsFailure, type SettingWarning, type SettingsFailure } from './problems.ts';
import { SettingReader } from './reader.ts';
import {
  readApiKey, readBarcodePrefix, readBaseUrl, readCidrs, readCutters, readHost, readStepsPerMm, readWebhookSecret, readWebhookUrl,
  type CutterSetting,
} from './values.ts';

export type { Environment } from './environment.ts';
export type { SettingProblem, SettingWarning, SettingsFailure } from './problems.ts';
export type { CutterSetting } from './values.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevelSetting = (typeof logLevels)[number];

export interface Settings {
  /** Loopback unless API_HOST says otherwise or an API_KEY guards Area C. */
  readonly apiHost: string;
  /** 0: any free port. */
  readonly apiPort: number;
  /** Null when not set: see `publicBaseUrl`. Never ends in "/". */
  readonly publicBaseUrl: string | null;
  readonly apiKey: string | null;
  /** Absolute, like every directory here. */
  readonly appDataDir: string;
  readonly cutters: readonly CutterSetting[];
  readonly dlsEnabled: boolean;
  readonly dlsPollIntervalMs: number;
  /** For one command. */
  readonly dlsTimeoutMs: number;
  readonly sendRetryTotalMs: number;
  readonly sendRetryIntervalMs: number;
  readonly gpglStepsPerMm: 10 | 20 | 40 | 100;
  readonly maxUploadBytes: number;
  readonly cutSpotColours: readonly string[];
  readonly barcodePrefix: string;
  /** Ends of open cut paths that are no further apart become one path. */
  readonly joinToleranceMm: number;
  readonly overcutMm: number;
  /** Null when not set; from $APP_DATA_DIR when relative. */
  readonly materialsFile: string | null;
  readonly ingestEnabled: boolean;
  readonly ingestInboxDir: string;
  readonly ingestProcessedDir: string;
  readonly ingestErrorDir: string;
  readonly ingestFileMinAgeMs: number;
  readonly printIngestEnabled: boolean;
  readonly printInboxDir: string;
  readonly printOutboxDir: string;
  readonly printErrorDir: string;
  readonly webhookUrl: string | null;
  readonly webhookSecret: string | null;
  readonly webhookAllowCidrs: readonly string[];
  /** Null when not set: 20 in Area A, 10 in Area B. 0 is off. */
  readonly rateLimitPerSecond: number | null;
  readonly webhookEndpointsMax: number;
  readonly quoteFilesMax: number;
  readonly logLevel: LogLevelSetting;
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly SettingWarning[] }
  | { readonly ok: false; readonly failure: SettingsFailure };

/** Every variable Kerf reads, as in api-decisions.md section 8. */
export const settingNames: readonly string[] = Object.freeze([
  'API_HOST', 'API_PORT', 'PUBLIC_BASE_URL', 'API_KEY', 'APP_DATA_DIR', 'CUTTERS', 'DLS_ENABLED',
  'DLS_POLL_INTERVAL_SECONDS', 'DLS_TIMEOUT_SECONDS', 'SEND_RETRY_TOTAL_MS', 'SEND_RETRY_INTERVAL_MS',
  'GPGL_STEPS_PER_MM', 'MAX_UPLOAD_BYTES', 'CUT_SPOT_COLORS', 'BARCODE_PREFIX', 'JOIN_TOLERANCE_MM', 'OVERCUT_MM', 'MATERIALS_FILE',
  'INGEST_ENABLED', 'INGEST_INBOX_DIR', 'INGEST_PROCESSED_DIR', 'INGEST_ERROR_DIR', 'INGEST_FILE_MIN_AGE_SECONDS',
  'PRINT_INGEST_ENABLED', 'PRINT_INBOX_DIR', 'PRINT_OUTBOX_DIR', 'PRINT_ERROR_DIR',
  'WEBHOOK_URL', 'WEBHOOK_SECRET', 'WEBHOOK_ALLOW_CIDRS', 'RATE_LIMIT_PER_SECOND', 'WEBHOOK_ENDPOINTS_MAX',
  'QUOTE_FILES_MAX', 'LOG_LEVEL',
]);

/** Reads the process's variables and the `.env` file of `workingDirectory`. */
export function loadSettings(processEnvironment: Environment, workingDirectory: string): SettingsResult {
  const { environment, problems } = readEnvironment(processEnvironment, workingDirectory);
  const result = readSettings(environment, workingDirectory);
  if (problems.length === 0) return result;
  const others = result.ok ? { problems: [], warnings: result.warnings } : result.failure;
  return { ok: false, failure: settingsFailure([...problems, ...others.problems], others.warnings) };
}

/** Validates variables as given; touches no file. `workingDirectory` is where a relative APP_DATA_DIR starts. */
export function readSettings(environment: Environment, workingDirectory: string): SettingsResult {
  const reader = new SettingReader(environment);
  const settings = collect(reader, workingDirectory);
  checkTogether(reader, settings);
  const warnings = [...lookalikeWarnings(Object.keys(environment).sort(), settingNames), ...warn(reader, settings)];
  if (reader.problems.length > 0) return { ok: false, failure: settingsFailure(reader.problems, warnings) };
  return { ok: true, settings: freezeDeep(settings), warnings };
}

/** The address that partners and links use; without PUBLIC_BASE_URL it is this machine at the port in use. */
export function publicBaseUrl(settings: Settings, boundPort: number): string {
  return settings.publicBaseUrl ?? `http://localhost:${boundPort}`;
}

function collect(reader: SettingReader, workingDirectory: string): Settings {
  const apiKey = readApiKey(reader);
  const appDataDir = resolve(workingDirectory, reader.text('APP_DATA_DIR') ?? './data');
  const cutters = readCutters(reader);
  const directory = (variable: string, path: string): string => reader.directory(variable, appDataDir, path);
  const count = (variable: string, defaultValue: number, min: number, max: number): number =>
    reader.number(variable, { default: defaultValue, min, max, whole: true });
  const seconds = (variable: string, defaultValue: number, min: number, max: number): number =>
    Math.round(reader.number(variable, { default: defaultValue, min, max, whole: false }) * 1000);
  const spotColours = [...new Set(reader.list('CUT_SPOT_COLORS'))];
  return {
    apiHost: readHost(reader, reader.raw('API_KEY') === null ? '127.0.0.1' : '0.0.0.0'),
    apiPort: count('API_PORT', 8080, 0, 65_535),
    publicBaseUrl: readBaseUrl(reader),
    apiKey,
    appDataDir,
    cutters,
    dlsEnabled: reader.boolean('DLS_ENABLED', cutters.length > 0),
    dlsPollIntervalMs: seconds('DLS_POLL_INTERVAL_SECONDS', 1, 0.5, 2),
    dlsTimeoutMs: seconds('DLS_TIMEOUT_SECONDS', 5, 3, 10),
    sendRetryTotalMs: count('SEND_RETRY_TOTAL_MS', 3000, 0, 60_000),
    sendRetryIntervalMs: count('SEND_RETRY_INTERVAL_MS', 50, 1, 10_000),
    gpglStepsPerMm: readStepsPerMm(reader),
    // Uploads are collected in memory: one gibibyte is more than any board this runs on should give to one client.
    maxUploadBytes: count('MAX_UPLOAD_BYTES', 67_108_864, 1, 1_073_741_824),
    cutSpotColours: spotColours.length > 0 ? spotColours : ['CutContour'],
    barcodePrefix: readBarcodePrefix(reader),
    joinToleranceMm: reader.number('JOIN_TOLERANCE_MM', { default: 0.02, min: 0, max: 1, whole: false }),
    overcutMm: reader.number('OVERCUT_MM', { default: 0.5, min: 0, max: 10, whole: false }),
    materialsFile: reader.text('MATERIALS_FILE') === null ? null : directory('MATERIALS_FILE', 'materials.json'),
    ingestEnabled: reader.boolean('INGEST_ENABLED', true),
    ingestInboxDir: directory('INGEST_INBOX_DIR', 'inbox/cut'),
    ingestProcessedDir: directory('INGEST_PROCESSED_DIR', 'processed'),
    ingestErrorDir: directory('INGEST_ERROR_DIR', 'errors'),
    ingestFileMinAgeMs: seconds('INGEST_FILE_MIN_AGE_SECONDS', 2, 0, 3600),
    printIngestEnabled: reader.boolean('PRINT_INGEST_ENABLED', true),
    printInboxDir: directory('PRINT_INBOX_DIR', 'inbox/print'),
    printOutboxDir: directory('PRINT_OUTBOX_DIR', 'outbox/print'),
    printErrorDir: directory('PRINT_ERROR_DIR', 'errors'),
    webhookUrl: readWebhookUrl(reader),
    webhookSecret: readWebhookSecret(reader),
    webhookAllowCidrs: readCidrs(reader),
    rateLimitPerSecond: reader.text('RATE_LIMIT_PER_SECOND') === null
      ? null
      : reader.number('RATE_LIMIT_PER_SECOND', { default: 0, min: 0, max: 100_000, whole: false }),
    webhookEndpointsMax: count('WEBHOOK_ENDPOINTS_MAX', 100, 1, 100_000),
    quoteFilesMax: count('QUOTE_FILES_MAX', 10, 1, 1000),
    logLevel: reader.oneOf('LOG_LEVEL', logLevels, 'info'),
  };
}

/** Rules that bind several settings. */
function checkTogether(reader: SettingReader, settings: Settings): void {
  if (settings.sendRetryTotalMs > 0 && settings.sendRetryIntervalMs > settings.sendRetryTotalMs) {
    reader.refuse('SEND_RETRY_INTERVAL_MS', 'CONFLICT', `${settings.sendRetryIntervalMs} is longer than SEND_RETRY_TOTAL_MS (${settings.sendRetryTotalMs})`, null);
  }
  // A folder that is watched must not be one that Kerf writes to: it would take its own output for new work.
  const inboxes = { INGEST_INBOX_DIR: settings.ingestInboxDir, PRINT_INBOX_DIR: settings.printInboxDir };
  const others = {
    ...inboxes,
    INGEST_PROCESSED_DIR: settings.ingestProcessedDir, INGEST_ERROR_DIR: settings.ingestErrorDir,
    PRINT_OUTBOX_DIR: settings.printOutboxDir, PRINT_ERROR_DIR: settings.printErrorDir, APP_DATA_DIR: settings.appDataDir,
  };
  for (const [inbox, path] of Object.entries(inboxes)) {
    for (const [other, otherPath] of Object.entries(others)) {
      const pairSeen = other in inboxes && other <= inbox;
      if (pairSeen || path !== otherPath) continue;
      reader.refuse(inbox, 'CONFLICT', `${path} is also ${other}; a watched folder must be a folder of its own`, null);
    }
  }
}

function warn(reader: SettingReader, settings: Settings): SettingWarning[] {
  const warnings: SettingWarning[] = [];
  if (reader.isEmpty('API_KEY')) {
    warnings.push({ variable: 'API_KEY', code: 'EMPTY', detail: 'API_KEY is set to nothing, so Area C is open to whoever reaches the listener' });
  }
  const loopback = /^(127\.|::1$)/.test(settings.apiHost);
  if (settings.apiKey === null && !loopback && reader.problems.length === 0) {
    warnings.push({ variable: 'API_HOST', code: 'OPEN_TO_NETWORK', detail: `without an API_KEY everybody who reaches ${settings.apiHost} can use the cutters` });
  }
  if (settings.apiKey !== null && settings.apiKey.length < 16) {
    warnings.push({ variable: 'API_KEY', code: 'SHORT_KEY', detail: `a key of ${settings.apiKey.length} characters can be guessed; use at least 16` });
  }
  return warnings;
}

function freezeDeep<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freezeDeep(member);
  }
  return Object.freeze(value);
}
