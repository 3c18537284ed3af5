import { spawnSync } from 'node:child_process';

/** Options of a test that holds Kerf against other programs: it is skipped, by name, where one is not installed. CI has them all. */
export function needs(...commands: readonly string[]): { readonly skip: string | false } {
  const missing = commands.filter((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0);
  return { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` };
}
