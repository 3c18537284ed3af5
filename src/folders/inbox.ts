/**
 * What lies in the inbox of a hot folder: it looks when there is a reason to, waits until files have settled, and tells
 * once of each thing that will not be taken.
 *
 * Guarantee: an inbox in which nothing happens is looked at every ten seconds, and nothing is written to disk for it.
 */
import { join } from 'node:path';
import type { Clock } from '../runtime/index.ts';
import { identify, isMissing, isSameFile, readTail } from './files.ts';
import { listInbox, type ListedFile, type Oddity } from './listing.ts';
import { isPdfName } from './names.ts';
import { endMarkWindowBytes, hasEndMark, type FolderRules } from './rules.ts';
import { createSightings, type SettledFile } from './sightings.ts';
import { watchDirectory, type Watch } from './watch.ts';

export interface InboxOptions {
  readonly directory: string;
  readonly rules: FolderRules;
  /** A file must stand still for this long. */
  readonly minAgeMs: number;
  readonly clock: Clock;
  /** A look is due. */
  readonly onDue: () => void;
  readonly onWatchTrouble: (error: unknown) => void;
  readonly tell: (oddity: Oddity) => Promise<void>;
}

/** Between two looks while something has not settled. */
const pollMs = 500;
/** From a hint to the look it causes: a copy of many files makes many hints. */
const hintDelayMs = 100;
/** Between two looks without any hint. */
const rescanMs = 10_000;
/** A look at a big folder must not become all there is: this many times its duration lies between two. */
const restFactor = 10;
/** Oddities that are remembered, so that each is told once. */
const oddityLimit = 1_000;

export class Inbox {
  readonly #options: InboxOptions;
  readonly #sightings;
  #queue: SettledFile[] = [];
  /** Files whose end mark was seen, by name and identity. */
  #complete = new Set<string>();
  readonly #told = new Set<string>();
  #watch: Watch | null = null;
  #isLookDue = true;
  #look: { readonly cancel: () => void; readonly isSlow: boolean } | null = null;
  #lookedAt: number | null = null;
  #plannedMs = 0;
  #hints = 0;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#sightings = createSightings({ minAgeMs: options.minAgeMs, pollMs, hasSidecars: options.rules.hasSidecars });
  }

  get isOpen(): boolean {
    return this.#watch !== null;
  }

  /** Files in it, settled or not. */
  get count(): number {
    return this.#sightings.count();
  }

  open(): void {
    const { directory, onWatchTrouble } = this.#options;
    this.#watch ??= watchDirectory(directory, () => this.#hint(), onWatchTrouble);
    this.#isLookDue = true;
  }

  /** Until it is opened anew; no look is planned. */
  async close(): Promise<void> {
    this.#look?.cancel();
    this.#look = null;
    await this.#watch?.close();
    this.#watch = null;
  }

  /** After trouble: a look in a while, whatever hints come. */
  rest(): void {
    this.#planLook(pollMs * restFactor, true);
  }

  async lookIfDue(): Promise<void> {
    if (!this.#isLookDue) return;
    const { clock, directory, rules } = this.#options;
    const begun = clock.now();
    this.#isLookDue = false;
    const hintsBefore = this.#hints;
    // See sightings.ts: at most what was waited for, whatever the clock says.
    const passedMs = this.#lookedAt === null ? 0 : Math.max(0, Math.min(this.#plannedMs, begun - this.#lookedAt));
    this.#lookedAt = begun;
    const listing = await listInbox(directory, rules);
    this.#sightings.observe(listing, passedMs);
    await this.#lookAtEnds();
    this.#queue = this.#sightings.settled((file) => this.#complete.has(keyOf(file)));
    await this.#tellOddities(listing.oddities);
    const tookMs = Math.max(0, clock.now() - begun);
    const isSettling = this.#hints !== hintsBefore || this.#queue.length < this.#sightings.count();
    this.#planLook(isSettling ? Math.max(pollMs, restFactor * tookMs) : rescanMs, !isSettling);
  }

  /** The oldest file that has settled and is still what it was. */
  async next(): Promise<SettledFile | null> {
    for (let file = this.#queue.shift(); file !== undefined; file = this.#queue.shift()) {
      const identity = await identify(join(this.#options.directory, file.name));
      if (identity !== null && isSameFile(identity, file.identity)) return file;
    }
    return null;
  }

  /** It is taken. */
  forget(name: string): void {
    this.#sightings.forget(name);
  }

  #hint(): void {
    this.#hints += 1;
    if (this.#look?.isSlow === true) this.#planLook(hintDelayMs, false);
  }

  #planLook(delayMs: number, isSlow: boolean): void {
    this.#look?.cancel();
    const { clock, onDue } = this.#options;
    const cancel = clock.after(delayMs, () => {
      this.#look = null;
      this.#isLookDue = true;
      onDue();
    });
    this.#look = { cancel, isSlow };
    this.#plannedMs = delayMs;
  }

  /** Looks for the end mark of files that stood still. What was found once holds as long as the file is the same. */
  async #lookAtEnds(): Promise<void> {
    const complete = new Set<string>();
    for (const file of this.#sightings.still()) {
      if (this.#complete.has(keyOf(file)) || (await this.#isComplete(file))) complete.add(keyOf(file));
    }
    this.#complete = complete;
  }

  async #isComplete({ name, identity }: ListedFile): Promise<boolean> {
    if (!isPdfName(name)) return identity.size > 0;
    try {
      return hasEndMark(await readTail(join(this.#options.directory, name), endMarkWindowBytes));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async #tellOddities(oddities: readonly Oddity[]): Promise<void> {
    const present = new Set(oddities.map(({ name, code }) => `${code} ${name}`));
    for (const known of this.#told) if (!present.has(known)) this.#told.delete(known);
    for (const oddity of oddities) {
      const key = `${oddity.code} ${oddity.name}`;
      if (this.#told.has(key) || this.#told.size >= oddityLimit) continue;
      await this.#options.tell(oddity);
      this.#told.add(key);
    }
  }
}

function keyOf({ name, identity }: ListedFile): string {
  return [name, identity.dev, identity.ino, identity.size, identity.mtime_ns].join('\n');
}
