/** The values of one metric, ordered by their position on the axis. Appending takes constant time. */
export class MetricSeries {
  #at = new Float64Array(16);
  #values = new Float64Array(16);
  #length = 0;
  #rewritten = 0;

  get length(): number {
    return this.#length;
  }

  /** Changes whenever values before the end change. Derived data must then be computed again. */
  get rewritten(): number {
    return this.#rewritten;
  }

  /** The last value; undefined if the series is empty. */
  get last(): { readonly at: number; readonly value: number } | undefined {
    const index = this.#length - 1;
    return index < 0 ? undefined : { at: this.at(index), value: this.value(index) };
  }

  /** Returns the position of a value; NaN after the end. */
  at(index: number): number {
    return index < this.#length ? (this.#at[index] ?? NaN) : NaN;
  }

  value(index: number): number {
    return index < this.#length ? (this.#values[index] ?? NaN) : NaN;
  }

  /** Sets the value at a position. */
  set(at: number, value: number): void {
    const index = this.atOrBefore(at);
    if (index >= 0 && this.#at[index] === at) {
      if (this.#values[index] === value) return;
      this.#values[index] = value;
      this.#rewritten += 1;
      return;
    }
    this.#makeRoom();
    if (index + 1 < this.#length) {
      this.#at.copyWithin(index + 2, index + 1, this.#length);
      this.#values.copyWithin(index + 2, index + 1, this.#length);
      this.#rewritten += 1;
    }
    this.#at[index + 1] = at;
    this.#values[index + 1] = value;
    this.#length += 1;
  }

  /** Returns the index of the last value at or before a position; −1 if there is none. */
  atOrBefore(at: number): number {
    if (this.#length === 0 || (this.#at[this.#length - 1] ?? 0) <= at) return this.#length - 1;
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Returns the last value at or before a position. Undefined before the first and after the last value. */
  valueAt(at: number): number | undefined {
    const last = this.last;
    if (last === undefined || at > last.at) return undefined;
    const index = this.atOrBefore(at);
    return index < 0 ? undefined : this.value(index);
  }

  #makeRoom(): void {
    if (this.#length < this.#at.length) return;
    const [at, values] = [this.#at, this.#values];
    this.#at = new Float64Array(at.length * 2);
    this.#values = new Float64Array(at.length * 2);
    this.#at.set(at);
    this.#values.set(values);
  }
}
