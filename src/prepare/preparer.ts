import { Worker } from 'node:worker_threads';
import type { JobGeometry } from '../jobs/index.ts';
import type { PictureInput, PictureResult } from './preview/types.ts';
import type { CutImportResult, CutPdf, PrepareInput, PrepareRefusal, PrepareResult, SequenceToMeasure } from './types.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

export interface PreparerClock {
  after(ms: number, action: () => void): () => void;
}

export interface PreparerOptions {
  /** worker.ts beside this file, or its bundle. */
  readonly workerUrl: URL;
  readonly clock: PreparerClock;
  /** Wall clock for one file, measured out here: a bound on time inside the worker cannot fire while it loops. */
  readonly timeLimitMs?: number;
  /** Until a new worker has loaded its libraries. */
  readonly startLimitMs?: number;
  /** For the worker's own objects; buffers are bounded by the PDF room. */
  readonly heapLimitMb?: number;
  /** Files that may wait while one is prepared. */
  readonly waitingLimit?: number;
  /** Pictures that may wait: they are looked at, and a sheet is waited for. */
  readonly waitingPicturesLimit?: number;
  /** What the waiting files may hold of memory together; one file may always wait. */
  readonly waitingBytesLimit?: number;
  /** A worker without work is ended after this long, to give its memory back. */
  readonly idleLimitMs?: number;
  /** A worker that died by itself: for the log. */
  readonly onWorkerDeath?: (error: unknown) => void;
}

export interface Preparer {
  /** The bytes of `input.pdf` are copied when the file's turn comes, and the caller's stay as they are. Never rejects. */
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
  readonly worker: Worker;
  isReady: boolean;
  task: Task | null;
  cancelTimer: () => void;
}

/**
 * Prepares sheets in a worker thread, one at a time, the others waiting in order. The worker is started for the
 * first file and kept warm. One that takes too long, runs out of heap or dies is ended, its file is answered
 * with a refusal, and the next file gets a new one.
 */
export function createPreparer(options: PreparerOptions): Preparer {
  return new WorkerPreparer(options);
}

class WorkerPreparer implements Preparer {
  readonly #options: Required<PreparerOptions>;
  readonly #waiting: Task[] = [];
  #running: Running | null = null;
  #isStopped = false;
  #preparedCount = 0;
  #refusedCount = 0;

