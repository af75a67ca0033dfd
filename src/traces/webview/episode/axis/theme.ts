import type { LaneKind } from './model.ts';

/** The colors of the page's theme for a canvas. */
export interface AxisTheme {
  readonly lanes: Readonly<Record<LaneKind, string>>;
  readonly related: string;
  readonly failed: string;
  readonly text: string;
  readonly muted: string;
  readonly border: string;
  readonly background: string;
  readonly focus: string;
  readonly font: string;
  /** Diagonal lines in a lane's color, for waiting times. */
  readonly hatched: ReadonlyMap<string, CanvasPattern | string>;
}

/** @param element has the `--axis-…` properties, which may refer to variables of the editor or to system colors */
export function readTheme(element: HTMLElement, context: CanvasRenderingContext2D): AxisTheme {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--axis-${name})`;
    return getComputedStyle(probe).color;
  };
  const lanes = {
    workflow: colour('workflow'),
    agent: colour('agent'),
    tool: colour('tool'),
    environment: colour('environment'),
    helper: colour('helper'),
    judge: colour('judge'),
  };
  const style = getComputedStyle(element);
  const theme = {
    lanes,
    related: colour('related'),
    failed: colour('failed'),
    text: colour('text'),
    muted: colour('muted'),
    border: colour('border'),
    background: colour('background'),
    focus: colour('focus'),
    font: `${style.fontSize} ${style.fontFamily}`,
    hatched: new Map(Object.values(lanes).map((one) => [one, hatch(context, one)])),
  };
  probe.remove();
  return theme;
}

const hatchSize = 6;

function hatch(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = tile.height = hatchSize;
  const pen = tile.getContext('2d');
  if (pen === null) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const offset of [-hatchSize, 0, hatchSize]) {
    pen.moveTo(offset, hatchSize);
    pen.lineTo(offset + hatchSize, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}

/** Calls the listener when the editor or the system changes its colors. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  const attributes = { attributes: true, attributeFilter: ['class', 'style', 'data-vscode-theme-id'] };
  observer.observe(document.documentElement, attributes);
  observer.observe(document.body, attributes);
  const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'].map(
    (query) => window.matchMedia(query),
  );
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener('change', listener);
  };
}
