/** Lines, x0, y0, x1, y1, … each, in one array: as arrays of their own, a million short ones would take more memory than a file may. */
export class Lines implements Iterable<Float64Array> {
  readonly #ends: number[] = [];
  #numbers = new Float64Array(64);
  #length = 0;

  constructor(lines: Iterable<Float64Array> = []) {
    for (const line of lines) this.add(line);
  }

  get count(): number {
    return this.#ends.length;
  }

  /** Of all lines. */
  get pointCount(): number {
    return this.#length / 2;
  }

  add(line: Float64Array): void {
    if (this.#length + line.length > this.#numbers.length) {
      const larger = new Float64Array(Math.max(this.#numbers.length * 2, this.#length + line.length));
      larger.set(this.#numbers.subarray(0, this.#length));
      this.#numbers = larger;
    }
    this.#numbers.set(line, this.#length);
    this.#length += line.length;
    this.#ends.push(this.#length);
  }

  /** Views, one after the other. */
  *[Symbol.iterator](): Iterator<Float64Array> {
    let start = 0;
    for (const end of this.#ends) {
      yield this.#numbers.subarray(start, end);
      start = end;
    }
  }
}
