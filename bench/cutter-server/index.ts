import type { Figure } from '../figures.ts';
import { buildBundle } from '../service-process.ts';
import { benchIdle } from './idle.ts';
import { benchOffer } from './offer.ts';
import { benchSerial } from './serial.ts';

const all: ReadonlyMap<string, (entry: string, isShort: boolean) => Promise<Figure[]>> = new Map([
  ['offer', benchOffer],
  ['idle', benchIdle],
  ['serial', benchSerial],
]);

/** The cutter server against simulated cutters: the service in a process of its own, the cutters in this one. */
export async function benchCutterServer({ isShort, parts }: { readonly isShort: boolean; readonly parts: readonly string[] }): Promise<Figure[]> {
  const bundle = buildBundle();
  const figures: Figure[] = [];
  for (const [name, bench] of all) {
    if (parts.length > 0 && !parts.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await bench(bundle.entry, isShort)));
  }
  bundle.remove();
  return figures;
}
