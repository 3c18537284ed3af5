import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Plotter, type BoundsMm, type PlotterOptions } from './plotter.ts';

// One job as it comes in: every byte is kept, counted and hashed, and carried out at once by the cutter's own parser.

export interface Vector {
  readonly fx: number;
  readonly fy: number;
  readonly rx: number;
  readonly ry: number;
}

/** How the bytes of a job ended. `tb0` and `idle` are the ends of the serial profile (section 4.4). */
export type EndedBy = 'half-close' | 'reset' | 'tb0' | 'idle' | 'drop_connection' | 'stopped';

export interface JobHeader {
  readonly n: number;
  readonly link: string;
  readonly linkInfo: string;
  readonly name: string;
  readonly vector: Vector;
  readonly commandType: number;
  readonly startedAtMs: number;
}

/** What became of the cut itself. */
export type CutResult = 'receiving' | 'cutting' | 'cut' | 'error' | 'cancelled';

export class Intake {
  readonly header: JobHeader;
  readonly plotter: Plotter;
  result: CutResult = 'receiving';
  errorCode: string | undefined;
  endedBy: EndedBy | undefined;
  endedAtMs: number | undefined;
  bounds: BoundsMm | undefined;
  #bytes = 0;
  #crc = 0;
  readonly #hash = createHash('sha256');
  #sha256 = '';
  #chunks: Buffer[] = [];
  #kept = true;

  constructor(header: JobHeader, options: PlotterOptions) {
    this.header = header;
    this.plotter = new Plotter(options);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get crc32Hex(): string {
    return this.#crc.toString(16).padStart(8, '0');
  }

  get sha256Hex(): string {
    return this.endedBy === undefined ? this.#hash.copy().digest('hex') : this.#sha256;
  }

  /** True when the data ended as it should: half-close on TCP, TB0 or silence on a serial line, no command cut in two. */
  get complete(): boolean {
    const regular = this.endedBy === 'half-close' || this.endedBy === 'tb0' || this.endedBy === 'idle';
    return regular && this.plotter.lexer.error === undefined;
  }

  /** Answers how many bytes belong to this job: fewer than given when `stopAtEndOfJob` and `TB0` ETX stood among them. */
  write(chunk: Buffer, stopAtEndOfJob: boolean): { readonly used: number; readonly endOfJob: boolean } {
    // HP-GL (command type 1) is received and hashed, not drawn.
    const { next, endOfJob } = this.header.commandType === 0
      ? this.plotter.lexer.push(chunk, 0, stopAtEndOfJob)
      : { next: chunk.length, endOfJob: false };
    const own = Buffer.from(chunk.subarray(0, next));
    this.#chunks.push(own);
    this.#bytes += own.length;
    this.#crc = crc32(own, this.#crc);
    this.#hash.update(own);
    return { used: next, endOfJob };
  }

  finish(endedBy: EndedBy, atMs: number): void {
    this.endedBy = endedBy;
    this.endedAtMs = atMs;
    this.#sha256 = this.#hash.digest('hex');
    if (this.header.commandType === 0) this.plotter.lexer.end();
    this.bounds = this.plotter.bounds();
  }

  /** The bytes as received. Undefined: forgotten to save memory. */
  contents(): Buffer | undefined {
    return this.#kept ? Buffer.concat(this.#chunks) : undefined;
  }

  /** Old jobs give up their bytes; what was counted stays. */
  forget(): void {
    this.#kept = false;
    this.#chunks = [];
  }
}
