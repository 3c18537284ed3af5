/**
 * Durable timers: one wake-up for the earliest of all. Overdue ones fire at start, in the order of their due times.
 *
 * Hole: due times are wall-clock times. After a jump of the clock forwards timers fire early, after one backwards late;
 * the wheel looks again at least once a minute, so neither is noticed later than that.
 */
import { remove, type Reader, type Store, type Write } from '../store/index.ts';
import type { Clock } from './clock.ts';
import { timers, type ActorRef } from './records.ts';

export interface TimerWheelOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly onTrouble: (message: string) => void;
  readonly fire: (due: number, ref: ActorRef, timerId: string) => Promise<void>;
}

export interface TimerWheel {
  start(): void;
  reschedule(): void;
  /** Resolves when what is firing has been committed. */
  stop(): Promise<void>;
  read(read: Reader, due: number, ref: ActorRef, timerId: string): { readonly event: { readonly type: string }; readonly removal: Write } | undefined;
}

const longestSleepMs = 60_000;
const firedAtOnce = 64;
/** Pause after a firing that could not be stored. */
const retryMs = 1000;

export function createTimerWheel({ store, clock, onTrouble, fire }: TimerWheelOptions): TimerWheel {
  let cancel = (): void => undefined;
  let started = false;
  let turning = false;
  let turn: Promise<void> = Promise.resolve();

  const wake = async (): Promise<void> => {
    turning = true;
    let pauseMs = 0;
    const hold = (error: unknown): void => {
      pauseMs = retryMs;
      onTrouble(`a timer could not fire yet: ${error instanceof Error ? error.message : String(error)}`);
    };
    try {
      const due = store.range(timers, { end: [clock.now() + 1], limit: firedAtOnce });
      // Commits keep the order in which they are asked for, and those of one turn share an fsync.
      await Promise.all(due.map(({ key: [at, kind, id, timerId] }) => fire(Number(at), { kind: String(kind), id: String(id) }, String(timerId)).catch(hold)));
    } catch (error) {
      hold(error);
    } finally {
      turning = false;
    }
    try {
      schedule(pauseMs);
    } catch (error) {
      // The store does not even answer: look again, rather than let timers stand still for ever.
      onTrouble(`timers cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      cancel = clock.after(retryMs, () => {
        turn = wake();
      });
    }
  };

  const schedule = (atLeastMs: number): void => {
    cancel();
    if (!started) return;
    const [first] = store.range(timers, { limit: 1 });
    if (first === undefined) return;
    const delayMs = Math.max(atLeastMs, Math.min(longestSleepMs, Number(first.key[0]) - clock.now()));
    cancel = clock.after(Math.max(0, delayMs), () => {
      turn = wake();
    });
  };

  return {
    start() {
      started = true;
      schedule(0);
    },
    reschedule() {
      if (!turning) schedule(0);
    },
    async stop() {
      started = false;
      cancel();
      await turn;
    },
    read(read, due, ref, timerId) {
      const key = [due, ref.kind, ref.id, timerId];
      const timer = read.get(timers, key);
      return timer === undefined ? undefined : { event: timer.event, removal: remove(timers, key) };
    },
  };
}
