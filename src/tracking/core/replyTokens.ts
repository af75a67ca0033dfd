import { commonPrefixLength } from '../../base/core/commonPrefix.ts';
import type { Alternative } from './alternatives.ts';
import { sameItems } from './branches.ts';
import { indexOfRun, startsWithRun } from './tokenLists.ts';
import type { TrackerReply, ReplyToken } from './tracker.ts';
import type { ModelText, Tokenizer } from './tokenizer.ts';
import type { TracedMessage } from './records/trace.ts';

export interface ReplyTokens {
  readonly tokenIds: readonly number[];
  /** One per token, null if missing. Null: the endpoint reported none. */
  readonly logprobs: readonly (number | null)[] | null;
  /** One list per token. Null: the endpoint reported none. */
  readonly alternatives: readonly (readonly Alternative[])[] | null;
  /** One per token: 1 for tokens that the model generated. */
  readonly lossMask: readonly number[];
  /** True if it was truncated by length, so that the template added its end token. */
  readonly lacksEos: boolean;
  /** True if the header and the end token are where AgentJet expects them. */
  readonly fits: boolean;
  /** True if it contains an end token before its end. */
  readonly endsEarly: boolean;
  /** True if the generated tokens start with the header. */
  readonly repeatsHeader: boolean;
  /** True if the endpoint reported log probabilities that do not belong to the text of the reply. */
  readonly dropsLogprobs: boolean;
}

/** The start and the end of the reply's body in the container. */
interface Frame {
  readonly begin: number;
  /** The index of the end token, or the length of the container if it has none. */
  readonly end: number;
  readonly fits: boolean;
}

/**
 * Replaces the tokens between the header and the last end token by those that the model generated. Without valid
 * reported tokens, it keeps those of the template, and there are no logprobs.
 *
 * @param container the tokens that the template adds to the request for the reply
 */
export function replyTokens(
  container: readonly number[],
  header: readonly number[],
  reply: TrackerReply,
  text: ModelText,
): ReplyTokens {
  const { tokenizer } = text;
  const frame = frameOf(container, header, tokenizer.eos);
  const templated = container.slice(frame.begin, frame.end);
  const made = modelTokens(reply, text, templated);
  const body = made?.ids ?? templated;
  const ended = made?.ended ?? !wasCut(reply);
  const before = container.slice(0, frame.begin);
  const end = frame.end < container.length || ended ? [tokenizer.eos] : [];
  const after = container.slice(frame.end + 1);
  const none = (ids: readonly number[]): null[] => ids.map(() => null);
  const endLogprob = made?.endLogprob ?? null;
  return {
    tokenIds: [...before, ...body, ...end, ...after],
    logprobs: made?.logprobs
      ? [...none(before), ...made.logprobs, ...end.map(() => endLogprob), ...none(after)]
      : null,
    alternatives: made?.alternatives
      ? [
          ...before.map(() => nothing),
          ...made.alternatives,
          ...end.map(() => made.endAlternatives),
          ...after.map(() => nothing),
        ]
      : null,
    lossMask: [
      ...before.map(() => 0),
      ...body.map(() => 1),
      ...end.map(() => (ended ? 1 : 0)),
      ...after.map(() => 0),
    ],
    lacksEos: !ended,
    fits: frame.fits,
    endsEarly: body.includes(tokenizer.eos),
    repeatsHeader: made !== undefined && header.length > 0 && startsWithRun(made.ids, header),
    dropsLogprobs: made === undefined && hasLogprobsOfText(reply),
  };
}

const nothing: readonly Alternative[] = [];

/** Servers that parse tool calls report only the tokens next to these, so their log probabilities cannot be complete. */
function hasLogprobsOfText({ tokens, toolCalls }: TrackerReply): boolean {
  return (toolCalls ?? []).length === 0 && tokens?.some(({ logprob }) => logprob !== null) === true;
}

function frameOf(container: readonly number[], header: readonly number[], eos: number): Frame {
  const at = indexOfRun(container, header);
  const begin = at >= 0 ? at + header.length : commonPrefixLength(container, header);
  const last = container.lastIndexOf(eos);
  const found = last >= begin;
  return { begin, end: found ? last : container.length, fits: at >= 0 && found };
}

