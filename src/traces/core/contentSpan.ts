import { countWhile } from '../../base/core/countWhile.ts';
import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import { joined, type TokenText } from './tokenTable.ts';

/** The token range `from` … `end` of a message's content. The chat template adds the tokens around it. */
export interface ContentSpan {
  readonly from: number;
  readonly end: number;
}

export type SpannedMessage = Pick<
  TracedMessage,
  'role' | 'author' | 'text' | 'toolCalls' | 'tokenIds' | 'lossMask'
>;

/**
 * Returns the content of a message without the tokens that the chat template adds. The content of a reply is what the
 * model generated: from the start to the end of the loss mask. The content of another message is the tokens that spell
 * its text. For tool calls, and if the template rewrites the text, the content is everything between the header and the
 * end tokens of the message.
 */
export function contentSpan(message: SpannedMessage, textOf: (id: number) => TokenText): ContentSpan {
  if (message.author === 'llm') {
    const from = message.lossMask.indexOf(1);
    if (from >= 0) return { from, end: message.lossMask.lastIndexOf(1) + 1 };
  }
  const tokens = Array.from(message.tokenIds, textOf);
  const frame = frameOf(tokens);
  if (message.text === '') return message.toolCalls === null ? { ...frame, end: frame.from } : frame;
  const first = message.role === 'system' || message.toolCalls !== null;
  const found =
    findText(tokens, frame, message.text, first) ?? findText(tokens, frame, message.text.trim(), first);
  if (found === undefined) return frame;
  return message.toolCalls === null ? found : { from: found.from, end: frame.end };
}

/** Returns the tokens without the typical frame of a message: special tokens, the role between them, line breaks. */
function frameOf(tokens: readonly TokenText[]): ContentSpan {
  let from = skip(tokens, 0, ({ special }) => special);
  if (from > 0) {
    const role = skip(tokens, from, isWord);
    const next = tokens[role];
    if (next !== undefined && role > from && (next.special || next.bytes[0] === lineEnd)) from = role;
    from = skip(tokens, from, (token) => token.special || isBlank(token));
  }
  let end = tokens.length;
  while (end > from && isEnd(tokens[end - 1])) end -= 1;
  // Blanks alone are not an end that the template added.
  return { from, end: tokens.slice(end).some(({ special }) => special) ? end : tokens.length };
}

function skip(tokens: readonly TokenText[], from: number, goesOn: (token: TokenText) => boolean): number {
  const at = tokens.findIndex((token, index) => index >= from && !goesOn(token));
  return at < 0 ? tokens.length : at;
}

const lineEnd = 10;

function isWord({ bytes, special }: TokenText): boolean {
  return !special && bytes.length > 0 && bytes.every((byte) => byte === 95 || isLetter(byte));
}

function isLetter(byte: number): boolean {
  return (byte | 32) >= 97 && (byte | 32) <= 122;
}

function isBlank({ bytes, special }: TokenText): boolean {
  return !special && bytes.every((byte) => byte === lineEnd);
}

function isEnd(token: TokenText | undefined): boolean {
  return token !== undefined && (token.special || isBlank(token));
}

/**
 * Returns the last position of the text, because a default system message may precede it. Tools may follow a system
 * message. After tool calls there is no more text: of those the function returns the first position, if it directly
 * follows the header.
 */
function findText(
  tokens: readonly TokenText[],
  frame: ContentSpan,
  text: string,
  first: boolean,
): ContentSpan | undefined {
  if (text === '') return undefined;
  const { starts, all } = joined(tokens.map(({ bytes }) => bytes));
  const wanted = new TextEncoder().encode(text);
  const header = starts[frame.from] ?? all.length;
  const at = first && isAt(all, wanted, header) ? header : lastPlaceOf(all, wanted, header);
  if (at === undefined) return undefined;
  return { from: tokenAt(starts, at), end: tokenAt(starts, at + wanted.length - 1) + 1 };
}

/** Returns the last position at or after `least`; undefined: there is none. */
function lastPlaceOf(bytes: Uint8Array, wanted: Uint8Array, least: number): number | undefined {
  const [begins = 0] = wanted;
  let at = bytes.lastIndexOf(begins, bytes.length - wanted.length);
  while (at > least && !isAt(bytes, wanted, at)) at = bytes.lastIndexOf(begins, at - 1);
  return at >= least && isAt(bytes, wanted, at) ? at : undefined;
}

function isAt(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  return at + wanted.length <= bytes.length && wanted.every((byte, index) => bytes[at + index] === byte);
}

/** Returns the token with a byte: the last token that starts at or before it. */
function tokenAt(starts: readonly number[], byte: number): number {
  return countWhile(starts, (start) => start <= byte) - 1;
}
