import type { FirmwareOptions } from './firmware-options.ts';
import type { Intake } from './intake.ts';
import { stateLabel, type StateCode } from './states.ts';

export type FirmwareEvent =
  | { readonly kind: 'state'; readonly from: StateCode; readonly to: StateCode; readonly label: string; readonly why: string }
  | { readonly kind: 'reported'; readonly state: StateCode }
  | { readonly kind: 'received'; readonly job: Intake }
  | { readonly kind: 'finished'; readonly job: Intake };

/** The state the cutter is in, what leaves it when its time is over, and who hears of it. Which state comes next, and why, is the firmware's. */
export class Stage {
  readonly #options: FirmwareOptions;
  readonly #listeners = new Set<(event: FirmwareEvent) => void>();
  #state: StateCode = 0;
  #entry = 0;
  #reported = false;
  #due: (() => void) | undefined;
  #timers: (() => void)[] = [];

  constructor(options: FirmwareOptions) {
    this.#options = options;
  }

  get state(): StateCode { return this.#state; }
  /** Another number for every time a state is entered. */
  get entry(): number { return this.#entry; }

  observe(listener: (event: FirmwareEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: FirmwareEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** What the last state was waiting for is forgotten. `prepare` runs in the new state, before anybody hears of it. */
  enter(to: StateCode, why: string, prepare: () => void): void {
    const from = this.#state;
    this.cancelTimers();
    this.#state = to;
    this.askAgain();
    prepare();
    this.#options.log.add('info', 'panel', `${from} → ${to} ${stateLabel(to)}: ${why}`);
    this.emit({ kind: 'state', from, to, label: stateLabel(to), why });
  }

  /** The state must be reported once more before it is left by itself. */
  askAgain(): void {
    this.#entry++;
    this.#reported = false;
  }

  /** The d1 reply for this entry into a state is out, whole: now the state may be left. */
  wasReported(entry: number): void {
    if (entry !== this.#entry) return;
    this.#reported = true;
    this.emit({ kind: 'reported', state: this.#state });
    this.#leave();
  }

  /** While this state lasts. */
  after(delayMs: number, run: () => void): void {
    this.#timers.push(this.#options.clock.after(delayMs, run));
  }

  leaveAfterMachineTime(nominalMs: number, move: () => void): void {
    this.leaveAfter(nominalMs / this.#options.timeScale, move);
  }

  /** However high the time scale: no state is left by itself before one whole d1 reply has reported it (or the fallback passed). */
  leaveAfter(delayMs: number, move: () => void): void {
    this.after(delayMs, () => {
      if (this.#reported) {
        move();
        return;
      }
      this.#due = move;
      this.after(this.#options.timings.unreportedFallbackMs, () => this.#leave());
    });
  }

  cancelTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
    this.#due = undefined;
  }

  #leave(): void {
    const due = this.#due;
    this.#due = undefined;
    due?.();
  }
}
