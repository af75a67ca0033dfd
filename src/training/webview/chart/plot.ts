import uPlot from 'uplot';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Aligned, type Window, aligned, pointsOf } from '../data/chartPoints.ts';
import type { ChartAxis } from './chartKeys.ts';
import type { PlotTheme } from './theme.ts';
import type { MetricSeries } from '../data/metricSeries.ts';

export interface Line {
  readonly series: MetricSeries | undefined;
  readonly color: string;
  readonly dash: number[];
}

export interface PlotUse extends Pick<
  ChartAxis,
  'window' | 'pointed' | 'ticks' | 'snap' | 'onPoint' | 'onWindow'
> {
  readonly lines: readonly Line[];
  readonly smoothing: number;
  /** Changes with the values. */
  readonly version: number;
  readonly log: boolean;
  /** The range of the value axis; undefined for that of the visible values. */
  readonly range?: readonly [least: number, greatest: number] | undefined;
  readonly theme: PlotTheme;
  readonly tickText: (at: number) => string;
  readonly valueText: (value: number) => string;
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
    const made = new Plot(element.current, newest);
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

const none = { at: [], values: [] };

function drawIn(plot: Plot | null, { lines, smoothing, log, window }: PlotUse): void {
  if (plot === null) return;
  const isDrawn = log ? (value: number) => value > 0 : undefined;
  const points = (series: MetricSeries | undefined) =>
    series === undefined ? none : pointsOf(series, window, plot.width, isDrawn);
  const raw = lines.map(({ series }) => points(series));
  const smooth = smoothing > 0 ? lines.map(({ series }) => points(series?.smoothed(smoothing))) : [];
  plot.draw(aligned([...raw, ...smooth]), window);
}

const height = 170;
/** uPlot declares a name for 3 in its types only. */
const logarithmic = { distr: 3 } as unknown as uPlot.Scale;
/** The number of CSS pixels after which a drag selects a range. */
const leastDrag = 5;

export class Plot {
  readonly #plot: uPlot;
  readonly #use: { readonly current: PlotUse };
  #window: Window = { min: 0, max: 1 };
  #pointed: number | undefined;
  /** True while a change does not come from the user. */
  #isProgrammatic = false;

  /** @param use has the newest listeners. A change of the appearance needs another plot. */
  constructor(element: HTMLElement, use: { readonly current: PlotUse }) {
    this.#use = use;
    const options = this.#optionsOf(element);
    this.#plot = new uPlot(options, [[], ...options.series.slice(1).map(() => [])], element);
  }

  /** The width of the chart in CSS pixels. The width of the plot area is known only after the first drawing. */
  get width(): number {
    return this.#plot.width;
  }

  draw(data: Aligned, window: Window): void {
    this.#window = window;
    this.#quietly(() => this.#plot.setData(data));
    this.point(this.#pointed);
  }

  point(at: number | undefined): void {
    this.#pointed = at;
    const { min, max } = this.#window;
    const left =
      at === undefined || at < min || at > max
        ? -10
        : ((at - min) / (max - min)) * this.#plot.over.clientWidth;
    this.#quietly(() => this.#plot.setCursor({ left, top: left < 0 ? -10 : 0 }));
  }

  resize(width: number): void {
    if (width > 0 && width !== this.#plot.width) this.#quietly(() => this.#plot.setSize({ width, height }));
  }

  dispose(): void {
    this.#plot.destroy();
  }

  #quietly(act: () => void): void {
    const before = this.#isProgrammatic;
    this.#isProgrammatic = true;
    // Synchronous. In a microtask, it would look like a change by the user.
    this.#plot.batch(act);
    this.#isProgrammatic = before;
  }

  #optionsOf(element: HTMLElement): uPlot.Options {
    const { lines, log, range, smoothing } = this.#use.current;
    const drawn = lines.map((line) => ({ ...line, faint: false }));
    // The unsmoothed lines are behind the smoothed ones.
    const behind = smoothing > 0 ? lines.map((line) => ({ ...line, faint: true })) : [];
    return {
      width: Math.max(1, element.clientWidth),
      height,
      padding: [8, 24, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [this.#window.min, this.#window.max] },
        y: log ? logarithmic : { range: range === undefined ? linearRange : [...range] },
      },
      axes: axesOf(this.#use.current),
      series: [
        {},
        ...[...behind, ...drawn].map(({ color, dash, faint }): uPlot.Series => ({
          stroke: color,
          dash,
          width: 1.5,
          alpha: faint ? 0.25 : 1,
          spanGaps: true,
          points: {
            show: (self, line) => !faint && valuesOf(self, line) < pointsBelow,
            size: 5,
            fill: color,
          },
        })),
      ],
      cursor: this.#cursor(),
      hooks: {
        setCursor: [({ cursor: { left = -1 } }) => this.#pointTo(left)],
        setSelect: [(self) => this.#choose(self)],
      },
    };
  }

  #cursor(): uPlot.Cursor {
    return {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: leastDrag },
      bind: {
        dblclick: () => () => {
          this.#use.current.onWindow(null);
          return null;
        },
        // uPlot handles moves once per frame, so move the selection to the current position of the mouse.
        mouseup: (self, _, handler) => (event) => {
          const { left, top, width } = self.over.getBoundingClientRect();
          const position = Math.max(0, Math.min(width, event.clientX - left));
          if (self.select.width > 0) self.setCursor({ left: position, top: event.clientY - top });
          return handler(event);
        },
      },
      move: (self, left, top) => {
        const at = left < 0 ? undefined : this.#use.current.snap(self.posToVal(left, 'x'));
        // While the user selects a range, the cursor does not snap to values.
        if (at === undefined || this.#isProgrammatic || self.select.width > 0) return [left, top];
        return [Math.max(0, Math.min(self.over.clientWidth, self.valToPos(at, 'x'))), top];
      },
    };
  }

  #pointTo(left: number): void {
    const { snap, onPoint } = this.#use.current;
    if (this.#isProgrammatic) return;
    const at = left < 0 ? undefined : snap(this.#plot.posToVal(left, 'x'));
    this.#pointed = at;
    onPoint(at);
  }

  #choose(self: uPlot): void {
    const { left, width } = self.select;
    if (this.#isProgrammatic || width < leastDrag) return;
    const window = { min: self.posToVal(left, 'x'), max: self.posToVal(left + width, 'x') };
    this.#quietly(() => self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false));
    this.#use.current.onWindow(window);
  }
}

/** The number of values below which a line also shows points. */
const pointsBelow = 40;

function valuesOf(self: uPlot, line: number): number {
  let values = 0;
  for (const value of self.data[line] ?? []) {
    if (value !== undefined && value !== null) values += 1;
    if (values === pointsBelow) return values;
  }
  return values;
}

/** Returns the range of a linear axis. Constant values are drawn in the middle. */
function linearRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  if (min === max) return [min - (Math.abs(min) || 1) / 10, max + (Math.abs(max) || 1) / 10];
  const margin = (max - min) * 0.06;
  return [min - margin, max + margin];
}

function axesOf({ theme, log, ticks, tickText, valueText }: PlotUse): uPlot.Axis[] {
  const look = {
    stroke: theme.text,
    font: theme.font,
    grid: { stroke: theme.grid, width: 1 },
    ticks: { show: false },
  };
  return [
    { ...look, size: 24, gap: 4, space: 60, incrs: ticks, values: (_, splits) => splits.map(tickText) },
    {
      ...look,
      size: 58,
      gap: 6,
      space: 34,
      values: (_, splits) => splits.map((value) => (Number.isFinite(value) ? valueText(value) : '')),
      filter: (_, splits) => (log ? thinned(splits) : splits),
    },
  ];
}

/** Keeps the powers of ten among the ticks of a logarithmic axis. If there are fewer than three, also those that start with 2 or 5. */
function thinned(splits: number[]): (number | null)[] {
  const powers = startingWith(splits, [1]);
  return powers.filter((value) => value !== null).length > 2 ? powers : startingWith(splits, [1, 2, 5]);
}

function startingWith(splits: readonly number[], digits: readonly number[]): (number | null)[] {
  return splits.map((value) => (digits.includes(Number(value.toExponential(0)[0])) ? value : null));
}
