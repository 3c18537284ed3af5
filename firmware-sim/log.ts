import type { Clock } from './clock.ts';

export interface LogEntry {
  readonly at: string;
  readonly direction: 'in' | 'out' | 'info';
  readonly link: string;
  /** Control characters as <ETX>, <0x1B>; long data shortened. */
  readonly text: string;
}

const names: ReadonlyMap<number, string> = new Map([[0x1b, 'ESC'], [0x02, 'STX'], [0x03, 'ETX'], [0x1e, 'RS'], [0x0d, 'CR'], [0x0a, 'LF']]);
const KEPT = 2000;
const SHOWN_BYTES = 300;

export function readable(bytes: Buffer): string {
  const shown = [...bytes.subarray(0, SHOWN_BYTES)].map((byte) => {
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `<${names.get(byte) ?? `0x${byte.toString(16).padStart(2, '0')}`}>`;
  }).join('');
  return bytes.length > SHOWN_BYTES ? `${shown}… (${bytes.length} bytes)` : shown;
}

/** Every frame in and out, the newest 2000. The bytes of a job are one entry, not thousands. */
export class Log {
  readonly #clock: Clock;
  #entries: LogEntry[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(direction: LogEntry['direction'], link: string, text: string): void {
    this.#entries.push({ at: new Date(this.#clock.now()).toISOString(), direction, link, text });
    if (this.#entries.length > 2 * KEPT) this.#entries = this.#entries.slice(-KEPT);
  }

  entries(): readonly LogEntry[] {
    return this.#entries.slice(-KEPT);
  }
}
