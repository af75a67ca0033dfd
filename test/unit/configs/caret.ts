import { caretAt } from '../../../src/configs/core/completion/caret.ts';
import type { Completion } from '../../../src/configs/core/completion/completion.ts';
import { offersOfTable } from '../../../src/configs/core/completion/tableOffers.ts';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { ajetKeys, type KeyTable } from '../../../src/configs/core/key-tables/keyTable.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { applyEdits, type LinedText } from '../../../src/configs/core/text.ts';

/** What can stand at an offset by the key table alone. */
export function complete(document: LinedText, offset: number, table: KeyTable = ajetKeys()): Completion[] {
  return offersOfTable(document, caretAt(document, offset), table);
}

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
