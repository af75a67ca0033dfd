import type { Alternative } from './alternatives.ts';
import type { ModelText, Tokenizer } from './tokenizer.ts';
import type { ReplyToken, TrackerReply } from './tracker.ts';

/** What the model made, as the endpoint told it, in the tokenizer's ids; without the end token. */
export interface ModelTokens {
  readonly ids: readonly number[];
  /** One per id; null: none was told. */
  readonly logprobs: readonly (number | null)[] | null;
  /** Whether the model made the end token. */
  readonly ended: boolean;
  readonly endLogprob: number | null;
  /** One list per id; null: none was told. */
  readonly alternatives: readonly (readonly Alternative[])[] | null;
  readonly endAlternatives: readonly Alternative[];
}

/**
 * The tokens that the endpoint told of, if they are this tokenizer's and are those of the reply: by their ids, as
 * upstream takes them, else by their bytes. Ids of the model's own tokenizer need not spell the reply, since a server
 * may have taken tool calls or thoughts out of it.
 *
 * @param templated tokens of the reply's body as the template writes it, tool calls included
 * @returns undefined: it told none, or none that are to be trusted
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
  const byId = made(tokens, (token) => idAsTold(token, tokenizer), tokenizer);
  if (byId !== undefined) {
    const body = bytesOf(byId.ids, tokenizer);
    const lacksToolCalls = hasToolCalls && sameBytes(body, content);
    if (note.exact ? !lacksToolCalls : isReply(body)) return byId;
  }
  const byBytes = made(tokens, ({ bytes }) => tokenizer.idOf(Uint8Array.from(bytes)), tokenizer);
  if (byBytes === undefined || !isReply(bytesOf(byBytes.ids, tokenizer))) return undefined;
  // Endpoints that name tokens by their text mostly leave the end token out.
  return { ...byBytes, ended: byBytes.ended || !wasCut(reply) };
}

/** Whether the reply ended by something else than the model's end token. */
export function wasCut({ finishReason }: TrackerReply): boolean {
  return finishReason === 'length' || finishReason === 'content_filter';
}

/** The bytes that tokens stand for, one after the other. */
export function bytesOf(ids: readonly number[], tokenizer: Tokenizer): Uint8Array {
  const bytes: number[] = [];
  for (const id of ids) bytes.push(...tokenizer.bytesOf(id));
  return Uint8Array.from(bytes);
}

/** @returns undefined when a token has no id */
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
      const own = idAsTold({ id, bytes }, tokenizer) ?? tokenizer.idOf(Uint8Array.from(bytes));
      return { id: own ?? null, logprob };
    }),
  );
  return { alternatives: lists.slice(0, length), endAlternatives: lists[length] ?? [] };
}

/**
 * The id that the endpoint gives, unless its bytes show that it is another tokenizer's. Servers write a part of a
 * character as U+FFFD, which shows nothing.
 */
function idAsTold({ id, bytes }: Pick<ReplyToken, 'id' | 'bytes'>, tokenizer: Tokenizer): number | undefined {
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
