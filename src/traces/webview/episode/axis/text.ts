import type { Pen } from './frame.ts';

const widths = new Map<string, number>();
const mostWidths = 4_096;

/** Measuring is slow, and one frame after the other has the same labels. */
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

/** The text, or its beginning where it is too long. */
export function fitted(pen: Pen, text: string, width: number): string {
  const own = widthOf(pen, text);
  if (own <= width) return text;
  const length = Math.floor((text.length * (width - widthOf(pen, '…'))) / own);
  return length <= 0 ? '' : `${text.slice(0, length)}…`;
}
