import type { JobGeometry } from '../jobs/index.ts';
import type { PictureInput, PictureResult } from './preview/types.ts';
import type { CutImportResult, CutPdf, PrepareInput, PrepareRefusal, PrepareResult, SequenceToMeasure } from './types.ts';
import { WaitingLine, type WaitingLimits } from './waiting-line.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { startWorkerProcess, type WorkerDeath, type WorkerProcess } from './worker-process.ts';

export interface PreparerClock {
  after(ms: number, action: () => void): () => void;
}

export interface PreparerOptions extends Partial<WaitingLimits> {
  /** worker.ts beside this file, or its bundle. */
  readonly workerUrl: URL;
  readonly clock: PreparerClock;
  /** Wall clock for one file, measured out here: a bound on time inside the worker cannot fire while it loops. */
  readonly timeLimitMs?: number;
  /** The same for a picture: one that takes longer is drawn without its page. */
  readonly pictureTimeLimitMs?: number;
  /** Until a new worker has loaded its libraries. */
  readonly startLimitMs?: number;
  /** For the worker's own objects; buffers are bounded by the PDF room. */
  readonly heapLimitMb?: number;
  /** For the service and its worker together (RSS). */
  readonly processLimitMb?: number;
  /** A worker that leaves the two larger than this is not kept for the next file. */
  readonly keptLimitMb?: number;
  /** What the two hold of memory now, given what the worker holds; for tests. */
  readonly residentBytes?: (workerBytes: number) => number;
  /** From the question to the answer, waiting included: nobody waits longer than 30 s. */
  readonly answerLimitMs?: number;
  /** The same for a picture, which is asked for twice where its page cannot be drawn. */
  readonly pictureAnswerLimitMs?: number;
  /** A worker without work is ended after this long, to give its memory back. */
  readonly idleLimitMs?: number;
  /** A worker that died by itself: for the log. */
  readonly onWorkerDeath?: (detail: string) => void;
}

export interface Preparer {
  /** The bytes of `input.pdf` must stay as they are until there is an answer. Never rejects. */
  prepare(input: PrepareInput): Promise<PrepareResult>;
  /** A PDF that holds nothing but the cut becomes a job (see cut-import.ts); as for `prepare` in all else. */
  importCutPdf(input: CutPdf): Promise<CutImportResult>;
  /** What a command sequence comes to (see measure.ts); null also when there is no time for it now. */
  measure(sequence: SequenceToMeasure): Promise<JobGeometry | null>;
  /** Draws a job or a refused page; whatever else waits goes first. */
  draw(input: PictureInput): Promise<PictureResult>;
  status(): PreparerStatus;
  /** Ends the worker; whatever runs or waits, and everything later, is answered UNAVAILABLE. */
  stop(): Promise<void>;
}

export interface PreparerStatus {
  readonly isWorking: boolean;
  readonly waitingCount: number;
  /** A worker is loaded. */
  readonly isWarm: boolean;
  /** Since the start of the service. */
  readonly preparedCount: number;
  readonly refusedCount: number;
}

interface Task {
  readonly message: ToWorker;
  readonly settle: (answer: Answer) => void;
}

interface Refused {
  readonly ok: false;
  readonly failure: PrepareRefusal;
}

type Answer = Exclude<FromWorker, { kind: 'ready' }> | Refused;

interface Running {
  readonly worker: WorkerProcess;
  isReady: boolean;
  task: Task | null;
  /** It has answered a file: what that one left behind counts against the next. */
  isUsed: boolean;
  cancelTimer: () => void;
  cancelWatch: () => void;
}

const watchEveryMs = 20;
// A worker can take up some 10 MB in this time.
const watchOftenMs = 2;
const retryWithinMs = 6000; // later, the two tries could take longer than anybody waits

/**
 * Prepares sheets in a worker process, one at a time, the others waiting in order. The worker is started for the
 * first file and kept warm. One that takes too long or too much memory, or dies, is ended, its file is answered
 * with a refusal, and the next file gets a new one.
 */
export function createPreparer(options: PreparerOptions): Preparer {
  return new WorkerPreparer(options);
}

class WorkerPreparer implements Preparer {
  readonly #options: Required<PreparerOptions>;
  readonly #waiting: WaitingLine<Task>;
  #running: Running | null = null;
  /** Workers that are ended and not gone yet. */
  #leaving = 0;
  #isStopped = false;
  #preparedCount = 0;
  #refusedCount = 0;

