import { omit } from '../../../../base/core/omit.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import type { ChatCompletion } from '../model.ts';

type Choice = ChatCompletion['choices'][number];

/** Cuts the arguments of the first choice's last function call. Returns undefined if there is none. */
export function breakToolCall(completion: ChatCompletion): ChatCompletion | undefined {
  return alterFirst(completion, (choice) => {
    const calls = choice.message.tool_calls ?? [];
    const at = calls.findLastIndex(({ type }) => type === 'function');
    const call = calls[at];
    if (call?.type !== 'function') return undefined;
    const broken = { ...call, function: { ...call.function, arguments: firstHalf(call.function.arguments) } };
    return { ...withoutTokens(choice), message: { ...choice.message, tool_calls: calls.with(at, broken) } };
  });
}

/** Keeps half of the first choice's tokens (or characters, without token data). The finish reason is `length`. */
export function truncateReply(completion: ChatCompletion): ChatCompletion | undefined {
  return alterFirst(completion, (choice) => {
    const { tool_calls: calls = [], content } = choice.message;
    const plain = { ...withoutTokens(choice), finish_reason: 'length' } as const;
    // A parser finds no call in half of one.
    if (calls.length > 0) return { ...plain, message: omit(choice.message, 'tool_calls') };
    if (content === null || content.length < 2) return undefined;
    const entries = choice.logprobs?.content ?? [];
    if (entries.map(({ token }) => token).join('') !== content) {
      const half = content.slice(0, Math.ceil(content.length / 2));
      return { ...plain, message: { ...choice.message, content: half } };
    }
    const kept = entries.slice(0, Math.max(1, Math.floor(entries.length / 2)));
    const { token_ids: ids } = choice as { token_ids?: unknown };
    return {
      ...choice,
      ...(Array.isArray(ids) && { token_ids: ids.slice(0, kept.length) as unknown[] }),
      message: { ...choice.message, content: kept.map(({ token }) => token).join('') },
      logprobs: { ...choice.logprobs, content: kept, refusal: null },
      finish_reason: 'length',
    };
  });
}

/** Replaces every choice with an empty text. */
export function emptyReply(completion: ChatCompletion): ChatCompletion {
  const choices = completion.choices.map((choice): Choice => {
    const message = { role: 'assistant' as const, content: '', refusal: null };
    return { ...withoutTokens(choice), message, finish_reason: 'stop' };
  });
  return { ...completion, choices };
}

function alterFirst(
  completion: ChatCompletion,
  alter: (choice: Choice) => Choice | undefined,
): ChatCompletion | undefined {
  const [first, ...rest] = completion.choices;
  const altered = first && alter(first);
  return altered && { ...completion, choices: [altered, ...rest] };
}

/** Returns the first half of a JSON text, changed so that it is not valid JSON. */
function firstHalf(json: string): string {
  const half = json.slice(0, Math.max(1, Math.ceil(json.length / 2)));
  return parseJson(half) === undefined ? half : `${half},`;
}

/** The tokens belong to the original text. */
function withoutTokens(choice: Choice): Choice {
  return { ...omit(choice as Choice & { token_ids?: unknown }, 'token_ids'), logprobs: null };
}
