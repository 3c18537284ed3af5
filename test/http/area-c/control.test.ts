import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addressOf, codeOf, etx, eventually, events, importJob, member, squareJob, startStage, statusOf, temporaryDirectory, untilStatus, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({ left: {}, right: { model: 'CE7000-60', ptyPath: join(temporaryDirectory('control'), 'cutter'), stepMm: 0.1 }, slow: { timeScale: 1 } });
  for (const cutter of ['left', 'right', 'slow']) await untilStatus(stage.api, cutter, { current_status: 0 });
});
after(() => stage.stop());

const simulator = (index: number) => {
  const cutter = stage.cutters[index];
  assert.ok(cutter);
  return cutter;
};

/** Frames of the Data Link that the cutter got since, by their beginning: "d1", "C31". */
function framesSince(index: number, position: number): string[] {
  return simulator(index).log().slice(position).flatMap((entry) => [...JSON.stringify(entry).matchAll(/\.(d\d|C31)/g)].map(([, name]) => name ?? ''));
}

describe('starting and stopping the polling of a cutter', () => {
  it('tells what each call did', async () => {
    const start = await stage.api.expect(200, 'POST', '/dls/start?cutter=left');
    assert.deepEqual([member(start.json, 'start_accepted'), member(start.json, 'is_running')], [false, true]);
    const stop = await stage.api.expect(200, 'POST', '/dls/stop?cutter=left');
    assert.deepEqual([member(stop.json, 'stop_completed'), member(stop.json, 'is_running'), member(stop.json, 'current_status')], [true, false, -999]);
    const position = simulator(0).log().length;
    assert.equal(member((await stage.api.expect(200, 'POST', '/dls/stop?cutter=left')).json, 'stop_completed'), true);
    assert.deepEqual(framesSince(0, position), []);
    const again = await stage.api.expect(200, 'POST', '/dls/start?cutter=left');
    assert.deepEqual([member(again.json, 'start_accepted'), member(again.json, 'is_running')], [true, true]);
    await untilStatus(stage.api, 'left', { current_status: 0 });
    assert.deepEqual((await events(stage.api, 'left')).filter(({ kind }) => kind === 'started' || kind === 'stopped').map(({ kind }) => kind), ['started', 'stopped', 'started']);
  });

  it('acts on all cutters without a name, and on none for a name there is none of', async () => {
    const stopped = await stage.api.expect(200, 'POST', '/dls/stop');
    assert.ok(Array.isArray(stopped.json));
    assert.deepEqual(stopped.json.map((status: unknown) => [member(status, 'cutter_name'), member(status, 'stop_completed')]), [['left', true], ['right', true], ['slow', true]]);
    await stage.api.expect(200, 'POST', '/dls/start?cutter=right');
    const started = await stage.api.expect(200, 'POST', '/dls/start');
    assert.ok(Array.isArray(started.json));
    assert.deepEqual(started.json.map((status: unknown) => member(status, 'start_accepted')), [true, false, true]);
    for (const cutter of ['left', 'right', 'slow']) await untilStatus(stage.api, cutter, { current_status: 0 });
    for (const path of ['/dls/start', '/dls/stop']) assert.equal(codeOf(await stage.api.expect(404, 'POST', `${path}?cutter=none`)), 'CUTTER_NOT_FOUND');
  });

  it('asked for many times at once begins it once', async () => {
    await stage.api.expect(200, 'POST', '/dls/stop?cutter=left');
    const answers = await Promise.all(Array.from({ length: 5 }, () => stage.api.expect(200, 'POST', '/dls/start?cutter=left')));
    assert.equal(answers.filter(({ json }) => member(json, 'start_accepted') === true).length, 1);
    await untilStatus(stage.api, 'left', { current_status: 0 });
  });

  it('does not stop while a job is being sent; the stream goes on and is followed to its end', async () => {
    const long = squareJob.replace(`M0,0${etx}`, `M0,0${etx}`.repeat(200_000));
    await importJob(stage.api, { name: 'Long', barcode_link_info: 'STREAM001', command_sequence: long });
    assert.ok(simulator(0).panel.fault('slow_read', '400000').ok);
    assert.ok(simulator(0).panel.scan('STREAM001').ok);
    await eventually('bytes are on their way', async () => (member(await statusOf(stage.api, 'left'), 'progress', 'taken_bytes') === undefined ? undefined : true));
    const stop = await stage.api.expect(200, 'POST', '/dls/stop?cutter=left');
    assert.deepEqual([member(stop.json, 'stop_completed'), member(stop.json, 'is_running'), member(stop.json, 'last_hand_off', 'state')], [false, true, 'sending']);
    const info = await stage.api.expect(409, 'GET', '/cutter/info?cutter=left');
    assert.deepEqual([codeOf(info), String(member(info.json, 'detail')).includes('left: a job is being sent')], ['CUTTER_BUSY', true]);
    simulator(0).panel.clearFaults();
    const status = await eventually('the cut is over', async () => {
      const now = await statusOf(stage.api, 'left');
      return ['sending', 'sent', 'cutting'].includes(String(member(now, 'last_hand_off', 'state'))) ? undefined : now;
    });
    assert.deepEqual([member(status, 'last_hand_off', 'state'), member(status, 'last_hand_off', 'bytes_sent')], ['finished', long.length]);
    assert.equal(simulator(0).received().length, 1);
  });
});

