import { isAbsolute, resolve } from 'node:path';
import type { Environment } from './environment.ts';
import type { SettingProblem } from './problems.ts';

export interface NumberRule { readonly default: number; readonly min: number; readonly max: number; readonly whole: boolean }

/**
 * Reads single variables and collects what is wrong with them, so that all problems are told at once.
 * A variable that is set to nothing, or to blanks, counts as not set: environment files are full of such lines.
 * A value with a problem is replaced by its default, so that reading can go on.
 */
export class SettingReader {
  readonly problems: SettingProblem[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(variable: string): string | null {
    const value = this.#environment[variable]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  /** The value as it was set, blanks at its ends included. */
  raw(variable: string): string | null {
    const value = this.#environment[variable];
    return value === undefined || value.trim() === '' ? null : value;
  }

  isEmpty(variable: string): boolean {
    return this.#environment[variable] !== undefined && this.text(variable) === null;
  }

  number(variable: string, rule: NumberRule): number {
    const text = this.text(variable);
    if (text === null) return rule.default;
    const kind = rule.whole ? 'whole number' : 'number';
    if (!(rule.whole ? /^[+-]?\d{1,15}$/ : /^[+-]?(\d{1,15}(\.\d{0,9})?|\.\d{1,9})$/).test(text)) {
      return this.refuse(variable, 'NOT_A_NUMBER', `"${text}" is not a ${kind}; give one from ${rule.min} to ${rule.max}`, rule.default);
    }
    const value = Number(text);
    if (value < rule.min || value > rule.max) {
      return this.refuse(variable, 'OUT_OF_RANGE', `${text} is outside the range from ${rule.min} to ${rule.max}`, rule.default);
    }
    return value;
  }

  boolean(variable: string, defaultValue: boolean): boolean {
    const text = this.text(variable);
    if (text === null) return defaultValue;
    const lower = text.toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(lower)) return true;
    if (['false', '0', 'no', 'off'].includes(lower)) return false;
    return this.refuse(variable, 'NOT_A_BOOLEAN', `"${text}" is neither true nor false`, defaultValue);
  }

  oneOf<T extends string>(variable: string, allowed: readonly T[], defaultValue: T): T {
    const text = this.text(variable);
    if (text === null) return defaultValue;
    const found = allowed.find((candidate) => candidate === text.toLowerCase());
    return found ?? this.refuse(variable, 'NOT_ALLOWED', `"${text}" is not one of ${allowed.join(', ')}`, defaultValue);
  }

  /** A list separated by commas; blanks around an item are dropped, empty items too. */
  list(variable: string): string[] {
    return (this.text(variable) ?? '').split(',').map((item) => item.trim()).filter((item) => item !== '');
  }

  /** An absolute directory: `$APP_DATA_DIR/…` and relative paths start at `base`. */
  directory(variable: string, base: string, defaultPath: string): string {
    const text = (this.text(variable) ?? defaultPath).replace(/^\$(APP_DATA_DIR|\{APP_DATA_DIR\})(?=\/|$)/, base);
    if (text.includes('\0')) return this.refuse(variable, 'BAD_FORMAT', 'a path cannot hold a NUL character', resolve(base, defaultPath));
    return isAbsolute(text) ? resolve(text) : resolve(base, text);
  }

  refuse<T>(variable: string, code: SettingProblem['code'], detail: string, instead: T): T {
    this.problems.push({ variable, code, detail });
    return instead;
  }
}
