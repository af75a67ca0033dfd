import type { TracedAlternatives } from '../../tracking/core/records/trace.ts';
import { klOf } from '../../tracking/core/policyShift.ts';
import type { TokensView, TokenAuthor, TrainerTokens } from './protocol/tokenRpc.ts';
import type { ContentSpan } from './contentSpan.ts';
import type { MessageLookup } from './episodeContent.ts';
import { entropyOf } from '../../tracking/core/alternatives.ts';
import type { TokenWindow } from './messageQueries.ts';
import type { TrainerLogprobs } from './traceQueries.ts';
import { type TokenTable, type TokenText, longestRest, utf8Pieces } from './tokenTable.ts';

export interface Slice {
  /** Position of the message in the timeline, and in the episode. */
  readonly message: number;
  readonly position: number;
  /** The range of tokens of the message. */
  readonly start: number;
  readonly end: number;
  /** Tokens of the message from `stored.first` on: this range and a few around it. */
  readonly stored: TokenWindow;
}

/** Facts about a timeline's messages that are not stored. */
export interface TokenFacts {
  readonly messages: MessageLookup;
  readonly table: TokenTable;
  readonly content: (position: number) => ContentSpan;
  /** Returns a function that returns true if a token of the message has drifted. */
  readonly drifted: (message: number) => (token: number) => boolean;
  readonly alternatives: (position: number, first: number, end: number) => TracedAlternatives | null;
  /** Reads tokens `first` … `end` of the timeline. Null: no training used it. */
  readonly trainer: ((first: number, end: number) => TrainerLogprobs) | null;
}

/** Returns tokens `from` … `from + limit` of a timeline. Only that part of the messages is read. */
export function tokensView(
  positions: readonly number[],
  facts: TokenFacts,
  { from, limit }: { readonly from: number; readonly limit: number },
): TokensView {
  const { slices, total } = slicesOf(positions, facts.messages, from, from + limit);
  const texts = slices.flatMap((slice) => textsOf(slice, facts.table));
  const logprobs = slices.flatMap(logprobsOf);
  return {
    from,
    total,
    ids: slices.flatMap((slice) => [...own(slice, slice.stored.tokenIds)]),
    texts: texts.map(({ text }) => text),
    special: texts.map(({ special }) => special),
    lossMask: slices.flatMap((slice) => Array.from(own(slice, slice.stored.lossMask), bit)),
    logprobs,
    messages: slices.flatMap(({ message, start, end }) => Array<number>(end - start).fill(message)),
    authors: slices.flatMap((slice) => authorsOf(slice, facts)),
    drifted: slices.flatMap((slice) => driftOf(slice, facts)),
    entropies: slices.flatMap((slice) => entropiesOf(slice, facts)),
    trainer: facts.trainer && trainerView(facts.trainer(from, from + logprobs.length), logprobs),
  };
}

/** Compares log probabilities of the trainer with those of the sampler. */
function trainerView(trainer: TrainerLogprobs, sampler: readonly (number | null)[]): TrainerTokens {
  const numbers = sampler.map((logprob, at) => trainerNumbers(trainer, at, logprob ?? NaN));
  const listed = (of: keyof TrainerNumbers): (number | null)[] => numbers.map((one) => orNull(one[of]));
  return { logprobs: listed('logprob'), ratios: listed('ratio'), kls: listed('kl') };
}

interface TrainerNumbers {
  readonly logprob: number;
  readonly ratio: number;
  readonly kl: number;
}

/** Returns the numbers of a token, NaN where one is missing. */
export function trainerNumbers(
  { logprobs, baseLogprobs }: TrainerLogprobs,
  at: number,
  sampler: number,
): TrainerNumbers {
  const logprob = logprobs[at] ?? NaN;
  return { logprob, ratio: Math.exp(logprob - sampler), kl: klOf(sampler, baseLogprobs?.[at] ?? NaN) };
}

export function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Number of tokens around a window that are read with it, for characters that cross its borders. */
const margin = 64;

export function slicesOf(
  positions: readonly number[],
  messages: MessageLookup,
  from: number,
  to: number,
): { readonly slices: readonly Slice[]; readonly total: number } {
  const slices: Slice[] = [];
  let first = 0;
  positions.forEach((position, message) => {
    const { tokens } = messages.head(position);
    const start = Math.max(0, from - first);
    const end = Math.min(tokens, to - first);
    if (start < end) {
      const stored = messages.window(position, Math.max(0, start - margin), end + margin);
      slices.push({ message, position, stored, start, end });
    }
    first += tokens;
  });
  return { slices, total: first };
}

function own<T extends Int32Array | Float32Array | Uint8Array>({ start, end, stored }: Slice, values: T): T {
  return values.subarray(start - stored.first, end - stored.first) as T;
}

/** Returns the texts of tokens. A character never crosses the border of its message. */
export function textsOf(
  { stored, start, end }: Slice,
  table: TokenTable,
): readonly { readonly text: string; readonly special: boolean }[] {
  const tokenAt = (index: number): TokenText => table.at(stored.tokenIds[index - stored.first] ?? -1);
  const begin = bytesAway(start, -1, (index) => (index < stored.first ? undefined : tokenAt(index)));
  const finish = bytesAway(end - 1, 1, (index) =>
    index < stored.first + stored.tokenIds.length ? tokenAt(index) : undefined,
  );
  const tokens = Array.from({ length: finish - begin + 1 }, (_, index) => tokenAt(begin + index));
  const texts = utf8Pieces(tokens.map(({ bytes }) => bytes));
  return tokens
    .map(({ special }, index) => ({ text: texts[index] ?? '', special }))
    .slice(start - begin, end - begin);
}

/** Returns the nearest token that is at least as many bytes away as a character can have. */
function bytesAway(index: number, step: 1 | -1, tokenAt: (index: number) => TokenText | undefined): number {
  let at = index;
  for (let bytes = 0; bytes < longestRest; at += step) {
    const next = tokenAt(at + step);
    if (next === undefined) break;
    bytes += next.bytes.length;
  }
  return at;
}

function bit(counts: number): 0 | 1 {
  return counts === 0 ? 0 : 1;
}

function logprobsOf(slice: Slice): (number | null)[] {
  const { logprobs } = slice.stored;
  if (logprobs === null) return Array<null>(slice.end - slice.start).fill(null);
  return Array.from(own(slice, logprobs), orNull);
}

export function authorsOf(
  { position, start, end }: Pick<Slice, 'position' | 'start' | 'end'>,
  { messages, content }: Pick<TokenFacts, 'messages' | 'content'>,
): TokenAuthor[] {
  const span = content(position);
  const { author } = messages.head(position);
  return Array.from({ length: end - start }, (_, index) => {
    const token = start + index;
    return token < span.from || token >= span.end ? 'template' : author;
  });
}

function driftOf({ message, start, end }: Slice, { drifted }: TokenFacts): (0 | 1)[] {
  const has = drifted(message);
  return Array.from({ length: end - start }, (_, index) => (has(start + index) ? 1 : 0));
}

function entropiesOf({ position, start, end }: Slice, { alternatives }: TokenFacts): (number | null)[] {
  const found = alternatives(position, start, end);
  return Array.from({ length: end - start }, (_, index) => (found === null ? null : entropyOf(found, index)));
}
