import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import { readIntegers, readNames, type Frame } from './frames.ts';
import { Intake, type EndedBy, type Vector } from './intake.ts';
import type { Log } from './log.ts';
import type { CutterModel } from './models.ts';
import { checkSheet, type SheetGeometry } from './sheet-check.ts';
import { asStateCode, panelErrors, stateLabel, type PanelError, type StateCode } from './states.ts';
import { cutSeconds, markScanSeconds } from './timing.ts';

// The states of the cutter and what moves it between them (gpgl-and-data-link.md section 4). It knows nothing of sockets:
// links hand it frames and job bytes and write its answers.

export interface Timings {
  /** Machine times, divided by the time scale. */
  readonly barcodeScanMs: number;
  readonly noJobDisplayMs: number;
  readonly otherServerMs: number;
  /** Protocol times (sections 4.4.5 and 4.4.8): real, whatever the time scale, because a server's own times do not scale. */
  readonly streamBeginMs: number;
  readonly serialIdleMs: number;
  /** A state that no server asks for is left after this long all the same, so that the panel works without a server. */
  readonly unreportedFallbackMs: number;
}

export const defaultTimings: Timings = {
  barcodeScanMs: 3_000,
  noJobDisplayMs: 10_000,
  otherServerMs: 10_000,
  streamBeginMs: 30_000,
  serialIdleMs: 2_000,
  unreportedFallbackMs: 60_000,
};

export interface FirmwareOptions {
  readonly model: CutterModel;
  readonly stepMm: number;
  readonly commandSetting: number;
  readonly timeScale: number;
  readonly timings: Timings;
  readonly unknownQueries: 'silent' | 'empty';
  readonly clock: Clock;
  readonly faults: Faults;
  readonly log: Log;
}

export interface Answer {
  readonly text: string;
  /** Set on d1: to be given to `wasReported` once the reply is written whole. */
  readonly statusEntry?: number;
}

export type FirmwareEvent =
  | { readonly kind: 'state'; readonly from: StateCode; readonly to: StateCode; readonly label: string; readonly why: string }
  | { readonly kind: 'reported'; readonly state: StateCode }
  | { readonly kind: 'received'; readonly job: Intake }
  | { readonly kind: 'finished'; readonly job: Intake };

const ACCEPTED = 0;
const WRONG_STATE = -1;
const BAD_PARAMETERS = -2;
const NOT_OWNER = -3;

/** Step size codes of C31;16 (section 1.4). */
const stepCodes: ReadonlyMap<number, number> = new Map([[0.1, 1], [0.05, 2], [0.025, 3], [0.01, 4]]);
/** Old jobs give up their bytes beyond this. */
const KEPT_BYTES = 256 * 1024 * 1024;

interface Cycle {
  readonly linkInfo: string;
  readonly sheet: SheetGeometry | undefined;
  readonly scanError: PanelError | undefined;
  offered: readonly string[] | undefined;
  owner: string | undefined;
  selected: number | undefined;
  otherServer: boolean;
  vector: Vector | undefined;
  commandType: number | undefined;
}

export class Firmware {
  readonly #options: FirmwareOptions;
  readonly #listeners = new Set<(event: FirmwareEvent) => void>();
  readonly jobs: Intake[] = [];
  #state: StateCode = 0;
  #error: PanelError | undefined;
  #entry = 0;
  #reported = false;
  #due: (() => void) | undefined;
  #timers: (() => void)[] = [];
  #cycle: Cycle | undefined;
  #job: Intake | undefined;
  #markScan: 'idle' | 'searching' | 'failed' = 'idle';
  #operatingFrom: StateCode = 1;
  #mediaLoaded = true;

  constructor(options: FirmwareOptions) {
    this.#options = options;
  }

