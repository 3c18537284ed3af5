/**
 * One hot folder at work: it looks into the inbox, waits until files have settled, and offers them to the folder's
 * actor one after the other, the oldest first. What is done with a file is the actor's affair and its steps'.
 *
 * Guarantee: an idle folder writes nothing to disk.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hotFolderKind, retriesLimit, type Claim, type HotFolderContext, type HotFolderEvent } from '../../machines/index.ts';
import type { ActorView, Clock, NewId, Runtime } from '../runtime/index.ts';
import { releaseStrays } from './claim.ts';
import { faultOf, identify, isMissing, isSameFile, makeDirectory, readTail } from './files.ts';
import { listInbox, type ListedFile, type Oddity } from './listing.ts';
import { isPdfName, isPlainFileName, noteEnding, noteName, sidecarsOf, splitName } from './names.ts';
import { folderOfNote } from './note.ts';
import { hasEndMark } from './process.ts';
import { claimFolder, endMarkWindowBytes, folderRules, type FolderDirectories, type FolderId } from './rules.ts';
import { createSightings, type SettledFile } from './sightings.ts';
import { watchDirectory, type Watch } from './watch.ts';

export interface FolderOptions {
  readonly id: FolderId;
  readonly directories: FolderDirectories;
  /** A file must stand still for this long. */
  readonly minAgeMs: number;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: { readonly warn: (message: string) => void };
}

export interface RetryFailure {
  readonly code: 'INVALID_FILE_NAME' | 'FILE_NOT_FOUND' | 'OTHER_FOLDER' | 'TOO_MANY_RETRIES';
  readonly detail: string;
}

export type RetryResult = { readonly ok: true } | { readonly ok: false; readonly failure: RetryFailure };

export interface Folder {
  /** Makes the actor, and takes files if `run`. */
  start(run: boolean): Promise<void>;
  /** No file is taken any more. A step that runs goes on. */
  stop(): Promise<void>;
  setRunning(run: boolean): Promise<void>;
  /** A file of the error folder is to be tried again, with what lies beside it. */
  retry(file: string): Promise<RetryResult>;
  context(): HotFolderContext | undefined;
  waitingCount(): number;
  /** Trouble that could not be put on record: the folder cannot be read, or the database cannot be written. */
  trouble(): { readonly code: string; readonly message: string } | null;
}

/** Between two looks while something has not settled. */
const pollMs = 500;
/** From a hint to the look it causes: a copy of many files makes many hints. */
const hintDelayMs = 100;
/** Between two looks without any hint. */
const rescanMs = 10_000;
/** A look at a big folder must not become all there is: this many times its duration lies between two. */
const restFactor = 10;
/** How long a file that cannot go on rests before it is tried again. */
const heldMs = 5_000;
/** The actor tells when it is done; this is for what it does not tell. */
const busyCheckMs = 1_000;
/** Oddities that are remembered, so that each is told once. */
const oddityLimit = 1_000;

export function createFolder(options: FolderOptions): Folder {
  return new HotFolder(options);
}

class HotFolder implements Folder {
  readonly #options: FolderOptions;
  readonly #sightings;
  readonly #inbox: string;
  #queue: SettledFile[] = [];
  /** Files whose end mark was seen, by name and identity. */
  #complete = new Set<string>();
  readonly #told = new Set<string>();
  #watch: Watch | null = null;
  #unsubscribe = (): void => undefined;
  #isAlive = false;
  #turning: Promise<void> | null = null;
  #isTurnDue = false;
  #isLookDue = true;
  #isResumeDue = true;
  #look: { readonly cancel: () => void; readonly isSlow: boolean } | null = null;
  #lookedAt: number | null = null;
  #plannedMs = 0;
  #hints = 0;
  #cancelCheck = (): void => undefined;
  #trouble: { code: string; message: string } | null = null;
  /** The actor as it was read last, until it may have changed. */
  #known: ActorView<HotFolderContext> | undefined;

  constructor(options: FolderOptions) {
    this.#options = options;
    this.#inbox = options.directories.inbox;
    this.#sightings = createSightings({ minAgeMs: options.minAgeMs, pollMs, hasSidecars: folderRules[options.id].hasSidecars });
  }

