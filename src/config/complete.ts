import { caretAt } from './completion/caret.ts';
import type { Completion } from './completion/completion.ts';
import { offersOfTable } from './completion/tableOffers.ts';
import { ajetKeys, type KeyTable } from './keyTable.ts';
import type { LinedText } from './text.ts';

export type { Completion } from './completion/completion.ts';

/**
 * What can stand at an offset by the key table alone: the keys that the section there does not have yet, or the values
 * of a key. Nothing is parsed, and text that is broken elsewhere does not matter.
 */
export function complete(document: LinedText, offset: number, table: KeyTable = ajetKeys()): Completion[] {
  return offersOfTable(document, caretAt(document, offset), table);
}
