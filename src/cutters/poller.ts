/**
 * The conversation with one cutter: read its status, tell the actor, and speak where the cycle asks for it.
 *
 * Only changes are told: a cutter that stands still costs no write. The job list is sent without waiting for the disk,
 * because offering moves nothing; the hand-over is an effect of the actor and waits for it.
 * Hole: what was offered is in memory until the offer is on disk; a service that dies in between comes back in
 * standby, and the operator scans again.
 */
import { asksForJobs, cutterKind, NOT_COMMUNICATING, type ChosenJob, type CutterContext, type CutterEvent } from '../../machines/index.ts';
import type { Clock, QueryFailure } from '../datalink/index.ts';
import type { JobLibrary } from '../jobs/index.ts';
import type { ActorView, NewId, Runtime } from '../runtime/index.ts';
import { identify, refusalOf } from './identity.ts';
import type { CutterLink } from './links.ts';

export interface PollerOptions {
  readonly link: CutterLink;
  readonly runtime: Runtime;
  readonly jobs: JobLibrary;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly pollIntervalMs: number;
  /** When the first poll is due after a start: cutters that take turns do not wait for each other. */
  readonly firstPollMs?: number;
  readonly stepsPerMm: number;
  readonly onTrouble: (message: string) => void;
}

export interface Poller {
  start(): void;
  /** Resolves when the running turn has ended; a job stream is not waited for. */
  stop(): Promise<void>;
  /** Reads the status now, not at the next turn, and resolves when it has been acted upon. Nothing while stopped. */
  pollNow(): Promise<void>;
}

type View = ActorView<CutterContext>;
interface BreakOff {
  readonly kind: 'warning' | 'rejected' | 'standby';
  readonly code: string;
  readonly message: string;
}

/** gpgl-and-data-link.md section 4.1: at most 8 names. */
const offeredAtMost = 8;
/** One reply that cannot be used may be noise, or another server holding the line; two in a row are silence. */
const badRepliesAreSilence = 2;

export function createPoller(options: PollerOptions): Poller {
  return new PollLoop(options);
}

