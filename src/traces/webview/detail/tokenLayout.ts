import * as l10n from '@vscode/l10n';
import { countWhile } from '../../../base/core/countWhile.ts';
import type { MessageView } from '../../core/protocol/episodeRpc.ts';

/**
 * Matches characters that are invisible or change their neighbors: control characters, format characters
 * (bidirectional controls, zero-width characters, tags) and unusual spaces. Line breaks, tabs and plain spaces have
 * separate signs.
 */
export const hiddenCharacter =
  /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u3000\u3164]/u;

const names: Readonly<Record<number, string>> = {
  0x00: 'NUL',
  0x07: 'BEL',
  0x08: 'BS',
  0x0b: 'VT',
  0x0c: 'FF',
  0x1b: 'ESC',
  0x7f: 'DEL',
  0x85: 'NEL',
  0xa0: 'NBSP',
  0xad: 'SHY',
  0x061c: 'ALM',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LS',
  0x2029: 'PS',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0xfeff: 'BOM',
};

/** E.g. `ZWSP`, else `U+0001`. */
export function hiddenName(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return names[point] ?? `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Number of tokens that are laid out together, small enough for smooth scrolling. */
export const chunkTokens = 128;

/** An item of a timeline's list, from top to bottom. */
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

/** Returns the index of the item with a token; -1: there is none. */
export function itemOfToken(items: readonly TokenItem[], token: number): number {
  const at = countWhile(items, ({ end }) => end <= token);
  const found = items[at];
  return found !== undefined && found.from <= token ? at : -1;
}

export function messageAt(messages: readonly MessageView[], token: number): number {
  const found = messages.findIndex(
    ({ firstToken, tokens }) => token >= firstToken && token < firstToken + tokens,
  );
  return Math.max(0, found);
}

/** A part of a token's text, split where whitespace must be made visible. */
export interface TextPiece {
  readonly kind: 'text' | 'spaces' | 'hidden' | 'newline' | 'tab' | 'return';
  readonly text: string;
}

/** A single space before a word is the most common whitespace, and its token shows it; see {@link startsWord}. */
export function textPieces(text: string): readonly TextPiece[] {
  return (text.match(piece) ?? []).map((found): TextPiece => {
    const kind = lineKinds[found] ?? (found.startsWith(' ') ? 'spaces' : 'text');
    return { kind: hiddenCharacter.test(found) ? 'hidden' : kind, text: found };
  });
}

const lineKinds: Readonly<Record<string, TextPiece['kind']>> = {
  '\n': 'newline',
  '\t': 'tab',
  '\r': 'return',
};

const hidden = hiddenCharacter.source;
const piece = new RegExp(`[\\n\\r\\t]|${hidden}| +|(?:(?!${hidden})[^ \\n\\r\\t])+`, 'gu');

/** Returns true if the text starts with one space, followed by a visible character. */
export function startsWord(text: string): boolean {
  return /^ ?\S+$/.test(text) && !hiddenCharacter.test(text);
}

/** Returns words for a text that a screen reader would skip; undefined: the text can be read. */
export function spoken(text: string): string | undefined {
  if (text === '') return l10n.t('part of a character');
  if (text.trim() !== '' && !hiddenCharacter.test(text)) return undefined;
  const names: Readonly<Record<string, string>> = {
    ' ': l10n.t('space'),
    '\n': l10n.t('newline'),
    '\t': l10n.t('tab'),
    '\r': l10n.t('return'),
  };
  return textPieces(text)
    .flatMap((piece) => {
      if (piece.kind === 'hidden') return [hiddenName(piece.text)];
      if (piece.kind === 'text') return [piece.text];
      return Array.from(piece.text, (character) => names[character] ?? character);
    })
    .join(' ');
}

/** Returns a text as JSON, with codes for invisible characters. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(hiddenCharacters, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u{${code}}`;
  });
}

const hiddenCharacters = new RegExp(hiddenCharacter.source, 'gu');

/** Returns a probability such as `12.3 %`. Very small ones have more digits. */
export function chance(probability: number): string {
  const percent = probability * 100;
  return l10n.t('{0} %', percent >= 0.1 ? percent.toFixed(1) : percent.toPrecision(2));
}
