import type { ChatCompletion } from '../model.ts';

type Choice = ChatCompletion['choices'][number];

/** The arguments of the first choice's last function call lose their end; undefined where nothing is called. */
export function breakToolCall(completion: ChatCompletion): ChatCompletion | undefined {
  return alterFirst(completion, (choice) => {
    const calls = choice.message.tool_calls ?? [];
    const at = calls.findLastIndex(({ type }) => type === 'function');
    const call = calls[at];
    if (call?.type !== 'function') return undefined;
    const spoilt = { ...call, function: { ...call.function, arguments: spoil(call.function.arguments) } };
    return { ...withoutTokens(choice), message: { ...choice.message, tool_calls: calls.with(at, spoilt) } };
  });
}

/** Keeps half of the first choice's tokens (or characters, without token data). The finish reason is `length`. */
export function truncateReply(completion: ChatCompletion): ChatCompletion | undefined {
  return alterFirst(completion, (choice) => {
    const { tool_calls: calls = [], content } = choice.message;
    if (calls.length > 0) {
      // A parser finds no call in half of one.
      const message = Object.entries(choice.message).filter(([name]) => name !== 'tool_calls');
      const rest = Object.fromEntries(message) as unknown as Choice['message'];
      return { ...withoutTokens(choice), message: rest, finish_reason: 'length' };
    }
    if (content === null || content.length < 2) return undefined;
    const entries = choice.logprobs?.content ?? [];
    if (entries.map(({ token }) => token).join('') !== content) {
      const half = content.slice(0, Math.ceil(content.length / 2));
      return {
        ...withoutTokens(choice),
        message: { ...choice.message, content: half },
        finish_reason: 'length',
      };
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

/** Every choice says nothing and calls nothing. */
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

/** Keeps the first half, which is not valid JSON. */
function spoil(json: string): string {
  const half = json.slice(0, Math.max(1, Math.ceil(json.length / 2)));
  return isJson(half) ? `${half},` : half;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // the wanted result
  }
}

/** Its tokens were those of another text. */
function withoutTokens(choice: Choice): Choice {
  const rest = Object.entries(choice).filter(([name]) => name !== 'token_ids');
  return { ...(Object.fromEntries(rest) as unknown as Choice), logprobs: null };
}
