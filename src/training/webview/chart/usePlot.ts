import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { aligned, pointsOf, type Window } from '../data/chartPoints.ts';
import { smoothed, type MetricSeries } from '../data/metricSeries.ts';
import { Plot, type PlotOptions } from './plot.ts';

/** A line of a chart. */
export interface Line {
  readonly series: MetricSeries | undefined;
  /** The color of the run. */
  readonly color: string;
  readonly dash: number[];
}

export interface PlotUse extends Omit<PlotOptions, 'lines'> {
  readonly lines: readonly Line[];
  readonly smoothing: number;
  readonly window: Window;
  /** Changes with the values. */
  readonly version: number;
  /** The selected position. */
  readonly pointed: number | undefined;
}

/** Draws a plot in an element. A change of its appearance creates it again; other changes only redraw it. */
export function usePlot(element: RefObject<HTMLDivElement | null>, use: PlotUse): void {
  const { log, smoothing, theme, window, version, pointed } = use;
  const plot = useRef<Plot | null>(null);
  const newest = useRef(use);
  newest.current = use;
  const look = JSON.stringify([use.lines.map(({ color, dash }) => [color, dash]), log, smoothing > 0, theme]);
  const draw = () => drawIn(plot.current, newest.current);

  useLayoutEffect(() => {
    if (element.current === null) return;
    const made = new Plot(element.current, optionsOf(newest));
    plot.current = made;
    return () => {
      plot.current = null;
      made.dispose();
    };
  }, [look]);
  // Another stage has other series, but the same version.
  const series = use.lines.map((line) => line.series);
  useLayoutEffect(draw, [look, version, window.min, window.max, smoothing, ...series]);
  useEffect(() => plot.current?.point(pointed), [pointed, window.min, window.max, look]);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      plot.current?.resize(Math.floor(entry?.contentRect.width ?? 0));
      draw();
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
}

/** Returns the options of the plot. Listeners are read at each call, because they can change. */
function optionsOf(newest: { readonly current: PlotUse }): PlotOptions {
  const { lines, smoothing } = newest.current;
  const sharp = lines.map(({ color, dash }) => ({ color, dash, faint: false }));
  const behind = smoothing > 0 ? sharp.map((line) => ({ ...line, faint: true })) : [];
  return {
    ...newest.current,
    lines: [...behind, ...sharp],
    snap: (at) => newest.current.snap(at),
    onPoint: (at) => newest.current.onPoint(at),
    onWindow: (window) => newest.current.onWindow(window),
  };
}

const none = { at: [], values: [] };

function drawIn(plot: Plot | null, { lines, smoothing, log, window }: PlotUse): void {
  if (plot === null) return;
  const isDrawn = log ? (value: number) => value > 0 : undefined;
  const points = (series: MetricSeries | undefined) =>
    series === undefined ? none : pointsOf(series, window, plot.width, isDrawn);
  const raw = lines.map(({ series }) => points(series));
  const smooth =
    smoothing > 0 ? lines.map(({ series }) => points(series && smoothed(series, smoothing))) : [];
  plot.draw(aligned([...raw, ...smooth]), window);
}