/**
 * Returns the tokens that upstream counts in the loss of a sample. The first header (ChatML's, built into upstream) and
 * tokens after the first end token do not count. Nor does the end token, if the reply was truncated.
 */
export function sampleLossMask(
  tokenIds: ArrayLike<number>,
  { header, eos, lacksEos }: { header: readonly number[]; eos: number; lacksEos: boolean },
): Uint8Array {
  const mask = new Uint8Array(tokenIds.length).fill(1);
  const start = indexOfRun(tokenIds, header);
  if (start >= 0) mask.fill(0, start, start + header.length);
  const end = indexOfRun(tokenIds, [eos]);
  if (end >= 0) mask.fill(0, lacksEos ? end : end + 1);
  return mask;
}

/** Returns the same for a reply in another timeline: the counted tokens and, for a truncated reply, the end token. */
export function takenOverMask(
  { tokenIds, lossMask }: TracedMessage,
  isSpecial: (id: number) => boolean,
): Uint8Array {
  const end = tokenIds.findLastIndex(isSpecial);
  return end >= 0 && lossMask[end] === 0 ? lossMask.with(end, 1) : lossMask;
}

/** The tokens that the model generated, as ids of the tokenizer, without the end token. */
export interface ModelTokens {
  readonly ids: readonly number[];
  /** One per id. Null: not reported. */
  readonly logprobs: readonly (number | null)[] | null;
  /** True if the model generated the end token. */
  readonly ended: boolean;
  readonly endLogprob: number | null;
  /** One list per id. Null: not reported. */
  readonly alternatives: readonly (readonly Alternative[])[] | null;
  readonly endAlternatives: readonly Alternative[];
}

/**
 * Returns the reported tokens of a reply by their ids, like AgentJet, or else by their bytes. Ids of an exact tokenizer
 * need not match the text of the reply, since servers can remove tool calls and thoughts from it.
 *
 * @param templated the tokens of the reply's body as the template writes it, with tool calls
 * @returns undefined if no tokens were reported, or if they do not match the tokenizer or the reply
 */
export function modelTokens(
  reply: TrackerReply,
  { tokenizer, note }: ModelText,
  templated: readonly number[],
): ModelTokens | undefined {
  const tokens = reply.tokens ?? [];
  if (tokens.length === 0) return undefined;
  const content = new TextEncoder().encode(reply.content ?? '');
  const hasToolCalls = (reply.toolCalls ?? []).length > 0;
  const isReply = (body: Uint8Array): boolean =>
    sameItems(body, bytesOf(templated, tokenizer)) || (!hasToolCalls && sameItems(body, content));
  const byId = made(tokens, (token) => listed(reportedId(token, tokenizer)), tokenizer);
  if (byId !== undefined) {
    const body = bytesOf(byId.ids, tokenizer);
    const lacksToolCalls = hasToolCalls && sameItems(body, content);
    if (note.exact ? !lacksToolCalls : isReply(body)) return withEnd(byId, reply);
  }
  const byBytes = made(tokens, (token, at) => ownIds(token, at === tokens.length - 1, tokenizer), tokenizer);
  return byBytes && isReply(bytesOf(byBytes.ids, tokenizer)) ? withEnd(byBytes, reply) : undefined;
}

/** Endpoints that report no list of ids usually omit the end token. */
function withEnd(tokens: ModelTokens, reply: TrackerReply): ModelTokens {
  return { ...tokens, ended: tokens.ended || (reply.listsEnd !== true && !wasCut(reply)) };
}

/** Returns whether the reply ended without the model's end token. */
export function wasCut({ finishReason }: TrackerReply): boolean {
  return finishReason === 'length' || finishReason === 'content_filter';
}

export function bytesOf(ids: readonly number[], tokenizer: Tokenizer): Uint8Array {
  const bytes: number[] = [];
  for (const id of ids) bytes.push(...tokenizer.bytesOf(id));
  return Uint8Array.from(bytes);
}

/**
 * Returns the ids of a token by its bytes. An entry without text at the end of a reply is the end token: llama.cpp writes
 * it so. If several tokens make one character, llama.cpp writes one entry with the id of the last one.
 */
