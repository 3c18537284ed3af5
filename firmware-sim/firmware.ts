import { newCycle, readCommandType, readVector, type Cycle } from './cycle.ts';
import type { FirmwareOptions, Timings } from './firmware-options.ts';
import { readNames, type Frame } from './frames.ts';
import type { EndedBy, Intake } from './intake.ts';
import { answerQuery, type Answer } from './queries.ts';
import { ReceivedJobs } from './received.ts';
import { sheetError, type SheetGeometry } from './sheet-check.ts';
import { Stage, type FirmwareEvent } from './stage.ts';
import { asStateCode, panelErrors, type PanelError, type StateCode } from './states.ts';
import { cutSeconds, markScanSeconds } from './timing.ts';

// The states of the cutter and what moves it between them (gpgl-and-data-link.md section 4). It knows nothing of sockets:
// links hand it frames and job bytes and write its answers.

const ACCEPTED = 0;
const WRONG_STATE = -1;
const BAD_PARAMETERS = -2;
const NOT_OWNER = -3;

export class Firmware {
  readonly #options: FirmwareOptions;
  readonly #stage: Stage;
  readonly #received: ReceivedJobs;
  #error: PanelError | undefined;
  #cycle: Cycle | undefined;
  #job: Intake | undefined;
  #markScan: 'idle' | 'searching' | 'failed' = 'idle';
  #operatingFrom: StateCode = 1;
  #mediaLoaded = true;

  constructor(options: FirmwareOptions) {
    this.#options = options;
    this.#stage = new Stage(options);
    this.#received = new ReceivedJobs(options);
  }

