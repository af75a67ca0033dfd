import { xOf, type AxisFrame, type Pen } from './frame.ts';
import { endOf } from './model.ts';
import { lengthOf, type Range } from './range.ts';
import type { AxisTheme } from './theme.ts';

/** The whole episode in one line: where there is how much of it. */
export function drawOverview(pen: Pen, frame: AxisFrame, bounds: Range, theme: AxisTheme): void {
  const { model, width, height, gutter } = frame;
  pen.clearRect(0, 0, width, height);
  const whole = { range: bounds, width, gutter };
  const resolution = lengthOf(bounds) / Math.max(1, width - gutter);
  const line = Math.max(1, (height - 4) / Math.max(1, model.rows.length));
  model.rows.forEach(({ mips, lane }, row) => {
    const y = 2 + Math.min(row * line, height - 5);
    const { starts, ends, failed } = mips.at(resolution);
    const kind = model.lanes[lane]?.kind ?? 'agent';
    pen.globalAlpha = kind === 'workflow' ? 0.35 : 0.8;
    for (let block = 0; block < starts.length; block++) {
      const [start = 0, end = 0] = [starts[block], ends[block]];
      const x = xOf(start, whole);
      pen.fillStyle = failed[block] === 1 ? theme.failed : theme.lanes[kind];
      const right = xOf(endOf({ start, end }, frame.now), whole);
      pen.fillRect(x, y, Math.max(1, right - x), Math.max(1, line - 0.5));
    }
  });
  pen.globalAlpha = 1;
}

/** What of it is in view, above it. */
export function drawWindow(pen: Pen, frame: AxisFrame, bounds: Range, theme: AxisTheme): void {
  const { width, height, gutter, range } = frame;
  const whole = { range: bounds, width, gutter };
  const [left, right] = [xOf(range.start, whole), xOf(range.end, whole)];
  pen.fillStyle = theme.background;
  pen.globalAlpha = 0.65;
  pen.fillRect(gutter, 0, left - gutter, height);
  pen.fillRect(right, 0, width - right, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.focus;
  pen.lineWidth = 1;
  pen.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1);
}
