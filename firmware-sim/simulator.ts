import { systemClock, type Clock } from './clock.ts';
import { ControlServer } from './control-http.ts';
import { drawingJson, drawingSvg, type Drawing, type DrawingReport } from './drawing.ts';
import { done, refused, type Outcome } from './failure.ts';
import { Faults } from './faults.ts';
import { Firmware } from './firmware.ts';
import { defaultTimings, type Timings } from './firmware-options.ts';
import type { Intake } from './intake.ts';
import { Log, type LogEntry } from './log.ts';
import { findModel, models } from './models.ts';
import { Panel } from './panel.ts';
import { PtyPort } from './pty.ts';
import { jobReport, stateReport, type JobReport, type StateReport } from './report.ts';
import type { FirmwareEvent } from './stage.ts';
import { TcpPort, type LinkParts } from './tcp.ts';

export interface CutterOptions {
  /** A name of models.ts. */
  readonly model: string;
  /** TCP port on 127.0.0.1; 0 for any free one; absent for none. */
  readonly tcpPort?: number;
  /** Where the symbolic link to the pseudo-terminal goes; absent for none. */
  readonly ptyPath?: string;
  /** Paces reading of the pseudo-terminal, 10 bits a byte; absent for unpaced. */
  readonly baudRate?: number;
  /** HTTP port of the control interface on 127.0.0.1; 0 for any free one; absent for none. */
  readonly controlPort?: number;
  /** Divides machine times (scan, mark scan, cut), not protocol times. Default 1. */
  readonly timeScale?: number;
  /** 0.1, 0.05, 0.025 or 0.01 mm. Default 0.1; Silhouette models are fixed at 0.05. */
  readonly stepMm?: number;
  /** Panel item COMMAND: 0 GP-GL, 1 HP-GL, 2 AUTO. Default 0. */
  readonly commandSetting?: number;
  /** Unknown ESC.C queries: no reply at all, or an empty one. Default silent. */
  readonly unknownQueries?: 'silent' | 'empty';
  readonly timings?: Partial<Timings>;
  readonly clock?: Clock;
}

export interface CutterAddresses {
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  readonly pty: { readonly path: string; readonly device: string } | undefined;
  readonly control: { readonly url: string; readonly port: number } | undefined;
}

/** A cutter that is not made of metal. Its state outlives connections; `start` opens its ports, `stop` closes them for good. */
export class CutterSimulator {
  readonly panel: Panel;
  readonly #firmware: Firmware;
  readonly #faults: Faults;
  readonly #log: Log;
  readonly #model: ReturnType<typeof modelOf>;
  readonly #tcp: TcpPort | undefined;
  readonly #pty: PtyPort | undefined;
  readonly #control: ControlServer | undefined;
  #started = false;

  constructor(options: CutterOptions) {
    const clock = options.clock ?? systemClock();
    this.#model = modelOf(options.model);
    this.#faults = new Faults();
    this.#log = new Log(clock);
    this.#firmware = new Firmware({
      model: this.#model,
      stepMm: options.stepMm ?? (this.#model.family === 'silhouette' ? 0.05 : 0.1),
      commandSetting: options.commandSetting ?? 0,
      timeScale: options.timeScale ?? 1,
      timings: { ...defaultTimings, ...options.timings },
      unknownQueries: options.unknownQueries ?? 'silent',
      clock, faults: this.#faults, log: this.#log,
    });
    this.panel = new Panel(this.#firmware, this.#faults);
    const parts: LinkParts = { firmware: this.#firmware, faults: this.#faults, clock, log: this.#log };
    this.#tcp = options.tcpPort === undefined ? undefined : new TcpPort(options.tcpPort, parts);
    this.#pty = options.ptyPath === undefined ? undefined : new PtyPort({ path: options.ptyPath, baudRate: options.baudRate }, parts);
    this.#control = options.controlPort === undefined ? undefined : new ControlServer(this, options.controlPort);
  }

  /** Opens TCP, pseudo-terminal and control. On a failure everything opened so far is closed again. */
  async start(): Promise<Outcome<CutterAddresses>> {
    if (this.#started) return refused('ALREADY_STARTED', 'this cutter was started before');
    this.#started = true;
    for (const port of [this.#tcp, this.#pty, this.#control]) {
      const opened = await port?.start();
      if (opened !== undefined && !opened.ok) {
        await this.stop();
        return opened;
      }
    }
    return done(this.addresses());
  }

  async stop(): Promise<void> {
    await this.#tcp?.stop();
    this.#pty?.stop();
    this.#firmware.stop();
    await this.#control?.stop();
  }

  /** For the last synchronous moment of a process: takes the symbolic link away. */
  removeLink(): void {
    this.#pty?.removeLink();
  }

  addresses(): CutterAddresses {
    return {
      tcp: this.#tcp === undefined ? undefined : { host: '127.0.0.1', port: this.#tcp.port },
      pty: this.#pty === undefined ? undefined : { path: this.#pty.path, device: this.#pty.devicePath },
      control: this.#control === undefined ? undefined : { url: this.#control.url, port: this.#control.port },
    };
  }

  /** States, reports of states, received and finished jobs, as they happen. Answers how to stop observing. */
  observe(listener: (event: FirmwareEvent) => void): () => void {
    return this.#firmware.observe(listener);
  }

  state(): StateReport {
    return stateReport(this.#firmware, this.#faults, this.#model);
  }

  received(): readonly JobReport[] {
    return this.#firmware.jobs.map(jobReport);
  }

  /** The bytes of the n-th job, from 0, as they came. */
  receivedBytes(n: number): Outcome<Buffer> {
    const job = this.#job(n);
    if (!job.ok) return job;
    const bytes = job.value.contents();
    return bytes === undefined ? refused('GONE', `the bytes of job ${n} were forgotten to save memory`) : done(bytes);
  }

  /** The last job, or the n-th from 0. */
  drawingSvg(n?: number): Outcome<string> {
    const job = this.#job(n);
    return job.ok ? done(drawingSvg(drawingOf(job.value))) : job;
  }

  drawingJson(n?: number): Outcome<DrawingReport & { readonly n: number }> {
    const job = this.#job(n);
    return job.ok ? done({ n: job.value.header.n, ...drawingJson(drawingOf(job.value)) }) : job;
  }

  log(): readonly LogEntry[] {
    return this.#log.entries();
  }

  #job(n: number | undefined): Outcome<Intake> {
    const job = n === undefined ? this.#firmware.jobs.at(-1) : this.#firmware.jobs[n];
    return job === undefined ? refused('NO_SUCH_JOB', n === undefined ? 'no job was received yet' : `there is no job ${n}`) : done(job);
  }
}

function drawingOf(job: Intake): Drawing {
  const { n, linkInfo, name } = job.header;
  return { title: `job ${n}: ${name} (${linkInfo})`, motions: job.plotter.motions, marks: job.plotter.marks };
}

/** A wrong name is a bug of the caller here; the command line checks it before (see args.ts). */
function modelOf(name: string): (typeof models)[number] {
  const model = findModel(name);
  if (model === undefined) throw new Error(`no model is called ${name}; there are ${models.map((each) => each.name).join(', ')}`);
  return model;
}
