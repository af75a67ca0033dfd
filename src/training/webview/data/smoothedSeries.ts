import { MetricSeries } from './metricSeries.ts';

/**
 * A series with what jumps from value to value taken out: the exponential moving average, without its bias towards zero at
 * the beginning, as TensorBoard and Weights & Biases draw it. Goes on where it ended when the series has grown.
 */
export class Smoothed {
  readonly #source: MetricSeries;
  readonly #weight: number;
  #series = new MetricSeries();
  #average = 0;
  #rewritten: number;

  /** @param weight of what was before: from 0, nothing, to below 1 */
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
