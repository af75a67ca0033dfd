import { countWhile } from '../../../base/core/countWhile.ts';

/** The values of one metric, ordered by their position on the axis. Appending takes constant time. */
export class MetricSeries {
  readonly #at: number[] = [];
  readonly #values: number[] = [];
  /** The smoothed series by weight, until a value is set. */
  readonly #smoothed = new Map<number, MetricSeries>();

  get length(): number {
    return this.#at.length;
  }

  get positions(): readonly number[] {
    return this.#at;
  }

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

  set(at: number, value: number): void {
    this.#smoothed.clear();
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
    return countWhile(this.#at, (one) => one <= at) - 1;
  }

  /** Returns the last value at or before a position. Undefined before the first and after the last value. */
  valueAt(at: number): number | undefined {
    const last = this.last;
    if (last === undefined || at > last.at) return undefined;
    const index = this.atOrBefore(at);
    return index < 0 ? undefined : this.value(index);
  }

  /**
   * Returns the exponential moving average, without the bias toward zero at its start, as in TensorBoard and Weights &
   * Biases. `weight` is that of earlier values, from 0 to below 1.
   */
  smoothed(weight: number): MetricSeries {
    let result = this.#smoothed.get(weight);
    if (result !== undefined) return result;
    result = new MetricSeries();
    let average = 0;
    let counted = 1;
    for (const [index, value] of this.#values.entries()) {
      average = weight * average + (1 - weight) * value;
      counted *= weight;
      result.set(this.at(index), average / (1 - counted));
    }
    this.#smoothed.set(weight, result);
    return result;
  }
}

/** Returns the position in several series that is nearest to a position; undefined: they have no values. */
export function nearestIn(series: readonly MetricSeries[], at: number): number | undefined {
  const positions = series.flatMap((one) => {
    const index = one.atOrBefore(at);
    return one.positions.slice(Math.max(0, index), index + 2);
  });
  return positions.sort((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
}
