import { readBarcode } from './barcode.ts';
import { done, refused, type Outcome } from './failure.ts';
import type { Fault, FaultMode, Faults } from './faults.ts';
import type { Firmware } from './firmware.ts';
import type { SheetGeometry } from './sheet-check.ts';
import { stateLabel } from './states.ts';

/** What a person does at the cutter. Each answers a sentence for the person, or why it cannot be done now. */
export class Panel {
  readonly #firmware: Firmware;
  readonly #faults: Faults;

  constructor(firmware: Firmware, faults: Faults) {
    this.#firmware = firmware;
    this.#faults = faults;
  }

  /** `code`: the 9 link characters, or the whole Code 39 text with its asterisks. Possible in states 0, 5 and 6. */
  scan(code: string, sheet?: SheetGeometry): Outcome<string> {
    const { state, mediaLoaded, receiving } = this.#firmware;
    const reading = readBarcode(code);
    if (reading.kind === 'not-a-code') return refused('INVALID_CODE', `${JSON.stringify(code)} is not 9 of 0-9 A-Z, nor a whole Code 39 text with asterisks`);
    if (state !== 0 && state !== 5 && state !== 6) return this.#wrongState('scan', '0, 5 or 6');
    if (receiving) return refused('WRONG_STATE', 'cannot scan: a job is still being received');
    if (!mediaLoaded) return refused('NO_MEDIA', 'cannot scan: no media is loaded');
    if (reading.kind === 'unreadable') this.#firmware.scan('', sheet, reading.error);
    else this.#firmware.scan(reading.linkInfo, sheet, undefined);
    return this.#now();
  }

  /** `index` is 0-based in the offered list, as on the wire. Possible in state 3. */
  select(index: number): Outcome<string> {
    const offered = this.#firmware.cycle?.offered ?? [];
    if (this.#firmware.state !== 3) return this.#wrongState('select', '3');
    if (!Number.isInteger(index) || index < 0 || index >= offered.length) {
      return refused('NO_SUCH_CHOICE', `there is no choice ${index}: ${offered.length} jobs are offered, counted from 0`);
    }
    this.#firmware.select(index);
    return this.#now();
  }

  /** The ESC key. In state 0 it does nothing. */
  cancel(): Outcome<string> {
    this.#firmware.cancel();
    return this.#now();
  }

  /** Confirms an error. Possible in state 7. */
  acknowledge(): Outcome<string> {
    if (this.#firmware.state !== 7) return this.#wrongState('acknowledge', '7');
    this.#firmware.acknowledge();
    return this.#now();
  }

  /** Takes over the panel (1, 5 → 6); a second time hands back (6 → 1 or 5, a retry). */
  operate(): Outcome<string> {
    const { state } = this.#firmware;
    if (state !== 1 && state !== 5 && state !== 6) return this.#wrongState('operate', '1, 5 or 6');
    this.#firmware.operate();
    return this.#now();
  }

  load(): Outcome<string> {
    this.#firmware.mediaLoaded = true;
    return done('media loaded');
  }

  unload(): Outcome<string> {
    if (this.#firmware.state !== 0) return this.#wrongState('unload', '0');
    this.#firmware.mediaLoaded = false;
    return done('media unloaded');
  }

  fault(name: string, value?: string, mode?: FaultMode): Outcome<Fault> {
    const set = this.#faults.set(name, value, mode);
    if (set.ok && set.value.name === 'illegal_jump') {
      const jump = this.#faults.take('illegal_jump');
      this.#firmware.jumpTo(Number(jump?.value));
    }
    return set;
  }

  clearFaults(): Outcome<string> {
    this.#faults.clear();
    return done('no faults');
  }

  #now(): Outcome<string> {
    return done(`${this.#firmware.state} ${stateLabel(this.#firmware.state)}`);
  }

  #wrongState(what: string, possible: string): Outcome<never> {
    const { state } = this.#firmware;
    return refused('WRONG_STATE', `cannot ${what} in state ${state} (${stateLabel(state)}): possible in ${possible}`);
  }
}
