import type { ChatCompletion, ChatRequest } from '../model.ts';
import { joinSegments, type Answer, type Segment } from './answer.ts';
import { Random, hashDigits } from '../../../../base/core/random.ts';
import { pieceOf, type SplitTokens, type TokenPiece } from './tokens.ts';

type Choice = ChatCompletion['choices'][number];
type TokenLogprob = NonNullable<NonNullable<Choice['logprobs']>['content']>[number];
type ToolCall = NonNullable<Choice['message']['tool_calls']>[number];

/** A choice and its number of tokens. */
export interface CountedChoice {
  readonly choice: Choice;
  readonly tokens: number;
}

/**
 * Turns an answer into a choice: cuts it at stop texts and at the token limit, and adds log probabilities on request.
 *
 * @param key differs between choices
 */
export function writeChoice(
  request: ChatRequest,
  answer: Answer,
  index: number,
  key: string,
  splitTokens: SplitTokens,
): CountedChoice {
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
  const content = cutAtStop(joinSegments(answer.segments), request.stop);
  const tokens = splitTokens(content);
  const kept = tokens.slice(0, limit);
  const room = limit - kept.length;
  const input = answer.toolCall === undefined ? [] : splitTokens(answer.toolCall.input);
  const keptInput = input.slice(0, room);
  const isCut = kept.length < tokens.length || keptInput.length < input.length;
  const toolCall = kept.length < tokens.length ? undefined : answer.toolCall;
  const calls = toolCall === undefined ? [] : [writeToolCall({ ...toolCall, input: joined(keptInput) }, key)];
  const hasContent = kept.length > 0 || calls.length === 0;
  const choice: Choice = {
    index,
    finish_reason: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    logprobs: request.logprobs === true ? { content: null, refusal: null } : null,
    message: { role: 'assistant', content: hasContent ? joined(kept) : null, refusal: null },
  };
  if (calls.length > 0) choice.message.tool_calls = calls;
  if (choice.logprobs && kept.length > 0) {
    choice.logprobs.content = tokenLogprobs(kept, answer.segments, request, key);
  }
  return { choice, tokens: kept.length + keptInput.length };
}

function joined(pieces: readonly TokenPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function writeToolCall(call: NonNullable<Answer['toolCall']>, key: string): ToolCall {
  const id = `call_${hashDigits(`call ${key}`, 24)}`;
  return call.type === 'function'
    ? { id, type: 'function', function: { name: call.name, arguments: call.input } }
    : { id, type: 'custom', custom: { name: call.name, input: call.input } };
}

function cutAtStop(text: string, stop: ChatRequest['stop']): string {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const found = stops.filter((item) => item !== '').map((item) => text.indexOf(item));
  const first = Math.min(...found.filter((at) => at >= 0));
  return first === Infinity ? text : text.slice(0, first);
}

/** The alternatives in `top_logprobs`. */
const otherTokens = [
  ' the',
  ' so',
  ' is',
  ' and',
  ' of',
  ' a',
  ' we',
  ' then',
  ' that',
  ' in',
  ' it',
  ...Array.from({ length: 10 }, (_, digit) => String(digit)),
];
const mostAlternatives = 20;

/** Only the tokens of an error are not the likeliest. The probabilities of a token and its alternatives sum to at most 1. */
function tokenLogprobs(
  tokens: readonly TokenPiece[],
  segments: readonly Segment[],
  request: ChatRequest,
  key: string,
): TokenLogprob[] {
  const random = new Random(`logprobs ${key}`);
  const doubtful = doubtfulRanges(segments);
  let start = 0;
  return tokens.map((token) => {
    const end = start + token.text.length;
    const unsure = doubtful.some((range) => start < range.end && end > range.start);
    start = end;
    const probability = unsure ? 0.25 + 0.15 * random.next() : 0.8 + 0.199 * random.next();
    const top = alternatives(token, probability, Math.min(request.top_logprobs ?? 0, mostAlternatives));
    return { ...tokenEntry(token, probability), top_logprobs: top };
  });
}

function doubtfulRanges(segments: readonly Segment[]): { start: number; end: number }[] {
  let start = 0;
  return segments.flatMap(({ text, unsure }) => {
    const range = { start, end: start + text.length };
    start = range.end;
    return unsure ? [range] : [];
  });
}

function alternatives(
  token: TokenPiece,
  probability: number,
  count: number,
): ReturnType<typeof tokenEntry>[] {
  if (count === 0) return [];
  const others = otherTokens.filter((other) => other !== token.text).slice(0, count);
  // Each alternative takes three fifths of the probability that is left.
  const entries = others.map((other, at) => tokenEntry(pieceOf(other), (1 - probability) * 0.6 * 0.4 ** at));
  return [tokenEntry(token, probability), ...entries].sort((a, b) => b.logprob - a.logprob).slice(0, count);
}

function tokenEntry(
  { text, bytes }: TokenPiece,
  probability: number,
): { token: string; bytes: number[]; logprob: number } {
  return { token: text, bytes: [...bytes], logprob: Number(Math.log(probability).toPrecision(9)) };
}
