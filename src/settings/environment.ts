import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { SettingProblem } from './problems.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of the process, with those of a `.env` file in `directory` beneath them: a real variable wins,
 * even when it is empty, so that a service manager can switch a line of the file off.
 */
export function readEnvironment(
  processEnvironment: Environment,
  directory: string,
): { readonly environment: Environment; readonly problems: readonly SettingProblem[] } {
  const file = join(directory, '.env');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error) && error.code === 'ENOENT') return { environment: processEnvironment, problems: [] };
    const reason = error instanceof Error ? error.message : String(error);
    return {
      environment: processEnvironment,
      problems: [{ variable: '.env', code: 'UNREADABLE', detail: `the file ${file} is there but cannot be read (${reason})` }],
    };
  }
  return { environment: { ...parseEnv(text), ...processEnvironment }, problems: [] };
}

function hasCode(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && 'code' in error;
}
