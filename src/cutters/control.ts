/**
 * One cutter's polling: on, off, and the lock that lets only one service of this machine drive it.
 *
 * Guarantee: the answers are what is so when they are given. Polling runs only while the lock is held; a cutter that
 * another service holds is tried again until it is free, and said to be held meanwhile.
 * Hole: the lock does not reach across machines; there only the cutter's own behaviour tells of another server.
 */
import { realpath } from 'node:fs/promises';
import { cutterKind, type CutterContext, type CutterEvent } from '../../machines/index.ts';
import type { Clock } from '../datalink/index.ts';
import type { ActorView, Runtime } from '../runtime/index.ts';
import { warningsOf } from './identity.ts';
import { askInfo, infoFailure, refusalAt, type InfoResult, type Look } from './info.ts';
import type { CutterLink } from './links.ts';
import type { Poller } from './poller.ts';

/** Held by one process at a time; `null` when another has it. */
export type AcquireLock = (what: string) => Promise<{ release(): Promise<void> } | null>;

export interface ControlOptions {
  readonly link: CutterLink;
  readonly poller: Poller;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly stepsPerMm: number;
  readonly acquireLock: AcquireLock;
  readonly onTrouble: (message: string) => void;
}

/** How often a cutter that another service drives is tried again. In memory only: waiting writes nothing. */
const retryLockMs = 5000;

export class CutterControl {
  readonly #options: ControlOptions;
  /** One change at a time, in the order asked. */
  #last: Promise<unknown> = Promise.resolve();
  #lock: { release(): Promise<void> } | null = null;
  #isHeldElsewhere = false;
  #cancelRetry: () => void = () => undefined;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /** Another service of this machine drives the cutter. */
  get isHeldElsewhere(): boolean {
    return this.#isHeldElsewhere;
  }

