import { omit } from '../../../base/core/omit.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { spelledTokenId } from '../../../tracking/core/replyTokens.ts';
import { textOfBytes } from '../../../tracking/core/textOfBytes.ts';
import type { ChatCompletion, ChatCompletionChunk } from './model.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns an answer with its tokens in one form, whichever server sent it. The form is vLLM's: `token_ids` of a choice next
 * to `logprobs.content`, and `prompt_token_ids` of the answer. Recordings, faults and the tracker know only this form.
 *
 * - vLLM gives it by `return_token_ids` since 0.10.2 (August 2025), in streams chunk by chunk.
 * - vLLM spells tokens `token_id:<n>` by `return_tokens_as_token_ids` since 0.6; their bytes are still those of the text,
 *   but where it knows no log probability.
 * - SGLang gives both lists as fields of the choice by `return_token_ids` since August 2026.
 * - SGLang gives `meta_info.output_token_logprobs` and `input_token_logprobs` by `return_meta_info` since June 2026, with
 *   `[log probability, id, text or null]` for each token. Both are in whole answers only.
 */
export function withServerTokens<T extends ChatCompletion | ChatCompletionChunk>(answer: T): T {
  const choices: unknown = answer.choices;
  if (!Array.isArray(choices)) return answer;
  const given = choices as readonly unknown[];
  if (!given.some(tellsOtherwise)) return answer;
  const ownIds = (answer as { prompt_token_ids?: unknown }).prompt_token_ids;
  const prompt_token_ids = ownIds ?? given.map(promptIds).find((ids) => ids !== undefined);
  return {
    ...answer,
    ...(prompt_token_ids !== undefined && { prompt_token_ids }),
    choices: given.map((choice) => (isRecord(choice) ? inOneForm(choice) : choice)),
  };
}

function tellsOtherwise(choice: unknown): boolean {
  if (!isRecord(choice)) return false;
  if ('meta_info' in choice || 'prompt_token_ids' in choice) return true;
  return contentOf(choice).some((entry) => spelledId(entry) !== undefined);
}

function inOneForm(choice: Fields): Fields {
  const { meta_info } = choice;
  const content = contentOf(choice);
  const tokens = isRecord(meta_info) ? tokensOf(meta_info['output_token_logprobs']) : [];
  const ids = [choice['token_ids'], allOf(content.map(spelledId)), allOf(tokens.map(({ id }) => id))].find(
    (list) => Array.isArray(list) && list.length > 0,
  );
  const entries = content.length > 0 ? content.map(inItsText) : allOf(tokens.map(entryOf));
  return {
    ...omit(choice, 'meta_info', 'prompt_token_ids'),
    ...(ids !== undefined && { token_ids: ids }),
    ...(entries !== undefined &&
      entries.length > 0 && {
        logprobs: { ...(isRecord(choice['logprobs']) ? choice['logprobs'] : {}), content: entries },
      }),
  };
}

function promptIds(choice: unknown): readonly unknown[] | undefined {
  if (!isRecord(choice)) return undefined;
  const { meta_info, prompt_token_ids } = choice;
  if (Array.isArray(prompt_token_ids)) return prompt_token_ids as readonly unknown[];
  const tokens = isRecord(meta_info) ? tokensOf(meta_info['input_token_logprobs']) : [];
  return tokens.length === 0 ? undefined : allOf(tokens.map(({ id }) => id));
}

interface ToldToken {
  readonly logprob: number | null;
  readonly id: number | undefined;
  readonly text: string | undefined;
}

/** SGLang's lists of three. */
function tokensOf(list: unknown): readonly ToldToken[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly unknown[]).map((entry) => {
    const [logprob, id, text] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    return {
      logprob: typeof logprob === 'number' ? logprob : null,
      id: typeof id === 'number' && Number.isInteger(id) ? id : undefined,
      text: typeof text === 'string' ? text : undefined,
    };
  });
}

function entryOf({ logprob, text }: ToldToken): Fields | undefined {
  return text === undefined ? undefined : { token: text, logprob, bytes: null, top_logprobs: [] };
}

/** All of them, or none where one is missing. */
function allOf<T>(list: readonly (T | undefined)[]): readonly T[] | undefined {
  return list.every((one): one is T => one !== undefined) ? list : undefined;
}

function contentOf(choice: Fields): readonly unknown[] {
  const { logprobs } = choice;
  const content = isRecord(logprobs) ? logprobs['content'] : undefined;
  return Array.isArray(content) ? content : [];
}

function spelledId(entry: unknown): number | undefined {
  return isRecord(entry) ? spelledTokenId(entry['token']) : undefined;
}

/** An entry whose token is spelled by its id gets its text back from its bytes, for a client that reads texts. */
function inItsText(entry: unknown): unknown {
  if (!isRecord(entry) || spelledId(entry) === undefined) return entry;
  const bytes = bytesOfText(entry);
  if (bytes === undefined) return { ...entry, bytes: null };
  const text = textOfBytes(Uint8Array.from(bytes));
  return text === undefined ? entry : { ...entry, token: text };
}

/** If vLLM has no text for a token, the bytes are those of `token_id:<n>`. */
function bytesOfText({ token, bytes }: Fields): readonly number[] | undefined {
  if (!Array.isArray(bytes)) return undefined;
  const own = bytes as readonly unknown[];
  const isSpelling = String([...new TextEncoder().encode(String(token))]) === String(own);
  return isSpelling || !own.every((byte): byte is number => Number.isInteger(byte)) ? undefined : own;
}