describe('asking a machine who it is', () => {
  it('answers what it says now, over TCP and over a serial line', async () => {
    const { json } = await stage.api.expect(200, 'GET', '/cutter/info');
    assert.deepEqual(json, [
      { cutter_name: 'left', cutter_model: 'FC9000-140', firmware: '1.39', cutter_step_size_mm: 0.1, command_setting: 'GP-GL' },
      { cutter_name: 'right', cutter_model: 'CE7000-60', firmware: member(json, 1, 'firmware'), cutter_step_size_mm: 0.1, command_setting: 'GP-GL' },
      { cutter_name: 'slow', cutter_model: 'FC9000-140', firmware: '1.39', cutter_step_size_mm: 0.1, command_setting: 'GP-GL' },
    ]);
    assert.deepEqual((await stage.api.expect(200, 'GET', '/cutter/info?cutter=right')).json, member(json, 1));
    assert.equal(codeOf(await stage.api.expect(404, 'GET', '/cutter/info?cutter=none')), 'CUTTER_NOT_FOUND');
  });

  it('asks a cutter whose polling is off too', async () => {
    await stage.api.expect(200, 'POST', '/dls/stop?cutter=left');
    assert.equal(member((await stage.api.expect(200, 'GET', '/cutter/info?cutter=left')).json, 'cutter_model'), 'FC9000-140');
    await stage.api.expect(200, 'POST', '/dls/start?cutter=left');
    await untilStatus(stage.api, 'left', { current_status: 0 });
  });

  it('asks nothing of anybody while one of those asked is in the middle of a cycle', async () => {
    assert.ok(simulator(2).panel.scan('NOSUCHJOB').ok);
    await untilStatus(stage.api, 'slow', { current_status: 1 });
    const positions = [0, 1, 2].map((index) => simulator(index).log().length);
    for (const path of ['/cutter/info', '/cutter/info?cutter=slow']) {
      const refused = await stage.api.expect(409, 'GET', path);
      assert.equal(codeOf(refused), 'CUTTER_BUSY');
      assert.match(String(member(refused.json, 'detail')), /slow: /);
    }
    assert.equal(member((await stage.api.expect(200, 'GET', '/cutter/info?cutter=left')).json, 'cutter_name'), 'left');
    assert.deepEqual(positions.slice(1).map((position, index) => framesSince(index + 1, position).includes('C31')), [false, false]);
    assert.ok(simulator(2).panel.cancel().ok);
    await untilStatus(stage.api, 'slow', { current_status: 0 });
  });

  it('sees a cycle that began since the last poll', async () => {
    assert.ok(simulator(2).panel.scan('NOSUCHJOB').ok);
    const position = simulator(2).log().length;
    assert.equal(codeOf(await stage.api.expect(409, 'GET', '/cutter/info?cutter=slow')), 'CUTTER_BUSY');
    assert.equal(framesSince(2, position).includes('C31'), false);
    assert.ok(simulator(2).panel.cancel().ok);
    await untilStatus(stage.api, 'slow', { current_status: 0 });
  });

  it('answers 503 when none answers, and nulls for one that is silent beside others that are not', async () => {
    assert.ok(simulator(0).panel.fault('refuse_connections', undefined).ok);
    assert.equal(codeOf(await stage.api.expect(503, 'GET', '/cutter/info?cutter=left')), 'CUTTER_UNREACHABLE');
    const { json } = await stage.api.expect(200, 'GET', '/cutter/info');
    assert.deepEqual(member(json, 0), { cutter_name: 'left', cutter_model: null, firmware: null, cutter_step_size_mm: null, command_setting: null });
    assert.equal(member(json, 1, 'cutter_model'), 'CE7000-60');
    simulator(0).panel.clearFaults();
    await untilStatus(stage.api, 'left', { current_status: 0 });
  });
});

