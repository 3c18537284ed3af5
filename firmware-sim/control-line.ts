import type { FaultMode } from './faults.ts';
import type { Outcome } from './failure.ts';
import { refused } from './failure.ts';
import type { CutterSimulator } from './simulator.ts';
import type { SheetGeometry } from './sheet-check.ts';

// The control interface on stdin: one command a line, one line back. `ok …`, `error CODE sentence`, or JSON for `state`.

export const controlHelp = `  scan CODE [fx=N fy=N feed=MM carriage=MM]
                        read a barcode: 9 of 0-9 A-Z, or the whole Code 39 text with asterisks; with the printed
                        vector (0.1 mm) and mark distances, a job for another sheet meets an error
  select INDEX          choose from the offered list, 0-based as on the wire
  cancel                the ESC key
  acknowledge           confirm an error (7 → 0)
  operate               the operator takes over (→ 6), a second time: retry
  load, unload          media
  fault NAME [VALUE] [once|always]
  clear-faults
  state                 everything, as one line of JSON
  quit`;

export interface LineAnswer {
  readonly text: string;
  readonly quit: boolean;
}

function numbersOf(words: readonly string[]): Outcome<SheetGeometry> {
  const known: ReadonlyMap<string, keyof SheetGeometry> = new Map([
    ['fx', 'fx'], ['fy', 'fy'], ['feed', 'marksFeedMm'], ['carriage', 'marksCarriageMm'],
  ]);
  const sheet: Partial<Record<keyof SheetGeometry, number>> = {};
  for (const word of words) {
    const [, name = '', value = ''] = /^([a-z]+)=(-?\d+(?:\.\d+)?)$/.exec(word) ?? [];
    const key = known.get(name);
    if (key === undefined) return refused('INVALID_VALUE', `${JSON.stringify(word)} is not fx=N, fy=N, feed=MM or carriage=MM`);
    sheet[key] = Number(value);
  }
  return { ok: true, value: sheet };
}

function fault(simulator: CutterSimulator, words: readonly string[]): Outcome<unknown> {
  const last = words.at(-1);
  const mode: FaultMode | undefined = last === 'once' || last === 'always' ? last : undefined;
  const [name = '', ...values] = mode === undefined ? words : words.slice(0, -1);
  return simulator.panel.fault(name, values.join(' '), mode);
}

function run(simulator: CutterSimulator, command: string, words: readonly string[]): Outcome<unknown> {
  const { panel } = simulator;
  switch (command) {
    case 'scan': {
      const sheet = numbersOf(words.slice(1));
      return sheet.ok ? panel.scan(words[0] ?? '', sheet.value) : sheet;
    }
    case 'select': return panel.select(/^\d+$/.test(words[0] ?? '') ? Number(words[0]) : Number.NaN);
    case 'cancel': return panel.cancel();
    case 'acknowledge': return panel.acknowledge();
    case 'operate': return panel.operate();
    case 'load': return panel.load();
    case 'unload': return panel.unload();
    case 'fault': return fault(simulator, words);
    case 'clear-faults': return panel.clearFaults();
    default: return refused('UNKNOWN_COMMAND', `no command is called ${JSON.stringify(command)}; there are scan, select, cancel, acknowledge, operate, load, unload, fault, clear-faults, state, quit`);
  }
}

/** Undefined for an empty line. */
export function answerLine(simulator: CutterSimulator, line: string): LineAnswer | undefined {
  const [command = '', ...words] = line.trim().split(/\s+/);
  if (command === '') return undefined;
  if (command === 'quit') return { text: 'ok quit', quit: true };
  if (command === 'state') return { text: JSON.stringify(simulator.state()), quit: false };
  const outcome = run(simulator, command, words);
  if (!outcome.ok) return { text: `error ${outcome.failure.code} ${outcome.failure.detail}`, quit: false };
  const value = typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value);
  return { text: `ok ${value}`, quit: false };
}
