import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { initialTransition, transition, type AnyMachineSnapshot, type ExecutableActionObject } from 'xstate';
import { hotFolderKind, type Claim, type HotFolderContext, type HotFolderEvent } from '../../machines/index.ts';

const claim = (name: string, from: Claim['from'] = 'inbox'): Claim => ({
  claim_id: `claim-${name}`, file: { name, identity: { dev: '1', ino: '2', size: 3, mtime_ns: '4' } }, sidecars: [],
  source_dir: '/inbox', claim_dir: `/inbox/.kerf/claim-${name}`, from,
});

const held = { outcome: 'held', code: 'DISK_FULL', detail: 'The disk is full.', at: 9 };
const job = { outcome: 'done', job_id: 'j', job_name: 'n', link_info: 'F00000001', output: 'a_F00000001.pdf', at: 9 };

class Bench {
  snapshot: AnyMachineSnapshot;
  readonly actions: ExecutableActionObject[] = [];

  constructor() {
    [this.snapshot] = initialTransition(hotFolderKind.machine, { folder: 'print_prepare' });
  }

  tell(event: HotFolderEvent | { type: string; [key: string]: unknown }): this {
    const [next, actions] = transition(hotFolderKind.machine, this.snapshot, event);
    this.snapshot = next;
    this.actions.push(...actions);
    assert.ok(Check(hotFolderKind.context, next.context), `after ${event.type} the context no longer fits its schema`);
    return this;
  }

  done(child: string, output: unknown): this {
    return this.tell({ type: `xstate.done.actor.${child}`, actorId: child, output });
  }

  failed(child: string): this {
    return this.tell({ type: `xstate.error.actor.${child}`, actorId: child, error: { code: 'EFFECT_FAILED', message: 'oops', at: 8 } });
  }

  get context(): HotFolderContext {
    const context: unknown = this.snapshot.context;
    assert.ok(Check(hotFolderKind.context, context));
    return context;
  }

  get inHand(): HotFolderContext['work'] {
    return this.context.work;
  }

  get started(): unknown[] {
    return this.actions.filter(({ type }) => type === 'xstate.spawnChild').map(({ params }) => member(params, 'src'));
  }

  get said(): unknown[] {
    const publications = this.actions.filter(({ type }) => type === 'publish').flatMap(({ params }): unknown => params);
    return publications.map((each) => member(each, 'kind'));
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
}

const running = (): Bench => new Bench().tell({ type: 'BOOT', at: 0, run: true });

describe('a hot folder', () => {
  it('claims, processes and moves out one file at a time', () => {
    const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).tell({ type: 'TAKE', at: 1, claim: claim('b.pdf') });
    assert.deepEqual(bench.inHand, { ...claim('a.pdf'), sha256: null, result: null });
    bench.done('claim', { outcome: 'claimed', sha256: 'abc' });
    assert.deepEqual(bench.inHand, { ...claim('a.pdf'), sha256: 'abc', result: null });
    bench.done('process', job);
    assert.deepEqual(bench.inHand, { ...claim('a.pdf'), sha256: 'abc', result: job });
    assert.equal(bench.context.processed_count, 0);
    bench.done('leave', { outcome: 'left', as: 'a', at: 12 });
    assert.deepEqual(bench.started, ['claimFile', 'processFile', 'moveFileOut']);
    assert.deepEqual([bench.context.work, bench.context.processed_count, bench.context.last_processed], [null, 1, { file: 'a.pdf', at: 12 }]);
    assert.deepEqual(bench.said, ['started', 'status']);
  });

  it('takes nothing unless it was started, and finishes what is in hand after it was stopped', () => {
    const bench = new Bench().tell({ type: 'BOOT', at: 0, run: false }).tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') });
    assert.equal(bench.context.work, null);
    bench.tell({ type: 'START', at: 1 }).tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).tell({ type: 'STOP', at: 2 });
    bench.done('claim', { outcome: 'claimed', sha256: 'abc' }).done('process', job).done('leave', { outcome: 'left', as: 'a', at: 3 });
    assert.equal(bench.context.processed_count, 1);
    bench.tell({ type: 'TAKE', at: 4, claim: claim('b.pdf') });
    assert.equal(bench.context.work, null);
    assert.deepEqual(bench.said, ['started', 'stopped', 'status']);
  });

  it('does not begin a running step again at the start of the service', () => {
    const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') });
    const before = bench.started.length;
    bench.tell({ type: 'BOOT', at: 2, run: true });
    assert.equal(bench.started.length, before);
  });