describe('a cutter that somebody else drives too', () => {
  it('is left alone while another service of this machine has it, and taken over when that lets go', async () => {
    const other = await startStage({}, { CUTTERS: `mine=${addressOf(simulator(0))}` });
    try {
      const held = await untilStatus(other.api, 'mine', { is_running: false });
      assert.equal(member(held, 'warnings', 0, 'code'), 'DRIVEN_BY_OTHER_SERVICE');
      assert.equal(member((await other.api.expect(200, 'POST', '/dls/start')).json, 0, 'start_accepted'), false);
      assert.equal(codeOf(await other.api.expect(409, 'GET', '/cutter/info')), 'CUTTER_BUSY');
      assert.equal((await events(other.api, 'mine')).filter(({ code }) => code === 'DRIVEN_BY_OTHER_SERVICE').length, 1);
      assert.equal(member((await other.api.expect(200, 'GET', '/health')).json, 'status'), 'degraded');
      await stage.api.expect(200, 'POST', '/dls/stop?cutter=left');
      assert.equal(member((await other.api.expect(200, 'POST', '/dls/start')).json, 0, 'start_accepted'), true);
      assert.deepEqual(member(await untilStatus(other.api, 'mine', { current_status: 0 }), 'warnings'), []);
      assert.equal(member((await stage.api.expect(200, 'POST', '/dls/start?cutter=left')).json, 'start_accepted'), false);
      await other.api.expect(200, 'POST', '/dls/stop');
      assert.equal(member((await stage.api.expect(200, 'POST', '/dls/start?cutter=left')).json, 'start_accepted'), true);
      await untilStatus(stage.api, 'left', { current_status: 0 });
    } finally {
      await other.stop();
    }
  });

  it('is named when its status jumps where no status can, and when the operator chose another server\'s job', async () => {
    assert.ok(simulator(0).panel.fault('illegal_jump', '5').ok);
    const jumped = await untilStatus(stage.api, 'left', { last_error_code: 'ILLEGAL_STATUS_CHANGE', standby_mode: true });
    assert.match(String(member(jumped, 'last_error')), /another server may be driving this cutter/);
    assert.ok(simulator(0).panel.fault('illegal_jump', '0').ok);
    await untilStatus(stage.api, 'left', { current_status: 0 });
    await importJob(stage.api, { barcode_link_info: 'OTHER0001' });
    assert.ok(simulator(0).panel.fault('second_server', undefined).ok);
    assert.ok(simulator(0).panel.scan('OTHER0001').ok);
    const chosen = await untilStatus(stage.api, 'left', { last_error_code: 'OTHER_SERVER' });
    assert.match(String(member(chosen, 'last_error')), /another server/);
    await untilStatus(stage.api, 'left', { current_status: 0 });
  });
});
