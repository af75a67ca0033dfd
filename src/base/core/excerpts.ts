import { commonPrefixLength } from './commonStart.ts';

/** Characters shown of a text, and of what is alike before the difference. */
const shownLength = 60;
const shownBefore = 20;

/** Where excerpts of two texts begin that are to show where these first differ. */
export function excerptStart(one: string, other: string): number {
  const same = commonPrefixLength(one, other);
  return same <= shownBefore + 1 ? 0 : same - shownBefore;
}

/** A part of a text from there on, with an ellipsis where it was cut. */
export function excerpt(text: string, start: number): string {
  const shown = text.slice(start, start + shownLength);
  return `${start > 0 ? '…' : ''}${shown}${start + shownLength < text.length ? '…' : ''}`;
}
