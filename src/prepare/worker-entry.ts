/** Answers for the loader: packages are JavaScript already. Handed to tsx, pdf.js alone would take 300 MB and two seconds. */
const plainPackages = `
import { readFile } from 'node:fs/promises';
export async function load(url, context, next) {
  if (!/^file:.*\\/node_modules\\/.*\\.mjs$/.test(url)) return next(url, context);
  return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true };
}`;

/** Node's workers do not inherit tsx's module hooks, so a TypeScript entry is started through a few lines that register them.
 * Hooks that are registered later are asked first. */
export function entryOf(workerUrl: URL): URL {
  if (!workerUrl.pathname.endsWith('.ts')) return workerUrl;
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  return dataUrl(`
import { register as registerHooks } from 'node:module';
import { register } from ${tsx};
register();
registerHooks(${JSON.stringify(dataUrl(plainPackages).href)});
await import(${JSON.stringify(workerUrl.href)});`);
}

function dataUrl(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}
