import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCutter, type CutterSimulator } from '../../firmware-sim/index.ts';
import { eventually, prepare, samplePdf, startKerf, temporaryDirectory, type TestKerf } from '../support/kerf.ts';

interface Status {
  current_status: number;
  standby_mode: boolean;
  last_error: string | null;
  last_error_code: string | null;
  last_hand_off: { state: string; job_id: string; bytes_sent: number } | null;
  recent_events: { kind: string; message: string }[];
}

const timeScale = 100;
const network = createCutter({ model: 'FC9000-140', tcpPort: 0, timeScale });
const serialPath = join(temporaryDirectory('pty'), 'cutter');
const serial = createCutter({ model: 'CE7000-60', ptyPath: serialPath, timeScale });
let kerf: TestKerf;

before(async () => {
  assert.ok((await network.start()).ok && (await serial.start()).ok);
  kerf = await startKerf({ CUTTERS: `network=127.0.0.1:${network.addresses().tcp?.port ?? 0},serial=serial://${serialPath}` });
  await bothAnswer();
});

after(async () => {
  await kerf.stop();
  await network.stop();
  await serial.stop();
});

async function statusOf(cutter: string): Promise<Status> {
  return (await kerf.get(`/dls/status?cutter=${cutter}`)) as Status;
}

async function bothAnswer(): Promise<void> {
  for (const cutter of ['network', 'serial']) await eventually(`${cutter} answers`, async () => ((await statusOf(cutter)).current_status === 0 ? true : undefined));
}

async function register(linkInfo?: string, name?: string): Promise<{ id: string; linkInfo: string }> {
  const answer = await prepare(kerf.url, samplePdf(), { ...(linkInfo === undefined ? {} : { barcode_link_info: linkInfo }), ...(name === undefined ? {} : { name }) });
  assert.equal(answer.status, 200);
  return { id: answer.headers.get('X-Job-Id') ?? '', linkInfo: answer.headers.get('X-Barcode') ?? '' };
}

const ended = (cutter: string, jobId: string): Promise<Status> =>
  eventually(`${cutter} is done with the job`, async () => {
    const status = await statusOf(cutter);
    const handOff = status.last_hand_off;
    return handOff?.job_id === jobId && !['sending', 'sent', 'cutting'].includes(handOff.state) ? status : undefined;
  });

function lastJob(cutter: CutterSimulator): { bytes: Uint8Array; bounds: { min_x_mm: number; max_x_mm: number; min_y_mm: number; max_y_mm: number } } {
  const n = cutter.received().length - 1;
  const bytes = cutter.receivedBytes(n);
  const bounds = cutter.received()[n]?.bounds;
  assert.ok(bytes.ok && bounds);
  return { bytes: bytes.value, bounds };
}

/** The operator confirms the error, once the cutter shows it. */
async function acknowledged(): Promise<void> {
  await eventually('the network cutter is idle again', () => {
    if (network.state().state === 7) network.panel.acknowledge();
    return network.state().state === 0 ? true : undefined;
  });
}

describe('from the print PDF to the cut', () => {
  for (const [name, cutter] of [['network', network], ['serial', serial]] as const) {
    it(`hands the one matching job to the ${name} cutter, byte for byte, without a selection`, async () => {
      const job = await register();
      assert.ok(cutter.panel.scan(job.linkInfo).ok);
      const status = await ended(name, job.id);
      assert.equal(status.last_hand_off?.state, 'finished');
      const stored = new Uint8Array(await (await fetch(`${kerf.url}/jobs/${job.id}/gpgl`)).arrayBuffer());
      assert.deepEqual(new Uint8Array(lastJob(cutter).bytes), stored);
      assert.deepEqual(cutter.received().at(-1)?.vector, { fx: 60, fy: 400, rx: 0, ry: 0 });
      // Sample sheet, 297 × 420 mm, mark 1 at (247, 35): F and label x 95…205, disc to x 235, y 150…320.
      assert.deepEqual(lastJob(cutter).bounds, { min_x_mm: 115, max_x_mm: 285, min_y_mm: 12, max_y_mm: 152 });
      const kinds = status.recent_events.map((event) => event.kind).filter((kind) => kind !== 'status');
      assert.deepEqual(kinds.slice(-5), ['scan', 'offer', 'selected', 'sent', 'finished']);
    });
  }

  it('offers the newest eight of the matching jobs, newest first, and sends the one that was chosen', async () => {
    const jobs = [];
    for (let i = 1; i <= 10; i += 1) jobs.push(await register('A0200ROLL', `Variant ${i}`));
    assert.ok(network.panel.scan('A0200ROLL').ok);
    const offered = await eventually('the list is shown', () => (network.state().state === 3 ? network.state().offered : undefined));
    assert.deepEqual(offered, [10, 9, 8, 7, 6, 5, 4, 3].map((i) => `Variant ${i}`));
    assert.ok(network.panel.select(2).ok);
    const chosen = jobs[7];
    assert.ok(chosen);
    assert.equal((await ended('network', chosen.id)).last_hand_off?.state, 'finished');
    assert.equal(network.received().at(-1)?.name, 'Variant 8');
    const list = (await kerf.get('/jobs?barcode_link_info=A0200ROLL&limit=3')) as { name: string; last_hand_off: { outcome: string; cutter: string } | null }[];
    assert.deepEqual(list.map((job) => job.name), ['Variant 10', 'Variant 9', 'Variant 8']);
    assert.deepEqual([list[2]?.last_hand_off?.outcome, list[2]?.last_hand_off?.cutter, list[0]?.last_hand_off], ['finished', 'network', null]);
  });

  it('sends an empty list when nothing matches', async () => {
    assert.ok(network.panel.scan('NOBODYHAS').ok);
    await eventually('the cutter is told that there is no job', async () => ((await statusOf('network')).recent_events.some((event) => event.kind === 'no_match') ? true : undefined));
    assert.deepEqual(network.state().offered, []);
    await eventually('the cutter is idle again', () => (network.state().state === 0 ? true : undefined));
  });

  it('notices within five seconds that a cutter vanished, and finds it again by itself', async () => {
    const vanish = async (name: string, cutter: CutterSimulator): Promise<void> => {
      assert.ok(cutter.panel.fault('go_awol', undefined, 'always').ok);
      const since = Date.now();
      await eventually(`${name} is missed`, async () => ((await statusOf(name)).current_status === -999 ? true : undefined), 6000);
      assert.ok(Date.now() - since < 5500, `${name} was missed after ${Date.now() - since} ms`);
      cutter.panel.clearFaults();
      await eventually(`${name} is back`, async () => ((await statusOf(name)).current_status === 0 ? true : undefined));
    };
    await Promise.all([vanish('network', network), vanish('serial', serial)]);
  });

  it('stands by when the operator chose another server\'s job, and says so', async () => {
    const job = await register();
    const before = network.received().length;
    assert.ok(network.panel.fault('second_server', undefined, 'once').ok);
    assert.ok(network.panel.scan(job.linkInfo).ok);
    const status = await eventually('it stands by', async () => {
      const now = await statusOf('network');
      return now.last_error_code === 'OTHER_SERVER' ? now : undefined;
    });
    assert.match(status.last_error ?? '', /another server/);
    assert.equal(network.received().length, before);
    network.panel.clearFaults();
    network.panel.cancel();
    await acknowledged();
  });

  it('reports a link that breaks in the middle of a job as interrupted or unknown, and sends nothing again', async () => {
    const job = await register();
    const before = network.received().length;
    assert.ok(network.panel.fault('drop_connection', '300', 'once').ok);
    assert.ok(network.panel.scan(job.linkInfo).ok);
    const status = await ended('network', job.id);
    assert.ok(['interrupted', 'unknown_outcome'].includes(status.last_hand_off?.state ?? ''), status.last_hand_off?.state);
    await acknowledged();
    const polls = network.log().length;
    await eventually('it was polled a few times more', () => (network.log().length > polls + 6 ? true : undefined));
    assert.ok(network.received().length <= before + 1);
  });
});

