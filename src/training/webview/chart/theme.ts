/** Colours of the page's theme, as a canvas takes them. */
export interface PlotTheme {
  /** Of runs, in their order; then again from the first. */
  readonly runs: readonly string[];
  /** Whether runs have to be told apart without colours. */
  readonly dashed: boolean;
  readonly text: string;
  readonly grid: string;
  readonly font: string;
}

export const runColours = 6;

/** For runs in their order: drawn, and not drawn; the first has none. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3], [12, 5], [4, 2, 1, 2]];

export function dashOf(theme: PlotTheme, run: number): number[] {
  return theme.dashed ? [...(dashes[run % dashes.length] ?? [])] : [];
}

export function colourOf(theme: PlotTheme, run: number): string {
  return theme.runs[run % theme.runs.length] ?? theme.text;
}

export function readPlotTheme(): PlotTheme {
  const probe = document.createElement('span');
  probe.hidden = true;
  // Where colours are forced, those of the style sheet are mixed of the system's.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const style = getComputedStyle(document.body);
  const theme = {
    runs: Array.from({ length: runColours }, (_, run) => colour(`run-${run}`)),
    dashed: isContrastHigh(),
    text: colour('vscode-descriptionForeground'),
    grid: colour('plot-grid'),
    font: `11px ${style.fontFamily}`,
  };
  probe.remove();
  return theme;
}

function isContrastHigh(): boolean {
  const isEditors = [...document.body.classList].some((name) => name.startsWith('vscode-high-contrast'));
  return isEditors || window.matchMedia('(prefers-contrast: more), (forced-colors: active)').matches;
}
