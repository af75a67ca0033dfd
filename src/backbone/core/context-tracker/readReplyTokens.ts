import type { ReplyToken } from '../../../tracking/core/tracker.ts';
import type { ChatCompletion } from '../model-tuner/model.ts';

type Choice = ChatCompletion['choices'][number];

/**
 * Returns the tokens of a reply that the server reported, in order; null if it reported none. Ids come from vLLM's
 * `return_token_ids`, or from tokens spelled `token_id:<n>` (vLLM's `return_tokens_as_token_ids`).
 */
export function readReplyTokens(choice: Choice): readonly ReplyToken[] | null {
  const { logprobs, token_ids } = choice as { logprobs?: { content?: unknown } | null; token_ids?: unknown };
  const entries = Array.isArray(logprobs?.content)
    ? (logprobs.content as readonly unknown[]).map(readEntry)
    : [];
  const ids = readIds(token_ids);
  if (ids === undefined || ids.length === 0) return entries.length === 0 ? null : entries;
  if (entries.length === ids.length) return entries.map((entry, at) => ({ ...entry, id: ids[at] ?? null }));
  return ids.map((id) => ({ id, bytes: [], logprob: null }));
}

/** Returns undefined for a value that is not a list of integers. */
export function readIds(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const ids = value as readonly unknown[];
  return ids.every((id): id is number => Number.isInteger(id)) ? ids : undefined;
}

function readEntry(entry: unknown): ReplyToken {
  const { token, bytes, logprob, top_logprobs } = fieldsOf(entry);
  const id = spelledId(token);
  return {
    id,
    bytes: bytesOf(token, bytes, id !== null),
    logprob: readLogprob(logprob),
    ...readAlternatives(top_logprobs),
  };
}

/** Reads the alternatives to a token. Those without a log probability are skipped. */
function readAlternatives(value: unknown): Pick<ReplyToken, 'alternatives'> {
  if (!Array.isArray(value) || value.length === 0) return {};
  const alternatives = (value as readonly unknown[]).flatMap((entry) => {
    const { token, bytes } = fieldsOf(entry);
    const logprob = readLogprob(fieldsOf(entry).logprob);
    const id = spelledId(token);
    return logprob === null ? [] : [{ id, bytes: bytesOf(token, bytes, id !== null), logprob }];
  });
  return { alternatives };
}

function fieldsOf(entry: unknown): Partial<Record<'token' | 'bytes' | 'logprob' | 'top_logprobs', unknown>> {
  return entry ?? {};
}

function readLogprob(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function spelledId(token: unknown): number | null {
  const spelled = typeof token === 'string' ? /^token_id:(\d+)$/.exec(token)?.[1] : undefined;
  return spelled === undefined ? null : Number(spelled);
}

/** Returns the bytes of a token. For a spelled token, vLLM gives those of its text, or of the spelling if it has no text. */
function bytesOf(token: unknown, given: unknown, isSpelled: boolean): readonly number[] {
  const bytes = readBytes(given);
  if (typeof token !== 'string') return bytes ?? [];
  const own = [...new TextEncoder().encode(token)];
  if (isSpelled) return String(bytes) === String(own) ? [] : (bytes ?? []);
  return bytes ?? own;
}

function readBytes(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const bytes = value as readonly unknown[];
  return bytes.every((byte): byte is number => Number.isInteger(byte)) ? bytes : undefined;
}
