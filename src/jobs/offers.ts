import type { Key, Reader } from '../store/index.ts';
import { jobsByLinkInfo, type JobRecord, type NamedJob } from './records.ts';

interface Offer extends NamedJob {
  readonly seq: number;
}

/** Rows of the index that are in memory as rows at the same time. */
const rowsAtOnce = 2000;

/**
 * What each code is offered, in memory: the operator waits at the panel for it, and a page of the index that the kernel has dropped
 * takes tens of milliseconds to come back from the disk. Some 260 bytes a job, each with a code of its own.
 *
 * Guarantee: the same as the index on disk, as long as `add` and `remove` follow the commits of the one library that writes it.
 */
export class Offers {
  /** Each in the order of registration. */
  readonly #byLinkInfo = new Map<string, Offer[]>();

  /** Reads the whole index: about 0.3 s for 100,000 jobs. */
  constructor(read: Reader) {
    for (let start: Key = []; ;) {
      const rows = read.range(jobsByLinkInfo, { start, limit: rowsAtOnce });
      for (const { key: [linkInfo, seq], value: { id, name } } of rows) this.#put(String(linkInfo), { seq: Number(seq), id, name });
      const last = rows.at(-1)?.key;
      if (last === undefined || rows.length < rowsAtOnce) return;
      start = [String(last[0]), Number(last[1]) + 1];
    }
  }

  add({ barcode_link_info, seq, id, name }: JobRecord): void {
    this.#put(barcode_link_info, { seq, id, name });
  }

  remove({ barcode_link_info, id }: JobRecord): void {
    const left = this.#byLinkInfo.get(barcode_link_info)?.filter((offer) => offer.id !== id) ?? [];
    if (left.length === 0) this.#byLinkInfo.delete(barcode_link_info);
    else this.#byLinkInfo.set(barcode_link_info, left);
  }

  /** Newest first. */
  of(linkInfo: string, limit: number): NamedJob[] {
    return (this.#byLinkInfo.get(linkInfo) ?? []).slice(-limit).reverse().map(({ id, name }) => ({ id, name }));
  }

  #put(linkInfo: string, offer: Offer): void {
    const offers = this.#byLinkInfo.get(linkInfo);
    if (offers === undefined) this.#byLinkInfo.set(linkInfo, [offer]);
    else offers.push(offer);
  }
}