  /** Makes the actor, and begins polling if `poll` and if nobody else drives the cutter. */
  boot(poll: boolean): Promise<void> {
    return this.#inOrder(async () => {
      const { link, runtime, clock, poller, onTrouble } = this.#options;
      const mayPoll = poll && (await this.#takeLock());
      const sent = await runtime.send(cutterKind, link.name, { type: 'BOOT', at: clock.now(), poll: mayPoll }, { createWith: { name: link.name } });
      if (!sent.ok) onTrouble(`${link.name} cannot be driven: ${sent.failure.detail}`);
      else if (mayPoll) poller.start();
      if (poll && !mayPoll) await this.#heldElsewhere();
    });
  }

  /** Whether this call began the polling: false when it runs already, and when another service drives the cutter. */
  start(): Promise<boolean> {
    return this.#inOrder(async () => {
      this.#cancelRetry();
      if (this.#view()?.matches('polling') !== false) return false;
      if (await this.#begin()) return true;
      await this.#heldElsewhere();
      return false;
    });
  }

  /**
   * Whether polling is off now. A poll that is under way is waited for. While a job is being sent it stays on: the
   * stream goes on, and what becomes of it must be seen.
   */
  stop(): Promise<boolean> {
    return this.#inOrder(async () => {
      const { link, poller, runtime, clock, onTrouble } = this.#options;
      this.#cancelRetry();
      this.#isHeldElsewhere = false;
      const before = this.#view();
      if (before?.matches('polling') !== true) return true;
      if (this.#isSending(before)) return false;
      await poller.stop();
      const sent = await runtime.send(cutterKind, link.name, { type: 'STOP', at: clock.now() });
      if (!sent.ok) onTrouble(`${link.name}: ${sent.failure.detail}`);
      // The poll that was waited for may have handed a job over: then the machine does not stop.
      if (sent.ok && sent.view.matches('stopped')) {
        await this.#releaseLock();
        return true;
      }
      poller.start();
      return false;
    });
  }

  /** Asks the machine who it is, unless that would disturb it. */
  async info(): Promise<InfoResult> {
    const { link, runtime, clock, stepsPerMm, onTrouble } = this.#options;
    const busy = this.refusalNow();
    if (busy !== null) return { ok: false, failure: busy };
    const isPolling = this.#view()?.matches('polling') === true;
    const guest = isPolling ? null : await this.#visit();
    if (guest === 'refused') return { ok: false, failure: { code: 'CUTTER_BUSY', detail: 'another service of this machine drives it' } };
    try {
      const asked = await askInfo(link.session, isPolling ? this.#lookThroughPoller : this.#lookDirectly);
      if (!asked.ok) return asked;
      const context = this.#view()?.context;
      const warnings = warningsOf(asked.machine, stepsPerMm);
      if (context !== undefined && JSON.stringify([context.machine, context.warnings]) !== JSON.stringify([asked.machine, warnings])) {
        const told = await runtime.send(cutterKind, link.name, { type: 'IDENTIFIED', at: clock.now(), machine: asked.machine, warnings });
        if (!told.ok) onTrouble(`${link.name}: ${told.failure.detail}`);
      }
      return asked;
    } finally {
      await guest?.release();
    }
  }

  /** Why it may not be asked, as far as that is known without asking; null when it may. */
  refusalNow(): { readonly code: 'CUTTER_BUSY'; readonly detail: string } | null {
    const view = this.#view();
    if (this.#isSending(view)) return { code: 'CUTTER_BUSY', detail: 'a job is being sent to it' };
    if (view?.matches('polling') !== true) return null;
    const refusal = refusalAt(view.context.status);
    return refusal?.code === 'CUTTER_BUSY' ? { code: 'CUTTER_BUSY', detail: refusal.detail } : null;
  }

  /** Ends polling with the service: the actor is not told, so that its next start finds it as it was. */
  async halt(): Promise<void> {
    this.#cancelRetry();
    await this.#inOrder(() => this.#options.poller.stop());
  }

  /** When the last job stream has ended. */
  release(): Promise<void> {
    return this.#inOrder(() => this.#releaseLock());
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #begin(): Promise<boolean> {
    const { link, poller, runtime, clock, onTrouble } = this.#options;
    if (!(await this.#takeLock())) return false;
    const event: CutterEvent = { type: 'START', at: clock.now() };
    const sent = await runtime.send(cutterKind, link.name, event);
    if (!sent.ok) onTrouble(`${link.name}: ${sent.failure.detail}`);
    else poller.start();
    return sent.ok;
  }

  async #heldElsewhere(): Promise<void> {
    const { link, runtime, clock, onTrouble } = this.#options;
    if (!this.#isHeldElsewhere) {
      this.#isHeldElsewhere = true;
      const publication = { kind: 'warning', message: heldElsewhereWarning.message, data: { code: heldElsewhereWarning.code } };
      await runtime.change(() => ({ writes: [], result: undefined, news: [{ subject: `cutter/${link.name}`, publication }] }));
    }
    this.#cancelRetry();
    this.#cancelRetry = clock.after(retryLockMs, () => {
      this.#inOrder(async () => {
        if (this.#isHeldElsewhere && !(await this.#begin())) await this.#heldElsewhere();
      }).catch((error: unknown) => onTrouble(`${link.name}: ${String(error)}`));
    });
  }

  async #takeLock(): Promise<boolean> {
    this.#lock ??= await this.#options.acquireLock(await lockName(this.#options.link));
    const isTaken = this.#lock !== null;
    if (isTaken) this.#isHeldElsewhere = false;
    return isTaken;
  }

  async #releaseLock(): Promise<void> {
    const lock = this.#lock;
    this.#lock = null;
    await lock?.release();
  }

  /** The lock for a moment, while polling is off. */
  async #visit(): Promise<{ release(): Promise<void> } | 'refused' | null> {
    if (this.#lock !== null) return null;
    return (await this.#options.acquireLock(await lockName(this.#options.link))) ?? 'refused';
  }

  readonly #lookThroughPoller: Look = async () => {
    await this.#options.poller.pollNow();
    const view = this.#view();
    const busy = this.refusalNow();
    if (busy !== null) return { failure: busy };
    if (view?.matches('polling') !== true) return { failure: { code: 'CUTTER_UNREACHABLE', detail: 'polling was stopped meanwhile' } };
    return { status: view.context.status };
  };

  readonly #lookDirectly: Look = async () => {
    const answer = await this.#options.link.session.status({ busy: 'refuse' });
    return answer.ok ? { status: answer.status } : { failure: infoFailure(answer.failure) };
  };

  #isSending(view: ActorView<CutterContext> | undefined): boolean {
    return this.#options.link.session.isStreaming() || view?.matches('polling.handingOver') === true;
  }

  #view(): ActorView<CutterContext> | undefined {
    return this.#options.runtime.view(cutterKind, this.#options.link.name);
  }
}

export const heldElsewhereWarning = {
  code: 'DRIVEN_BY_OTHER_SERVICE',
  message: 'Another service on this machine drives this cutter; polling begins when it lets go.',
} as const;

/** The same cutter has the same name, however its device is called. One that is unplugged has only the name it was given. */
async function lockName({ session }: CutterLink): Promise<string> {
  const { address } = session;
  if (address.transport === 'tcp') return `cutter tcp ${address.host.toLowerCase()} ${address.port}`;
  return `cutter ${await realpath(address.path).catch(() => address.path)}`;
}
