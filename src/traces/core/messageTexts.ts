/** Windows of message texts that are too long to be shown in full, and searches in them. */
import type { SearchView, FoundText, TextView } from './protocol/episodeRpc.ts';
import { escapedPattern } from '../../base/core/escapedPattern.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import { clip } from './clip.ts';
import type { MessageLookup } from './episodeContent.ts';

/** Characters `from` … `from + limit` of a text. */
export interface TextWindow {
  readonly from: number;
  readonly limit: number;
}

export interface TextQuery {
  readonly text: string;
  readonly matchCase: boolean;
}

export function textWindow(text: string, { from, limit }: TextWindow): TextView {
  const start = isWithinPair(text, from) ? from - 1 : from;
  // One more than a unit, because a window of one unit could not show a character of two.
  return { from: start, text: clip(text.slice(start), Math.max(limit, 2)), length: text.length };
}

export function searchMessages(
  positions: readonly number[],
  messages: MessageLookup,
  sought: TextQuery,
): SearchView {
  if (sought.text === '') return { matches: [], more: false };
  const pattern = new RegExp(escapedPattern(sought.text), sought.matchCase ? 'gu' : 'giu');
  const matches: FoundText[] = [];
  for (const [message, position] of positions.entries()) {
    const { text, toolCalls } = messages.text(position);
    for (const [field, value] of [
      ['text', text],
      ['toolCalls', toolCalls ?? ''],
    ] as const) {
      for (const { index, 0: found } of value.matchAll(pattern)) {
        if (matches.length === largestWindow.matches) return { matches, more: true };
        matches.push({ message, field, at: index, length: found.length });
      }
    }
  }
  return { matches, more: false };
}

function isWithinPair(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
