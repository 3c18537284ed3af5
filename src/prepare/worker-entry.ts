import { fileURLToPath } from 'node:url';

/** Answers for the loader: packages are JavaScript already. Handed to tsx, pdf.js alone would take 300 MB and two seconds. */
const plainPackages = `
import { readFile } from 'node:fs/promises';
export async function load(url, context, next) {
  if (!/^file:.*\\/node_modules\\/.*\\.mjs$/.test(url)) return next(url, context);
  return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true };
}`;

/** What Node is called with to run the worker: a TypeScript entry needs tsx's hooks. Hooks that are registered later are asked first. */
export function entryArguments(workerUrl: URL): string[] {
  const file = fileURLToPath(workerUrl);
  if (!file.endsWith('.ts')) return [file];
  const hooks = dataUrl(`
import { register as registerHooks } from 'node:module';
import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))};
register();
registerHooks(${JSON.stringify(dataUrl(plainPackages))});`);
  return ['--import', hooks, file];
}

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
