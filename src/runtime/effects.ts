/** What the runtime may do in the world, by the name a machine invokes. */
import { Check, Errors } from 'typebox/value';
import type { Static, TSchema } from 'typebox';

/**
 * idempotent: may run again after a crash, its sink knows it by the step's key.
 * verify: may run again, and probes first whether it was done.
 * manual: motion. Never runs again by itself; interrupted means OUTCOME_UNKNOWN, and a person decides.
 */
export type EffectClass = 'idempotent' | 'verify' | 'manual';

export interface EffectRun {
  /** The same on every attempt of one step. */
  readonly key: string;
  readonly attempt: number;
  /** Aborted when the actor no longer waits for this step, or the service must stop now. */
  readonly signal: AbortSignal;
}

export interface Effect {
  readonly class: EffectClass;
  run(input: unknown, run: EffectRun): Promise<unknown>;
}

/** An effect whose input is checked against its schema before it runs. */
export function defineEffect<Input extends TSchema>(effectClass: EffectClass, input: Input, run: (input: Static<Input>, run: EffectRun) => Promise<unknown>): Effect {
  return {
    class: effectClass,
    run(value, context) {
      if (Check(input, value)) return run(value, context);
      const problems = [...Errors(input, value)].map((error) => `${error.instancePath}: ${error.message}`).join('; ');
      return Promise.reject(new Error(`the step's input does not fit: ${problems}`));
    },
  };
}
