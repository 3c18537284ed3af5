/** Bytes of all request bodies that are held in memory at one time, over all connections. */
export class BodyBudget {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

const firstCapacityBytes = 65_536;
/** From here on a body gets all the room it announces: copying a larger one to make room would hold up the polls. */
const trustedFromBytes = 2 ** 22;

/**
 * Collects one body. Memory follows what has arrived, not what a header promises, until 4 MB have come: 400 clients that
 * announce 64 MiB each and send a byte cost 400 small buffers.
 */
export class BodyCollector {
  readonly #capBytes: number;
  readonly #declaredBytes: number | null;
  readonly #budget: BodyBudget;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(capBytes: number, declaredBytes: number | null, budget: BodyBudget) {
    this.#capBytes = capBytes;
    this.#declaredBytes = declaredBytes;
    this.#budget = budget;
  }

  /** Copies the chunk: the engine takes its memory back when the callback returns. */
  add(chunk: ArrayBuffer): 'taken' | 'too-large' | 'no-room' {
    const needed = this.#length + chunk.byteLength;
    if (needed > this.#capBytes) return 'too-large';
    if (needed > this.#buffer.length && !this.#grow(needed)) return 'no-room';
    this.#buffer.set(new Uint8Array(chunk), this.#length);
    this.#length = needed;
    return 'taken';
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Forgets the bytes, when the request is over or refused. */
  release(): void {
    this.#budget.give(this.#buffer.length);
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }

  #grow(needed: number): boolean {
    const promised = needed > trustedFromBytes ? this.#declaredBytes ?? 0 : 0;
    const roomy = Math.max(needed, this.#buffer.length * 2, firstCapacityBytes, promised);
    const capacity = Math.max(needed, Math.min(roomy, this.#capBytes, this.#declaredBytes ?? this.#capBytes));
    if (!this.#budget.take(capacity - this.#buffer.length)) return false;
    // Not from Node's shared pool: a handler may transfer the memory to a worker.
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
    return true;
  }
}
