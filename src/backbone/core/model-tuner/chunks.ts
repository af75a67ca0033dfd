import type { ChatCompletion, ChatCompletionChunk } from './model.ts';

type Choice = ChatCompletion['choices'][number];
type ChunkChoice = ChatCompletionChunk['choices'][number];
type Delta = ChunkChoice['delta'];
type ToolCall = NonNullable<Choice['message']['tool_calls']>[number];
type TokenLogprobs = NonNullable<NonNullable<Choice['logprobs']>['content']>;

interface Piece {
  readonly text: string;
  readonly logprobs: TokenLogprobs;
}

/** Yields a response as chunks. A piece is one token if log probabilities give them. The usage follows on request. */
export function* cutCompletion(
  completion: ChatCompletion,
  options: { readonly includeUsage: boolean },
): Generator<ChatCompletionChunk> {
  const { choices, usage, ...rest } = completion;
  const head = {
    ...rest,
    object: 'chat.completion.chunk' as const,
    ...(options.includeUsage && { usage: null }),
  };
  for (const choice of choices) {
    for (const part of cutChoice(choice)) yield { ...head, choices: [part] };
  }
  if (options.includeUsage) yield { ...head, choices: [], usage: usage ?? null };
}

function* cutChoice(choice: Choice): Generator<ChunkChoice> {
  const { message, logprobs, finish_reason, index, ...extras } = choice;
  const { role, content, refusal, tool_calls, ...fields } = message;
  const part = (
    delta: Delta,
    given: Partial<NonNullable<Choice['logprobs']>> | null = null,
  ): ChunkChoice => ({
    index,
    delta,
    logprobs: given && { content: given.content ?? null, refusal: given.refusal ?? null },
    finish_reason: null,
  });
  // Fields without a streaming format are sent whole, together with the role.
  yield part({ role, ...(content === null ? {} : { content: '' }), ...(fields as Delta) });
  for (const { text, logprobs: own } of cutText(content, logprobs?.content)) {
    yield part(text === '' ? {} : { content: text }, own.length > 0 ? { content: own } : null);
  }
  for (const { text, logprobs: own } of cutText(refusal, logprobs?.refusal)) {
    yield part(text === '' ? {} : { refusal: text }, own.length > 0 ? { refusal: own } : null);
  }
  for (const [at, call] of (tool_calls ?? []).entries()) {
    for (const fragment of cutToolCall(call, at)) yield part({ tool_calls: [fragment] });
  }
  yield { ...part({}), ...extras, finish_reason };
}

function cutText(
  text: string | null | undefined,
  logprobs: TokenLogprobs | null | undefined,
): Iterable<Piece> {
  const known = logprobs ?? [];
  if (known.length > 0 && known.map((entry) => entry.token).join('') === (text ?? '')) {
    return known.map((entry) => ({ text: entry.token, logprobs: [entry] }));
  }
  return cutWords(text ?? '', known);
}

/** Words of at most sixteen characters with the space before them. Log probabilities that fit no piece come first. */
function* cutWords(text: string, logprobs: TokenLogprobs): Generator<Piece> {
  if (logprobs.length > 0) yield { text: '', logprobs };
  for (const [word] of text.matchAll(/\s*\S{1,16}|\s+/gu)) yield { text: word, logprobs: [] };
}

type ToolCallFragment = NonNullable<Delta['tool_calls']>[number];

function* cutToolCall(call: ToolCall, index: number): Generator<ToolCallFragment> {
  if (call.type !== 'function') {
    yield { ...call, index }; // whole: OpenAI's types give custom tools no form in a stream
    return;
  }
  yield { ...call, index, function: { ...call.function, arguments: '' } };
  for (const { text } of cutWords(call.function.arguments, []))
    yield { index, function: { arguments: text } };
}
