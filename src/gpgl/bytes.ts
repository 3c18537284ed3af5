/** A byte buffer that grows, for text that is written once and by the megabyte. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 4096) {
    this.#bytes = new Uint8Array(capacity);
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  /** Characters up to U+00FF only. */
  text(value: string): void {
    for (let index = 0; index < value.length; index++) this.byte(value.charCodeAt(index));
  }

  integer(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a number of steps: ${value}`);
    if (this.#bytes.length - this.#length < 17) this.#grow(17);
    if (value < 0) this.#bytes[this.#length++] = 0x2d;
    const size = Math.abs(value);
    // What fits into 32 bits is divided many times faster, and no sheet has more steps.
    this.#length += size < 1_000_000_000 ? this.#small(size | 0) : this.#large(size);
  }

  /** Both answer how many digits they wrote. */
  #small(value: number): number {
    const digits = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : value < 10_000 ? 4 : value < 100_000 ? 5 : String(value).length;
    let rest = value;
    for (let place = this.#length + digits - 1; place >= this.#length; place--) {
      const next = (rest / 10) | 0;
      this.#bytes[place] = 0x30 + rest - next * 10;
      rest = next;
    }
    return digits;
  }

  #large(value: number): number {
    const text = String(value);
    for (let index = 0; index < text.length; index++) this.#bytes[this.#length + index] = text.charCodeAt(index);
    return text.length;
  }

  /** The bytes so far, in memory of their own. */
  take(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }

  #grow(atLeast: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + atLeast));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Numbers that grow, for coordinates of which nobody knows the count beforehand. */
export class NumberWriter {
  #numbers: Float64Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity = 1024) {
    this.#numbers = new Float64Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(Math.max(this.#numbers.length * 2, 64));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length++] = value;
  }

  at(index: number): number {
    return this.#numbers[index] ?? Number.NaN;
  }

  /** A copy of the numbers from `start` on. */
  copyFrom(start: number): Float64Array<ArrayBuffer> {
    return this.#numbers.slice(start, this.#length);
  }

  /** The numbers themselves, not a copy: for the last look at them. */
  end(): Float64Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length);
  }

  truncate(length: number): void {
    this.#length = length;
  }
}
