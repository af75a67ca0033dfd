import { MetricSeries } from './metricSeries.ts';

/**
 * The exponential moving average of a series, without the bias toward zero at its start, as in TensorBoard and
 * Weights & Biases. When the series grows, it computes only the new values.
 */
export class Smoothed {
  readonly #source: MetricSeries;
  readonly #weight: number;
  #series = new MetricSeries();
  #average = 0;
  #rewritten: number;

  /** @param weight the weight of earlier values, from 0 to below 1 */
  constructor(source: MetricSeries, weight: number) {
    this.#source = source;
    this.#weight = weight;
    this.#rewritten = source.rewritten;
  }

  get series(): MetricSeries {
    const source = this.#source;
    if (this.#rewritten !== source.rewritten) {
      this.#series = new MetricSeries();
      this.#average = 0;
      this.#rewritten = source.rewritten;
    }
    for (let index = this.#series.length; index < source.length; index += 1) {
      this.#average = this.#weight * this.#average + (1 - this.#weight) * source.value(index);
      const counted = 1 - this.#weight ** (index + 1);
      this.#series.set(source.at(index), this.#average / counted);
    }
    return this.#series;
  }
}
