import { prefix, type Key, type Reader } from '../store/index.ts';
import { jobsByLinkInfo, type JobRecord, type NamedJob } from './records.ts';

interface Offer extends NamedJob {
  readonly seq: number;
}

/** Rows of the index that are read in one turn of the event loop: some 3 ms. */
const rowsOfOneTurn = 500;

/**
 * What each code is offered, in memory: the operator waits at the panel for it, and a page of the index that the kernel has dropped
 * takes tens of milliseconds to come back from the disk. Some 260 bytes a job, each with a code of its own.
 *
 * Guarantee: the same as the index on disk, as long as `add` and `remove` follow the commits of the one library that writes it.
 * Until all of it is loaded, the index itself is asked.
 */
export class Offers {
  readonly #read: Reader;
  readonly #rowsAtOnce: number;
  /** Each in the order of registration. */
  readonly #byLinkInfo = new Map<string, Offer[]>();
  /** The rows before this key are loaded; null: all are. */
  #next: Key | null = [];

  constructor(read: Reader, rowsAtOnce = rowsOfOneTurn) {
    this.#read = read;
    this.#rowsAtOnce = rowsAtOnce;
  }

  /** Loads the next rows. False: there are no more. */
  loadSome(): boolean {
    if (this.#next === null) return false;
    const rows = this.#read.range(jobsByLinkInfo, { start: this.#next, limit: this.#rowsAtOnce });
    for (const { key: [linkInfo, seq], value: { id, name } } of rows) this.#put(String(linkInfo), { seq: Number(seq), id, name });
    const last = rows.at(-1)?.key;
    this.#next = last === undefined || rows.length < this.#rowsAtOnce ? null : [String(last[0]), Number(last[1]) + 1];
    return this.#next !== null;
  }

  add({ barcode_link_info, seq, id, name }: JobRecord): void {
    if (this.#isLoaded(barcode_link_info, seq)) this.#put(barcode_link_info, { seq, id, name });
  }

  remove({ barcode_link_info, id }: JobRecord): void {
    const left = this.#byLinkInfo.get(barcode_link_info)?.filter((offer) => offer.id !== id) ?? [];
    if (left.length === 0) this.#byLinkInfo.delete(barcode_link_info);
    else this.#byLinkInfo.set(barcode_link_info, left);
  }

  /** Newest first. */
  of(linkInfo: string, limit: number): NamedJob[] {
    if (this.#next !== null) return this.#read.range(jobsByLinkInfo, { ...prefix(linkInfo), reverse: true, limit }).map(({ value }) => value);
    return (this.#byLinkInfo.get(linkInfo) ?? []).slice(-limit).reverse().map(({ id, name }) => ({ id, name }));
  }

  /** A row that is still to be read comes by itself. */
  #isLoaded(linkInfo: string, seq: number): boolean {
    if (this.#next === null) return true;
    const [nextLinkInfo = '', nextSeq = 0] = this.#next;
    return linkInfo < String(nextLinkInfo) || (linkInfo === nextLinkInfo && seq < Number(nextSeq));
  }

  /** In order, and once: a row may be read before its commit is told. From the end, where it nearly always belongs: a shop may use one code for all its jobs. */
  #put(linkInfo: string, offer: Offer): void {
    const offers = this.#byLinkInfo.get(linkInfo);
    if (offers === undefined) {
      this.#byLinkInfo.set(linkInfo, [offer]);
      return;
    }
    let at = offers.length;
    while (at > 0 && (offers[at - 1]?.seq ?? 0) > offer.seq) at--;
    if (offers[at - 1]?.seq !== offer.seq) offers.splice(at, 0, offer);
  }
}
