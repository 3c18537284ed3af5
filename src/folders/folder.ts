/**
 * One hot folder at work: it offers the files that have settled in its inbox to the folder's actor, one after the other,
 * the oldest first. What is done with a file is the actor's affair and its steps'.
 *
 * Guarantee: an idle folder writes nothing to disk.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hotFolderKind, retriesLimit, type Claim, type HotFolderContext, type HotFolderEvent } from '../../machines/index.ts';
import type { ActorView, Clock, NewId, Runtime } from '../runtime/index.ts';
import { releaseStrays } from './claim.ts';
import { faultOf, identify, makeDirectory } from './files.ts';
import { Inbox } from './inbox.ts';
import { isPlainFileName, noteEnding, noteName, sidecarsOf, splitName } from './names.ts';
import { folderOfNote } from './note.ts';
import { claimFolder, folderRules, type FolderDirectories, type FolderId } from './rules.ts';
import type { SettledFile } from './sightings.ts';

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

/** How long a file that cannot go on rests before it is tried again. */
const heldMs = 5_000;
/** The actor tells when it is done; this is for what it does not tell. */
const busyCheckMs = 1_000;

export function createFolder(options: FolderOptions): Folder {
  return new HotFolder(options);
}

class HotFolder implements Folder {
  readonly #options: FolderOptions;
  readonly #inbox: Inbox;
  #unsubscribe = (): void => undefined;
  #isAlive = false;
  #turning: Promise<void> | null = null;
  #isTurnDue = false;
  #isResumeDue = true;
  #cancelCheck = (): void => undefined;
  #trouble: { code: string; message: string } | null = null;
  /** The actor as it was read last, until it may have changed. */
  #known: ActorView<HotFolderContext> | undefined;

  constructor(options: FolderOptions) {
    this.#options = options;
    const { id, directories, minAgeMs, clock, log } = options;
    this.#inbox = new Inbox({
      directory: directories.inbox, rules: folderRules[id], minAgeMs, clock,
      onDue: () => this.#kick(),
      onWatchTrouble: (error) => log.warn(`${id}: ${String(error)}`),
      tell: ({ code, message, name }) => this.#send({ type: 'NOTICED', at: clock.now(), code, message, file: name }),
    });
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
    this.#cancelCheck();
    await this.#turning;
    await this.#inbox.close();
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
    return this.#inbox.count + (this.context()?.retries.length ?? 0);
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
    if (!this.#inbox.isOpen && !view.context.is_enabled) return;
    await this.#open(view.context);
    await this.#inbox.lookIfDue();
    await this.#advance();
  }

  /** Told once, however often it happens in a row. The folder is opened anew as soon as that works. */
  async #fail(error: unknown): Promise<void> {
    const { id, log, clock } = this.#options;
    const fault = faultOf(error);
    const message = fault?.detail ?? `The folder cannot be worked on: ${error instanceof Error ? error.message : String(error)}`;
    const code = fault?.code ?? 'INTERNAL';
    await this.#inbox.close();
    this.#inbox.rest();
    if (this.#trouble?.code === code) return;
    this.#trouble = { code, message };
    log.warn(`${id}: ${message}`);
    // When the database is what cannot be written, the status shows the trouble all the same.
    await this.#send({ type: 'NOTICED', at: clock.now(), code, message, file: null }).catch(() => undefined);
  }

  async #open({ work }: HotFolderContext): Promise<void> {
    if (this.#inbox.isOpen) return;
    const { directories, log, id } = this.#options;
    for (const directory of Object.values(directories)) if (typeof directory === 'string') await makeDirectory(directory);
    const released = await releaseStrays(directories.inbox, work?.claim_dir ?? null);
    if (released.length > 0) log.warn(`${id}: put back into the inbox, since no record knows them: ${released.join(', ')}`);
    this.#inbox.open();
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
      this.#inbox.forget(claim.file.name);
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
    const file = await this.#inbox.next();
    return file === null ? null : this.#claimOf('inbox', file);
  }

  #hasSidecars(): boolean {
    return folderRules[this.#options.id].hasSidecars;
  }

  #claimOf(from: Claim['from'], { name, identity, sidecars }: SettledFile): Claim {
    const { newId, directories: { inbox, errors } } = this.#options;
    const claimId = newId();
    return {
      claim_id: claimId, from, file: { name, identity }, sidecars: [...sidecars],
      source_dir: from === 'inbox' ? inbox : errors,
      claim_dir: join(inbox, claimFolder, claimId),
    };
  }
}
