/**
 * Watches a job stream for progress (gpgl-and-data-link.md section 4.3).
 * Guarantee: a note once per stall, `onGivenUp` at most once and never after `stop`.
 * Hole: progress is what the operating system took from us; bytes in its buffers count as progress.
 */
import type { Clock } from './clock.ts';
import type { NoteListener } from './notes.ts';

export const stallNoteMs = 60_000;
export const stallLimitMs = 15 * 60_000;

export interface StallWatch { progress(): void; stop(): void }

export function startStallWatch(clock: Clock, onNote: NoteListener, describe: () => string, onGivenUp: () => void): StallWatch {
  let cancels: (() => void)[] = [];
  let noted = false;
  const stop = (): void => {
    for (const cancel of cancels) cancel();
    cancels = [];
  };
  const arm = (): void => {
    stop();
    cancels = [
      clock.after(stallNoteMs, () => {
        noted = true;
        onNote({ kind: 'stream-stalled', detail: `No progress for ${stallNoteMs / 1000} s: ${describe()}. The stream waits; it is not begun again.` });
      }),
      clock.after(stallLimitMs, () => {
        stop();
        onGivenUp();
      }),
    ];
  };
  arm();
  return {
    progress() {
      if (noted) onNote({ kind: 'stream-resumed', detail: `The stream goes on: ${describe()}.` });
      noted = false;
      arm();
    },
    stop,
  };
}