describe('print preparation over HTTP', () => {
  it('answers with the marked PDF and a job whose detail tells all of it', async () => {
    const answer = await prepare(kerf.url, samplePdf(), { barcode_link_info: 'ABC123XYZ' }, 'Größe №1 “Aufkleber”.PDF');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('Content-Type'), 'application/pdf');
    assert.deepEqual([answer.headers.get('X-Barcode'), answer.headers.get('X-Cut-Source'), answer.headers.get('X-Cut-Segments')], ['ABC123XYZ', 'processing-steps', '186']);
    assert.equal(Buffer.from(await answer.arrayBuffer()).subarray(0, 5).toString(), '%PDF-');
    const job = (await kerf.get(`/jobs/${answer.headers.get('X-Job-Id') ?? ''}`)) as Record<string, unknown>;
    assert.equal(job.name, 'Grosse No1 "Aufkleber"');
    assert.deepEqual([job.regmark_fx, job.regmark_fy, job.regmark_rx, job.regmark_ry, job.command_type], [60, 400, 0, 0, 0]);
    assert.deepEqual((job.command_preview as string[]).slice(0, 7), ['TB99', 'TB51,200', 'TB52,2', 'TB54,0,0', 'TB55,1', 'TB24,3350,1970', 'TB99']);
    const bytes = Buffer.from(await (await fetch(`${kerf.url}/jobs/${String(job.id)}/gpgl`)).arrayBuffer());
    assert.deepEqual([bytes.byteLength, createHash('sha256').update(bytes).digest('hex')], [job.command_length, job.command_sha256]);
  });

  it('refuses with a code and a sentence, and leaves no job behind', async () => {
    const jobs = (): Promise<unknown> => kerf.get('/jobs');
    const before = await jobs();
    const refused = async (pdf: Uint8Array<ArrayBuffer>, fields: Record<string, string>, code: string): Promise<void> => {
      const answer = await prepare(kerf.url, pdf, fields);
      const body = (await answer.json()) as { code: string; detail: string; status: number };
      assert.deepEqual([answer.status, answer.headers.get('Content-Type'), body.code, body.status], [400, 'application/problem+json', code, 400]);
      assert.ok(body.detail.length > 20, body.detail);
    };
    const text = (words: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(words));
    await refused(text('hello'), {}, 'NOT_A_PDF');
    await refused(text('%PDF-1.7\nnothing here'), {}, 'PDF_UNREADABLE');
    await refused(samplePdf(), { barcode_link_info: 'GABCDEFGH' }, 'INVALID_BARCODE');
    await refused(samplePdf(), { barcode_link_info: 'short' }, 'INVALID_BARCODE');
    await refused(samplePdf(), { name: 'a name that is longer than 25' }, 'INVALID_NAME');
    await refused(samplePdf(), { name: 'Größe' }, 'INVALID_NAME');
    await refused(new Uint8Array(), {}, 'MISSING_FILE');
    await refused(samplePdf(), { barcode_link: 'ABC123XYZ' }, 'INVALID_PARAMETER');
    assert.deepEqual(await jobs(), before);
  });

  it('never gives two sheets the same minted code, also when they are prepared at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => prepare(kerf.url, samplePdf())));
    const codes = answers.map((answer) => answer.headers.get('X-Barcode'));
    assert.equal(new Set(codes).size, 6, codes.join(' '));
  });
});
