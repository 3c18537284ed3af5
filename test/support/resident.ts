import { readFileSync } from 'node:fs';

/** What a process and those it started hold of memory now (RSS), in MB. Linux, proc(5). */
export function residentMb(pid: number = process.pid): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return (children === '' ? [] : children.split(' ').map(Number)).reduce((sum, each) => sum + ownMb(each), ownMb(pid));
}

function ownMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
