import type { Pen } from './frame.ts';

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
