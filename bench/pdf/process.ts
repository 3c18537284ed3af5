import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { quantile, spread, type Figure } from '../figures.ts';
import { temporaryDirectory } from '../service-process.ts';
import { cutPage, type PageShape } from './page.ts';

interface Program {
  readonly name: string;
  readonly command: string;
  readonly parameters: (page: string, output: string) => readonly string[];
}

const others: readonly Program[] = [
  { name: 'mutool draw -F svg', command: 'mutool', parameters: (page, output) => ['draw', '-q', '-F', 'svg', '-o', `${output}.svg`, page] },
  { name: 'pdftocairo -svg', command: 'pdftocairo', parameters: (page, output) => ['-svg', page, `${output}.svg`] },
];
const ourPrograms: ReadonlyMap<string, string> = new Map([
  ['paths', 'Kerf, reading alone'], ['job', 'Kerf, cut job'], ['sheet', 'Kerf, cut job and marked PDF'],
]);
/** As a service has it: a shell may hold what makes a program start later. (NODE_EXTRA_CA_CERTS costs Node 40 ms: it reads all certificates.) */
const env = { PATH: process.env.PATH };
/** What is promised of the ratio of our time to theirs. */
const promised: ReadonlyMap<string, number> = new Map([['mutool draw -F svg', 1.5], ['pdftocairo -svg', 0.2]]);

const shapes: readonly PageShape[] = [
  { contours: 1000, segmentsEach: 1000 },
  { contours: 1000, segmentsEach: 1000, curved: true },
  { contours: 1, segmentsEach: 1_000_000 },
  { contours: 20_000, segmentsEach: 50 },
  { contours: 100_000, segmentsEach: 10 },
  { contours: 1_000_000, segmentsEach: 1 },
];

/** A page of a million segments, from the file to the file: whole processes, one after the other in turn. */
export async function benchProcess(isShort: boolean): Promise<Figure[]> {
  const { path, remove } = temporaryDirectory();
  const command = join(path, 'command.cjs');
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(path, 'node_modules'));
  await build({
    entryPoints: [fileURLToPath(new URL('command.ts', import.meta.url))], outfile: command, bundle: true, platform: 'node', target: 'node20.19',
    // Node starts it 10 ms sooner than an ES module.
    format: 'cjs', define: { 'import.meta.url': JSON.stringify(pathToFileURL(command).href) },
    external: ['pdfjs-dist', '@napi-rs/canvas'], logLevel: 'warning',
  });
  const ours = [...ourPrograms].map(([what, name]): Program => ({
    name, command: process.execPath, parameters: (page, output) => [command, what, page, output],
  }));
  const present = others.filter((program) => spawnSync(program.command, ['-v']).error === undefined);
  for (const { name } of others.filter((program) => !present.includes(program))) process.stderr.write(`${name} is not installed; its rows are left out\n`);
  const figures: Figure[] = [];
  for (const shape of isShort ? shapes.slice(0, 1) : shapes) {
    const page = join(path, 'page.pdf');
    writeFileSync(page, cutPage(shape));
    figures.push(...measured(shape, page, ours, present, isShort ? 2 : shape.contours > 50_000 ? 3 : 7));
  }
  remove();
  return figures;
}

function measured({ contours, segmentsEach, curved }: PageShape, page: string, ours: readonly Program[], present: readonly Program[], repeats: number): Figure[] {
  const programs = [...ours, ...present];
  const times = new Map<Program, number[]>(programs.map((program) => [program, []]));
  const peaksMb: number[] = [];
  for (let i = 0; i < repeats; i++) {
    for (const program of programs) {
      // What is left of the run before is written back while it is replaced, and the next one would be held up for it.
      for (const suffix of ['', '.svg', '.pdf']) rmSync(`${page}.out${suffix}`, { force: true });
      const began = performance.now();
      const { status, stdout, stderr } = spawnSync(program.command, program.parameters(page, `${page}.out`), { encoding: 'utf8', env });
      times.get(program)?.push(performance.now() - began);
      if (status !== 0) throw new Error(`${program.name} failed: ${stderr}`);
      if (ours.includes(program)) peaksMb.push(Number(stdout) / 1024);
    }
  }
  const median = (program: Program): number => quantile(times.get(program) ?? [], 0.5);
  const where = `${contours.toLocaleString('en')} × ${segmentsEach.toLocaleString('en')} ${curved ? 'curves' : 'lines'}`;
  return [
    ...programs.map((program): Figure => ({ name: `${where}: ${program.name}`, value: median(program), unit: 'ms', digits: 0, detail: spread(times.get(program) ?? [], 0) })),
    ...ours.flatMap((program) => present.map((other): Figure => ({
      name: `${where}: ${program.name}, of ${other.name}`, value: median(program) / median(other), unit: 'times', digits: 2, detail: 'medians of the rows above, taken in turn',
      limit: { kind: 'at most', value: promised.get(other.name) ?? Number.NaN },
    }))),
    { name: `${where}: memory of Kerf (peak RSS)`, value: Math.max(...peaksMb), unit: 'MB', digits: 0, detail: 'the most of all runs', limit: { kind: 'less than', value: 600 } },
  ];
}
