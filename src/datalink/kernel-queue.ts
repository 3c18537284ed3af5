/**
 * How many bytes of a TCP connection the kernel still holds because the other end has not acknowledged them.
 *
 * Needed because the kernel buffers megabytes, and tells a writer of free room only when a third of that is free: a
 * cutter that reads slowly, as it cuts, would look like one that stands still.
 * Hole: Linux only (/proc/net); elsewhere, and when the table cannot be read, the answer is null.
 */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

export async function readUnacknowledgedBytes(socket: Socket): Promise<number | null> {
  const { localPort, remotePort, localFamily } = socket;
  if (localPort === undefined || remotePort === undefined) return null;
  try {
    return findQueue(await readFile(localFamily === 'IPv6' ? '/proc/net/tcp6' : '/proc/net/tcp', 'latin1'), localPort, remotePort);
  } catch {
    return null;
  }
}

/** One line: `  12: 0100007F:A733 0100007F:238C 01 003A4200:00000000 …`; ports and the transmit queue in hexadecimal. */
export function findQueue(table: string, localPort: number, remotePort: number): number | null {
  for (const line of table.split('\n')) {
    const match = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/.exec(line);
    if (match !== null && Number.parseInt(match[1] ?? '', 16) === localPort && Number.parseInt(match[2] ?? '', 16) === remotePort) {
      return Number.parseInt(match[3] ?? '', 16);
    }
  }
  return null;
}
