/** Draws each kind of span. Shapes differ, so that color is not the only sign. */
import { barLabels } from './describe.ts';
import { fitted, resolutionOf, rowHeight, widthOf, xOf, type AxisFrame, type Pen } from './frame.ts';
import { endOf, type AxisSpan } from './model.ts';
import type { AxisTheme } from './theme.ts';

/** In pixels. */
export const barMargin = 3;
export const narrowest = 2;
/** The minimum width of a bar with a label. */
const labelFrom = 22;
/** Number of shades of narrow bars. With few, neighbors mostly share one. */
const shades = 5;
const palest = 0.3;

/** Bars too narrow for their shape: paler if they fill less of their pixels. Neighbors are drawn as one. */
export class NarrowBars {
  readonly #pen: Pen;
  readonly #y: number;
  #colour = '';
  #shade = 0;
  #left = 0;
  #right = 0;

  constructor(pen: Pen, top: number) {
    this.#pen = pen;
    this.#y = top + barMargin;
  }

  /** @param busy the number of pixels of the width that are filled */
  add(x: number, width: number, busy: number, colour: string): void {
    const drawn = Math.max(narrowest, width);
    const shade = Math.min(shades, Math.ceil(Math.max(palest, busy / drawn) * shades));
    const right = x + drawn;
    if (colour === this.#colour && shade === this.#shade && x <= this.#right + 0.5) {
      this.#right = Math.max(this.#right, right);
      return;
    }
    this.flush();
    [this.#colour, this.#shade, this.#left, this.#right] = [colour, shade, x, right];
  }

  flush(): void {
    if (this.#shade === 0) return;
    this.#pen.fillStyle = this.#colour;
    this.#pen.globalAlpha = this.#shade / shades;
    this.#pen.fillRect(this.#left, this.#y, this.#right - this.#left, rowHeight - 2 * barMargin);
    this.#pen.globalAlpha = 1;
    this.#shade = 0;
  }
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function barOf(span: AxisSpan, top: number, frame: AxisFrame): Bar {
  // A canvas is imprecise far outside its edges.
  const x = Math.max(xOf(span.start, frame), frame.gutter - 10);
  const right = Math.min(xOf(endOf(span, frame.now), frame), frame.width + 10);
  return {
    x,
    y: top + barMargin,
    width: Math.max(narrowest, right - x),
    height: rowHeight - 2 * barMargin,
  };
}

export function drawSpan(pen: Pen, span: AxisSpan, top: number, frame: AxisFrame, theme: AxisTheme): void {
  const bar = barOf(span, top, frame);
  if (bar.x > frame.width || bar.x + bar.width < frame.gutter) return;
  if (span.kind === 'tool') drawTool(pen, span, bar, theme);
  else if (span.kind === 'workflow') drawWorkflow(pen, bar, frame, theme);
  else drawMeasured(pen, span, bar, frame, theme);
  // Text on the hatched part would be unreadable.
  const x = Math.max(partEnd(span.asked, bar, frame), frame.gutter);
  const room = bar.x + bar.width - x;
  if (room < labelFrom) return;
  pen.fillStyle = theme.text;
  const labels = barLabels(span, frame.now);
  const label = labels.find((text) => widthOf(pen, text) <= room - 8) ?? labels.at(-1) ?? '';
  pen.fillText(fitted(pen, label, room - 8), x + 4, bar.y + bar.height / 2 + 0.5);
}

export function colourOf(span: AxisSpan, frame: AxisFrame, theme: AxisTheme): string {
  if (hasFailed(span)) return theme.failed;
  if (isUntrained(span)) return theme.muted;
  return isRelated(span, frame) ? theme.related : theme.lanes[span.kind];
}

/** Returns true for an answered call that is in no timeline, because another model answered it. */
export function isUntrained({ row }: AxisSpan): boolean {
  return row !== null && row.timeline === null && row.error === null;
}

function hasFailed({ state }: AxisSpan): boolean {
  return state === 'failed' || state === 'lost';
}

function isRelated({ kind, call }: AxisSpan, { related }: AxisFrame): boolean {
  return kind === 'agent' && call !== null && related.has(call);
}

/** Draws a bar: filled while it works, hatched while it waits, without a right edge while it runs. */
function drawMeasured(pen: Pen, span: AxisSpan, bar: Bar, frame: AxisFrame, theme: AxisTheme): void {
  const colour = colourOf(span, frame, theme);
  const [failed, related] = [hasFailed(span), isRelated(span, frame)];
  const begins = partEnd(span.asked, bar, frame);
  pen.fillStyle = colour;
  pen.globalAlpha = failed ? 0.12 : 0.32;
  pen.fillRect(begins, bar.y, bar.x + bar.width - begins, bar.height);
  if (span.first !== null) {
    const streams = partEnd(span.first, bar, frame);
    pen.fillRect(streams, bar.y, bar.x + bar.width - streams, bar.height);
  }
  pen.globalAlpha = 1;
  if (begins > bar.x + 1) {
    pen.fillStyle = theme.hatched.get(theme.lanes[span.kind]) ?? colour;
    pen.fillRect(bar.x, bar.y, begins - bar.x, bar.height);
  }
  if (related) {
    pen.fillStyle = theme.related;
    pen.fillRect(bar.x, bar.y + bar.height - 3, bar.width, 3);
  }
  pen.setLineDash(failed ? [4, 3] : []);
  outline(pen, bar, colour, span.state === 'running' ? 'open' : 'closed');
  pen.setLineDash([]);
}

/** Returns the end of the part of a bar that ends at a time; null: there is no such part. */
function partEnd(time: number | null, bar: Bar, frame: AxisFrame): number {
  if (time === null) return bar.x;
  return Math.min(Math.max(xOf(time, frame), bar.x), bar.x + bar.width);
}

function outline(pen: Pen, { x, y, width, height }: Bar, colour: string, edge: 'open' | 'closed'): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  const [left, right, top, bottom] = [x + 0.5, x + width - 0.5, y + 0.5, y + height - 0.5];
  trace(pen, right, top, left, top, left, bottom, right, bottom);
  if (edge === 'closed') pen.closePath();
  pen.stroke();
}

/** Begins a path through points. */
function trace(pen: Pen, ...coordinates: readonly number[]): void {
  pen.beginPath();
  for (let at = 0; at < coordinates.length; at += 2) {
    pen.lineTo(coordinates[at] ?? 0, coordinates[at + 1] ?? 0);
  }
}

/** Draws brackets at the bounds of a tool and a dashed line between them: the tool ran at some time in between. */
function drawTool(pen: Pen, { state }: AxisSpan, { x, y, width, height }: Bar, theme: AxisTheme): void {
  const colour = theme.lanes.tool;
  const middle = y + height / 2;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  if (state === 'unanswered') {
    diamond(pen, x + 4, middle, colour, theme);
    return;
  }
  pen.globalAlpha = 0.14;
  pen.fillStyle = colour;
  pen.fillRect(x, y, width, height);
  pen.globalAlpha = 1;
  bracket(pen, x + 1, y, height, 3);
  if (state !== 'running') bracket(pen, x + width - 1, y, height, -3);
  pen.lineWidth = 1;
  pen.setLineDash([3, 3]);
  trace(pen, x + 3, y + height - 1, x + width - 3, y + height - 1);
  pen.stroke();
  pen.setLineDash([]);
}

function bracket(pen: Pen, x: number, y: number, height: number, foot: number): void {
  trace(pen, x + foot, y + 1, x, y + 1, x, y + height - 1, x + foot, y + height - 1);
  pen.stroke();
}

function diamond(pen: Pen, x: number, y: number, colour: string, theme: AxisTheme): void {
  pen.fillStyle = theme.background;
  pen.strokeStyle = colour;
  trace(pen, x, y - 5, x + 5, y, x, y + 5, x - 5, y);
  pen.closePath();
  pen.fill();
  pen.stroke();
}

/** Draws a frame around everything in the workflow, filled where it works itself. */
function drawWorkflow(pen: Pen, bar: Bar, frame: AxisFrame, theme: AxisTheme): void {
  pen.fillStyle = theme.lanes.workflow;
  pen.globalAlpha = 0.35;
  for (const { start, end } of frame.model.working.within(frame.range, resolutionOf(frame))) {
    const x = Math.max(xOf(start, frame), bar.x);
    const right = Math.min(xOf(end, frame), bar.x + bar.width);
    if (right > x) pen.fillRect(x, bar.y, Math.max(1, right - x), bar.height);
  }
  pen.globalAlpha = 1;
  outline(pen, bar, theme.lanes.workflow, 'closed');
}
