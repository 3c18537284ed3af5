/**
 * A small levelled logger: one line per message, to stderr through `write`. Stdout is for the listening address and for
 * what commands print. Lines begin with the syslog priority that the systemd journal understands (sd-daemon(3)) when
 * `systemd` is set, else with a timestamp. Fields that JSON cannot hold are written as text; a line never holds a line break.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same sink, with fields added to every line. */
  with(fields: LogFields): Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly systemd?: boolean;
}

const severity: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

export function createLog(options: LogOptions, common: LogFields = {}): Log {
  const line = (level: LogLevel) => (message: string, fields: LogFields = {}): void => {
    if (severity[level] > severity[options.level]) return;
    const head = options.systemd === true
      ? `<${severity[level]}>`
      : `${new Date(options.now()).toISOString()} ${level.toUpperCase().padEnd(5)} `;
    options.write(`${head}${oneLine(message)}${fieldText({ ...common, ...fields })}\n`);
  };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    with: (fields) => createLog(options, { ...common, ...fields }),
  };
}

/** A log that says nothing, for tests and for parts that have none. */
export function silentLog(): Log {
  const nothing = (): void => undefined;
  const log: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => log };
  return log;
}

function fieldText(fields: LogFields): string {
  return Object.entries(fields).map(([name, value]) => ` ${name}=${oneLine(valueText(value))}`).join('');
}

function valueText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.stack ?? value.message);
  if (typeof value === 'string') return /^[\w.:/+@-]+$/.test(value) ? value : JSON.stringify(value);
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return typeof value;
  try {
    return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));
  } catch {
    return '"(not printable)"';
  }
}

/** Control characters would let a client forge log lines. */
function oneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
