import type { MessageView } from '../../protocol/traceRpc.ts';

/** Tokens that are laid out together; as few as a list of them still scrolls smoothly with. */
export const chunkTokens = 128;

/** What a timeline's list holds, from top to bottom. */
export type TokenItem =
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: MessageView;
      readonly from: number;
      readonly end: number;
    }
  /** Tokens `from` … `end` of the timeline, `end` excluded. */
  | { readonly kind: 'tokens'; readonly key: string; readonly from: number; readonly end: number };

/** A heading for each message and, below it, its tokens in chunks. */
export function tokenItems(messages: readonly MessageView[]): readonly TokenItem[] {
  return messages.flatMap((message): TokenItem[] => {
    const from = message.firstToken;
    const heading: TokenItem = { kind: 'message', key: `message ${message.index}`, message, from, end: from };
    return [heading, ...chunksOf(from, from + message.tokens)];
  });
}

function chunksOf(from: number, end: number): TokenItem[] {
  return Array.from({ length: Math.ceil((end - from) / chunkTokens) }, (_, index) => {
    const start = from + index * chunkTokens;
    return { kind: 'tokens', key: `tokens ${start}`, from: start, end: Math.min(start + chunkTokens, end) };
  });
}

/** Position of the item that holds a token; -1: none does. */
export function itemOfToken(items: readonly TokenItem[], token: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && item.end <= token) low = middle + 1;
    else high = middle;
  }
  const found = items[low];
  return found !== undefined && found.from <= token ? low : -1;
}

/** A token's text, cut where whitespace must be made visible. */
export type TextPiece =
  | { readonly kind: 'text' | 'spaces'; readonly text: string }
  | { readonly kind: 'newline' | 'tab' | 'return' };

/** A single space before a word is the commonest of all: its token shows it by itself, see {@link startsWord}. */
export function textPieces(text: string): readonly TextPiece[] {
  return (text.match(/\n|\r|\t| +|[^ \n\r\t]+/g) ?? []).map((piece): TextPiece => {
    if (piece === '\n') return { kind: 'newline' };
    if (piece === '\t') return { kind: 'tab' };
    if (piece === '\r') return { kind: 'return' };
    return { kind: piece.startsWith(' ') ? 'spaces' : 'text', text: piece };
  });
}

/** One space and then no whitespace at all. */
export function startsWord(text: string): boolean {
  return /^ ?\S+$/.test(text);
}

/** Whitespace in words. */
export function spoken(text: string): string {
  if (text === '') return 'part of a character';
  const names: Readonly<Record<string, string>> = {
    ' ': 'space',
    '\n': 'newline',
    '\t': 'tab',
    '\r': 'return',
  };
  return Array.from(text, (character) => names[character] ?? 'whitespace').join(' ');
}
