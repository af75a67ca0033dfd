/** What is drawn of series: no more of them than there are pixels, and nothing that stands out lost. */
import type { MetricSeries } from './metricSeries.ts';

/** A stretch of an axis. */
export interface Window {
  readonly min: number;
  readonly max: number;
}

export interface Points {
  readonly at: readonly number[];
  readonly values: readonly number[];
}

/** By place; what a series lacks at another one's place is undefined, which a line goes across. */
export type Aligned = [at: number[], ...values: (number | undefined)[][]];

/**
 * The values in a window and the one before and after, so that lines go to its edges. Where there are many, of those in
 * each pixel the least and the greatest in their order.
 *
 * @param pixels how many the window is wide
 * @param isDrawn what is left out, as on a logarithmic scale what is not above zero
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

/** Several lists on one axis. */
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
