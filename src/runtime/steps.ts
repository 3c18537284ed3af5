/** Runs the effects behind durable steps, and takes up those that an earlier run of the service left. */
import { put, type Store } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { Effect, EffectClass } from './effects.ts';
import type { StartedStep } from './plan.ts';
import { refName, steps, type ActorRef } from './records.ts';

export interface StepRunnerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly effects: ReadonlyMap<string, Effect>;
  readonly boot: string;
  readonly onTrouble: (message: string) => void;
  /** Stores the result and forgets the step, in one transaction. */
  readonly finish: (step: StartedStep, event: { readonly type: string }) => Promise<void>;
}

export interface StepRunner {
  run(step: StartedStep): void;
  abort(step: { readonly ref: ActorRef; readonly stepId: string }): void;
  recover(): Promise<void>;
  stop(graceMs: number, force?: AbortSignal): Promise<void>;
}

interface Running {
  readonly class: EffectClass;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Pause before a result that could not be stored (a full disk) is tried again. */
const storeRetryMs = 1000;

const keyOf = ({ ref, stepId }: { readonly ref: ActorRef; readonly stepId: string }): string => `${refName(ref)}/${stepId}`;

/** An event as XState expects it from a child that ended. */
interface DeliveredEvent {
  readonly type: string;
  readonly actorId: string;
  readonly output?: unknown;
  readonly error?: unknown;
}

const failed = (step: StartedStep, at: number, code: string, message: string): DeliveredEvent =>
  ({ type: `xstate.error.actor.${step.record.child}`, error: { code, message, at }, actorId: step.record.child });

export function createStepRunner(options: StepRunnerOptions): StepRunner {
  const { store, clock, effects, boot, onTrouble } = options;
  const running = new Map<string, Running>();
  let stopping = false;

  const settle = async (step: StartedStep, event: { readonly type: string }): Promise<void> => {
    for (;;) {
      try {
        await options.finish(step, event);
        return;
      } catch (error) {
        onTrouble(`the result of ${keyOf(step)} is not stored yet: ${error instanceof Error ? error.message : String(error)}`);
        // The next run finds the step orphaned and treats it by its class.
        if (stopping) return;
        await new Promise<void>((resolve) => {
          clock.after(storeRetryMs, resolve);
        });
      }
    }
  };

  const execute = async (step: StartedStep, effect: Effect, signal: AbortSignal): Promise<void> => {
    const { child, input, attempts } = step.record;
    const done = (output: unknown): DeliveredEvent => ({ type: `xstate.done.actor.${child}`, output, actorId: child });
    const threw = (error: unknown): DeliveredEvent => failed(step, clock.now(), 'EFFECT_FAILED', error instanceof Error ? error.message : String(error));
    const begun = async (): Promise<unknown> => effect.run(input, { key: keyOf(step), attempt: attempts, signal });
    await settle(step, await begun().then(done, threw));
  };

  const run = (step: StartedStep): void => {
    // Its record stays: the next run of the service takes it up by its class.
    if (stopping) return;
    const key = keyOf(step);
    const effect = effects.get(step.record.src);
    if (effect === undefined) {
      void settle(step, failed(step, clock.now(), 'EFFECT_UNKNOWN', `no effect is registered as ${step.record.src}`));
      return;
    }
    const controller = new AbortController();
    const ended = execute(step, effect, controller.signal).finally(() => running.delete(key));
    running.set(key, { class: effect.class, controller, ended });
  };

  /** One page of rows at a time; rows of this run are already cared for. */
  const orphans = (): StartedStep[] => {
    const found: StartedStep[] = [];
    let after: readonly (string | number)[] | undefined;
    for (;;) {
      const rows = store.range(steps, { ...(after ? { start: [...after, 0] } : {}), limit: 500 });
      for (const { key, value } of rows) {
        const [kind, id, stepId] = key.map(String);
        if (value.boot !== boot && kind !== undefined && id !== undefined && stepId !== undefined) found.push({ ref: { kind, id }, stepId, record: value });
      }
      after = rows.at(-1)?.key;
      if (rows.length < 500) return found;
    }
  };

  const takeUp = async (step: StartedStep): Promise<void> => {
    const effect = effects.get(step.record.src);
    if (effect?.class === 'manual') {
      await options.finish(step, failed(step, clock.now(), 'OUTCOME_UNKNOWN', 'the service stopped while this was under way'));
      return;
    }
    const again = { ...step, record: { ...step.record, attempts: step.record.attempts + 1, boot } };
    const key = [step.ref.kind, step.ref.id, step.stepId];
    // Another orphan's end may have made its actor leave the state that waited for this one.
    const waits = await store.commit((read) => {
      const isThere = read.get(steps, key) !== undefined;
      return { writes: isThere ? [put(steps, key, again.record)] : [], result: isThere };
    });
    if (waits) run(again);
  };

  return {
    run,
    abort(step) {
      running.get(keyOf(step))?.controller.abort();
    },
    async recover() {
      await Promise.all(orphans().map(takeUp));
    },
    async stop(graceMs, force) {
      stopping = true;
      const all = [...running.values()];
      const manual = all.filter((step) => step.class === 'manual');
      const others = all.filter((step) => step.class !== 'manual');
      const breakOff = (): void => {
        for (const step of manual) step.controller.abort();
      };
      if (force?.aborted === true) breakOff();
      force?.addEventListener('abort', breakOff, { once: true });
      await Promise.all(manual.map((step) => step.ended));
      let cancel = (): void => undefined;
      const grace = new Promise<void>((resolve) => {
        cancel = clock.after(graceMs, resolve);
      });
      await Promise.race([Promise.all(others.map((step) => step.ended)), grace]);
      cancel();
      for (const step of running.values()) step.controller.abort();
    },
  };
}
