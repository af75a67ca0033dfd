import { barOf, colourOf, drawSpan, isUntrained, NarrowBars, narrowest } from './bars.ts';
import { laneName } from './describe.ts';
import {
  fitted,
  resolutionOf,
  rowHeight,
  rulerHeight,
  topOf,
  xOf,
  type AxisFrame,
  type Pen,
} from './frame.ts';
import { endOf, type Lane } from './model.ts';
import type { AxisTheme } from './theme.ts';
import { tickLabel, ticksIn } from './ticks.ts';

const pixelsPerTick = 90;

export function drawAxis(pen: Pen, frame: AxisFrame, theme: AxisTheme): void {
  const { width, height, gutter, model } = frame;
  pen.clearRect(0, 0, width, height);
  pen.font = theme.font;
  pen.textBaseline = 'middle';
  drawGrid(pen, frame, theme);
  clipped(pen, gutter, rulerHeight, width - gutter, height - rulerHeight, () => drawRows(pen, frame, theme));
  clipped(pen, 0, rulerHeight, gutter, height - rulerHeight, () => {
    for (const lane of model.lanes) drawLaneName(pen, lane, frame, theme);
  });
  drawRuler(pen, frame, theme);
}

function clipped(pen: Pen, x: number, y: number, width: number, height: number, draw: () => void): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  draw();
  pen.restore();
}

function drawGrid(pen: Pen, frame: AxisFrame, theme: AxisTheme): void {
  pen.fillStyle = theme.border;
  pen.globalAlpha = 0.5;
  for (const time of ticksOf(frame).times) pen.fillRect(Math.round(xOf(time, frame)), 0, 1, frame.height);
  pen.globalAlpha = 1;
}

function ticksOf({ range, width, gutter }: AxisFrame) {
  return ticksIn(range, (width - gutter) / pixelsPerTick);
}

function drawRuler(pen: Pen, frame: AxisFrame, theme: AxisTheme): void {
  const { width, gutter } = frame;
  pen.fillStyle = theme.border;
  pen.fillRect(0, rulerHeight - 1, width, 1);
  pen.fillStyle = theme.muted;
  const { times, step } = ticksOf(frame);
  clipped(pen, gutter, 0, width - gutter, rulerHeight, () => {
    for (const time of times) pen.fillText(tickLabel(time, step), xOf(time, frame) + 4, rulerHeight / 2);
  });
}

function drawLaneName(pen: Pen, lane: Lane, frame: AxisFrame, theme: AxisTheme): void {
  const top = topOf(lane.firstRow, frame);
  const bottom = top + lane.rows * rowHeight;
  if (bottom < rulerHeight || top > frame.height) return;
  pen.fillStyle = theme.border;
  if (lane.firstRow > 0) pen.fillRect(0, Math.round(top), frame.width, 1);
  pen.fillStyle = theme.text;
  // The name stays visible when its first row is scrolled out of view.
  const middle = Math.min(Math.max(top, rulerHeight), bottom - rowHeight) + rowHeight / 2;
  pen.fillText(fitted(pen, laneName(lane.kind, lane.name), frame.gutter - 12), 4, middle);
}

function drawRows(pen: Pen, frame: AxisFrame, theme: AxisTheme): void {
  const { model, range, height, scrollTop } = frame;
  // Blocks are joined if they are too narrow to be drawn.
  const resolution = resolutionOf(frame) * narrowest;
  const first = Math.max(0, Math.floor(scrollTop / rowHeight));
  model.rows.slice(first, Math.ceil((scrollTop + height) / rowHeight)).forEach(({ mips }, index) => {
    const row = first + index;
    const narrow = new NarrowBars(pen, topOf(row, frame));
    for (const block of mips.within(range, resolution)) {
      const { first: span, count, start, end, busy, failed } = block;
      const x = xOf(start, frame);
      const width = xOf(endOf({ start: 0, end }, frame.now), frame) - x;
      if (count > 1) {
        const lane = isUntrained(span) ? theme.muted : theme.lanes[span.kind];
        narrow.add(x, width, busy / resolutionOf(frame), failed ? theme.failed : lane);
      } else if (width >= narrowest || span.state === 'unanswered') {
        drawSpan(pen, span, topOf(row, frame), frame, theme);
      } else {
        narrow.add(x, width, width, colourOf(span, frame, theme));
      }
    }
    narrow.flush();
    drawMarked(pen, row, frame, theme);
  });
}

/** Draws the selected span and the span under the pointer above their neighbors. */
function drawMarked(pen: Pen, row: number, frame: AxisFrame, theme: AxisTheme): void {
  const { model, selected, hovered } = frame;
  for (const [id, weight] of [
    [hovered, 1],
    [selected, 2],
  ] as const) {
    const span = model.spans[id ?? -1];
    if (span === undefined || model.rowOf.get(span) !== row) continue;
    const { x, y, width, height } = barOf(span, topOf(row, frame), frame);
    pen.strokeStyle = theme.focus;
    pen.lineWidth = weight;
    pen.strokeRect(x - 1.5, y - 1.5, width + 3, height + 3);
  }
}