function ownIds(
  { id, bytes }: ReplyToken,
  isLast: boolean,
  tokenizer: Tokenizer,
): readonly number[] | undefined {
  if (bytes.length === 0) return isLast ? [tokenizer.eos] : [];
  const ids = idsOf(bytes, tokenizer);
  if (id === null || ids?.at(-1) === id) return ids;
  const last = tokenizer.bytesOf(id);
  const rest = bytes.length - last.length;
  if (last.length === 0 || rest <= 0 || !sameItems(bytes.slice(rest), last)) return ids;
  const before = idsOf(bytes.slice(0, rest), tokenizer);
  return before && [...before, id];
}

/** Returns one id, or those of several tokens if the tokenizer has no token of these bytes. */
function idsOf(bytes: readonly number[], tokenizer: Tokenizer): readonly number[] | undefined {
  const own = tokenizer.idOf(Uint8Array.from(bytes));
  if (own !== undefined) return [own];
  const encoded = tokenizer.encode(new TextDecoder().decode(Uint8Array.from(bytes)));
  if (sameItems(bytesOf(encoded, tokenizer), bytes)) return encoded;
  const single = bytes.map((byte) => tokenizer.idOf(Uint8Array.of(byte)));
  return single.every((id) => id !== undefined) ? single : undefined;
}

function listed(id: number | undefined): readonly number[] | undefined {
  return id === undefined ? undefined : [id];
}

/**
 * @param idsOfToken returns the ids of a reported token. The one with the reported id, or else the first, gets its log
 *   probability.
 * @returns undefined if a token has no ids
 */
function made(
  tokens: readonly ReplyToken[],
  idsOfToken: (token: ReplyToken, at: number) => readonly number[] | undefined,
  tokenizer: Tokenizer,
): ModelTokens | undefined {
  const all: { readonly id: number; readonly token: ReplyToken | undefined }[] = [];
  for (const [at, token] of tokens.entries()) {
    const ids = idsOfToken(token, at);
    if (ids === undefined) return undefined;
    const reported = ids.at(-1) === token.id ? ids.length - 1 : 0;
    all.push(...ids.map((id, index) => ({ id, token: index === reported ? token : undefined })));
  }
  const ended = all.at(-1)?.id === tokenizer.eos;
  const length = ended ? all.length - 1 : all.length;
  const logprobs = all.map(({ token }) => token?.logprob ?? null);
  return {
    ids: all.slice(0, length).map(({ id }) => id),
    logprobs: logprobs.every((logprob) => logprob === null) ? null : logprobs.slice(0, length),
    ended,
    endLogprob: ended ? (logprobs.at(-1) ?? null) : null,
    ...alternativesOf(
      all.map(({ token }) => token?.alternatives ?? []),
      length,
      tokenizer,
    ),
  };
}

function alternativesOf(
  reported: readonly NonNullable<ReplyToken['alternatives']>[],
  length: number,
  tokenizer: Tokenizer,
): Pick<ModelTokens, 'alternatives' | 'endAlternatives'> {
  if (reported.every((alternatives) => alternatives.length === 0)) {
    return { alternatives: null, endAlternatives: [] };
  }
  const lists = reported.map((alternatives) =>
    alternatives.map(({ id, bytes, logprob }): Alternative => {
      const own = reportedId({ id, bytes }, tokenizer) ?? tokenizer.idOf(Uint8Array.from(bytes));
      return { id: own ?? null, logprob };
    }),
  );
  return { alternatives: lists.slice(0, length), endAlternatives: lists[length] ?? [] };
}

/** Returns the id if its bytes match the tokenizer. U+FFFD, as servers write parts of characters, always does. */
function reportedId(
  { id, bytes }: Pick<ReplyToken, 'id' | 'bytes'>,
  tokenizer: Tokenizer,
): number | undefined {
  if (id === null) return undefined;
  const own = tokenizer.bytesOf(id);
  if (own.length === 0) return undefined;
  const agrees = bytes.length === 0 || sameItems(own, bytes) || isReplacement(bytes);
  return agrees ? id : undefined;
}

function isReplacement(bytes: readonly number[]): boolean {
  return bytes.some((byte, at) => byte === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd);
}

/** Returns the id in a token that vLLM spells `token_id:<n>`. */
export function spelledTokenId(token: unknown): number | undefined {
  const id = typeof token === 'string' ? /^token_id:(\d+)$/.exec(token)?.[1] : undefined;
  return id === undefined ? undefined : Number(id);
}
