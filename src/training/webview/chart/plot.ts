import uPlot from 'uplot';
import type { Aligned, Window } from '../data/chartPoints.ts';
import type { PlotTheme } from './theme.ts';

export interface PlotLine {
  readonly colour: string;
  readonly dash: number[];
  /** Behind another one of the same. */
  readonly faint: boolean;
}

export interface PlotOptions {
  readonly lines: readonly PlotLine[];
  readonly log: boolean;
  /** What the axis of values goes from and to; undefined: what is in view. */
  readonly range?: readonly [least: number, greatest: number] | undefined;
  readonly theme: PlotTheme;
  /** Distances between marks of the axis. */
  readonly ticks: number[];
  readonly tickText: (at: number) => string;
  readonly valueText: (value: number) => string;
  /** The place nearest to another one that there is something at. */
  readonly snap: (at: number) => number | undefined;
  /** Where the mouse points to; undefined: it has gone. */
  readonly onPoint: (at: number | undefined) => void;
  /** What was chosen with the mouse; null: all. */
  readonly onWindow: (window: Window | null) => void;
}

const height = 170;
/** The library's name for 3 is there for the compiler only. */
const logarithmic = { distr: 3 } as unknown as uPlot.Scale;
/** CSS pixels that the mouse moves before it chooses a window. */
const leastDrag = 5;

/** One chart on a canvas. What it shows and where it points to is told to it. */
export class Plot {
  readonly #plot: uPlot;
  #window: Window = { min: 0, max: 1 };
  #pointed: number | undefined;
  /** While what it does is not the user's. */
  #told = false;

  constructor(element: HTMLElement, options: PlotOptions) {
    const data: uPlot.AlignedData = [[], ...options.lines.map(() => [])];
    this.#plot = new uPlot(this.#optionsOf(element, options), data, element);
  }

  /** CSS pixels that the whole has: those of its lines are known once it was drawn. */
  get width(): number {
    return this.#plot.width;
  }

  draw(data: Aligned, window: Window): void {
    this.#window = window;
    this.#quietly(() => this.#plot.setData(data));
    this.point(this.#pointed);
  }

  /** @param at undefined: to nothing */
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
    const before = this.#told;
    this.#told = true;
    // At once, not in a microtask, in which it would pass for the user's doing.
    this.#plot.batch(act);
    this.#told = before;
  }

  #optionsOf(element: HTMLElement, options: PlotOptions): uPlot.Options {
    const { lines, log, range } = options;
    return {
      width: Math.max(1, element.clientWidth),
      height,
      padding: [8, 24, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [this.#window.min, this.#window.max] },
        y: log ? logarithmic : { range: range === undefined ? linearRange : [...range] },
      },
      axes: axesOf(options),
      series: [
        {},
        ...lines.map(({ colour, dash, faint }): uPlot.Series => ({
          stroke: colour,
          dash,
          width: 1.5,
          alpha: faint ? 0.25 : 1,
          spanGaps: true,
          points: {
            show: (self, line) => !faint && valuesOf(self, line) < pointsBelow,
            size: 5,
            fill: colour,
          },
        })),
      ],
      cursor: this.#cursorOf(options),
      hooks: {
        setCursor: [({ cursor: { left = -1 } }) => this.#pointTo(left, options)],
        setSelect: [(self) => this.#choose(self, options)],
      },
    };
  }

  #cursorOf({ snap, onWindow }: PlotOptions): uPlot.Cursor {
    return {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: leastDrag },
      bind: {
        dblclick: () => () => {
          onWindow(null);
          return null;
        },
        // Moves are handled once a frame: what is chosen goes to where the mouse is now.
        mouseup: (self, _, handler) => (event) => {
          const { left, top, width } = self.over.getBoundingClientRect();
          const place = Math.max(0, Math.min(width, event.clientX - left));
          if (self.select.width > 0) self.setCursor({ left: place, top: event.clientY - top });
          return handler(event);
        },
      },
      move: (self, left, top) => {
        const at = left < 0 ? undefined : snap(self.posToVal(left, 'x'));
        // While a window is being chosen it is the mouse's own place that counts.
        if (at === undefined || this.#told || self.select.width > 0) return [left, top];
        return [Math.max(0, Math.min(self.over.clientWidth, self.valToPos(at, 'x'))), top];
      },
    };
  }

  #pointTo(left: number, { snap, onPoint }: PlotOptions): void {
    if (this.#told) return;
    const at = left < 0 ? undefined : snap(this.#plot.posToVal(left, 'x'));
    this.#pointed = at;
    onPoint(at);
  }

  #choose(self: uPlot, { onWindow }: PlotOptions): void {
    const { left, width } = self.select;
    if (this.#told || width < leastDrag) return;
    const window = { min: self.posToVal(left, 'x'), max: self.posToVal(left + width, 'x') };
    this.#quietly(() => self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false));
    onWindow(window);
  }
}

/** Single values are seen as points, many make a line. */
const pointsBelow = 40;

function valuesOf(self: uPlot, line: number): number {
  let values = 0;
  for (const value of self.data[line] ?? []) {
    if (value !== undefined && value !== null) values += 1;
    if (values === pointsBelow) return values;
  }
  return values;
}

/** What does not change is a line in the middle. */
function linearRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  if (min === max) return [min - (Math.abs(min) || 1) / 10, max + (Math.abs(max) || 1) / 10];
  const margin = (max - min) * 0.06;
  return [min - margin, max + margin];
}

function axesOf({ theme, log, ticks, tickText, valueText }: PlotOptions): uPlot.Axis[] {
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

/** Of the marks of a logarithmic axis the powers of ten; where these are few, those that begin with 2 and 5, too. */
function thinned(splits: number[]): (number | null)[] {
  const powers = beginningWith(splits, [1]);
  return powers.filter((value) => value !== null).length > 2 ? powers : beginningWith(splits, [1, 2, 5]);
}

function beginningWith(splits: readonly number[], digits: readonly number[]): (number | null)[] {
  return splits.map((value) => (digits.includes(Number(value.toExponential(0)[0])) ? value : null));
}