  async start(run: boolean): Promise<void> {
    const { runtime, clock, id } = this.#options;
    this.#unsubscribe = runtime.subscribe((entries) => {
      if (!entries.some((entry) => entry.subject === `${hotFolderKind.kind}/${id}`)) return;
      this.#known = undefined;
      this.#kick();
    });
    await this.#send({ type: 'BOOT', at: clock.now(), run });
    this.#isAlive = true;
    this.#kick();
    // When it resolves, the folders are there.
    await this.#turning;
  }

  async stop(): Promise<void> {
    this.#isAlive = false;
    this.#unsubscribe();
    this.#look?.cancel();
    this.#cancelCheck();
    await this.#turning;
    await this.#watch?.close();
    this.#watch = null;
  }

  async setRunning(run: boolean): Promise<void> {
    await this.#send({ type: run ? 'START' : 'STOP', at: this.#options.clock.now() });
    this.#isResumeDue = true;
    this.#kick();
  }

  async retry(file: string): Promise<RetryResult> {
    const failure = await this.#whyNotAgain(file);
    if (failure !== null) return { ok: false, failure };
    await this.#send({ type: 'RETRY', at: this.#options.clock.now(), file });
    this.#kick();
    return { ok: true };
  }

  context(): HotFolderContext | undefined {
    return this.#read()?.context;
  }

  waitingCount(): number {
    return this.#sightings.count() + (this.context()?.retries.length ?? 0);
  }

  trouble(): { readonly code: string; readonly message: string } | null {
    return this.#trouble;
  }

  async #whyNotAgain(file: string): Promise<RetryFailure | null> {
    const { directories: { errors }, id } = this.#options;
    const { extensions } = folderRules[id];
    if (!isPlainFileName(file)) return { code: 'INVALID_FILE_NAME', detail: 'file is the name of a file in the error folder, without a path.' };
    if (!extensions.includes(splitName(file).extension.toLowerCase()) || file.endsWith(noteEnding)) {
      return { code: 'INVALID_FILE_NAME', detail: `This folder takes ${extensions.join(' and ')} files; ${file} is none.` };
    }
    if ((await identify(join(errors, file))) === null) return { code: 'FILE_NOT_FOUND', detail: `There is no file ${file} in ${errors}.` };
    const note = await readFile(join(errors, noteName(file)), 'utf8').catch(() => '');
    const refusedBy = folderOfNote(note);
    if (refusedBy !== null && refusedBy !== id) return { code: 'OTHER_FOLDER', detail: `${file} was refused by ${refusedBy}; ask there.` };
    if ((this.context()?.retries.length ?? 0) >= retriesLimit) return { code: 'TOO_MANY_RETRIES', detail: `${retriesLimit} files wait to be tried again already.` };
    return null;
  }

  #read(): ActorView<HotFolderContext> | undefined {
    return this.#options.runtime.view(hotFolderKind, this.#options.id);
  }

  /** An idle actor is not read again and again: every read leaves a trace in the store's lock file, which goes to disk. */
  #view(): ActorView<HotFolderContext> | undefined {
    if (this.#known?.matches('idle') !== true) this.#known = this.#read();
    return this.#known;
  }

  async #send(event: HotFolderEvent): Promise<void> {
    const { runtime, id, log } = this.#options;
    const sent = await runtime.send(hotFolderKind, id, event, { createWith: { folder: id } });
    this.#known = undefined;
    if (!sent.ok) log.warn(`${id}: ${sent.failure.detail}`);
  }

  /** Asks for a turn. Turns never overlap. */
  #kick(): void {
    if (!this.#isAlive) return;
    this.#isTurnDue = true;
    this.#turning ??= this.#turns().finally(() => {
      this.#turning = null;
    });
  }

  async #turns(): Promise<void> {
    while (this.#isTurnDue && this.#isAlive) {
      this.#isTurnDue = false;
      try {
        await this.#turn();
        this.#trouble = null;
      } catch (error) {
        await this.#fail(error);
      }
    }
  }

  async #turn(): Promise<void> {
    const view = this.#view();
    if (view === undefined) return;
    if (this.#watch === null && !view.context.is_enabled) return;
    await this.#open(view.context);
    if (this.#isLookDue) await this.#lookIn();
    await this.#advance();
  }

  /** Told once, however often it happens in a row. The folder is opened anew as soon as that works. */
  async #fail(error: unknown): Promise<void> {
    const { id, log, clock } = this.#options;
    const fault = faultOf(error);
    const message = fault?.detail ?? `The folder cannot be worked on: ${error instanceof Error ? error.message : String(error)}`;
    const code = fault?.code ?? 'INTERNAL';
    await this.#watch?.close();
    this.#watch = null;
    this.#planLook(pollMs * restFactor, true);
    if (this.#trouble?.code === code) return;
    this.#trouble = { code, message };
    log.warn(`${id}: ${message}`);
    // When the database is what cannot be written, the status shows the trouble all the same.
    await this.#send({ type: 'NOTICED', at: clock.now(), code, message, file: null }).catch(() => undefined);
  }

  async #open({ work }: HotFolderContext): Promise<void> {
    if (this.#watch !== null) return;
    const { directories, log, id } = this.#options;
    for (const directory of Object.values(directories)) if (typeof directory === 'string') await makeDirectory(directory);
    const released = await releaseStrays(this.#inbox, work?.claim_dir ?? null);
    if (released.length > 0) log.warn(`${id}: put back into the inbox, since no record knows them: ${released.join(', ')}`);
    this.#watch = watchDirectory(this.#inbox, () => this.#hint(), (error) => log.warn(`${id}: ${String(error)}`));
    this.#isLookDue = true;
  }

  #hint(): void {
    this.#hints += 1;
    if (this.#look?.isSlow === true) this.#planLook(hintDelayMs, false);
  }

  #planLook(delayMs: number, isSlow: boolean): void {
    this.#look?.cancel();
    if (!this.#isAlive) return;
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#look = null;
      this.#isLookDue = true;
      this.#kick();
    });
    this.#look = { cancel, isSlow };
    this.#plannedMs = delayMs;
  }

  async #lookIn(): Promise<void> {
    const { clock, id } = this.#options;
    const begun = clock.now();
    this.#isLookDue = false;
    const hintsBefore = this.#hints;
    // See sightings.ts: at most what was waited for, whatever the clock says.
    const passedMs = this.#lookedAt === null ? 0 : Math.max(0, Math.min(this.#plannedMs, begun - this.#lookedAt));
    this.#lookedAt = begun;
    const listing = await listInbox(this.#inbox, folderRules[id]);
    this.#sightings.observe(listing, passedMs);
    await this.#lookAtEnds();
    this.#queue = this.#sightings.settled((file) => this.#complete.has(keyOf(file)));
    await this.#tellOddities(listing.oddities);
    const tookMs = Math.max(0, clock.now() - begun);
    const isSettling = this.#hints !== hintsBefore || this.#queue.length < this.#sightings.count();
    this.#planLook(isSettling ? Math.max(pollMs, restFactor * tookMs) : rescanMs, !isSettling);
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
      return hasEndMark(await readTail(join(this.#inbox, name), endMarkWindowBytes));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async #tellOddities(oddities: readonly Oddity[]): Promise<void> {
    const present = new Set(oddities.map(({ name, code }) => `${code} ${name}`));
    for (const known of this.#told) if (!present.has(known)) this.#told.delete(known);
    for (const { name, code, message } of oddities) {
      const key = `${code} ${name}`;
      if (this.#told.has(key) || this.#told.size >= oddityLimit) continue;
      await this.#send({ type: 'NOTICED', at: this.#options.clock.now(), code, message, file: name });
      this.#told.add(key);
    }
  }

  /** Lets the actor go on: with the file it holds, or with the next one. */
  async #advance(): Promise<void> {
    this.#cancelCheck();
    const { clock } = this.#options;
    const view = this.#view();
    if (view?.context.is_enabled !== true) return;
    if (view.matches('held')) {
      if (this.#isResumeDue) {
        this.#isResumeDue = false;
        await this.#send({ type: 'RESUME', at: clock.now() });
        this.#checkAfter(busyCheckMs);
      } else {
        this.#checkAfter(heldMs, () => {
          this.#isResumeDue = true;
        });
      }
      return;
    }
    if (view.matches('idle')) {
      const claim = await this.#next(view.context);
      if (claim === null) return;
      this.#sightings.forget(claim.file.name);
      await this.#send({ type: 'TAKE', at: clock.now(), claim });
    }
    this.#checkAfter(busyCheckMs);
  }

  #checkAfter(delayMs: number, before: () => void = () => undefined): void {
    if (!this.#isAlive) return;
    this.#cancelCheck = this.#options.clock.after(delayMs, () => {
      before();
      this.#kick();
    });
  }

  /** What was asked for again comes first. */
  async #next({ retries }: HotFolderContext): Promise<Claim | null> {
    const { directories: { errors }, clock } = this.#options;
    for (const name of retries) {
      const identity = await identify(join(errors, name));
      if (identity === null) {
        await this.#send({ type: 'RETRY_LOST', at: clock.now(), file: name });
        continue;
      }
      const beside = await Promise.all(sidecarsOf(name, this.#hasSidecars() ? await readdir(errors) : []).map(async (each) => ({ name: each, identity: await identify(join(errors, each)) })));
      const sidecars = beside.flatMap((each) => (each.identity === null ? [] : [{ name: each.name, identity: each.identity }]));
      return this.#claimOf('errors', { name, identity, sidecars });
    }
    for (let file = this.#queue.shift(); file !== undefined; file = this.#queue.shift()) {
      const identity = await identify(join(this.#inbox, file.name));
      if (identity !== null && isSameFile(identity, file.identity)) return this.#claimOf('inbox', file);
    }
    return null;
  }

  #hasSidecars(): boolean {
    return folderRules[this.#options.id].hasSidecars;
  }

  #claimOf(from: Claim['from'], { name, identity, sidecars }: SettledFile): Claim {
    const claimId = this.#options.newId();
    return {
      claim_id: claimId, from, file: { name, identity }, sidecars: [...sidecars],
      source_dir: from === 'inbox' ? this.#inbox : this.#options.directories.errors,
      claim_dir: join(this.#inbox, claimFolder, claimId),
    };
  }
}

function keyOf({ name, identity }: ListedFile): string {
  return [name, identity.dev, identity.ino, identity.size, identity.mtime_ns].join('\n');
}
