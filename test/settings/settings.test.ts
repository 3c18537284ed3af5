import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loadSettings, publicBaseUrl, readSettings, settingNames, type Environment, type Settings, type SettingsFailure } from '../../src/settings/index.ts';
import { editDistance } from '../../src/settings/lookalikes.ts';

const at = '/srv/kerf';

function accepted(environment: Environment): Settings {
  const result = readSettings(environment, at);
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return result.settings;
}

function refused(environment: Environment): SettingsFailure {
  const result = readSettings(environment, at);
  assert.ok(!result.ok, 'expected a refusal');
  return result.failure;
}

function codes(environment: Environment): string[] {
  return refused(environment).problems.map((problem) => `${problem.variable} ${problem.code}`);
}

function warnings(environment: Environment): string[] {
  const result = readSettings(environment, at);
  return (result.ok ? result.warnings : result.failure.warnings).map((warning) => `${warning.variable} ${warning.code}`);
}

describe('settings', () => {
  it('have the documented defaults when nothing is set', () => {
    assert.deepEqual(accepted({}), {
      apiHost: '127.0.0.1', apiPort: 8080, publicBaseUrl: null, apiKey: null, appDataDir: '/srv/kerf/data',
      cutters: [], dlsEnabled: false, dlsPollIntervalMs: 1000, dlsTimeoutMs: 5000, sendRetryTotalMs: 3000, sendRetryIntervalMs: 50,
      gpglStepsPerMm: 10, maxUploadBytes: 67108864, cutSpotColours: ['CutContour'], barcodePrefix: 'F',
      joinToleranceMm: 0.02, overcutMm: 0.5, materialsFile: null,
      ingestEnabled: true, ingestInboxDir: '/srv/kerf/data/inbox/cut', ingestProcessedDir: '/srv/kerf/data/processed',
      ingestErrorDir: '/srv/kerf/data/errors', ingestFileMinAgeMs: 2000,
      printIngestEnabled: true, printInboxDir: '/srv/kerf/data/inbox/print', printOutboxDir: '/srv/kerf/data/outbox/print',
      printErrorDir: '/srv/kerf/data/errors',
      webhookUrl: null, webhookSecret: null, webhookAllowCidrs: [], rateLimitPerSecond: null,
      webhookEndpointsMax: 100, quoteFilesMax: 10, logLevel: 'info',
    });
  });

  it('are frozen to the last member', () => {
    const settings = accepted({ CUTTERS: 'a=tcp://h' });
    assert.ok(Object.isFrozen(settings) && Object.isFrozen(settings.cutters) && Object.isFrozen(settings.cutters[0]));
  });

  it('tell all problems in one answer', () => {
    const failure = refused({ API_PORT: 'eighty', DLS_TIMEOUT_SECONDS: '99', LOG_LEVEL: 'loud', INGEST_ENABLED: 'perhaps', CUTTERS: 'one' });
    assert.deepEqual(failure.problems.map((problem) => `${problem.variable} ${problem.code}`).sort(), [
      'API_PORT NOT_A_NUMBER', 'CUTTERS BAD_FORMAT', 'DLS_TIMEOUT_SECONDS OUT_OF_RANGE', 'INGEST_ENABLED NOT_A_BOOLEAN', 'LOG_LEVEL NOT_ALLOWED',
    ]);
    for (const { variable } of failure.problems) assert.match(failure.detail, new RegExp(`^  ${variable}: `, 'm'));
    assert.match(failure.detail, /^5 settings are wrong:/);
  });

  it('bind to loopback without a key, to the network with one, and to API_HOST in any case', () => {
    assert.equal(accepted({}).apiHost, '127.0.0.1');
    assert.equal(accepted({ API_KEY: 'k'.repeat(20) }).apiHost, '0.0.0.0');
    assert.equal(accepted({ API_KEY: 'k'.repeat(20), API_HOST: '10.0.0.7' }).apiHost, '10.0.0.7');
    assert.equal(accepted({ API_HOST: '[::1]' }).apiHost, '::1');
    assert.equal(accepted({ API_HOST: 'kerf.local' }).apiHost, 'kerf.local');
    assert.equal(accepted({ API_HOST: 'LocalHost' }).apiHost, '127.0.0.1');
  });

  it('refuse a host that is an address with a port or a scheme', () => {
    for (const host of ['http://x', '10.0.0.1:8080', '300.1.1.1', 'a b', '-x', '1.2.3']) assert.deepEqual(codes({ API_HOST: host }), ['API_HOST BAD_FORMAT'], host);
  });

  it('split cutters at the first equals sign, and keep the address as written', () => {
    assert.deepEqual(accepted({ CUTTERS: 'big=tcp://10.0.0.5:9100, small_2=serial:///dev/serial/by-id/x?baudRate=9600&rtscts=true,' }).cutters, [
      { name: 'big', address: 'tcp://10.0.0.5:9100' },
      { name: 'small_2', address: 'serial:///dev/serial/by-id/x?baudRate=9600&rtscts=true' },
    ]);
  });

  it('refuse cutters without name, without address, with a bad name, and twice the same name', () => {
    assert.deepEqual(codes({ CUTTERS: '=tcp://x' }), ['CUTTERS BAD_FORMAT']);
    assert.deepEqual(codes({ CUTTERS: 'a=' }), ['CUTTERS BAD_FORMAT']);
    assert.deepEqual(codes({ CUTTERS: 'a b=tcp://x' }), ['CUTTERS BAD_FORMAT']);
    assert.deepEqual(codes({ CUTTERS: `${'n'.repeat(41)}=tcp://x` }), ['CUTTERS BAD_FORMAT']);
    assert.deepEqual(codes({ CUTTERS: 'a=tcp://x,A=tcp://y' }), ['CUTTERS DUPLICATE']);
    assert.equal(accepted({ CUTTERS: `${'n'.repeat(40)}=tcp://x` }).cutters.length, 1);
  });

  it('poll at boot when there are cutters, unless told otherwise', () => {
    assert.equal(accepted({ CUTTERS: 'a=tcp://x' }).dlsEnabled, true);
    assert.equal(accepted({ CUTTERS: 'a=tcp://x', DLS_ENABLED: 'off' }).dlsEnabled, false);
  });

  it('hold the documented ranges, both ends included', () => {
    assert.equal(accepted({ DLS_POLL_INTERVAL_SECONDS: '0.5' }).dlsPollIntervalMs, 500);
    assert.equal(accepted({ DLS_POLL_INTERVAL_SECONDS: '2.0' }).dlsPollIntervalMs, 2000);
    assert.equal(accepted({ DLS_TIMEOUT_SECONDS: '3' }).dlsTimeoutMs, 3000);
    assert.equal(accepted({ DLS_TIMEOUT_SECONDS: '10' }).dlsTimeoutMs, 10000);
    for (const value of ['0.49', '2.01', '-1', '1e1', '0x1', 'NaN', 'Infinity', '1,5']) assert.equal(refused({ DLS_POLL_INTERVAL_SECONDS: value }).problems.length, 1, value);
    assert.equal(accepted({ API_PORT: '0' }).apiPort, 0);
    assert.deepEqual(codes({ API_PORT: '65536' }), ['API_PORT OUT_OF_RANGE']);
    assert.deepEqual([10, 20, 40, 100].map((steps) => accepted({ GPGL_STEPS_PER_MM: String(steps) }).gpglStepsPerMm), [10, 20, 40, 100]);
    assert.deepEqual(codes({ GPGL_STEPS_PER_MM: '25' }), ['GPGL_STEPS_PER_MM NOT_ALLOWED']);
  });

  it('resolve every directory: relative ones and $APP_DATA_DIR from the data directory, absolute ones as they are', () => {
    const settings = accepted({
      APP_DATA_DIR: 'store', INGEST_INBOX_DIR: 'in', INGEST_PROCESSED_DIR: '$APP_DATA_DIR/done', INGEST_ERROR_DIR: '${APP_DATA_DIR}/bad', PRINT_INBOX_DIR: '/mnt/print/',
    });
    assert.equal(settings.appDataDir, '/srv/kerf/store');
    assert.equal(settings.ingestInboxDir, '/srv/kerf/store/in');
    assert.equal(settings.ingestProcessedDir, '/srv/kerf/store/done');
    assert.equal(settings.ingestErrorDir, '/srv/kerf/store/bad');
    assert.equal(settings.printInboxDir, '/mnt/print');
  });

  it('refuse a watched folder that is also another folder', () => {
    assert.deepEqual(codes({ INGEST_INBOX_DIR: '/a', PRINT_INBOX_DIR: '/a/' }), ['INGEST_INBOX_DIR CONFLICT']);
    assert.deepEqual(codes({ INGEST_INBOX_DIR: '/a', PRINT_OUTBOX_DIR: '/b/../a' }), ['INGEST_INBOX_DIR CONFLICT']);
    assert.deepEqual(codes({ PRINT_INBOX_DIR: '.' }), ['PRINT_INBOX_DIR CONFLICT']);
  });

  it('refuse an interval between retries that is longer than all retries together', () => {
    assert.deepEqual(codes({ SEND_RETRY_TOTAL_MS: '100', SEND_RETRY_INTERVAL_MS: '200' }), ['SEND_RETRY_INTERVAL_MS CONFLICT']);
  });

  it('refuse a key that no header can carry', () => {
    for (const key of ['schlüssel-schlüssel', ' leading', 'trailing ', 'a\nb', 'k'.repeat(8193)]) assert.equal(refused({ API_KEY: key }).problems[0]?.variable, 'API_KEY');
    assert.equal(accepted({ API_KEY: 'with space inside' }).apiKey, 'with space inside');
  });

  it('take addresses only as http or https, without credentials', () => {
    assert.equal(accepted({ PUBLIC_BASE_URL: 'https://print.example.com/kerf/' }).publicBaseUrl, 'https://print.example.com/kerf');
    for (const url of ['ftp://x', 'print.example.com', 'https://u:p@x', 'https://x?y=1', 'https://x#y']) assert.deepEqual(codes({ PUBLIC_BASE_URL: url }), ['PUBLIC_BASE_URL BAD_FORMAT'], url);
    assert.deepEqual(codes({ WEBHOOK_URL: 'file:///etc/passwd' }), ['WEBHOOK_URL BAD_FORMAT']);
  });

  it('fall back to this machine and the bound port as public address', () => {
    assert.equal(publicBaseUrl(accepted({}), 8123), 'http://localhost:8123');
    assert.equal(publicBaseUrl(accepted({ PUBLIC_BASE_URL: 'https://a.example' }), 8123), 'https://a.example');
  });

  it('check the webhook secret and networks', () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    assert.equal(accepted({ WEBHOOK_SECRET: secret }).webhookSecret, secret);
    for (const bad of ['secret', 'whsec_', 'whsec_AAAA', `whsec_${Buffer.alloc(65).toString('base64')}`]) assert.deepEqual(codes({ WEBHOOK_SECRET: bad }), ['WEBHOOK_SECRET BAD_FORMAT']);
    assert.deepEqual(accepted({ WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, ::1, fd00::/8' }).webhookAllowCidrs, ['10.0.0.0/8', '::1', 'fd00::/8']);
    for (const bad of ['10.0.0.0/33', 'example.com', '10.0.0.0/8/8', 'fe80::1%eth0', '1.2.3.4/']) assert.deepEqual(codes({ WEBHOOK_ALLOW_CIDRS: bad }), ['WEBHOOK_ALLOW_CIDRS BAD_FORMAT'], bad);
  });

  it('never let minted barcodes begin with G', () => {
    for (const bad of ['G', 'GA', 'f', 'ABCDEF', 'Ä']) assert.deepEqual(codes({ BARCODE_PREFIX: bad }), ['BARCODE_PREFIX BAD_FORMAT'], bad);
    assert.equal(accepted({ BARCODE_PREFIX: 'AG' }).barcodePrefix, 'AG');
  });

  it('count an empty variable as not set, and say so for the key', () => {
    assert.equal(accepted({ API_PORT: '', CUTTERS: ' ', LOG_LEVEL: '' }).apiPort, 8080);
    assert.deepEqual(warnings({ API_KEY: '' }), ['API_KEY EMPTY']);
  });

  it('warn about an open listener and a short key', () => {
    assert.deepEqual(warnings({ API_HOST: '0.0.0.0' }), ['API_HOST OPEN_TO_NETWORK']);
    assert.deepEqual(warnings({ API_KEY: 'short' }), ['API_KEY SHORT_KEY']);
    assert.deepEqual(warnings({ API_KEY: 'long enough for anyone' }), []);
  });
});

describe('look-alikes of settings', () => {
  it('are named', () => {
    for (const [name, meant] of [['API_PROT', 'API_PORT'], ['CUTTER', 'CUTTERS'], ['api_key', 'API_KEY'], ['APIKEY', 'API_KEY'], ['KERF_API_PORT', 'API_PORT'], ['CUT_SPOT_COLOURS', 'CUT_SPOT_COLORS'], ['DLS_TIMEOUT_SECOND', 'DLS_TIMEOUT_SECONDS']] as const) {
      const result = readSettings({ [name]: 'x' }, at);
      assert.ok(result.ok);
      assert.equal(result.warnings.length, 1, name);
      assert.match(result.warnings[0]?.detail ?? '', new RegExp(`did you mean ${meant}\\?`));
    }
  });

  it('are not seen in the usual variables of a shell', () => {
    const shell = ['PATH', 'HOME', 'PWD', 'OLDPWD', 'LANG', 'LC_ALL', 'SHELL', 'TERM', 'USER', 'LOGNAME', 'PORT', 'HOST', 'NODE_ENV', 'npm_config_cache', 'EDITOR', 'DISPLAY', 'XDG_DATA_DIRS', 'SHLVL', 'LOG', 'APPDATA', 'HOSTNAME', 'JOURNAL_STREAM', 'INVOCATION_ID'];
    assert.deepEqual(warnings(Object.fromEntries(shell.map((name) => [name, 'x']))), []);
  });

  it('never name a setting that exists', () => {
    assert.deepEqual(warnings(Object.fromEntries(settingNames.map((name) => [name, '']))).filter((warning) => warning.endsWith('LOOKS_LIKE')), []);
  });

  it('are measured by edits, a swap of neighbours being one', () => {
    assert.equal(editDistance('API_PROT', 'API_PORT', 2), 1);
    assert.equal(editDistance('ABC', 'ABC', 2), 0);
    assert.equal(editDistance('', 'AB', 2), 2);
    assert.ok(editDistance('ABCDEF', 'UVWXYZ', 2) > 2);
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => editDistance(a, b, 50) === editDistance(b, a, 50)), { numRuns: 200 });
  });
});

