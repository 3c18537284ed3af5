import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Firmware } from './firmware.ts';
import { FrameParser, type Frame } from './frames.ts';
import { Inlet } from './inlet.ts';
import type { EndedBy, Intake } from './intake.ts';
import { readable, type Log } from './log.ts';
import type { Answer } from './queries.ts';
import { JobSplitter } from './splitter.ts';

// One way into the cutter: a TCP connection, or the serial line for as long as the simulator runs. Reads frames and job
// bytes, writes replies, and misbehaves as the faults say.

export interface Port {
  write(bytes: Buffer): void;
  /** Cuts the connection: RST on TCP. A serial line cannot be cut; there the rest of the stream is lost. */
  drop(): void;
  pause(): void;
  resume(): void;
}

export interface LinkOptions {
  readonly kind: 'tcp' | 'pty';
  readonly firmware: Firmware;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly log: Log;
  readonly port: Port;
  /** The last reply is out and the peer has said goodbye. */
  readonly onFinished: () => void;
}

const ETX = Buffer.from([0x03]);

interface Pending {
  readonly bytes: Buffer;
  readonly statusEntry: number | undefined;
  readonly dueAtMs: number;
}

export class Link {
  readonly #options: LinkOptions;
  readonly #inlet: Inlet;
  readonly #parser = new FrameParser();
  readonly #onFaults = (): void => this.#faultsChanged();
  #stream: { readonly job: Intake; readonly splitter: JobSplitter } | undefined;
  /** A serial stream whose rest is lost: nothing is a command until the line was silent. */
  #discarding = false;
  #cancelIdle: (() => void) | undefined;
  #pending: Pending[] = [];
  #cancelReply: (() => void) | undefined;
  #previousReply = Buffer.alloc(0);
  #peerEnded = false;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    const { clock, faults, port } = options;
    this.#inlet = new Inlet({
      clock,
      deliver: (bytes) => this.#receive(bytes),
      ended: () => this.#ended(),
      pauseSource: () => port.pause(),
      resumeSource: () => port.resume(),
      held: () => faults.has('stall') || faults.has('drop_cts') || this.#bufferIsFull(),
      rate: () => faults.number('slow_read'),
    });
    faults.observe(this.#onFaults);
  }

  /** Nothing more can come of this connection: the peer has ended it, and everything is answered. */
  get finished(): boolean {
    return this.#closed || (this.#peerEnded && this.#pending.length === 0);
  }

  get held(): boolean {
    return this.#options.faults.has('stall') || this.#options.faults.has('drop_cts') || this.#bufferIsFull();
  }

  push(bytes: Buffer): void {
    this.#inlet.push(bytes);
  }

  /** The peer will send no more. */
  end(): void {
    this.#inlet.end();
  }

  /** The connection is gone, without goodbye when `how` says so. */
  close(how: EndedBy): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.faults.forget(this.#onFaults);
    this.#inlet.close();
    this.#cancelReply?.();
    this.#cancelIdle?.();
    this.#endStream(how);
  }

  // ---- in ---------------------------------------------------------------------------------------------------------------

  #receive(bytes: Buffer): void {
    if (this.#options.faults.has('go_awol')) {
      this.#options.log.add('in', this.#options.kind, `not heard: ${readable(bytes)}`);
      return;
    }
    let at = 0;
    while (at < bytes.length && !this.#closed) {
      if (this.#discarding) {
        this.#restartIdle();
        return;
      }
      at = this.#stream === undefined ? this.#command(bytes, at) : this.#data(bytes, at);
    }
  }

  #command(bytes: Buffer, from: number): number {
    const taken = this.#parser.take(bytes, from);
    switch (taken.kind) {
      case 'more': return bytes.length;
      case 'frame':
        this.#answer(taken.frame);
        return taken.next;
      case 'raw': return this.#raw(taken.bytes, taken.next);
    }
  }

  /** Bytes outside any frame: the job, when one is due, else nothing that the cutter reads. */
  #raw(bytes: Buffer, next: number): number {
    const { firmware, kind, log } = this.#options;
    const job = firmware.beginStream(kind);
    if (job === undefined) {
      if (bytes.length > 0) log.add('in', kind, `ignored: ${readable(bytes)}`);
      return next;
    }
    this.#stream = { job, splitter: new JobSplitter(kind === 'pty') };
    const used = this.#data(bytes, 0);
    return next - (bytes.length - used);
  }

  #data(bytes: Buffer, from: number): number {
    const stream = this.#stream;
    if (stream === undefined) return from;
    const room = this.#bytesUntilDrop(stream.job);
    const until = room === undefined ? bytes.length : Math.min(bytes.length, from + room);
    const result = stream.splitter.take(stream.job, bytes.subarray(from, until));
    if (result.status) this.#answer({ letter: 'd', body: Buffer.from('1'), tooLong: false });
    if (result.job) this.#restartIdle();
    if (result.endOfJob) this.#endStream('tb0');
    else if (room !== undefined && this.#bytesUntilDrop(stream.job) === 0) this.#dropStream();
    return from + result.used;
  }

  /** Section 4.4.5: on a serial line 2 s without data end the job. A stalled reader hears no silence. */
  #restartIdle(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    const { kind, clock, firmware } = this.#options;
    if (kind !== 'pty') return;
    this.#cancelIdle = clock.after(firmware.timings.serialIdleMs, () => {
      if (this.held || !this.#inlet.empty) {
        this.#restartIdle();
        return;
      }
      this.#discarding = false;
      this.#endStream('idle');
    });
  }

  #endStream(how: EndedBy): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    this.#stream = undefined;
    this.#cancelIdle?.();
    const rest = stream.splitter.flush();
    if (rest.length > 0) stream.job.write(rest, false);
    this.#options.firmware.endStream(stream.job, how);
  }

  #ended(): void {
    const rest = this.#parser.flush();
    if (rest.length > 0 && this.#stream === undefined) this.#raw(rest, rest.length);
    this.#peerEnded = true;
    this.#endStream('half-close');
    if (this.#pending.length === 0) this.#options.onFinished();
  }

  // ---- out --------------------------------------------------------------------------------------------------------------

  #answer(frame: Frame): void {
    const { firmware, log, kind } = this.#options;
    log.add('in', kind, readable(Buffer.concat([Buffer.from(`\x1b.${frame.letter}`), frame.body])));
    const answer = firmware.answer(frame, kind);
    if (answer !== undefined) this.#queue(answer);
  }

  #queue(answer: Answer): void {
    const { clock, faults, log, kind } = this.#options;
    const drop = faults.has('drop_connection') && faults.number('drop_connection') === undefined;
    if (drop) {
      faults.take('drop_connection');
      log.add('info', kind, 'dropped instead of a reply');
      this.#dropNow();
      return;
    }
    const { bytes, clean } = this.#spoil(answer.text);
    const delayMs = faults.take('delay_reply');
    this.#pending.push({
      bytes, statusEntry: clean ? answer.statusEntry : undefined,
      dueAtMs: clock.now() + (delayMs === undefined ? 0 : Number(delayMs.value)),
    });
    if (this.#cancelReply === undefined) this.#sendDue();
  }

  #sendDue(): void {
    const { clock, firmware, log, kind, port, onFinished } = this.#options;
    this.#cancelReply = undefined;
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      const waitMs = next.dueAtMs - clock.now();
      if (waitMs > 0) {
        this.#cancelReply = clock.after(waitMs, () => this.#sendDue());
        return;
      }
      this.#pending.shift();
      log.add('out', kind, readable(next.bytes));
      port.write(next.bytes);
      if (next.statusEntry !== undefined) firmware.wasReported(next.statusEntry);
    }
    if (this.#peerEnded) onFinished();
  }

  /** The reply as the faults leave it. `clean`: a server can read it. */
  #spoil(text: string): { readonly bytes: Buffer; readonly clean: boolean } {
    const { faults } = this.#options;
    const padded = faults.take('pad_replies') === undefined ? text : text.padStart(5);
    const body = Buffer.from(faults.take('crlf_replies') === undefined ? padded : `${padded}\r\n`, 'latin1');
    const truncated = faults.take('truncate_reply') !== undefined;
    const reply = truncated ? body : Buffer.concat([body, ETX]);
    const noise = faults.take('noise');
    const unasked = faults.take('unsolicited');
    const stale = faults.take('stale_reply') === undefined ? Buffer.alloc(0) : this.#previousReply;
    this.#previousReply = Buffer.from(reply);
    const bytes = Buffer.concat([
      stale,
      Buffer.from(noise?.value ?? '', 'hex'),
      Buffer.from(unasked === undefined ? '' : `${unasked.value}\r`, 'latin1'),
      reply,
    ]);
    return { bytes, clean: bytes.length === reply.length && !truncated };
  }

  // ---- faults -----------------------------------------------------------------------------------------------------------

  #faultsChanged(): void {
    if (this.#closed) return;
    const unasked = this.#peerEnded ? undefined : this.#options.faults.take('unsolicited');
    if (unasked !== undefined) {
      this.#options.log.add('out', this.#options.kind, `unasked: ${unasked.value}<CR>`);
      this.#options.port.write(Buffer.from(`${unasked.value}\r`, 'latin1'));
    }
    this.#inlet.run();
  }

  #bufferIsFull(): boolean {
    const limit = this.#options.faults.number('buffer_full');
    return limit !== undefined && this.#stream !== undefined && this.#stream.job.bytes >= limit;
  }

  #bytesUntilDrop(job: Intake): number | undefined {
    const limit = this.#options.faults.number('drop_connection');
    return limit === undefined ? undefined : Math.max(0, limit - job.bytes);
  }

  #dropStream(): void {
    this.#options.faults.take('drop_connection');
    this.#endStream('drop_connection');
    this.#dropNow();
  }

  #dropNow(): void {
    if (this.#options.kind === 'pty') {
      this.#discarding = true;
      this.#restartIdle();
      return;
    }
    this.close('drop_connection');
    this.#options.port.drop();
  }
}