  get state(): StateCode { return this.#stage.state; }
  get jobs(): readonly Intake[] { return this.#received.list; }
  get error(): PanelError | undefined { return this.#error; }
  get cycle(): Readonly<Cycle> | undefined { return this.#cycle; }
  get job(): Intake | undefined { return this.#job; }
  get timings(): Timings { return this.#options.timings; }
  get mediaLoaded(): boolean { return this.#mediaLoaded; }
  set mediaLoaded(loaded: boolean) { this.#mediaLoaded = loaded; }
  get receiving(): boolean { return this.#job?.result === 'receiving' || (this.#job !== undefined && this.#job.endedBy === undefined); }

  observe(listener: (event: FirmwareEvent) => void): () => void {
    return this.#stage.observe(listener);
  }

  stop(): void {
    this.#stage.cancelTimers();
    if (this.#job?.endedBy === undefined) this.#job?.finish('stopped', this.#options.clock.now());
  }

  // ---- what the server asks -------------------------------------------------------------------------------------

  /** Undefined: no reply, as for ESC.v and for unknown ESC.C queries. */
  answer(frame: Frame, link: string): Answer | undefined {
    if (frame.letter === 'v') return undefined;
    if (frame.letter === 'C') return answerQuery(frame.body.toString('latin1'), this.#options, { isCutting: this.state === 5, markScan: this.#markScan });
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
    this.#stage.wasReported(statusEntry);
  }

  #status(): Answer {
    const negative = this.#options.faults.take('negative_status');
    return negative === undefined ? { text: String(this.state), statusEntry: this.#stage.entry } : { text: negative.value };
  }

  /** Empty once the cutter left state 2 (section 4.1). */
  #linkInfo(): string {
    return this.state === 2 ? this.#cycle?.linkInfo ?? '' : '';
  }

  #list(body: Buffer, link: string): number {
    const rejected = this.#rejected('reject_d3');
    if (rejected !== undefined) return rejected;
    const cycle = this.#cycle;
    if (this.state !== 2 || cycle === undefined || cycle.offered !== undefined) return WRONG_STATE;
    const names = readNames(body);
    if (names === undefined) return BAD_PARAMETERS;
    cycle.offered = names;
    cycle.owner = link;
    if (names.length === 0) {
      // "No job" must be seen by a poll after the list before the display goes out by itself.
      this.#stage.askAgain();
      this.#stage.leaveAfterMachineTime(this.#options.timings.noJobDisplayMs, () => this.#enter(0, 'no job'));
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
    if (this.state !== 4 || cycle?.selected === undefined) return String(WRONG_STATE);
    if (cycle.otherServer) return '';
    if (this.#options.faults.take('second_server') === undefined) return String(cycle.selected);
    cycle.otherServer = true;
    // The other server's job is cut: 4, 5, 0 without a byte from this one.
    this.#stage.cancelTimers();
    this.#stage.leaveAfterMachineTime(1_000, () => {
      this.#enter(5, 'another server sent its job');
      this.#stage.leaveAfterMachineTime(this.#options.timings.otherServerMs, () => this.#enter(0, 'the other server\'s job is cut'));
    });
    return '';
  }

  #vector(body: Buffer, link: string): number {
    const rejected = this.#rejected('reject_d5');
    if (rejected !== undefined) return rejected;
    const wrong = this.#wrongOwnerOrState(link);
    if (wrong !== undefined) return wrong;
    const vector = readVector(body);
    if (vector === undefined) return BAD_PARAMETERS;
    if (this.#cycle === undefined || this.#cycle.vector !== undefined) return WRONG_STATE;
    this.#cycle.vector = vector;
    return ACCEPTED;
  }

  #commandType(body: Buffer, link: string): number {
    const rejected = this.#rejected('reject_d6');
    if (rejected !== undefined) return rejected;
    const wrong = this.#wrongOwnerOrState(link);
    if (wrong !== undefined) return wrong;
    const commandType = readCommandType(body);
    if (commandType === undefined) return BAD_PARAMETERS;
    if (this.#cycle === undefined || this.#cycle.commandType !== undefined) return WRONG_STATE;
    this.#cycle.commandType = commandType;
    return ACCEPTED;
  }

  #wrongOwnerOrState(link: string): number | undefined {
    if (this.state !== 4 || this.#cycle === undefined || this.#job !== undefined) return WRONG_STATE;
    return this.#cycle.otherServer || this.#cycle.owner !== link ? NOT_OWNER : undefined;
  }

  #rejected(fault: 'reject_d3' | 'reject_d5' | 'reject_d6'): number | undefined {
    const taken = this.#options.faults.take(fault);
    return taken === undefined ? undefined : Number(taken.value);
  }

  // ---- the job ----------------------------------------------------------------------------------------------------

  /** True between an accepted d5 and d6 and the first byte: the next raw bytes on this link are the job. */
  awaitsStream(link: string): boolean {
    const cycle = this.#cycle;
    return this.state === 4 && this.#job === undefined && cycle?.owner === link && !cycle.otherServer
      && cycle.vector !== undefined && cycle.commandType !== undefined;
  }

  beginStream(link: string): Intake | undefined {
    const cycle = this.#cycle;
    const job = cycle === undefined || !this.awaitsStream(link) ? undefined : this.#received.begin(link, cycle);
    if (job === undefined) return undefined;
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
    this.#received.forgetOldBytes();
    this.#stage.emit({ kind: 'received', job });
    if (this.#job === job && this.state === 5) this.#workOn(job);
  }

  #workOn(job: Intake): void {
    const { clock, faults, timeScale, model } = this.#options;
    const marks = job.plotter.marks;
    const error = sheetError(job, model, this.#cycle?.sheet, faults);
    if (error !== undefined) {
      this.#stage.leaveAfterMachineTime(1_000, () => this.#fail(error));
      return;
    }
    const scanMs = markScanSeconds(marks) * 1000;
    if (marks !== undefined && faults.take('mark_scan_retry') !== undefined) {
      this.#stage.leaveAfterMachineTime(scanMs, () => this.operate());
      return;
    }
    const cutMs = cutSeconds(job.plotter.motions, model) * 1000;
    // The machine scans and cuts while data still arrives: what has passed since the first byte counts.
    const passedMs = (clock.now() - job.header.startedAtMs) * timeScale;
    this.#stage.after(Math.max(0, scanMs - passedMs) / timeScale, () => { this.#markScan = 'idle'; });
    this.#stage.leaveAfterMachineTime(Math.max(0, scanMs + cutMs - passedMs), () => {
      job.result = 'cut';
      this.#enter(0, 'cut');
      this.#stage.emit({ kind: 'finished', job });
    });
  }

  // ---- what the operator does ---------------------------------------------------------------------------------------

  /** Legal from 0, 5 and 6; the caller has checked that (see panel.ts). */
  scan(linkInfo: string, sheet: SheetGeometry | undefined, scanError: PanelError | undefined): void {
    this.#cycle = newCycle(linkInfo, sheet, scanError);
    this.#job = undefined;
    this.#markScan = 'idle';
    this.#enter(1, `barcode ${linkInfo}`);
    this.#scanBarcode();
  }

  #scanBarcode(): void {
    this.#stage.leaveAfterMachineTime(this.#options.timings.barcodeScanMs, () => {
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
    if (this.state === 0) return;
    if (this.state === 4 || this.state === 5) {
      if (this.#job !== undefined) this.#job.result = 'cancelled';
      this.#fail(panelErrors.cancelled());
      return;
    }
    this.#enter(0, this.state === 7 ? 'acknowledged' : 'cancelled on the panel');
  }

  acknowledge(): void {
    this.#enter(0, 'acknowledged');
  }

  /** The operator takes over (1, 5 → 6), and hands back (6 → where it was): a rescan of the barcode, or the cut from its marks on. */
  operate(): void {
    if (this.state !== 6) {
      this.#operatingFrom = this.state;
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
    this.#stage.enter(to, why, () => {
      if (to !== 7) this.#error = undefined;
      if (to !== 5) this.#markScan = this.#markScan === 'searching' ? 'idle' : this.#markScan;
      if (to === 4) this.#awaitStream();
    });
  }

  #awaitStream(): void {
    const { streamBeginMs } = this.#options.timings;
    this.#stage.leaveAfter(streamBeginMs, () => this.#fail(panelErrors.noData(streamBeginMs / 1000)));
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
}
