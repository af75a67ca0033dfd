import { readColors } from '../../../base/webview/state/theme.ts';

/** The colors of the page's theme, in CSS syntax for a canvas. */
export interface PlotTheme {
  /** The colors of runs, in order. Further runs start again with the first color. */
  readonly runs: readonly string[];
  /** True if lines are dashed, so that runs can be distinguished without colors. */
  readonly dashed: boolean;
  readonly text: string;
  readonly grid: string;
  readonly font: string;
}

export const runColors = 6;
/** The dash patterns of runs, in order: lengths of dashes and gaps. The first run has a solid line. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3], [12, 5], [4, 2, 1, 2]];

export function dashOf(theme: PlotTheme, run: number): number[] {
  return theme.dashed ? [...(dashes[run % dashes.length] ?? [])] : [];
}

export function colorOf(theme: PlotTheme, run: number): string {
  return theme.runs[run % theme.runs.length] ?? theme.text;
}

export function readPlotTheme(): PlotTheme {
  return readColors(document.body, (colorOf) => ({
    runs: Array.from({ length: runColors }, (_, run) => colorOf(`run-${run}`)),
    dashed: isContrastHigh(),
    text: colorOf('vscode-descriptionForeground'),
    grid: colorOf('plot-grid'),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  }));
}

function isContrastHigh(): boolean {
  const isEditors = [...document.body.classList].some((name) => name.startsWith('vscode-high-contrast'));
  return isEditors || window.matchMedia('(prefers-contrast: more), (forced-colors: active)').matches;
}
