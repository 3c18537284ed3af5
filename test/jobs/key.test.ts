import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fakeClock } from '../support/fake-clock.ts';
import { workshop } from '../folders/workshop.ts';

it('a job registered again with its key is the one that is there, until it is removed', async () => {
  const shop = workshop({ clock: fakeClock() });
  const { jobs } = shop;
  const job = {
    name: 'a', linkInfo: 'ABC123456', commandType: 0, vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, source: 'cut-folder', commandSequence: Uint8Array.of(3),
    commandPreview: [], geometry: null, cutSource: null, warnings: [],
  } as const;
  const [first, again] = await Promise.all([jobs.register({ ...job, key: 'k' }), jobs.register({ ...job, key: 'k', name: 'b' })]);
  assert.deepEqual(again, first);
  await jobs.register({ ...job, key: 'other' });
  await jobs.register(job);
  assert.deepEqual([jobs.list({ limit: 9 }).length, jobs.byKey('k')?.id, jobs.byKey('none')], [3, first.id, undefined]);
  await jobs.remove(first.id);
  assert.equal(jobs.byKey('k'), undefined);
  assert.notEqual((await jobs.register({ ...job, key: 'k' })).id, first.id);
  await shop.stop();
});
