import type { Figure } from '../figures.ts';
import { benchProcess } from './process.ts';
import { benchService } from './service.ts';

const all: ReadonlyMap<string, (isShort: boolean) => Promise<Figure[]>> = new Map([
  ['process', benchProcess],
  ['service', benchService],
]);

/** From a PDF to a cut job: as a process beside others that read the same page, and inside the running service. */
export async function benchPdf({ isShort, parts }: { readonly isShort: boolean; readonly parts: readonly string[] }): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, bench] of all) {
    if (parts.length > 0 && !parts.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await bench(isShort)));
  }
  return figures;
}
