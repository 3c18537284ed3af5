/** The Data Link's status codes and which may follow which (gpgl-and-data-link.md section 4.2). */

export const NOT_COMMUNICATING = -999;

export const statusLabels: Readonly<Record<number, string>> = {
  [NOT_COMMUNICATING]: 'Not communicating',
  0: 'Stopped',
  1: 'Scanning barcode',
  2: 'Requesting job list',
  3: 'Selecting job',
  4: 'Job determined',
  5: 'Cutting',
  6: 'User operating',
  7: 'Error',
};

export function statusLabel(code: number): string {
  return statusLabels[code] ?? (code < 0 ? `Error ${code}` : `Unknown status ${code}`);
}

export function isKnownStatus(code: number): boolean {
  return code in statusLabels;
}

const legalPrevious: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 3, 5, 6, 7],
  1: [0, 5, 6],
  2: [1],
  3: [2],
  4: [2, 3, 4],
  5: [4, 6],
  6: [1, 5],
  7: [1, 2, 3, 4, 5, 6],
};

/**
 * Whether `code` may be seen after `previous`. A state shorter than a poll is never seen, so two states count as
 * passed through unseen: 1 on the way to 2, and 5 after a job stream of ours was completed (4 → 0 is 4 → 5 → 0).
 */
export function isLegalChange(previous: number, code: number, ownStreamDone: boolean): boolean {
  if (code === NOT_COMMUNICATING || previous === NOT_COMMUNICATING || !isKnownStatus(code)) return true;
  const from = previous === 4 && code !== 4 && ownStreamDone ? [4, 5] : [previous];
  const next = code === 2 ? [2, 1] : [code];
  return next.some((to) => from.some((source) => legalPrevious[to]?.includes(source) ?? false));
}

/** Whether a new cycle begins: status 1 was seen, or passed through unseen on the way to 2. */
export function beginsCycle(previous: number, code: number): boolean {
  return code === 1 || (code === 2 && (legalPrevious[1]?.includes(previous) ?? false));
}
