import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeOf, eventually, events, importJob, member, startStage, untilStatus, type Stage } from './kit.ts';

let stage: Stage;
before(async () => {
  stage = await startStage({ left: {} });
  await untilStatus(stage.api, 'left', { current_status: 0 });
});
after(() => stage.stop());

const cutter = () => {
  const [only] = stage.cutters;
  assert.ok(only);
  return only;
};

describe('a job that is removed', () => {
  it('is gone at once, and cannot be removed twice', async () => {
    const id = await importJob(stage.api);
    await stage.api.expect(204, 'DELETE', `/jobs/${id}`);
    for (const [method, path] of [['DELETE', `/jobs/${id}`], ['GET', `/jobs/${id}`], ['GET', `/jobs/${id}/gpgl`]] as const) {
      assert.equal(codeOf(await stage.api.expect(404, method, path)), 'JOB_NOT_FOUND');
    }
    assert.deepEqual((await stage.api.expect(200, 'GET', '/jobs')).json, []);
  });

  it('is not offered by the scan after the answer', async () => {
    const [kept, removed] = [await importJob(stage.api, { name: 'Kept' }), await importJob(stage.api, { name: 'Removed' })];
    await stage.api.expect(204, 'DELETE', `/jobs/${removed}`);
    assert.ok(cutter().panel.scan('A0200ROLL').ok);
    await eventually('the kept job is cut', async () => ((await events(stage.api, 'left')).some(({ kind }) => kind === 'finished') ? true : undefined));
    assert.equal(member(await untilStatus(stage.api, 'left', { current_status: 0 }), 'last_hand_off', 'job_id'), kept);
    assert.deepEqual((await events(stage.api, 'left')).filter(({ kind }) => kind === 'offer').map(({ message }) => message), ['Offered Kept.']);
    await stage.api.expect(204, 'DELETE', `/jobs/${kept}`);
  });

  it('between its offer and its choice is not handed over; the index means the list as it was sent', async () => {
    const [second, first] = [await importJob(stage.api, { name: 'Second' }), await importJob(stage.api, { name: 'First' })];
    const received = cutter().received().length;
    assert.ok(cutter().panel.scan('A0200ROLL').ok);
    await untilStatus(stage.api, 'left', { current_status: 3 });
    await stage.api.expect(204, 'DELETE', `/jobs/${first}`);
    assert.ok(cutter().panel.select(0).ok);
    const status = await untilStatus(stage.api, 'left', { standby_mode: true, last_error_code: 'JOB_REMOVED' });
    assert.match(String(member(status, 'last_error')), /First was removed after it was offered; nothing was sent/);
    assert.deepEqual((await events(stage.api, 'left')).slice(-2).map(({ kind, code }) => [kind, code]), [['rejected', 'JOB_REMOVED'], ['standby', 'JOB_REMOVED']]);
    assert.equal(cutter().received().length, received);
    assert.equal(member((await stage.api.expect(200, 'GET', `/jobs/${second}`)).json, 'last_hand_off'), null);
  });
});
