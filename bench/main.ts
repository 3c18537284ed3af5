/**
 * Measures what is promised. The figures and the machine go to docs/benchmarks.md by hand, with what was observed.
 * usage: npm run bench -- start|cutter-server [offer|idle|serial]|pdf [process|service]|order [--short]
 * Exit code 1: a figure was missed. --short takes fewer and shorter samples: a smoke test, not a figure.
 */
import { parseArgs } from 'node:util';
import { benchCutterServer } from './cutter-server/index.ts';
import { isMet, machine, table, type Figure } from './figures.ts';
import { benchOrder } from './order.ts';
import { benchPdf } from './pdf/index.ts';
import { benchStart } from './start.ts';

interface Choice {
  readonly isShort: boolean;
  /** Parts of a bench; empty: all. */
  readonly parts: readonly string[];
}

const benches: ReadonlyMap<string, (choice: Choice) => Promise<Figure[]>> = new Map([
  ['start', benchStart],
  ['cutter-server', benchCutterServer],
  ['pdf', benchPdf],
  ['order', benchOrder],
]);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { short: { type: 'boolean', default: false } } });
const [name = '', ...parts] = positionals;
const bench = benches.get(name);
if (bench === undefined) {
  process.stderr.write(`Which bench? ${[...benches.keys()].join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(`${name}${values.short ? ', short form' : ''}, ${new Date().toISOString().slice(0, 10)}\n${machine()}\n\n`);
  const figures = await bench({ isShort: values.short, parts });
  process.stdout.write(`${table(figures)}\n`);
  process.exitCode = figures.every(isMet) ? 0 : 1;
}
