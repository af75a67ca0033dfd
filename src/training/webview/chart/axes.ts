/** The two axes of the page: steps for metrics, and time for GPU samples. */
import { count } from '../../../base/core/format.ts';
import { nearestStep, adjacentStep } from '../cursor.ts';
import { rangeOf, type Window } from '../data/chartPoints.ts';
import { nearestIn } from '../data/metricSeries.ts';
import type { Page } from '../page.ts';
import { clock } from '../text.ts';
import { within, type ChartAxis } from './chartKeys.ts';

const stepTicks = [1, 2, 5].flatMap((one) => Array.from({ length: 8 }, (_, power) => one * 10 ** power));
stepTicks.sort((a, b) => a - b);
const minute = 60;
const hour = 60 * minute;
const timeTicks = [
  ...[1, 2, 5, 10, 20, 30],
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 8, 12, 24, 48, 96, 240, 480].map((hours) => hours * hour),
];

export function stepAxis(page: Page): ChartAxis {
  const { runs, own, view, change, cursor } = page;
  const all = rangeOf(runs.map(({ stepTimes }) => stepTimes));
  const window = (view.window && within(view.window, all)) ?? all;
  return {
    window,
    pointed: cursor.point?.step,
    ticks: stepTicks,
    text: (step) => count(step),
    snap: (at) => nearestStep(runs, at),
    onPoint: (step) => cursor.toStep(step, own),
    onWindow: (next) => change({ window: next && within(next, all) }),
    adjacent: (at, by) => adjacentStep(runs, at, by),
  };
}

/** Returns the time axis. It shows the time of the visible steps. */
export function timeAxis(page: Page): ChartAxis {
  const { runs, own, view, change, cursor } = page;
  const samples = runs.flatMap(({ gpuLoad, gpuMemory }) => [gpuLoad, gpuMemory]);
  const all = rangeOf(samples);
  const seconds = (step: number): number => own.secondsAt(step) ?? NaN;
  const steps = stepAxis(page);
  const shown = { min: seconds(Math.ceil(steps.window.min)), max: seconds(Math.floor(steps.window.max)) };
  const isKnown = shown.min < shown.max && shown.min <= all.max && shown.max >= all.min;
  const window = view.window !== null && isKnown ? shown : all;
  return {
    window,
    pointed: cursor.point?.seconds,
    ticks: timeTicks,
    text: clock,
    snap: (at) => nearestIn(samples, at),
    onPoint: (at) => cursor.toSeconds(at, own),
    onWindow: (next) => change({ window: next && stepsIn(page, next) }),
    adjacent: (at, by) => adjacentSample(page, at, by),
  };
}

/** Returns the steps that ended in a time range. Fewer than two steps leave the view unchanged. */
function stepsIn({ own, view }: Page, { min, max }: Window): Window | null {
  const inside = own.stepTimes.positions.filter((step) => {
    const at = own.secondsAt(step) ?? NaN;
    return at >= min && at <= max;
  });
  const [first, last] = [inside[0], inside.at(-1)];
  return first !== undefined && last !== undefined && first < last ? { min: first, max: last } : view.window;
}

function adjacentSample({ own }: Page, at: number, by: number): number | undefined {
  const { gpuLoad, gpuMemory } = own;
  const series = gpuLoad.length > 0 ? gpuLoad : gpuMemory;
  const index = Math.max(0, Math.min(series.length - 1, series.atOrBefore(at) + by));
  const found = series.at(index);
  return Number.isNaN(found) ? undefined : found;
}
