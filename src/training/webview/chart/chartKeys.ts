import type { Window } from '../data/chartPoints.ts';

/** The horizontal axis that charts share. */
export interface ChartAxis {
  readonly window: Window;
  readonly pointed: number | undefined;
  /** The possible distances between ticks. */
  readonly ticks: number[];
  readonly text: (at: number) => string;
  /** Returns the nearest position that has a value. */
  readonly snap: (at: number) => number | undefined;
  readonly onPoint: (at: number | undefined) => void;
  /** Called with the range that the user selects; null for all. */
  readonly onWindow: (window: Window | null) => void;
  /** Returns the position that is `by` values away. */
  readonly adjacent: (at: number, by: number) => number | undefined;
}

/** Handles a key in a chart. Returns false if the chart does not use the key. */
export function pressKey({ key, shiftKey }: KeyboardEvent, at: number, axis: ChartAxis): boolean {
  const { min, max } = axis.window;
  const page = Math.max(1, Math.round((max - min) / 10));
  const move = (by: number) => axis.onPoint(axis.adjacent(at, by));
  const pan = (by: number) => axis.onWindow({ min: min + by, max: max + by });
  const step = (by: 1 | -1) => (shiftKey ? pan(by * page) : move(by));
  const closer = () => axis.onWindow(scaled(axis.window, at, 0.5));
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => step(-1),
    ArrowDown: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => step(1),
    PageUp: () => move(page),
    PageDown: () => move(-page),
    Home: () => axis.onPoint(axis.snap(min)),
    End: () => axis.onPoint(axis.snap(max)),
    '+': closer,
    '=': closer,
    '-': () => axis.onWindow(scaled(axis.window, at, 2)),
    // Clears the selected position, so that the newest values are shown.
    Escape: () => axis.onPoint(undefined),
    '0': () => axis.onWindow(null),
  };
  const action = actions[key];
  action?.();
  return action !== undefined;
}

/** Limits a window to the available range, with at least one step. Returns null if the window covers the whole range. */
export function within({ min, max }: Window, all: Window): Window | null {
  if (min <= all.min && max >= all.max) return null;
  const width = Math.min(Math.max(max - min, 1), all.max - all.min);
  const from = Math.max(all.min, Math.min(min, all.max - width));
  return { min: from, max: from + width };
}

function scaled({ min, max }: Window, at: number, by: number): Window {
  const middle = at >= min && at <= max ? at : (min + max) / 2;
  return { min: middle - (middle - min) * by, max: middle + (max - middle) * by };
}
