import { done, refused, type Outcome } from './failure.ts';

// The faults of gpgl-and-data-link.md section 5.2 that a person can type: `fault NAME [value] [once|always]`.

export type FaultMode = 'once' | 'always';

interface FaultSpec {
  readonly mode: FaultMode;
  readonly value: 'none' | 'number' | 'optional-number' | 'text' | 'state';
  readonly fallback: string;
  readonly help: string;
}

const spec = (mode: FaultMode, value: FaultSpec['value'], fallback: string, help: string): FaultSpec => ({ mode, value, fallback, help });

export const faultSpecs = {
  go_awol: spec('always', 'none', '', 'silence: connections stay open, nothing is carried out or answered'),
  refuse_connections: spec('always', 'none', '', 'TCP: the listening socket is closed until the fault is cleared'),
  drop_connection: spec('once', 'optional-number', '', 'without a value: reset instead of the next reply; with N: reset after N bytes of the next stream'),
  delay_reply: spec('always', 'number', '2000', 'every reply comes this many ms late'),
  truncate_reply: spec('once', 'none', '', 'the next reply has no ETX'),
  noise: spec('once', 'text', '1580ff550a', 'garbage (hex bytes) before the next reply'),
  unsolicited: spec('once', 'text', '1,254', 'this text and a CR, unasked, on the open link or before the next reply'),
  stale_reply: spec('once', 'none', '', 'the previous reply comes again before the next one'),
  pad_replies: spec('always', 'none', '', 'every reply is padded to 5 characters'),
  crlf_replies: spec('always', 'none', '', 'CR LF before the ETX of every reply'),
  stall: spec('always', 'none', '', 'the cutter stops reading; buffers fill up behind it'),
  drop_cts: spec('always', 'none', '', 'the same as stall, by its serial name (a pty has no modem lines)'),
  buffer_full: spec('always', 'number', '2097152', 'during a stream, stops reading after this many bytes'),
  slow_read: spec('always', 'number', '1000', 'reads this many bytes per second'),
  illegal_jump: spec('once', 'state', '0', 'the state changes at once to this code, legal or not'),
  negative_status: spec('always', 'number', '-1', 'd1 answers this number'),
  second_server: spec('once', 'none', '', 'd4 answers empty: another server\'s job was chosen, and is cut'),
  reject_d3: spec('once', 'number', '-3', 'd3 answers this and has no effect'),
  reject_d5: spec('once', 'number', '-3', 'd5 answers this and has no effect'),
  reject_d6: spec('once', 'number', '-3', 'd6 answers this and has no effect'),
  mark_scan_error: spec('once', 'none', '', 'the next mark scan ends in E04024'),
  mark_scan_retry: spec('once', 'none', '', 'the next mark scan asks the operator: state 6 until `operate`'),
} as const satisfies Record<string, FaultSpec>;

export type FaultName = keyof typeof faultSpecs;

export interface Fault {
  readonly name: FaultName;
  readonly value: string;
  readonly mode: FaultMode;
}

const isFaultName = (name: string): name is FaultName => Object.hasOwn(faultSpecs, name);
export const faultNames = (): readonly FaultName[] => Object.keys(faultSpecs).filter(isFaultName);

function valueIsWrong(kind: FaultSpec['value'], value: string): boolean {
  switch (kind) {
    case 'none': return value !== '';
    case 'number': return !/^-?\d{1,9}$/.test(value);
    case 'optional-number': return value !== '' && !/^\d{1,9}$/.test(value);
    case 'state': return !/^[0-7]$/.test(value);
    case 'text': return false;
  }
}

/** The faults that are set. Taking one that is set `once` removes it. */
export class Faults {
  readonly #set = new Map<FaultName, Fault>();
  readonly #listeners = new Set<() => void>();

  set(name: string, value: string | undefined, mode: FaultMode | undefined): Outcome<Fault> {
    if (!isFaultName(name)) return refused('UNKNOWN_FAULT', `no fault is called ${JSON.stringify(name)}; there are ${faultNames().join(', ')}`);
    const known: FaultSpec = faultSpecs[name];
    const given = value === undefined || value === '' ? known.fallback : value;
    if (valueIsWrong(known.value, given) || (name === 'noise' && !/^([0-9a-f]{2})+$/i.test(given))) {
      return refused('INVALID_VALUE', `the fault ${name} does not take the value ${JSON.stringify(given)}: ${known.help}`);
    }
    const fault: Fault = { name, value: given, mode: mode ?? known.mode };
    this.#set.set(name, fault);
    this.#changed();
    return done(fault);
  }

  clear(): void {
    this.#set.clear();
    this.#changed();
  }

  has(name: FaultName): boolean {
    return this.#set.has(name);
  }

  /** The fault's number, without using it up. */
  number(name: FaultName): number | undefined {
    const fault = this.#set.get(name);
    return fault === undefined || fault.value === '' ? undefined : Number(fault.value);
  }

  take(name: FaultName): Fault | undefined {
    const fault = this.#set.get(name);
    if (fault?.mode === 'once') this.#set.delete(name);
    return fault;
  }

  list(): readonly Fault[] {
    return [...this.#set.values()];
  }

  observe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  forget(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
