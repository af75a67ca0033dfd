import type { Alternative } from './alternatives.ts';
import type { ModelText, Tokenizer } from './tokenizer.ts';
import type { ReplyToken, TrackerReply } from './tracker.ts';

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
    sameBytes(body, bytesOf(templated, tokenizer)) || (!hasToolCalls && sameBytes(body, content));
  const byId = made(tokens, (token) => reportedId(token, tokenizer), tokenizer);
  if (byId !== undefined) {
    const body = bytesOf(byId.ids, tokenizer);
    const lacksToolCalls = hasToolCalls && sameBytes(body, content);
    if (note.exact ? !lacksToolCalls : isReply(body)) return byId;
  }
  const byBytes = made(tokens, ({ bytes }) => tokenizer.idOf(Uint8Array.from(bytes)), tokenizer);
  if (byBytes === undefined || !isReply(bytesOf(byBytes.ids, tokenizer))) return undefined;
  // Endpoints that report only token texts usually omit the end token.
  return { ...byBytes, ended: byBytes.ended || !wasCut(reply) };
}

/** Returns whether the reply ended without the model's end token. */
export function wasCut({ finishReason }: TrackerReply): boolean {
  return finishReason === 'length' || finishReason === 'content_filter';
}

/** Returns the bytes of a list of tokens. */
export function bytesOf(ids: readonly number[], tokenizer: Tokenizer): Uint8Array {
  const bytes: number[] = [];
  for (const id of ids) bytes.push(...tokenizer.bytesOf(id));
  return Uint8Array.from(bytes);
}

/** @returns undefined if a token has no id */
function made(
  tokens: readonly ReplyToken[],
  idOf: (token: ReplyToken) => number | undefined,
  tokenizer: Tokenizer,
): ModelTokens | undefined {
  const ids: number[] = [];
  for (const token of tokens) {
    const id = idOf(token);
    if (id === undefined) return undefined;
    ids.push(id);
  }
  const ended = ids.at(-1) === tokenizer.eos;
  const length = ended ? ids.length - 1 : ids.length;
  const logprobs = tokens.map(({ logprob }) => logprob);
  return {
    ids: ids.slice(0, length),
    logprobs: logprobs.every((logprob) => logprob === null) ? null : logprobs.slice(0, length),
    ended,
    endLogprob: ended ? (logprobs.at(-1) ?? null) : null,
    ...alternativesOf(tokens, length, tokenizer),
  };
}

function alternativesOf(
  tokens: readonly ReplyToken[],
  length: number,
  tokenizer: Tokenizer,
): Pick<ModelTokens, 'alternatives' | 'endAlternatives'> {
  if (tokens.every(({ alternatives = [] }) => alternatives.length === 0)) {
    return { alternatives: null, endAlternatives: [] };
  }
  const lists = tokens.map(({ alternatives = [] }) =>
    alternatives.map(({ id, bytes, logprob }): Alternative => {
      const own = reportedId({ id, bytes }, tokenizer) ?? tokenizer.idOf(Uint8Array.from(bytes));
      return { id: own ?? null, logprob };
    }),
  );
  return { alternatives: lists.slice(0, length), endAlternatives: lists[length] ?? [] };
}

/**
 * Returns the reported id if its bytes match the tokenizer. Servers write parts of a character as U+FFFD, which matches
 * any bytes.
 */
function reportedId(
  { id, bytes }: Pick<ReplyToken, 'id' | 'bytes'>,
  tokenizer: Tokenizer,
): number | undefined {
  if (id === null) return undefined;
  const own = tokenizer.bytesOf(id);
  if (own.length === 0) return undefined;
  const agrees = bytes.length === 0 || sameBytes(own, bytes) || isReplacement(bytes);
  return agrees ? id : undefined;
}

function isReplacement(bytes: readonly number[]): boolean {
  return bytes.some((byte, at) => byte === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd);
}

function sameBytes(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