  constructor(options: PreparerOptions) {
    this.#options = {
      // 20 s and the heap's own limit: pdf-cut-paths.md section 3.
      timeLimitMs: 20_000, pictureTimeLimitMs: 10_000, startLimitMs: 30_000, heapLimitMb: 512, processLimitMb: 540, keptLimitMb: 300, residentBytes: (workerBytes) => process.memoryUsage.rss() + workerBytes,
      answerLimitMs: 28_000, pictureAnswerLimitMs: 14_000, waitingLimit: 200, waitingPicturesLimit: 4, waitingBytesLimit: 134_217_728, idleLimitMs: 300_000,
      onWorkerDeath: () => undefined, ...options,
    };
    this.#waiting = new WaitingLine(this.#options);
  }

  async prepare(input: PrepareInput): Promise<PrepareResult> {
    const answer = await this.#ask({ kind: 'prepare', input });
    if ('failure' in answer) return this.#count({ ...answer, report: null });
    if (answer.kind !== 'prepared') throw new Error(`the worker answered ${answer.kind} to a sheet`);
    return this.#count(answer.result);
  }

  async importCutPdf(input: CutPdf): Promise<CutImportResult> {
    const answer = await this.#ask({ kind: 'import', input });
    if ('failure' in answer) return this.#count(answer);
    if (answer.kind !== 'imported') throw new Error(`the worker answered ${answer.kind} to a cut PDF`);
    return this.#count(answer.result);
  }

  async measure(input: SequenceToMeasure): Promise<JobGeometry | null> {
    const answer = await this.#ask({ kind: 'measure', input });
    return 'kind' in answer && answer.kind === 'measured' ? answer.geometry : null;
  }

  async draw(input: PictureInput): Promise<PictureResult> {
    const answer = await this.#ask({ kind: 'picture', input });
    if ('failure' in answer) return answer;
    if (answer.kind !== 'drawn') throw new Error(`the worker answered ${answer.kind} to a picture`);
    return { ok: true, picture: answer.picture };
  }

  #count<R extends { readonly ok: boolean }>(result: R): R {
    if (result.ok) this.#preparedCount++;
    else this.#refusedCount++;
    return result;
  }

  #ask(message: ToWorker): Promise<Answer> {
    if (this.#isStopped) return Promise.resolve(refused('UNAVAILABLE', 'The service is stopping.'));
    if (!this.#waiting.hasRoomFor(message)) {
      return Promise.resolve(refused('UNAVAILABLE', `${this.#waiting.count} files are waiting to be prepared already. Try again in a while.`));
    }
    const { clock, answerLimitMs, pictureAnswerLimitMs } = this.#options;
    const limitMs = message.kind === 'picture' ? pictureAnswerLimitMs : answerLimitMs;
    return new Promise((resolve) => {
      const cancel = clock.after(limitMs, () => this.#giveUp(task, limitMs));
      const task: Task = {
        message,
        settle(answer) {
          cancel();
          resolve(answer);
        },
      };
      this.#waiting.add(task);
      this.#advance();
    });
  }

  /** It may have nothing wrong with it but its place in the line. */
  #giveUp(task: Task, limitMs: number): void {
    const answer = refused('UNAVAILABLE', `With other files before it, this one could not be done within ${limitMs / 1000} s. Try again in a while.`);
    if (this.#waiting.remove(task)) task.settle(answer);
    else if (this.#running?.task === task) this.#end(this.#running, answer);
  }

  status(): PreparerStatus {
    const running = this.#running;
    return {
      isWorking: running !== null && running.task !== null,
      waitingCount: this.#waiting.count,
      isWarm: running?.isReady ?? false,
      preparedCount: this.#preparedCount,
      refusedCount: this.#refusedCount,
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const waiting = this.#waiting.removeAll();
    const running = this.#running;
    this.#running = null;
    const answer = refused('UNAVAILABLE', 'The service is stopping.');
    for (const task of waiting) task.settle(answer);
    if (running === null) return;
    running.cancelTimer();
    running.cancelWatch();
    running.task?.settle(answer);
    await running.worker.end();
  }

  #advance(): void {
    if (this.#waiting.count === 0 || this.#isStopped) return;
    if (this.#running === null) {
      if (this.#leaving > 0) return;
      this.#running = this.#start();
    }
    const running = this.#running;
    if (!running.isReady || running.task !== null) return;
    const task = this.#waiting.next();
    if (task === undefined) return;
    const { clock } = this.#options;
    const timeLimitMs = task.message.kind === 'picture' ? this.#options.pictureTimeLimitMs : this.#options.timeLimitMs;
    running.cancelTimer();
    running.task = task;
    running.worker.hold(true);
    running.worker.send(task.message);
    running.cancelTimer = clock.after(timeLimitMs, () => {
      this.#end(running, refused('PDF_TOO_COMPLEX', `The file could not be prepared within the limit of ${timeLimitMs / 1000} s.`));
    });
    this.#watch(running, task, 0, this.#residentMb(running));
  }

  /** Looks at the memory of the process as long as the worker is at work. */
  #watch(running: Running, task: Task, sinceMs: number, residentMb: number): void {
    const { clock, processLimitMb } = this.#options;
    const waitMs = residentMb > processLimitMb / 2 ? watchOftenMs : watchEveryMs;
    running.cancelWatch = clock.after(waitMs, () => {
      const nowMb = this.#residentMb(running);
      if (nowMb <= processLimitMb) this.#watch(running, task, sinceMs + waitMs, nowMb);
      else if (running.isUsed && sinceMs <= retryWithinMs) {
        this.#retry(running, task);
      } else this.#end(running, refused('PDF_TOO_COMPLEX', `The file needs more memory to be prepared than the limit of ${processLimitMb} MB for the service allows.`));
    });
  }

  /** In a fresh worker it may do: the answer to a file must not hang on the files before it. */
  #retry(running: Running, task: Task): void {
    running.task = null;
    this.#waiting.addFirst(task);
    this.#end(running, null);
  }

  #residentMb({ worker }: Running): number {
    return this.#options.residentBytes(worker.residentBytes()) / 2 ** 20;
  }

  #start(): Running {
    const { workerUrl, heapLimitMb, startLimitMs, clock } = this.#options;
    const worker = startWorkerProcess({
      url: workerUrl, heapLimitMb,
      onMessage: (message) => this.#take(running, message),
      onDeath: (death) => {
        this.#options.onWorkerDeath(death.detail);
        // It may have been killed before it got the file.
        if (death.kind === 'killed' && running.isUsed && running.task !== null) this.#retry(running, running.task);
        else this.#end(running, refusalBy(death, heapLimitMb));
      },
    });
    const running: Running = { worker, isReady: false, task: null, isUsed: false, cancelTimer: () => undefined, cancelWatch: () => undefined };
    running.cancelTimer = clock.after(startLimitMs, () => this.#end(running, refused('UNAVAILABLE', 'The worker for PDF files does not start.')));
    return running;
  }

  #take(running: Running, message: FromWorker): void {
    if (this.#running !== running) return;
    running.cancelTimer();
    running.cancelWatch();
    const { task } = running;
    running.task = null;
    running.isReady = true;
    if (message.kind !== 'ready') {
      running.isUsed = true;
      task?.settle(message);
    }
    if (task !== null && this.#residentMb(running) > this.#options.keptLimitMb) {
      this.#end(running, null);
      return;
    }
    running.worker.hold(false);
    running.cancelTimer = this.#options.clock.after(this.#options.idleLimitMs, () => this.#end(running, null));
    this.#advance();
  }

  /** For good: the next file gets a new worker. */
  #end(running: Running, answer: Refused | null): void {
    if (this.#running !== running) return;
    this.#running = null;
    running.cancelTimer();
    running.cancelWatch();
    // A worker that dies before it is ready would die for every file: one is told, the others get their own try.
    const task = running.task ?? (running.isReady || answer === null ? undefined : this.#waiting.next());
    const died = running.isReady || answer === null ? answer : refused('UNAVAILABLE', 'The worker for PDF files does not start.');
    if (died !== null) task?.settle(died);
    // The next one starts when this one's memory is given back. end rejects never.
    this.#leaving += 1;
    void running.worker.end().then(() => {
      this.#leaving -= 1;
      this.#advance();
    });
  }
}

function refused(code: PrepareRefusal['code'], detail: string): Refused {
  return { ok: false, failure: { code, detail } };
}

function refusalBy({ kind }: WorkerDeath, heapLimitMb: number): Refused {
  switch (kind) {
    case 'heap': return refused('PDF_TOO_COMPLEX', `The file needs more than the limit of ${heapLimitMb} MB of memory to be read.`);
    case 'killed': return refused('PDF_TOO_COMPLEX', 'The system ended the reading of this file, most likely since it took too much memory.');
    case 'failed': return refused('PDF_UNREADABLE', 'The reading of this file failed unexpectedly. The log of the service says more.');
  }
}
