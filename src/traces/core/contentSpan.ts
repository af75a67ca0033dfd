import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import type { TokenText } from './tokenTable.ts';

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
 * Finds the content of a message without the tokens that the chat template adds. For a reply it is what the model made: where the
 * loss mask begins and ends. Of any other message it is the tokens that spell its text; where the template writes that in
 * other words, and of tool calls, all between the header and the tokens that end the message.
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

/** Without what most templates begin and end a message with: special tokens, the role between them, line ends. */
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
  // Blanks alone are no end that the template made.
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
 * The last place with the text, since a default system message may stand before it. Behind a system message there may be
 * tools, and behind tool calls there is no more text: of those it is the first, if it stands right behind the header.
 */
function findText(
  tokens: readonly TokenText[],
  frame: ContentSpan,
  text: string,
  first: boolean,
): ContentSpan | undefined {
  if (text === '') return undefined;
  const { starts, all } = joined(tokens);
  const wanted = new TextEncoder().encode(text);
  const header = starts[frame.from] ?? all.length;
  const at = first && isAt(all, wanted, header) ? header : lastPlaceOf(all, wanted, header);
  if (at === undefined) return undefined;
  return { from: tokenAt(starts, at), end: tokenAt(starts, at + wanted.length - 1) + 1 };
}

/** All bytes, and where each token's begin. */
function joined(tokens: readonly TokenText[]): {
  readonly starts: readonly number[];
  readonly all: Uint8Array;
} {
  const all = new Uint8Array(tokens.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let length = 0;
  const starts = tokens.map(({ bytes }) => {
    const start = length;
    all.set(bytes, start);
    length += bytes.length;
    return start;
  });
  return { starts, all };
}

/** Undefined: nowhere from `least` on. */
function lastPlaceOf(bytes: Uint8Array, wanted: Uint8Array, least: number): number | undefined {
  const [begins = 0] = wanted;
  let at = bytes.lastIndexOf(begins, bytes.length - wanted.length);
  while (at > least && !isAt(bytes, wanted, at)) at = bytes.lastIndexOf(begins, at - 1);
  return at >= least && isAt(bytes, wanted, at) ? at : undefined;
}

function isAt(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  return at + wanted.length <= bytes.length && wanted.every((byte, index) => bytes[at + index] === byte);
}

/** The token with a byte: the last that starts there or before. */
function tokenAt(starts: readonly number[], byte: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= byte) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
