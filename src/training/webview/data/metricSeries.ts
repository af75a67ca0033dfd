/** Values of one metric by where they stand on the axis, in its order; grows at its end in constant time. */
export class MetricSeries {
  #at = new Float64Array(16);
  #values = new Float64Array(16);
  #length = 0;
  #rewritten = 0;

  get length(): number {
    return this.#length;
  }

  /** Changes whenever something else than the end does: who made something of the values makes it anew. */
  get rewritten(): number {
    return this.#rewritten;
  }

  /** Undefined: it is empty. */
  get last(): { readonly at: number; readonly value: number } | undefined {
    const index = this.#length - 1;
    return index < 0 ? undefined : { at: this.at(index), value: this.value(index) };
  }

  /** NaN beyond its end. */
  at(index: number): number {
    return index < this.#length ? (this.#at[index] ?? NaN) : NaN;
  }

  value(index: number): number {
    return index < this.#length ? (this.#values[index] ?? NaN) : NaN;
  }

  /** The value at a place replaces what was there. */
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

  /** The index of the last value at a place or before it; −1: there is none. */
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

  /** What it was at a place: the value there or the newest before; undefined: before its first and after its last. */
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
