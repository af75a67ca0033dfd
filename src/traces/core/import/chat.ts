/** Converts messages of chat APIs and their logs to messages of a trace. */
import { isRecord } from '../../../base/core/isRecord.ts';
import type { ImportedMessage } from './parts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns a message of the OpenAI API or a similar one; undefined: it has no role. */
export function chatMessage(value: unknown): ImportedMessage | undefined {
  if (!isRecord(value) || typeof value['role'] !== 'string') return undefined;
  const { tool_calls: calls, tool_call_id: id, function_call: older } = value;
  const toolCalls = Array.isArray(calls) && calls.length > 0 ? calls : isRecord(older) ? [older] : null;
  return {
    role: value['role'],
    text: withReasoning(value['reasoning_content'] ?? value['reasoning'], contentText(value['content'])),
    toolCalls: toolCalls === null ? null : JSON.stringify(toolCalls),
    toolCallId: typeof id === 'string' && id !== '' ? id : null,
  };
}

/** Returns the messages of a list, without values that are not messages; undefined: the value is not a list. */
export function chatMessages(value: unknown): readonly ImportedMessage[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => chatMessage(one) ?? []);
}

/** Marks assistant messages as written by the model, for formats that do not say who wrote a message. */
export function withAuthor(message: ImportedMessage): ImportedMessage {
  return { ...message, fromModel: message.role === 'assistant' };
}

/** Returns the concatenated text parts. Other parts are only named, because base64 is not readable. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return isRecord(content) ? JSON.stringify(content) : '';
  return content.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return '';
  if (typeof part['text'] === 'string') return part['text'];
  if (typeof part['refusal'] === 'string') return part['refusal'];
  return typeof part['type'] === 'string' ? `[${part['type']}]` : '';
}

/** Returns the text after the reasoning, as templates of reasoning models write it. */
export function withReasoning(reasoning: unknown, text: string): string {
  return typeof reasoning === 'string' && reasoning !== ''
    ? `<think>\n${reasoning}\n</think>\n\n${text}`
    : text;
}

/** Returns the messages of OpenTelemetry's GenAI conventions, each with a role and parts; empty: it has no role. */
export function partsMessage(value: unknown): readonly ImportedMessage[] {
  if (!isRecord(value) || typeof value['role'] !== 'string') return [];
  const role = value['role'];
  if (!Array.isArray(value['parts'])) {
    const plain = chatMessage(value);
    return plain === undefined ? [] : [plain];
  }
  const parts = value['parts'].filter(isRecord);
  const responses = parts.filter(({ type }) => type === 'tool_call_response');
  const rest = parts.filter(({ type }) => type !== 'tool_call_response');
  const results = responses.map((part) => toolResult(part));
  return rest.length === 0 && results.length > 0 ? results : [ofParts(role, rest), ...results];
}

function ofParts(role: string, parts: readonly Fields[]): ImportedMessage {
  const calls = parts.filter(({ type }) => type === 'tool_call');
  const text = parts
    .filter(({ type }) => type !== 'tool_call')
    .map((part) => (part['type'] === 'reasoning' ? withReasoning(part['content'], '') : genAiText(part)))
    .join('');
  return {
    role,
    text,
    toolCalls: calls.length === 0 ? null : JSON.stringify(calls.map(toolCall)),
    toolCallId: null,
  };
}

function genAiText(part: Fields): string {
  return part['type'] === 'text' ? contentText(part['content']) : partText(part);
}

function toolResult(part: Fields): ImportedMessage {
  const response = part['response'] ?? part['result'];
  return {
    role: 'tool',
    text: typeof response === 'string' ? response : JSON.stringify(response ?? null),
    toolCalls: null,
    toolCallId: typeof part['id'] === 'string' ? part['id'] : null,
  };
}

/** Converts a tool call to the form of the OpenAI API, which traces use. */
function toolCall({ id, name, arguments: given }: Fields): object {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return {
    ...(typeof id === 'string' && { id }),
    type: 'function',
    function: { name: typeof name === 'string' ? name : '', arguments: text },
  };
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function numbersIn(fields: Fields): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const number = numberOf(value);
      return number === undefined ? [] : [[name, number] as const];
    }),
  );
}
