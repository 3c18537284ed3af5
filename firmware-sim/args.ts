import { parseArgs } from 'node:util';
import { controlHelp } from './control-line.ts';
import { done, refused, type Outcome } from './failure.ts';
import { faultNames, faultSpecs } from './faults.ts';
import { findModel, models } from './models.ts';
import type { CutterOptions } from './simulator.ts';

export function helpText(): string {
  const faults = faultNames().map((name) => {
    const { mode, value, fallback, help } = faultSpecs[name];
    const argument = value === 'none' ? '' : ` ${fallback === '' ? '[N]' : `[${fallback}]`}`;
    return `  ${`${name}${argument}`.padEnd(28)} ${mode.padEnd(7)} ${help}`;
  });
  return `A simulated cutter: Data Link over TCP and a pseudo-terminal.

npm run sim -- --model FC9000-140 --tcp 9100 --pty ./cutter0 --control 9180 --time-scale 20

  --model NAME            ${models.map((model) => model.name).join(' ')}
  --tcp PORT              listen on 127.0.0.1; 0: any free port
  --pty PATH              pseudo-terminal, linked at PATH
  --baud N                pace the reading of the pseudo-terminal, 10 bits a byte
  --control PORT          control interface over HTTP on 127.0.0.1; 0: any free port
  --time-scale N          machine times (scan, mark scan, cut) N times faster; protocol times stay real
  --step-mm MM            0.1 (default), 0.05, 0.025 or 0.01
  --command-setting N     0 GP-GL (default), 1 HP-GL, 2 AUTO
  --unknown-queries HOW   silent (default) or empty: the answer to ESC.C queries that are not known
  --help

Control, on stdin, one command a line:
${controlHelp}

Faults, with their default value and whether they last once or always:
${faults.join('\n')}
`;
}

function parsed(argv: readonly string[]): Outcome<Readonly<Record<string, string | boolean | undefined>>> {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        model: text, tcp: text, pty: text, baud: text, control: text, 'time-scale': text, 'step-mm': text,
        'command-setting': text, 'unknown-queries': text, help: { type: 'boolean' },
      },
    });
    return done(values);
  } catch (error) {
    return refused('INVALID_VALUE', error instanceof Error ? error.message : String(error));
  }
}

type Check = (value: number) => boolean;

const isPort: Check = (value) => Number.isInteger(value) && value >= 0 && value <= 65535;
const isBaud: Check = (value) => Number.isInteger(value) && value >= 50 && value <= 4_000_000;
const isScale: Check = (value) => value > 0 && value <= 1_000_000;
const isStep: Check = (value) => [0.1, 0.05, 0.025, 0.01].includes(value);
const isSetting: Check = (value) => [0, 1, 2].includes(value);

const numbers: readonly (readonly [string, keyof CutterOptions, Check, string])[] = [
  ['tcp', 'tcpPort', isPort, 'a port, 0 to 65535'],
  ['control', 'controlPort', isPort, 'a port, 0 to 65535'],
  ['baud', 'baudRate', isBaud, 'a rate in baud, 50 to 4000000'],
  ['time-scale', 'timeScale', isScale, 'a number above 0, at most 1000000'],
  ['step-mm', 'stepMm', isStep, '0.1, 0.05, 0.025 or 0.01'],
  ['command-setting', 'commandSetting', isSetting, '0, 1 or 2'],
];

/** `help`, or the options of a cutter, or what is wrong with them. */
export function readArguments(argv: readonly string[]): Outcome<CutterOptions | 'help'> {
  const values = parsed(argv);
  if (!values.ok) return values;
  const given = values.value;
  if (given.help === true) return done('help');
  const numeric: Partial<Record<keyof CutterOptions, number>> = {};
  for (const [name, key, valid, shape] of numbers) {
    const text = given[name];
    if (typeof text !== 'string') continue;
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!valid(value)) return refused('INVALID_VALUE', `--${name} ${text}: expected ${shape}`);
    numeric[key] = value;
  }
  return options(given, numeric);
}

function options(
  given: Readonly<Record<string, string | boolean | undefined>>,
  { tcpPort, controlPort, baudRate, timeScale, stepMm, commandSetting }: Partial<Record<keyof CutterOptions, number>>,
): Outcome<CutterOptions> {
  const { model = 'FC9000-140', pty, 'unknown-queries': unknown = 'silent' } = given;
  if (typeof model !== 'string' || findModel(model) === undefined) {
    return refused('UNKNOWN_MODEL', `no model is called ${String(model)}; there are ${models.map((each) => each.name).join(', ')}`);
  }
  if (unknown !== 'silent' && unknown !== 'empty') return refused('INVALID_VALUE', `--unknown-queries ${String(unknown)}: expected silent or empty`);
  if (tcpPort === undefined && typeof pty !== 'string') return refused('INVALID_VALUE', 'give --tcp, --pty or both: the cutter would be unreachable');
  if (baudRate !== undefined && typeof pty !== 'string') return refused('INVALID_VALUE', '--baud needs --pty');
  if (findModel(model)?.family === 'silhouette' && stepMm !== undefined && stepMm !== 0.05) {
    return refused('INVALID_VALUE', `--step-mm ${stepMm}: the ${model} has a fixed step of 0.05 mm`);
  }
  return done({
    model, unknownQueries: unknown,
    ...(tcpPort === undefined ? {} : { tcpPort }),
    ...(typeof pty === 'string' ? { ptyPath: pty } : {}),
    ...(controlPort === undefined ? {} : { controlPort }),
    ...(baudRate === undefined ? {} : { baudRate }),
    ...(timeScale === undefined ? {} : { timeScale }),
    ...(stepMm === undefined ? {} : { stepMm }),
    ...(commandSetting === undefined ? {} : { commandSetting }),
  });
}
