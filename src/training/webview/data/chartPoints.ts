/** Reduces series to about one point per pixel, and keeps extreme values. */
import type { MetricSeries } from './metricSeries.ts';

export interface Window {
  readonly min: number;
  readonly max: number;
}

export interface Points {
  readonly at: readonly number[];
  readonly values: readonly number[];
}

/** Values of several series by position. A missing value is undefined; lines span it. */
export type Aligned = [at: number[], ...values: (number | undefined)[][]];

/**
 * Returns the values in a window, with the ones before and after, so that lines reach its edges. Of many values, it keeps
 * the minimum and maximum in each pixel, in order.
 *
 * @param pixels the width of the window
 * @param isDrawn returns false for values to exclude, for example those that are not above zero on a logarithmic scale
 */
export function pointsOf(
  series: MetricSeries,
  { min, max }: Window,
  pixels: number,
  isDrawn: (value: number) => boolean = () => true,
): Points {
  const points = { at: [] as number[], values: [] as number[] };
  const take = (index: number): void => {
    const value = series.value(index);
    if (!isDrawn(value)) return;
    points.at.push(series.at(index));
    points.values.push(value);
  };
  const from = Math.max(0, series.atOrBefore(min));
  const to = Math.min(series.length - 1, series.atOrBefore(max) + 1);
  if (to - from < pixels * 2 || max <= min) {
    for (let index = from; index <= to; index += 1) take(index);
    return points;
  }
  take(from);
  let index = from + 1;
  for (let pixel = 0; pixel < pixels && index < to; pixel += 1) {
    const end = min + ((max - min) * (pixel + 1)) / pixels;
    let least = -1;
    let greatest = -1;
    for (; index < to && (series.at(index) < end || pixel === pixels - 1); index += 1) {
      const value = series.value(index);
      if (!isDrawn(value)) continue;
      if (least < 0 || value < series.value(least)) least = index;
      if (greatest < 0 || value > series.value(greatest)) greatest = index;
    }
    if (least < 0) continue;
    take(Math.min(least, greatest));
    if (least !== greatest) take(Math.max(least, greatest));
  }
  if (to > from) take(to);
  return points;
}

export function aligned(lists: readonly Points[]): Aligned {
  const at: number[] = [];
  const columns = lists.map((): (number | undefined)[] => []);
  const next = lists.map(() => 0);
  for (;;) {
    let least = Infinity;
    for (const [list, points] of lists.entries()) {
      least = Math.min(least, points.at[next[list] ?? 0] ?? Infinity);
    }
    if (least === Infinity) return [at, ...columns];
    at.push(least);
    for (const [list, points] of lists.entries()) {
      const index = next[list] ?? 0;
      const isHere = points.at[index] === least;
      columns[list]?.push(isHere ? points.values[index] : undefined);
      if (isHere) next[list] = index + 1;
    }
  }
}

/** Returns the range of positions of several series, with a width of at least one. */
export function rangeOf(series: readonly MetricSeries[]): Window {
  const filled = series.filter(({ length }) => length > 0);
  if (filled.length === 0) return { min: 0, max: 1 };
  const min = Math.min(...filled.map((one) => one.at(0)));
  const max = Math.max(...filled.map((one) => one.last?.at ?? 0));
  return min < max ? { min, max } : { min: min - 1, max: max + 1 };
}
