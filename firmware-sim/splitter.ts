import { ESC, ETX } from './frames.ts';
import type { Intake } from './intake.ts';

const STATUS_POLL = Buffer.from('\x1b.d1:');

export interface Split {
  /** How many of the given bytes were read. */
  readonly used: number;
  /** A status poll stood here: to be answered before going on. */
  readonly status: boolean;
  /** At least one byte went to the job. */
  readonly job: boolean;
  readonly endOfJob: boolean;
}

/**
 * Parts a running stream into job bytes and status polls. On TCP every byte up to the peer's half-close is the job. On a
 * serial line `ESC.d1:` is a poll when it stands directly after an ETX (section 4.4.5), and data anywhere else.
 */
export class JobSplitter {
  readonly #serial: boolean;
  #matched = 0;
  #afterEtx = false;

  constructor(serial: boolean) {
    this.#serial = serial;
  }

  take(job: Intake, bytes: Buffer): Split {
    if (!this.#serial) return { ...job.write(bytes, false), status: false, job: true };
    if (this.#matched > 0) return this.#match(job, bytes, 0);
    const escape = bytes.indexOf(ESC);
    if (escape === 0 && this.#afterEtx) return this.#match(job, bytes, 0);
    // Up to the next ESC that may begin a poll; one at the very start that does not is data.
    const next = escape === 0 ? bytes.indexOf(ESC, 1) : escape;
    return this.#write(job, next < 0 ? bytes : bytes.subarray(0, next));
  }

  /** The bytes of a poll that never became whole. */
  flush(): Buffer {
    const held = Buffer.from(STATUS_POLL.subarray(0, this.#matched));
    this.#matched = 0;
    return held;
  }

  #write(job: Intake, bytes: Buffer): Split {
    const { used, endOfJob } = job.write(bytes, true);
    if (used > 0) this.#afterEtx = bytes[used - 1] === ETX;
    return { used, status: false, job: used > 0, endOfJob };
  }

  #match(job: Intake, bytes: Buffer, from: number): Split {
    for (let at = from; at < bytes.length; at++) {
      if (bytes[at] !== STATUS_POLL[this.#matched]) {
        const held = this.flush();
        job.write(held, false);
        this.#afterEtx = false;
        return { used: at, status: false, job: true, endOfJob: false };
      }
      this.#matched++;
      if (this.#matched === STATUS_POLL.length) {
        this.#matched = 0;
        return { used: at + 1, status: true, job: false, endOfJob: false };
      }
    }
    return { used: bytes.length, status: false, job: false, endOfJob: false };
  }
}