  get state(): StateCode { return this.#state; }
  get error(): PanelError | undefined { return this.#error; }
  get cycle(): Readonly<Cycle> | undefined { return this.#cycle; }
  get job(): Intake | undefined { return this.#job; }
  get timings(): Timings { return this.#options.timings; }
  get mediaLoaded(): boolean { return this.#mediaLoaded; }
  set mediaLoaded(loaded: boolean) { this.#mediaLoaded = loaded; }
  get receiving(): boolean { return this.#job?.result === 'receiving' || (this.#job !== undefined && this.#job.endedBy === undefined); }

  observe(listener: (event: FirmwareEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#cancelTimers();
    if (this.#job?.endedBy === undefined) this.#job?.finish('stopped', this.#options.clock.now());
  }

  // ---- what the server asks -------------------------------------------------------------------------------------

  /** Undefined: no reply, as for ESC.v and for unknown ESC.C queries. */
  answer(frame: Frame, link: string): Answer | undefined {
    if (frame.letter === 'v') return undefined;
    if (frame.letter === 'C') return this.#query(frame.body.toString('latin1'));
    if (frame.tooLong) return { text: String(BAD_PARAMETERS) };
    switch (String.fromCharCode(frame.body[0] ?? 0)) {
      case '1': return frame.body.length === 1 ? this.#status() : { text: String(BAD_PARAMETERS) };
      case '2': return { text: frame.body.length > 1 ? String(BAD_PARAMETERS) : this.#linkInfo() };
      case '3': return { text: String(this.#list(frame.body, link)) };
      case '4': return { text: frame.body.length > 1 ? String(BAD_PARAMETERS) : this.#selection() };
      case '5': return { text: String(this.#vector(frame.body, link)) };
      case '6': return { text: String(this.#commandType(frame.body, link)) };
      default: return { text: String(BAD_PARAMETERS) };
    }
  }

  /** The d1 reply for this entry into a state is out, whole: now the state may be left. */
  wasReported(statusEntry: number): void {
    if (statusEntry !== this.#entry) return;
    this.#reported = true;
    this.#emit({ kind: 'reported', state: this.#state });
    const due = this.#due;
    this.#due = undefined;
    due?.();
  }

  #status(): Answer {
    const negative = this.#options.faults.take('negative_status');
    return negative === undefined ? { text: String(this.#state), statusEntry: this.#entry } : { text: negative.value };
  }

  /** Empty once the cutter left state 2 (section 4.1). */
  #linkInfo(): string {
    return this.#state === 2 ? this.#cycle?.linkInfo ?? '' : '';
  }

  #list(body: Buffer, link: string): number {
    const rejected = this.#rejected('reject_d3');
    if (rejected !== undefined) return rejected;
    const cycle = this.#cycle;
    if (this.#state !== 2 || cycle === undefined || cycle.offered !== undefined) return WRONG_STATE;
    const names = readNames(body);
    if (names === undefined) return BAD_PARAMETERS;
    cycle.offered = names;
    cycle.owner = link;
    if (names.length === 0) {
      // "No job" must be seen by a poll after the list before the display goes out by itself.
      this.#entry++;
      this.#reported = false;
      this.#leaveAfterMachineTime(this.#options.timings.noJobDisplayMs, () => this.#enter(0, 'no job'));
    } else if (names.length === 1) {
      cycle.selected = 0;
      this.#enter(4, 'exactly one job was offered');
    } else {
      this.#enter(3, `${names.length} jobs were offered`);
    }
    return ACCEPTED;
  }

  #selection(): string {
    const cycle = this.#cycle;
    if (this.#state !== 4 || cycle?.selected === undefined) return String(WRONG_STATE);
    if (cycle.otherServer) return '';
    if (this.#options.faults.take('second_server') === undefined) return String(cycle.selected);
    cycle.otherServer = true;
    // The other server's job is cut: 4, 5, 0 without a byte from this one.
    this.#cancelTimers();
    this.#leaveAfterMachineTime(1_000, () => {
      this.#enter(5, 'another server sent its job');
      this.#leaveAfterMachineTime(this.#options.timings.otherServerMs, () => this.#enter(0, 'the other server\'s job is cut'));
    });
    return '';
  }

  #vector(body: Buffer, link: string): number {
    const rejected = this.#rejected('reject_d5');
    if (rejected !== undefined) return rejected;
    const wrong = this.#wrongOwnerOrState(link);
    if (wrong !== undefined) return wrong;
    const [zero, fx, fy, rx, ry, more] = body.toString('latin1').startsWith('5;') ? readIntegers(body) ?? [] : [];
    if (zero !== 0 || fx === undefined || fy === undefined || rx === undefined || ry === undefined || more !== undefined) return BAD_PARAMETERS;
    if (this.#cycle === undefined || this.#cycle.vector !== undefined) return WRONG_STATE;
    this.#cycle.vector = { fx, fy, rx, ry };
    return ACCEPTED;
  }

  #commandType(body: Buffer, link: string): number {
    const rejected = this.#rejected('reject_d6');
    if (rejected !== undefined) return rejected;
    const wrong = this.#wrongOwnerOrState(link);
    if (wrong !== undefined) return wrong;
    const text = body.toString('latin1');
    if (text !== '6;0' && text !== '6;1') return BAD_PARAMETERS;
    if (this.#cycle === undefined || this.#cycle.commandType !== undefined) return WRONG_STATE;
    this.#cycle.commandType = text === '6;0' ? 0 : 1;
    return ACCEPTED;
  }

  #wrongOwnerOrState(link: string): number | undefined {
    if (this.#state !== 4 || this.#cycle === undefined || this.#job !== undefined) return WRONG_STATE;
    return this.#cycle.otherServer || this.#cycle.owner !== link ? NOT_OWNER : undefined;
  }

  #rejected(fault: 'reject_d3' | 'reject_d5' | 'reject_d6'): number | undefined {
    const taken = this.#options.faults.take(fault);
    return taken === undefined ? undefined : Number(taken.value);
  }

  #query(body: string): Answer | undefined {
    const { model, stepMm, commandSetting, unknownQueries } = this.#options;
    // "FC9000 pads numeric ESC.C replies to 5 characters" (section 1.4).
    const numeric = (value: number): Answer => ({ text: String(value).padStart(5) });
    switch (body) {
      case '31;9': case '31;9;1': return { text: `${model.name}, ${model.firmware}` };
      case '31;9;5': return { text: 'STD' };
      case '31;16': return numeric(stepCodes.get(stepMm) ?? 1);
      case '31;24': return numeric(commandSetting);
      case '1': return numeric(this.#state === 5 ? 8 : 0);
      case '11': return numeric(this.#markScan === 'searching' ? 1 : this.#markScan === 'failed' ? 6 : 0);
      default: return unknownQueries === 'silent' ? undefined : { text: '' };
    }
  }

  // ---- the job ----------------------------------------------------------------------------------------------------

  /** True between an accepted d5 and d6 and the first byte: the next raw bytes on this link are the job. */
  awaitsStream(link: string): boolean {
    const cycle = this.#cycle;
    return this.#state === 4 && this.#job === undefined && cycle?.owner === link && !cycle.otherServer
      && cycle.vector !== undefined && cycle.commandType !== undefined;
  }

  beginStream(link: string): Intake | undefined {
    const cycle = this.#cycle;
    if (!this.awaitsStream(link) || cycle?.vector === undefined || cycle.commandType === undefined) return undefined;
    const { model, stepMm, clock } = this.#options;
    const job = new Intake({
      n: this.jobs.length, link, linkInfo: cycle.linkInfo, name: cycle.offered?.[cycle.selected ?? 0] ?? '',
      vector: cycle.vector, commandType: cycle.commandType, startedAtMs: clock.now(),
    }, {
      stepMm, maxSpeedMmPerS: model.maxSpeedMmPerS, maxAccelerationLevel: model.maxAccelerationLevel,
      chainsWithCommas: model.family === 'silhouette',
    });
    this.jobs.push(job);
    this.#job = job;
    this.#markScan = 'searching';
    this.#enter(5, 'data arrives');
    return job;
  }

  endStream(job: Intake, how: EndedBy): void {
    if (job.endedBy !== undefined) return;
    job.finish(how, this.#options.clock.now());
    this.#options.log.add('in', job.header.link, `job ${job.header.n}: ${job.bytes} bytes, crc32 ${job.crc32Hex}, ended by ${how}`);
    if (job.result === 'receiving') job.result = 'cutting';
    this.#forgetOldBytes();
    this.#emit({ kind: 'received', job });
    if (this.#job === job && this.#state === 5) this.#workOn(job);
  }

  #workOn(job: Intake): void {
    const { clock, faults, timeScale, model } = this.#options;
    const marks = job.plotter.marks;
    const error = this.#sheetError(job);
    if (error !== undefined) {
      this.#leaveAfterMachineTime(1_000, () => this.#fail(error));
      return;
    }
    const scanMs = markScanSeconds(marks) * 1000;
    if (marks !== undefined && faults.take('mark_scan_retry') !== undefined) {
      this.#leaveAfterMachineTime(scanMs, () => this.operate());
      return;
    }
    const cutMs = cutSeconds(job.plotter.motions, model) * 1000;
    // The machine scans and cuts while data still arrives: what has passed since the first byte counts.
    const passedMs = (clock.now() - job.header.startedAtMs) * timeScale;
    this.#timers.push(clock.after(Math.max(0, scanMs - passedMs) / timeScale, () => { this.#markScan = 'idle'; }));
    this.#leaveAfterMachineTime(Math.max(0, scanMs + cutMs - passedMs), () => {
      job.result = 'cut';
      this.#enter(0, 'cut');
      this.#emit({ kind: 'finished', job });
    });
  }

  #sheetError(job: Intake): PanelError | undefined {
    const broken = job.plotter.lexer.error;
    if (job.endedBy === 'reset' || job.endedBy === 'drop_connection') return panelErrors.linkLost();
    if (broken !== undefined) return { code: broken.code, text: `${broken.text} (byte ${broken.offset})` };
    const marks = job.plotter.marks;
    if (marks !== undefined && this.#options.faults.take('mark_scan_error') !== undefined) return panelErrors.sensing('injected fault');
    return checkSheet(job, this.#options.model, this.#cycle?.sheet);
  }

  #forgetOldBytes(): void {
    let kept = 0;
    for (let index = this.jobs.length - 1; index >= 0; index--) {
      const job = this.jobs[index];
      kept += job?.bytes ?? 0;
      if (kept > KEPT_BYTES && index < this.jobs.length - 1) job?.forget();
    }
  }

  // ---- what the operator does ---------------------------------------------------------------------------------------

  /** Legal from 0, 5 and 6; the caller has checked that (see panel.ts). */
  scan(linkInfo: string, sheet: SheetGeometry | undefined, scanError: PanelError | undefined): void {
    this.#cycle = {
      linkInfo, sheet, scanError, offered: undefined, owner: undefined, selected: undefined,
      otherServer: false, vector: undefined, commandType: undefined,
    };
    this.#job = undefined;
    this.#markScan = 'idle';
    this.#enter(1, `barcode ${linkInfo}`);
    this.#scanBarcode();
  }

  #scanBarcode(): void {
    this.#leaveAfterMachineTime(this.#options.timings.barcodeScanMs, () => {
      const error = this.#cycle?.scanError;
      if (error === undefined) this.#enter(2, 'barcode read');
      else this.#fail(error);
    });
  }

  select(index: number): void {
    if (this.#cycle !== undefined) this.#cycle.selected = index;
    this.#enter(4, `job ${index} selected`);
  }

  /** ESC: back to 0 from 1, 2, 3 and 6; from 4 and 5 to state 7, so that a server never takes a broken cut for a finished one. */
  cancel(): void {
    if (this.#state === 0) return;
    if (this.#state === 4 || this.#state === 5) {
      if (this.#job !== undefined) this.#job.result = 'cancelled';
      this.#fail(panelErrors.cancelled());
      return;
    }
    this.#enter(0, this.#state === 7 ? 'acknowledged' : 'cancelled on the panel');
  }

  acknowledge(): void {
    this.#enter(0, 'acknowledged');
  }

  /** The operator takes over (1, 5 → 6), and hands back (6 → where it was): a rescan of the barcode, or the cut from its marks on. */
  operate(): void {
    if (this.#state !== 6) {
      this.#operatingFrom = this.#state;
      this.#enter(6, 'the operator is at the panel');
      return;
    }
    if (this.#operatingFrom === 5) {
      const job = this.#job;
      this.#enter(5, 'retry');
      if (job?.endedBy !== undefined) this.#workOn(job);
      return;
    }
    this.#enter(1, 'retry');
    this.#scanBarcode();
  }

  jumpTo(state: number): void {
    const code = asStateCode(state);
    if (code !== undefined) this.#enter(code, 'injected fault illegal_jump');
  }

  // ---- moving -----------------------------------------------------------------------------------------------------------

  #enter(to: StateCode, why: string): void {
    const from = this.#state;
    this.#cancelTimers();
    this.#state = to;
    this.#entry++;
    this.#reported = false;
    if (to !== 7) this.#error = undefined;
    if (to !== 5) this.#markScan = this.#markScan === 'searching' ? 'idle' : this.#markScan;
    if (to === 4) this.#awaitStream();
    this.#options.log.add('info', 'panel', `${from} → ${to} ${stateLabel(to)}: ${why}`);
    this.#emit({ kind: 'state', from, to, label: stateLabel(to), why });
  }

  #awaitStream(): void {
    const { streamBeginMs } = this.#options.timings;
    this.#leaveAfter(streamBeginMs, () => this.#fail(panelErrors.noData(streamBeginMs / 1000)));
  }

  #fail(error: PanelError): void {
    this.#error = error;
    if (error.code === 'E04024' || error.code === 'START_MARK') this.#markScan = 'failed';
    if (this.#job !== undefined && this.#job.result !== 'cut') {
      this.#job.errorCode ??= error.code;
      if (this.#job.result !== 'cancelled') this.#job.result = 'error';
    }
    this.#enter(7, `${error.code} ${error.text}`);
  }

  #leaveAfterMachineTime(nominalMs: number, move: () => void): void {
    this.#leaveAfter(nominalMs / this.#options.timeScale, move);
  }

  /** However high the time scale: no state is left by itself before one whole d1 reply has reported it (or the fallback passed). */
  #leaveAfter(delayMs: number, move: () => void): void {
    const { clock, timings } = this.#options;
    this.#timers.push(clock.after(delayMs, () => {
      if (this.#reported) {
        move();
        return;
      }
      this.#due = move;
      this.#timers.push(clock.after(timings.unreportedFallbackMs, () => {
        const due = this.#due;
        this.#due = undefined;
        due?.();
      }));
    }));
  }

  #cancelTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
    this.#due = undefined;
  }

  #emit(event: FirmwareEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
