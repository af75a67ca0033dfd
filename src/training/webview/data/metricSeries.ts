/** The values of one metric, ordered by their position on the axis. Appending takes constant time. */
export class MetricSeries {
  readonly #at: number[] = [];
  readonly #values: number[] = [];

  get length(): number {
    return this.#at.length;
  }

  /** The last value; undefined if the series is empty. */
  get last(): { readonly at: number; readonly value: number } | undefined {
    const index = this.length - 1;
    return index < 0 ? undefined : { at: this.at(index), value: this.value(index) };
  }

  /** Returns the position of a value; NaN after the end. */
  at(index: number): number {
    return this.#at[index] ?? NaN;
  }

  value(index: number): number {
    return this.#values[index] ?? NaN;
  }

  /** Sets the value at a position. */
  set(at: number, value: number): void {
    const index = this.atOrBefore(at);
    if (this.#at[index] === at) this.#values[index] = value;
    else {
      this.#at.splice(index + 1, 0, at);
      this.#values.splice(index + 1, 0, value);
    }
  }

  /** Returns the index of the last value at or before a position; −1 if there is none. */
  atOrBefore(at: number): number {
    if ((this.#at.at(-1) ?? at) <= at) return this.length - 1;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle) <= at) low = middle + 1;
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
}

/**
 * Returns the exponential moving average, without the bias toward zero at its start, as in TensorBoard and
 * Weights & Biases.
 *
 * @param weight the weight of earlier values, from 0 to below 1
 */
export function smoothed(series: MetricSeries, weight: number): MetricSeries {
  const result = new MetricSeries();
  let average = 0;
  let counted = 1;
  for (let index = 0; index < series.length; index += 1) {
    average = weight * average + (1 - weight) * series.value(index);
    counted *= weight;
    result.set(series.at(index), average / (1 - counted));
  }
  return result;
}