  it('counts a refused file as an error once it is in the error folder', () => {
    const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).done('claim', { outcome: 'claimed', sha256: 'abc' });
    bench.done('process', { outcome: 'refused', code: 'NO_CUT_PATHS', detail: 'No cut.', at: 9 });
    assert.equal(bench.context.error_count, 0);
    bench.done('leave', { outcome: 'left', as: 'a', at: 12 });
    assert.deepEqual([bench.context.error_count, bench.context.last_error], [1, { code: 'NO_CUT_PATHS', message: 'a.pdf: No cut.', at: 12 }]);
  });

  for (const [child, code] of [['claim', 'claimFile'], ['process', 'processFile'], ['leave', 'moveFileOut']] as const) {
    it(`holds the file when ${code} cannot be done for now, says so once, and goes on there`, () => {
      const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') });
      if (child !== 'claim') bench.done('claim', { outcome: 'claimed', sha256: 'abc' });
      if (child === 'leave') bench.done('process', job);
      bench.done(child, held).tell({ type: 'RESUME', at: 10 }).done(child, held);
      assert.deepEqual(bench.context.last_error, { code: 'DISK_FULL', message: 'The disk is full.', at: 9 });
      assert.deepEqual(bench.said, ['started', 'warning']);
      bench.tell({ type: 'TAKE', at: 11, claim: claim('b.pdf') }).tell({ type: 'RESUME', at: 12 });
      assert.equal(bench.started.filter((each) => each === code).length, 3);
      assert.equal(bench.context.work?.file.name, 'a.pdf');
    });
  }

  it('lets go of a file that was not there any more', () => {
    const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).done('claim', { outcome: 'not_claimed', detail: 'it was gone', at: 2 });
    assert.deepEqual([bench.context.work, bench.context.processed_count, bench.context.error_count], [null, 0, 0]);
  });

  it('puts a file aside on which Kerf itself fails', () => {
    const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).done('claim', { outcome: 'claimed', sha256: 'abc' }).failed('process');
    assert.equal(bench.context.work?.result?.outcome, 'refused');
    assert.deepEqual(bench.started.at(-1), 'moveFileOut');
  });

  it('keeps a file in hand when claiming or leaving fails unexpectedly', () => {
    const claiming = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).failed('claim');
    const leaving = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') }).done('claim', { outcome: 'claimed', sha256: 'abc' }).done('process', job).failed('leave');
    assert.deepEqual([claiming.context.held?.phase, leaving.context.held?.phase], ['claiming', 'leaving']);
    assert.ok(claiming.context.work !== null && leaving.context.work !== null);
  });

  it('remembers each file to be tried again once, until it is taken or lost', () => {
    const bench = running().tell({ type: 'RETRY', at: 1, file: 'a.pdf' }).tell({ type: 'RETRY', at: 1, file: 'a.pdf' }).tell({ type: 'RETRY', at: 1, file: 'b.pdf' });
    assert.deepEqual(bench.context.retries, ['a.pdf', 'b.pdf']);
    bench.tell({ type: 'TAKE', at: 2, claim: claim('a.pdf', 'errors') }).tell({ type: 'RETRY_LOST', at: 3, file: 'b.pdf' });
    assert.deepEqual(bench.context.retries, []);
  });

  it('never loses the file in hand, whatever is told it: it goes only by leaving or by not having been claimed', () => {
    const events: (HotFolderEvent | { type: string; [key: string]: unknown })[] = [
      { type: 'BOOT', at: 1, run: true }, { type: 'BOOT', at: 1, run: false }, { type: 'START', at: 1 }, { type: 'STOP', at: 1 }, { type: 'RESUME', at: 1 },
      { type: 'TAKE', at: 1, claim: claim('other.pdf') }, { type: 'RETRY', at: 1, file: 'x.pdf' }, { type: 'NOTICED', at: 1, code: 'C', message: 'm', file: null },
      ...['claim', 'process', 'leave'].flatMap((child) => [
        { type: `xstate.done.actor.${child}`, actorId: child, output: held },
        { type: `xstate.error.actor.${child}`, actorId: child, error: new Error('oops') },
      ]),
      { type: 'xstate.done.actor.claim', actorId: 'claim', output: { outcome: 'claimed', sha256: 'abc' } },
      { type: 'xstate.done.actor.process', actorId: 'process', output: job },
    ];
    fc.assert(fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), (told) => {
      const bench = running().tell({ type: 'TAKE', at: 1, claim: claim('a.pdf') });
      for (const event of told) bench.tell(event);
      assert.equal(bench.context.work?.file.name, 'a.pdf');
    }));
  });
});
