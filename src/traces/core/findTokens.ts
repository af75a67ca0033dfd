import { countWhile } from '../../base/core/countWhile.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import type { FindView, TokenQuery } from './protocol/tokenRpc.ts';
import type { Range } from './align.ts';
import { traceErrors } from './errors.ts';
import { escapedPattern } from '../../base/core/escapedPattern.ts';
import { slicesOf, textsOf, type Slice, type TokenFacts } from './tokensView.ts';

/** Returns the non-empty matches of a pattern in a text, in order, at most `most`. */
export type FindMatches = (pattern: RegExp, text: string, most: number) => readonly Range[];

export interface TokenSearch {
  readonly wanted: TokenQuery;
  readonly from: number;
}

/** The maximum number of tokens that one request searches. The next request continues after them. */
export const searchedAtOnce = 131_072;

/** Number of tokens whose texts are searched together. A match longer than `overlap` may be missed at a border. */
const together = 32_768;
const overlap = 1_024;

/**
 * Finds tokens from `from` on. Each message is searched separately, in the text that its tokens spell, and matches
 * cover whole tokens. `matchesOf` finds matches of a pattern that a user typed, and may throw if it takes too long.
 */
export function findTokens(
  positions: readonly number[],
  facts: TokenFacts,
  { wanted, from }: TokenSearch,
  matchesOf: FindMatches,
): FindView {
  const matches: Range[] = [];
  const end = from + searchedAtOnce;
  const { slices, total } = slicesOf(positions, facts.messages, from, end);
  let first = from;
  for (const slice of slices) {
    for (const part of partsOf(slice)) {
      const room = largestWindow.matches - matches.length;
      const found = findIn(part, facts, wanted, matchesOf, room);
      const offset = first - slice.start;
      matches.push(...found.map((match) => ({ from: match.from + offset, end: match.end + offset })));
      if (matches.length >= largestWindow.matches) return { matches, next: (matches.at(-1)?.from ?? 0) + 1 };
    }
    first += slice.end - slice.start;
  }
  return { matches, next: end < total ? end : null };
}

interface Part extends Slice {
  /** Matches that begin at or after this offset belong to the next part. */
  readonly starts: number;
}

function partsOf(slice: Slice): readonly Part[] {
  const { start, end } = slice;
  return Array.from({ length: Math.ceil((end - start) / together) }, (_, index) => {
    const from = start + index * together;
    const starts = Math.min(end, from + together);
    return { ...slice, start: from, starts, end: Math.min(end, starts + overlap) };
  });
}

function findIn(
  part: Part,
  facts: TokenFacts,
  wanted: TokenQuery,
  matchesOf: FindMatches,
  room: number,
): readonly Range[] {
  if (wanted.kind === 'id') return findId(part, wanted.id, room);
  const starts: number[] = [];
  let text = '';
  for (const token of textsOf(part, facts.table)) {
    starts.push(text.length);
    text += token.text;
  }
  const pattern = patternOf(wanted);
  const found =
    wanted.kind === 'pattern' ? matchesOf(pattern, text, room) : plainMatches(pattern, text, room);
  return found
    .map(({ from, end }) => ({
      from: part.start + firstToken(starts, from),
      end: part.start + lastToken(starts, end - 1) + 1,
    }))
    .filter(({ from }) => from < part.starts);
}

function findId({ stored, start, starts }: Part, id: number, room: number): readonly Range[] {
  const found: Range[] = [];
  for (let token = start; token < starts && found.length < room; token++) {
    if (stored.tokenIds[token - stored.first] === id) found.push({ from: token, end: token + 1 });
  }
  return found;
}

function patternOf(wanted: Exclude<TokenQuery, { kind: 'id' }>): RegExp {
  const source = wanted.kind === 'pattern' ? wanted.text : escapedPattern(wanted.text);
  try {
    return new RegExp(source, wanted.matchCase ? 'gmu' : 'gimu');
  } catch (error) {
    const why = error instanceof Error ? error.message.split(': ').at(-1) : undefined;
    throw traceErrors.badPattern(wanted.text, (why ?? 'it cannot be read').toLowerCase());
  }
}

/** Finds matches of an escaped plain text, which takes linear time. */
export function plainMatches(pattern: RegExp, text: string, most: number): readonly Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(pattern)) {
    if (match[0] === '') continue;
    found.push({ from: match.index, end: match.index + match[0].length });
    if (found.length >= most) break;
  }
  return found;
}

/** Returns the token with a character. Tokens without text precede the one that has it. */
function lastToken(starts: readonly number[], at: number): number {
  return countWhile(starts, (start) => start <= at) - 1;
}

/** Returns the token in which the character begins. A character of several bytes may begin in an earlier token. */
function firstToken(starts: readonly number[], at: number): number {
  const token = lastToken(starts, at);
  const begin = starts[token] ?? 0;
  if (begin !== at) return token;
  let first = token;
  while (first > 0 && starts[first - 1] === begin) first -= 1;
  return first;
}
