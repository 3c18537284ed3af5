import { readFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** One measured number, and what it must not exceed (or fall below). */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly digits: number;
  /** How the number was found: repetitions, spread. */
  readonly detail: string;
  readonly limit?: { readonly kind: 'at most' | 'less than' | 'at least'; readonly value: number };
}

export function isMet({ value, limit }: Figure): boolean {
  switch (limit?.kind) {
    case undefined: return true;
    case 'at most': return value <= limit.value;
    case 'less than': return value < limit.value;
    case 'at least': return value >= limit.value;
  }
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, unit, digits, detail, limit } = figure;
    const must = limit === undefined ? '' : `${limit.kind} ${limit.value} ${unit}`;
    const verdict = limit === undefined ? '' : isMet(figure) ? 'yes' : '**no**';
    return `| ${name} | ${value.toFixed(digits)} ${unit} | ${must} | ${verdict} | ${detail} |`;
  });
  return ['| Figure | Measured | Must be | Met | How |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The share `rank` (0 to 1) of the values lies at or below the answer; nearest rank. */
export function quantile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(rank * sorted.length) - 1)] ?? Number.NaN;
}

export function spread(values: readonly number[], digits: number): string {
  const [least, median, most] = [quantile(values, 0), quantile(values, 0.5), quantile(values, 1)];
  return `${values.length} times: ${least.toFixed(digits)} to ${most.toFixed(digits)}, median ${median.toFixed(digits)}`;
}

export function machine(): string {
  const [processor] = cpus();
  const kernel = readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim();
  return `${availableParallelism()} cores (${processor?.model.trim() ?? 'unknown'}), ${(totalmem() / 2 ** 30).toFixed(1)} GiB, `
    + `Linux ${kernel} ${arch()}, Node ${process.version}; load average of the last minute ${(loadavg()[0] ?? 0).toFixed(1)}`;
}