  constructor(options: PreparerOptions) {
    this.#options = {
      // 20 s and the heap's own limit: pdf-cut-paths.md section 3.
      timeLimitMs: 20_000, startLimitMs: 30_000, heapLimitMb: 1024, waitingLimit: 16, waitingPicturesLimit: 4,
      waitingBytesLimit: 134_217_728, idleLimitMs: 300_000,
      onWorkerDeath: () => undefined, ...options,
    };
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
    if (!this.#hasRoomFor(message)) {
      return Promise.resolve(refused('UNAVAILABLE', `${this.#waiting.length} files are waiting to be prepared already. Try again in a while.`));
    }
    return new Promise((settle) => {
      const firstPicture = message.kind === 'picture' ? -1 : this.#waiting.findIndex(isPicture);
      this.#waiting.splice(firstPicture === -1 ? this.#waiting.length : firstPicture, 0, { message, settle });
      this.#advance();
    });
  }

  #hasRoomFor(added: ToWorker): boolean {
    const { waitingLimit, waitingPicturesLimit, waitingBytesLimit } = this.#options;
    if (added.kind === 'picture' && this.#waiting.filter(isPicture).length >= waitingPicturesLimit) return false;
    const bytes = this.#waiting.reduce((total, task) => total + sizeOf(task.message), sizeOf(added));
    return this.#waiting.length < waitingLimit && (this.#waiting.length === 0 || bytes <= waitingBytesLimit);
  }

  status(): PreparerStatus {
    const running = this.#running;
    return {
      isWorking: running !== null && running.task !== null,
      waitingCount: this.#waiting.length,
      isWarm: running?.isReady ?? false,
      preparedCount: this.#preparedCount,
      refusedCount: this.#refusedCount,
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const waiting = this.#waiting.splice(0);
    const running = this.#running;
    this.#running = null;
    const answer = refused('UNAVAILABLE', 'The service is stopping.');
    if (running !== null) {
      running.cancelTimer();
      running.task?.settle(answer);
      await running.worker.terminate();
    }
    for (const task of waiting) task.settle(answer);
  }

  #advance(): void {
    if (this.#waiting.length === 0 || this.#isStopped) return;
    if (this.#running === null) this.#running = this.#start();
    const running = this.#running;
    if (!running.isReady || running.task !== null) return;
    const task = this.#waiting.shift();
    if (task === undefined) return;
    const { timeLimitMs, clock } = this.#options;
    running.cancelTimer();
    running.task = task;
    running.worker.ref();
    const { message, moved } = copyOf(task.message);
    running.worker.postMessage(message, moved);
    running.cancelTimer = clock.after(timeLimitMs, () => {
      this.#end(running, refused('PDF_TOO_COMPLEX', `The file could not be prepared within the limit of ${timeLimitMs / 1000} s.`));
    });
  }

  #start(): Running {
    const { workerUrl, heapLimitMb, startLimitMs, clock } = this.#options;
    const worker = new Worker(entryOf(workerUrl), { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapLimitMb } });
    const running: Running = { worker, isReady: false, task: null, cancelTimer: () => undefined };
    worker.on('message', (message: FromWorker) => this.#take(running, message));
    worker.on('error', (error) => {
      this.#options.onWorkerDeath(error);
      this.#end(running, deathOf(error, heapLimitMb));
    });
    worker.on('exit', () => this.#end(running, refused('PDF_UNREADABLE', 'The reading of this file ended abruptly.')));
    running.cancelTimer = clock.after(startLimitMs, () => this.#end(running, refused('UNAVAILABLE', 'The worker for PDF files does not start.')));
    return running;
  }

  #take(running: Running, message: FromWorker): void {
    if (this.#running !== running) return;
    running.cancelTimer();
    const { task } = running;
    running.task = null;
    running.isReady = true;
    if (message.kind !== 'ready') task?.settle(message);
    running.worker.unref();
    running.cancelTimer = this.#options.clock.after(this.#options.idleLimitMs, () => this.#end(running, null));
    this.#advance();
  }

  /** For good: the next file gets a new worker. */
  #end(running: Running, answer: Refused | null): void {
    if (this.#running !== running) return;
    this.#running = null;
    running.cancelTimer();
    // A worker that dies before it is ready would die for every file: one is told, the others get their own try.
    const task = running.task ?? (running.isReady || answer === null ? undefined : this.#waiting.shift());
    const died = running.isReady || answer === null ? answer : refused('UNAVAILABLE', 'The worker for PDF files does not start.');
    if (died !== null) task?.settle(died);
    // Its exit changes nothing any more, and terminate rejects never.
    void running.worker.terminate();
    this.#advance();
  }
}

function isPicture({ message }: Task): boolean {
  return message.kind === 'picture';
}

function sizeOf(message: ToWorker): number {
  switch (message.kind) {
    case 'measure': return message.input.bytes.length;
    case 'picture': return message.input.pdf.length + message.input.commandSequence.length;
    case 'prepare': case 'import': return message.input.pdf.length;
  }
}

/** A copy of just these bytes, to be moved: cloning a view would clone all of the memory it looks at. */
function copyOf(message: ToWorker): { readonly message: ToWorker; readonly moved: ArrayBuffer[] } {
  const moved: ArrayBuffer[] = [];
  const copied = (bytes: Uint8Array): Uint8Array => {
    const copy = new Uint8Array(bytes);
    moved.push(copy.buffer);
    return copy;
  };
  switch (message.kind) {
    case 'prepare': return { message: { kind: 'prepare', input: { ...message.input, pdf: copied(message.input.pdf) } }, moved };
    case 'import': return { message: { kind: 'import', input: { ...message.input, pdf: copied(message.input.pdf) } }, moved };
    case 'measure': return { message: { kind: 'measure', input: { ...message.input, bytes: copied(message.input.bytes) } }, moved };
    case 'picture': {
      const { pdf, commandSequence } = message.input;
      return { message: { kind: 'picture', input: { ...message.input, pdf: copied(pdf), commandSequence: copied(commandSequence) } }, moved };
    }
  }
}

function refused(code: PrepareRefusal['code'], detail: string): Refused {
  return { ok: false, failure: { code, detail } };
}

function deathOf(error: unknown, heapLimitMb: number): Refused {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return refused('PDF_TOO_COMPLEX', `The file needs more than the limit of ${heapLimitMb} MB of memory to be read.`);
  }
  return refused('PDF_UNREADABLE', 'The reading of this file failed unexpectedly. The log of the service says more.');
}

/** Node's workers do not inherit tsx's module hooks, so a TypeScript entry is started through a line that registers them. */
function entryOf(workerUrl: URL): URL {
  if (!workerUrl.pathname.endsWith('.ts')) return workerUrl;
  const hooks = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const line = `import { register } from ${hooks}; register(); await import(${JSON.stringify(workerUrl.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(line)}`);
}
