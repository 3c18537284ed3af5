import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { initialTransition, transition, type AnyMachineSnapshot, type ExecutableActionObject } from 'xstate';
import { asksForJobs, cutterKind, type CutterContext, type CutterEvent } from '../../machines/index.ts';
import { isLegalChange } from '../../machines/cutter/status.ts';

/** One cutter, and everything its machine asked for. */
class Bench {
  snapshot: AnyMachineSnapshot;
  readonly actions: ExecutableActionObject[] = [];
  #at = 1000;

  constructor() {
    [this.snapshot] = initialTransition(cutterKind.machine, { name: 'left' });
    this.tell({ type: 'BOOT', at: 0, poll: true });
  }

  tell(event: CutterEvent | { type: string; [key: string]: unknown }): this {
    const [next, actions] = transition(cutterKind.machine, this.snapshot, event);
    this.snapshot = next;
    this.actions.push(...actions);
    assert.ok(Check(cutterKind.context, next.context), `after ${event.type} the context no longer fits its schema`);
    return this;
  }

  status(...codes: number[]): this {
    for (const code of codes) this.tell({ type: 'STATUS', at: this.#at++, code });
    return this;
  }

  offer(...names: string[]): this {
    return this.tell({ type: 'OFFERED', at: this.#at++, link_info: 'F00000001', jobs: names.map((name) => ({ id: `id-${name}`, name })) });
  }

  choose(name: string): this {
    return this.tell({
      type: 'CHOSEN', at: this.#at++, hand_off_id: `h-${name}`,
      job: { id: `id-${name}`, name, link_info: 'F00000001', command_type: 0, vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, bytes_total: 100 },
    });
  }

  handedOver(outcome: string): this {
    return this.tell({ type: 'xstate.done.actor.handOver', actorId: 'handOver', output: { outcome, at: this.#at++, bytes_sent: 100, code: 'X', detail: '' } });
  }

  /** Through a scan to the running hand-over. */
  toHandOver(): this {
    return this.status(0, 1, 2).offer('A', 'B').status(3, 4).choose('B');
  }

  context(): CutterContext {
    const context: unknown = this.snapshot.context;
    assert.ok(Check(cutterKind.context, context));
    return context;
  }

  handOvers(): number {
    return this.actions.filter((action) => action.type === 'xstate.spawnChild').length;
  }

  said(): string[] {
    return this.actions.filter((action) => action.type === 'publish').flatMap((action) => {
      const params: unknown = action.params;
      return Array.isArray(params) ? params.map((item: { kind: string }) => item.kind) : [];
    });
  }

  is(state: string): void {
    assert.deepEqual(this.snapshot.value, { polling: state });
  }
}

const code = fc.constantFrom(-999, 0, 1, 2, 3, 4, 5, 6, 7, 99);
/** Whatever may happen to a cutter. */
const step = fc.oneof(
  code.map((value) => (bench: Bench) => bench.status(value)),
  fc.constant((bench: Bench) => bench.offer('A', 'B')),
  fc.constantFrom('sent', 'interrupted', 'rejected', 'unknown_outcome').map((outcome) => (bench: Bench) => bench.handedOver(outcome)),
  fc.boolean().map((poll) => (bench: Bench) => bench.tell({ type: 'BOOT', at: 9, poll })),
  fc.constant((bench: Bench) => bench.tell({ type: 'BROKEN_OFF', at: 9, kind: 'warning', code: 'X', message: 'x' })),
);

describe('the cutter machine', () => {
  it('goes through a whole cycle and hands the chosen job over once', () => {
    const bench = new Bench().toHandOver();
    bench.is('handingOver');
    assert.equal(bench.context().hand_off?.state, 'sending');
    bench.handedOver('sent').is('sent');
    bench.status(5).is('cutting');
    assert.equal(bench.context().hand_off?.state, 'cutting');
    bench.status(0).is('idle');
    assert.equal(bench.context().hand_off?.state, 'finished');
    assert.equal(bench.handOvers(), 1);
    assert.deepEqual(bench.said().filter((kind) => kind !== 'status'), ['started', 'link_restored', 'scan', 'offer', 'selected', 'sent', 'finished']);
  });

  it('says that nothing matches, and waits for the operator', () => {
    const bench = new Bench().status(0, 1, 2).offer();
    assert.ok(bench.said().includes('no_match'));
    bench.status(0).is('idle');
    assert.equal(bench.handOvers(), 0);
  });

  it('begins in standby and serves nothing before it has seen a scan begin', () => {
    const bench = new Bench().status(2);
    bench.is('standby');
    bench.status(4).is('standby');
    bench.status(0, 1, 2).is('listing');
  });

  it('counts a scan that was shorter than a poll as seen', () => {
    new Bench().status(0, 2).is('listing');
    new Bench().toHandOver().handedOver('sent').status(0).is('idle');
    new Bench().toHandOver().handedOver('sent').status(5, 2).is('listing');
  });

  it('takes status 0 after its own stream as a cut that came and went between two polls', () => {
    const bench = new Bench().toHandOver().handedOver('sent').status(0);
    assert.equal(bench.context().hand_off?.state, 'finished');
  });

  it('stands by after an illegal change, naming another server as the likely cause', () => {
    const bench = new Bench().status(0, 3);
    bench.is('standby');
    assert.equal(bench.context().last_error?.code, 'ILLEGAL_STATUS_CHANGE');
    assert.match(bench.context().last_error?.message ?? '', /another server/);
    bench.status(4).is('standby');
    assert.equal(bench.handOvers(), 0);
    bench.status(7, 0, 1).is('scanning');
    assert.equal(bench.context().last_error, null);
    bench.status(0, 3).is('standby');
    assert.equal(bench.context().last_error?.code, 'ILLEGAL_STATUS_CHANGE');
  });

  it('ignores status codes of the future, however many come in a row', () => {
    const bench = new Bench().status(0, 1, 42, 99);
    bench.is('scanning');
    bench.status(2).is('listing');
    new Bench().status(8, 0, 1, 2).is('listing');
  });

  it('takes a negative status as an error that lasts until 0', () => {
    const bench = new Bench().toHandOver().handedOver('sent').status(5, -3);
    bench.is('standby');
    assert.equal(bench.context().last_error?.code, 'CUTTER_ERROR');
    assert.equal(bench.context().hand_off?.state, 'interrupted');
    bench.status(0).is('standby');
    assert.equal(bench.context().last_error?.code, 'CUTTER_ERROR');
    bench.status(1).is('scanning');
  });

  it('serves a scan that begins where it should not have begun, and says what is odd', () => {
    const bench = new Bench().status(0, 1, 2, 1);
    bench.is('scanning');
    assert.ok(bench.said().includes('warning'));
    const resumed = new Bench().toHandOver().handedOver('sent');
    resumed.tell({ type: 'BOOT', at: 1, poll: true }).status(1).is('scanning');
    assert.equal(resumed.context().hand_off?.state, 'unknown_outcome');
  });

  it('calls a cut interrupted when the cutter reports an error, or is not heard of any more', () => {
    const failed = new Bench().toHandOver().handedOver('sent').status(5, 7);
    failed.is('standby');
    assert.equal(failed.context().hand_off?.state, 'interrupted');
    const lost = new Bench().toHandOver().handedOver('sent').status(5, -999);
    lost.is('standby');
    assert.equal(lost.context().hand_off?.state, 'interrupted');
    assert.ok(lost.said().includes('link_lost') && lost.said().includes('interrupted'));
    lost.status(5).is('standby');
  });

  it('calls a cut interrupted when the operator ends it from status 6', () => {
    const bench = new Bench().toHandOver().handedOver('sent').status(5, 6, 5, 6, 0);
    assert.equal(bench.context().hand_off?.state, 'interrupted');
  });

  it('reports what became of a stream that was not sent whole', () => {
    for (const outcome of ['interrupted', 'unknown_outcome', 'rejected']) {
      const bench = new Bench().toHandOver().handedOver(outcome);
      bench.is('standby');
      assert.equal(bench.context().hand_off?.state, outcome);
      assert.ok(bench.said().includes(outcome), outcome);
      bench.status(4, 5, 0).is('standby');
      assert.equal(bench.handOvers(), 1);
    }
  });

  it('ends a hand-over that a crash broke off as an unknown outcome, with the time it was found', () => {
    const bench = new Bench().toHandOver();
    bench.tell({ type: 'xstate.error.actor.handOver', actorId: 'handOver', error: { code: 'OUTCOME_UNKNOWN', message: 'stopped', at: 777 } });
    bench.is('standby');
    assert.equal(bench.context().hand_off?.state, 'unknown_outcome');
    assert.equal(bench.context().hand_off?.ended_at, 777);
    bench.tell({ type: 'BOOT', at: 1, poll: true }).status(4).is('standby');
    assert.equal(bench.handOvers(), 1);
  });

  it('does not blame a restart for a hand-over that failed while the service ran', () => {
    const bench = new Bench().toHandOver();
    bench.tell({ type: 'xstate.error.actor.handOver', actorId: 'handOver', error: { code: 'EFFECT_FAILED', message: 'the port is on fire', at: 777 } });
    assert.equal(bench.context().hand_off?.state, 'unknown_outcome');
    assert.match(bench.context().hand_off?.detail ?? '', /the port is on fire/);
    assert.deepEqual(bench.said().slice(-2), ['unknown_outcome', 'standby']);
  });

  it('follows a sent job after a restart while the cutter is at it, and never sends it again', () => {
    for (const code of [4, 5, 6]) {
      const bench = new Bench().toHandOver().handedOver('sent');
      bench.tell({ type: 'BOOT', at: 1, poll: true }).status(code);
      assert.notEqual(bench.context().hand_off?.state, 'unknown_outcome', `status ${code}`);
      bench.status(...(code === 4 ? [5, 0] : [0]));
      assert.equal(bench.context().hand_off?.state, code === 6 ? 'interrupted' : 'finished');
      assert.equal(bench.handOvers(), 1);
    }
  });

  it('does not know the outcome of a sent job when the cutter is elsewhere after a restart', () => {
    for (const code of [0, 1, 2, 3, 7, -999]) {
      const bench = new Bench().toHandOver().handedOver('sent');
      bench.tell({ type: 'BOOT', at: 1, poll: true }).status(code);
      assert.equal(bench.context().hand_off?.state, 'unknown_outcome', `status ${code}`);
      bench.is(code === 1 ? 'scanning' : 'standby');
    }
  });

  it('refuses a choice that was not offered', () => {
    const bench = new Bench().status(0, 1, 2).offer('A').status(4).choose('C');
    bench.is('determined');
    assert.equal(bench.handOvers(), 0);
  });

  it('lets nothing but its own effect end a running hand-over', () => {
    const bench = new Bench().toHandOver().status(5, 0, 7, -999);
    bench.is('handingOver');
    bench.tell({ type: 'STOP', at: 5 }).is('handingOver');
    assert.equal(bench.actions.filter((action) => action.type === 'xstate.stopChild').length, 0);
  });

  it('stops and starts polling, and does not guess about a cut it no longer watches', () => {
    const bench = new Bench().toHandOver().handedOver('sent').status(5);
    bench.tell({ type: 'STOP', at: 5 });
    assert.equal(bench.snapshot.value, 'stopped');
    assert.equal(bench.context().hand_off?.state, 'unknown_outcome');
    assert.equal(bench.said().filter((kind) => kind === 'unknown_outcome').length, 1, 'and says so');
    bench.tell({ type: 'START', at: 6 }).is('standby');
  });

  it('says that the outcome is unknown when the service comes back and does not poll', () => {
    const bench = new Bench().toHandOver().handedOver('sent').status(5);
    bench.tell({ type: 'BOOT', at: 5, poll: false });
    assert.equal(bench.context().hand_off?.state, 'unknown_outcome');
    assert.equal(bench.said().filter((kind) => kind === 'unknown_outcome').length, 1);
    bench.tell({ type: 'BOOT', at: 6, poll: false });
    assert.equal(bench.said().filter((kind) => kind === 'unknown_outcome').length, 1, 'once');
  });

  it('leaves no hand-off open that it cannot follow, so that a later scan never calls it finished', () => {
    const bench = new Bench().toHandOver();
    bench.tell({ type: 'BOOT', at: 5, poll: true }).status(0, 1, 2);
    assert.equal(bench.context().hand_off?.state, 'unknown_outcome');
    assert.ok(!bench.said().includes('finished'));
  });

  it('asks for the list of jobs at the status of which it was foretold, whatever came before', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), code, (before, next) => {
      const bench = before.reduce((set, each) => each(set), new Bench());
      const value: unknown = bench.snapshot.value;
      fc.pre(typeof value === 'object' && !bench.snapshot.matches({ polling: 'handingOver' }));
      const foretold = asksForJobs(bench.context(), next, bench.snapshot.matches({ polling: 'standby' }));
      assert.equal(bench.status(next).snapshot.matches({ polling: 'listing' }), foretold);
    }), { numRuns: 500 });
  });

  it('never hands over more often than the operator chose, whatever the cutter reports', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), fc.array(step, { maxLength: 40 }), (before, after) => {
      const bench = new Bench();
      for (const act of before) act(bench);
      assert.equal(bench.handOvers(), 0, 'without a choice nothing is handed over');
      bench.choose('A');
      for (const act of after) act(bench);
      assert.ok(bench.handOvers() <= 1);
    }), { numRuns: 300 });
  });
});

describe('the legality of status changes', () => {
  it('is the table of the reference', () => {
    const legal: Record<number, number[]> = { 0: [1, 2, 3, 5, 6, 7], 1: [0, 5, 6], 2: [1, 0, 5, 6], 3: [2], 4: [2, 3, 4], 5: [4, 6], 6: [1, 5], 7: [1, 2, 3, 4, 5, 6] };
    for (let previous = 0; previous <= 7; previous += 1) {
      for (let code = 0; code <= 7; code += 1) {
        assert.equal(isLegalChange(previous, code, false), legal[code]?.includes(previous), `${previous} to ${code}`);
      }
      assert.ok(isLegalChange(previous, -999, false) && isLegalChange(-999, previous, false) && isLegalChange(previous, 42, false));
    }
  });
});