describe('the .env file', () => {
  async function inDirectory(body: (directory: string) => Promise<void>): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'kerf-settings-'));
    try {
      await body(directory);
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  it('is read from the working directory, a real variable wins', async () => {
    await inDirectory(async (directory) => {
      await writeFile(join(directory, '.env'), '# shop\nAPI_PORT=9001\nAPI_KEY="a key with spaces #1"\nLOG_LEVEL=debug\n');
      const result = loadSettings({ LOG_LEVEL: 'warn' }, directory);
      assert.ok(result.ok);
      assert.equal(result.settings.apiPort, 9001);
      assert.equal(result.settings.apiKey, 'a key with spaces #1');
      assert.equal(result.settings.logLevel, 'warn');
      assert.equal(result.settings.appDataDir, join(directory, 'data'));
    });
  });

  it('may be absent', async () => {
    await inDirectory((directory) => {
      assert.ok(loadSettings({}, directory).ok);
      return Promise.resolve();
    });
  });

  it('that cannot be read is told together with the other problems', async () => {
    await inDirectory(async (directory) => {
      await mkdir(join(directory, '.env'));
      const result = loadSettings({ API_PORT: 'x' }, directory);
      assert.ok(!result.ok);
      assert.deepEqual(result.failure.problems.map((problem) => problem.code), ['UNREADABLE', 'NOT_A_NUMBER']);
    });
  });
});
