/** A sign and sixteen digits. */
const mostPerInteger = 17;
const mostPerPair = 2 * mostPerInteger + 2;

/** The share of the capacity that is used. */
const wellGuessed = 0.75;

/** A byte buffer that grows, for text that is written once and by the megabyte. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
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
    if (this.#bytes.length - this.#length < mostPerInteger) this.#grow(mostPerInteger);
    this.#put(value);
  }

  /** A byte and two integers with a comma between, of which a long job consists. */
  pair(before: number, x: number, y: number): void {
    if (this.#bytes.length - this.#length < mostPerPair) this.#grow(mostPerPair);
    this.#bytes[this.#length++] = before;
    this.#put(x);
    this.#bytes[this.#length++] = 0x2c;
    this.#put(y);
  }

  #put(value: number): void {
    const size = Math.abs(value);
    const whole = size | 0;
    if (value < 0) this.#bytes[this.#length++] = 0x2d;
    // What fits into 32 bits is divided many times faster, and no sheet has more steps.
    this.#length += whole === size ? this.#small(whole) : this.#large(size);
  }

  /** Both answer how many digits they wrote. */
  #small(value: number): number {
    const bytes = this.#bytes;
    const digits = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : value < 10_000 ? 4 : value < 100_000 ? 5 : String(value).length;
    const start = this.#length;
    let rest = value;
    for (let place = start + digits - 1; place >= start; place--) {
      const next = (rest / 10) | 0;
      bytes[place] = 0x30 + rest - next * 10;
      rest = next;
    }
    return digits;
  }

  #large(value: number): number {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a number of steps: ${value}`);
    const text = String(value);
    for (let index = 0; index < text.length; index++) this.#bytes[this.#length + index] = text.charCodeAt(index);
    return text.length;
  }

  /** The bytes so far, in memory of their own. To be taken once: they are not copied where the capacity was guessed well. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    return this.#length >= this.#bytes.length * wellGuessed ? bytes : new Uint8Array(bytes);
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
    if (this.#length === this.#numbers.length) this.#grow();
    this.#numbers[this.#length++] = value;
  }

  pair(x: number, y: number): void {
    if (this.#length + 2 > this.#numbers.length) this.#grow();
    this.#numbers[this.#length] = x;
    this.#numbers[this.#length + 1] = y;
    this.#length += 2;
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

  #grow(): void {
    const larger = new Float64Array(Math.max(this.#numbers.length * 2, 64));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}