class PollLoop implements Poller {
  readonly #options: PollerOptions;
  #cancel: () => void = () => undefined;
  #turn: Promise<void> = Promise.resolve();
  #isInTurn = false;
  #isOn = false;
  #badReplies = 0;
  /** The machine has been asked who it is since it was last silent. */
  #isIdentified = false;
  /** The first status after a start is told even if it is the same as before. */
  #hasTold = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#hasTold = false;
    this.#isIdentified = false;
    this.#schedule(this.#options.firstPollMs ?? 0);
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    this.#cancel();
    await this.#turn;
  }

  async pollNow(): Promise<void> {
    while (this.#isInTurn) await this.#turn;
    if (!this.#isOn) return;
    this.#cancel();
    this.#begin();
    await this.#turn;
  }

  #schedule(delayMs: number): void {
    this.#cancel = this.#options.clock.after(delayMs, () => this.#begin());
  }

  #begin(): void {
    const { clock, pollIntervalMs, link, onTrouble } = this.#options;
    const startedAt = clock.now();
    this.#isInTurn = true;
    this.#turn = this.#poll()
      .catch((error: unknown) => onTrouble(`${link.name}: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => {
        this.#isInTurn = false;
        const tookMs = Math.max(0, clock.now() - startedAt);
        if (this.#isOn) this.#schedule(Math.max(0, Math.min(pollIntervalMs, pollIntervalMs - tookMs)));
      });
  }

  async #poll(): Promise<void> {
    const { link } = this.#options;
    if (link.session.isStreaming() || this.#view()?.matches('polling.handingOver') === true) return;
    const answer = await link.session.status({ busy: 'refuse' });
    if (!this.#isOn) return;
    if (answer.ok) {
      this.#badReplies = 0;
      await this.#observe(answer.status);
    } else if (answer.failure.code !== 'LINK_BUSY') {
      await this.#observeFailure(answer.failure);
    }
  }

  async #observeFailure(failure: QueryFailure): Promise<void> {
    this.#badReplies += 1;
    if (failure.code !== 'REPLY_TIMEOUT' && this.#badReplies < badRepliesAreSilence) return;
    this.#isIdentified = false;
    await this.#observe(NOT_COMMUNICATING, failure.detail);
  }

  async #observe(code: number, detail?: string): Promise<void> {
    const view = this.#view();
    if (view === undefined) return;
    const quiet = [0, 1, 7].includes(code);
    if (code !== NOT_COMMUNICATING && !this.#isIdentified && quiet) await this.#identify(view);
    if (this.#hasTold && code === view.context.status) return;
    this.#hasTold = true;
    const event: CutterEvent = { type: 'STATUS', at: this.#options.clock.now(), code, ...(detail === undefined ? {} : { detail }) };
    if (view.matches('polling') && asksForJobs(view.context, code, view.matches('polling.standby'))) {
      // The list first: the operator waits at the panel, and offering moves nothing.
      const offer = await this.#offer();
      await this.#tell(event);
      if (offer !== null) await this.#tell(offer);
      return;
    }
    const saved = await this.#tell(event);
    if (saved?.matches('polling.determined') === true) await this.#choose(saved);
  }

  async #identify(view: View): Promise<void> {
    const { link, clock, stepsPerMm } = this.#options;
    const { machine, warnings } = await identify(link.session, stepsPerMm);
    this.#isIdentified = true;
    const known = JSON.stringify([view.context.machine, view.context.warnings]);
    if (known !== JSON.stringify([machine, warnings])) await this.#tell({ type: 'IDENTIFIED', at: clock.now(), machine, warnings });
  }

  /** d2 and d3. An empty list is sent too. Null: the cutter has left state 2 by itself. */
  async #offer(): Promise<CutterEvent | null> {
    const { link, jobs, clock } = this.#options;
    const read = await link.session.linkInfo();
    if (!read.ok) return this.#breakOff({ kind: 'warning', code: read.failure.code, message: `The barcode could not be read from the cutter: ${read.failure.detail}` });
    if (read.linkInfo === null) return null;
    const matching = jobs.matching(read.linkInfo, offeredAtMost);
    const offered = await link.session.offerJobs(matching.map((job) => job.name));
    if (!offered.ok) return this.#breakOff({ kind: 'rejected', code: offered.failure.code, message: `The cutter did not take the job list: ${offered.failure.detail}` });
    return { type: 'OFFERED', at: clock.now(), link_info: read.linkInfo, jobs: matching };
  }

  /** d4, and the choice told; the hand-over follows from it. */
  async #choose(view: View): Promise<void> {
    if (!this.#isIdentified) await this.#identify(view);
    const { link, clock, newId } = this.#options;
    const selected = await link.session.selectedIndex();
    const chosen = selected.ok ? this.#chosenJob(selected.index) : { kind: 'rejected' as const, code: selected.failure.code, message: `The cutter did not say which job was selected: ${selected.failure.detail}` };
    await this.#tell('code' in chosen ? this.#breakOff(chosen) : { type: 'CHOSEN', at: clock.now(), hand_off_id: newId(), job: chosen });
  }

  /** The list as it was sent is what the index means; the job itself must still be in the library. */
  #chosenJob(index: number | null): ChosenJob | BreakOff {
    const context = this.#view()?.context;
    if (index === null) return { kind: 'standby', code: 'OTHER_SERVER', message: 'The operator chose a job of another server that drives this cutter.' };
    const entry = context?.offered[index];
    if (context === undefined || entry === undefined) return { kind: 'rejected', code: 'SELECTION_OUT_OF_RANGE', message: `The cutter names entry ${index} of a list of ${context?.offered.length ?? 0}.` };
    const job = this.#options.jobs.get(entry.id);
    if (job === undefined) return { kind: 'rejected', code: 'JOB_REMOVED', message: `${entry.name} was removed after it was offered; nothing was sent.` };
    const refusal = refusalOf(context.machine, { command_type: job.command_type, stepsPerMm: job.geometry?.steps_per_mm ?? this.#options.stepsPerMm });
    if (refusal !== null) return { kind: 'rejected', ...refusal };
    const { id, name, barcode_link_info, command_type, vector, command_length } = job;
    return { id, name, link_info: barcode_link_info, command_type, vector, bytes_total: command_length };
  }

  #breakOff(reason: BreakOff): CutterEvent {
    return { type: 'BROKEN_OFF', at: this.#options.clock.now(), ...reason };
  }

  #view(): View | undefined {
    return this.#options.runtime.view(cutterKind, this.#options.link.name);
  }

  /** Never rejects: nobody may be waiting for it while the line is in use. Undefined: not told, so the next turn tells it again. */
  async #tell(event: CutterEvent): Promise<View | undefined> {
    const { runtime, link, onTrouble } = this.#options;
    try {
      const sent = await runtime.send(cutterKind, link.name, event);
      if (sent.ok) return sent.view;
      onTrouble(`${link.name}: ${sent.failure.detail}`);
    } catch (error) {
      onTrouble(`${link.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    return undefined;
  }
}
