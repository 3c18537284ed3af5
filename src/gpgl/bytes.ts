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
    let rest = Math.abs(value);
    let digits = 1;
    for (let limit = 10; rest >= limit; limit *= 10) digits++;
    for (let place = this.#length + digits - 1; place >= this.#length; place--) {
      const next = Math.floor(rest / 10);
      this.#bytes[place] = 0x30 + (rest - next * 10);
      rest = next;
    }
    this.#length += digits;
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
  #numbers: Float64Array;
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

  truncate(length: number): void {
    this.#length = length;
  }
}
