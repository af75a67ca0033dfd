import { complete, type Completion } from '../../../src/config/complete.ts';
import { dialectOf } from '../../../src/config/dialect.ts';
import { hover } from '../../../src/config/hover.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { applyEdits } from '../../../src/config/text.ts';

/** A text with one `|` in it, which marks the caret and is no part of it. */
export function atCaret(marked: string): { text: string; offset: number } {
  const offset = marked.indexOf('|');
  return { text: marked.slice(0, offset) + marked.slice(offset + 1), offset };
}

export function completionsAt(marked: string): Completion[] {
  const { text, offset } = atCaret(marked);
  return complete(parseConfig(text), offset, dialectOf(text)?.keys());
}

export function labelsAt(marked: string): string[] {
  return completionsAt(marked).map((completion) => completion.label);
}

/** The text once a completion was taken; fails when it is not offered. */
export function complemented(marked: string, label: string): string {
  const { text } = atCaret(marked);
  const completion = completionsAt(marked).find((offered) => offered.label === label);
  if (completion === undefined) throw new Error(`${label} is not offered`);
  return applyEdits(text, [completion.edit]);
}

/** What the hover covers and what it says. */
export function hoverAt(marked: string): { covered: string; markdown: string } | undefined {
  const { text, offset } = atCaret(marked);
  const shown = hover(parseConfig(text), offset, dialectOf(text)?.keys());
  if (shown === undefined) return undefined;
  const { start, end } = shown.range;
  return { covered: text.slice(start.offset, end.offset), markdown: shown.markdown };
}
