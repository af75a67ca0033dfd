import type { AxisModel } from './model.ts';
import { lengthOf, type Range } from './range.ts';

/** In pixels. */
export const rowHeight = 22;
export const rulerHeight = 20;

export interface AxisFrame {
  readonly model: AxisModel;
  readonly range: Range;
  /** Milliseconds since the episode began. */
  readonly now: number;
  /** The size of the canvas in CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** The width of the lane names. */
  readonly gutter: number;
  readonly scrollTop: number;
  readonly selected: number | null;
  readonly hovered: number | null;
  readonly related: ReadonlySet<number>;
}

export type Pen = CanvasRenderingContext2D;

export function xOf(time: number, { range, width, gutter }: Pick<AxisFrame, 'range' | 'width' | 'gutter'>) {
  return gutter + ((time - range.start) / lengthOf(range)) * (width - gutter);
}

export function timeAt(x: number, { range, width, gutter }: Pick<AxisFrame, 'range' | 'width' | 'gutter'>) {
  return range.start + ((x - gutter) / Math.max(1, width - gutter)) * lengthOf(range);
}

export function topOf(row: number, { scrollTop }: AxisFrame): number {
  return rulerHeight + row * rowHeight - scrollTop;
}

export function resolutionOf({ range, width, gutter }: AxisFrame): number {
  return lengthOf(range) / Math.max(1, width - gutter);
}

const widths = new Map<string, number>();
const mostWidths = 4_096;

/** Returns the cached width of a text. Measuring is slow, and frames share their labels. */
export function widthOf(pen: Pen, text: string): number {
  const key = `${pen.font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    width = pen.measureText(text).width;
    if (widths.size >= mostWidths) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** Returns the text, or its beginning if it is too long. */
export function fitted(pen: Pen, text: string, width: number): string {
  const own = widthOf(pen, text);
  if (own <= width) return text;
  const length = Math.floor((text.length * (width - widthOf(pen, '…'))) / own);
  return length <= 0 ? '' : `${text.slice(0, length)}…`;
}
