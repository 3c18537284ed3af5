/**
 * Minting of barcode link info: prefix and a base 36 counter, 9 characters in all, codes in use skipped.
 *
 * A minted code is reserved in memory until its job is registered or given up; the counter moves on disk with the job.
 * So a refused file leaves nothing behind, and two files prepared at once never share a code.
 */
import { prefix, type Reader } from '../store/index.ts';
import { jobCounters, jobsByLinkInfo } from './records.ts';

export interface ReservedLinkInfo {
  readonly linkInfo: string;
  readonly counter: number;
}

const linkInfoLength = 9;
/** Each prefix counts for itself, so that another prefix begins with all its codes. */
export const counterKey = (barcodePrefix: string): readonly string[] => ['link_info', barcodePrefix];

export function nextLinkInfo(read: Reader, barcodePrefix: string, reserved: ReadonlySet<string>): ReservedLinkInfo | null {
  const digits = linkInfoLength - barcodePrefix.length;
  const end = 36 ** digits;
  let counter = (read.get(jobCounters, counterKey(barcodePrefix)) ?? 0) + 1;
  for (; counter < end; counter += 1) {
    const linkInfo = barcodePrefix + counter.toString(36).toUpperCase().padStart(digits, '0');
    if (!reserved.has(linkInfo) && !isInUse(read, linkInfo)) return { linkInfo, counter };
  }
  return null;
}

function isInUse(read: Reader, linkInfo: string): boolean {
  return read.range(jobsByLinkInfo, { ...prefix(linkInfo), limit: 1 }).length > 0;
}
