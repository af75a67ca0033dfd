import { shallowJson } from '../shallowJson.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { chatMessage, numberOf, partsMessage, textOf } from './chat.ts';
import { numbered, type Attributes, type OtlpSpan } from './otlpSpan.ts';
import type { CallPart, ImportedMessage } from './parts.ts';

const callOperations = ['chat', 'text_completion', 'generate_content', 'completion'];

export function isModelCall(span: OtlpSpan): boolean {
  const attributes = withDetails(span);
  const operation = textOf(attributes['gen_ai.operation.name']);
  if (operation !== undefined) return callOperations.includes(operation);
  const kind = textOf(attributes['openinference.span.kind']);
  if (kind !== undefined) return kind === 'LLM';
  return requestOf(attributes).length > 0 && textOf(attributes['gen_ai.tool.name']) === undefined;
}

/** Returns the call without its agent, which can be named by an ancestor of the span. */
export function genAiCall(span: OtlpSpan): Omit<CallPart, 'agent'> {
  const attributes = withDetails(span);
  const { startedAt, endedAt, error } = span;
  const replies = replyOf(attributes);
  const choice = jsonOf(attributes['gen_ai.output.messages']);
  const output: unknown = Array.isArray(choice) ? choice[0] : undefined;
  const failure = textOf(attributes['error.type']);
  return {
    kind: 'call',
    startedAt,
    seconds: startedAt === null || endedAt === null ? null : (endedAt - startedAt) / 1_000,
    status: error === null && failure === undefined ? null : 500,
    error: error === null ? (failure ?? null) : (textOf(error) ?? failure ?? 'It failed.'),
    model:
      textOf(attributes['gen_ai.response.model']) ??
      textOf(attributes['gen_ai.request.model']) ??
      textOf(attributes['llm.model_name']) ??
      null,
    options: optionsOf(attributes),
    tools: toolsOf(attributes),
    finishReason: finishReasonOf(attributes, output),
    messages: requestOf(attributes),
    reply: replies[0] ?? null,
    promptTokens: count(attributes, [
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.prompt_tokens',
      'llm.token_count.prompt',
    ]),
    replyTokens: count(attributes, [
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.completion_tokens',
      'llm.token_count.completion',
    ]),
  };
}

/** Returns the attributes with those of events, because some tools put messages into an event of the span. */
function withDetails({ attributes, events }: OtlpSpan): Attributes {
  const details = events.filter(({ name }) => name.startsWith('gen_ai.'));
  return Object.assign({}, ...details.map((event) => event.attributes), attributes) as Attributes;
}

function requestOf(attributes: Attributes): readonly ImportedMessage[] {
  const system = messagesOf(attributes['gen_ai.system_instructions'], 'system');
  const structured = messagesOf(attributes['gen_ai.input.messages'], 'user');
  if (structured.length > 0) return [...system, ...structured];
  return (
    openInference(numbered(attributes, 'llm.input_messages')) ??
    older(numbered(attributes, 'gen_ai.prompt'), 'user') ??
    plainMessages(attributes['gen_ai.prompt'] ?? attributes['input'] ?? functionInput(attributes), 'user')
  );
}

function replyOf(attributes: Attributes): readonly ImportedMessage[] {
  const structured = messagesOf(attributes['gen_ai.output.messages'], 'assistant');
  if (structured.length > 0) return structured;
  return (
    openInference(numbered(attributes, 'llm.output_messages')) ??
    older(numbered(attributes, 'gen_ai.completion'), 'assistant') ??
    plainMessages(
      attributes['gen_ai.completion'] ?? attributes['output'] ?? attributes['agentscope.function.output'],
      'assistant',
    )
  );
}

function functionInput(attributes: Attributes): unknown {
  const input = jsonOf(attributes['agentscope.function.input']);
  const given = isRecord(input) && isRecord(input['kwargs']) ? { ...input, ...input['kwargs'] } : input;
  if (!isRecord(given)) return given;
  const args = Array.isArray(given['args']) ? (given['args'] as unknown[]) : [];
  return given['messages'] ?? args.find(Array.isArray);
}

function messagesOf(value: unknown, role: string): readonly ImportedMessage[] {
  const list = jsonOf(value);
  if (!Array.isArray(list) || list.length === 0) return [];
  const isParts = list.every((one) => isRecord(one) && !('role' in one));
  return isParts ? partsMessage({ role, parts: list }) : list.flatMap(partsMessage);
}

/** Returns messages from the numbered attributes of OpenLLMetry. */
function older(list: readonly unknown[] | undefined, role: string): readonly ImportedMessage[] | undefined {
  return list?.filter(isRecord).flatMap((fields) => {
    const calls = Array.isArray(fields['tool_calls']) ? fields['tool_calls'].filter(isRecord) : [];
    const message = {
      ...fields,
      role: textOf(fields['role']) ?? role,
      content: fields['content'] ?? '',
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        ...(id !== undefined && { id }),
        type: 'function',
        function: { name, arguments: given },
      })),
    };
    return chatMessage(message) ?? [];
  });
}

function openInference(list: readonly unknown[] | undefined): readonly ImportedMessage[] | undefined {
  return list?.filter(isRecord).flatMap(({ message }) => {
    if (!isRecord(message)) return [];
    const contents = Array.isArray(message['contents']) ? message['contents'].filter(isRecord) : [];
    const parts = contents.map(({ message_content: part }) => part);
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isRecord) : [];
    const plain = {
      ...message,
      content: message['content'] ?? parts,
      tool_calls: calls.map(({ tool_call: call }) => call),
    };
    return chatMessage(plain) ?? [];
  });
}

function plainMessages(value: unknown, role: string): readonly ImportedMessage[] {
  const read = jsonOf(value);
  if (Array.isArray(read)) return read.flatMap((one) => partsMessage(one));
  if (isRecord(read) && 'role' in read) return partsMessage(read);
  if (isRecord(read) && 'content' in read) return partsMessage({ role, content: read['content'] });
  const text = textOf(value);
  return text === undefined ? [] : [{ role, text, toolCalls: null, toolCallId: null }];
}

function jsonOf(value: unknown): unknown {
  return typeof value === 'string' ? shallowJson(value) : value;
}

function optionsOf(attributes: Attributes): Readonly<Record<string, unknown>> {
  const prefix = 'gen_ai.request.';
  const given = Object.entries(attributes).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(given.map(([name, value]) => [name.slice(prefix.length), value]));
}

function toolsOf(attributes: Attributes): string | null {
  const tools =
    jsonOf(attributes['gen_ai.tool.definitions']) ?? numbered(attributes, 'llm.request.functions');
  return Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : null;
}

function finishReasonOf(attributes: Attributes, output: unknown): string | null {
  const reasons = jsonOf(attributes['gen_ai.response.finish_reasons']);
  const first: unknown = Array.isArray(reasons) ? reasons[0] : undefined;
  return (
    textOf(first) ??
    (isRecord(output) ? textOf(output['finish_reason']) : undefined) ??
    textOf(attributes['gen_ai.completion.0.finish_reason']) ??
    null
  );
}

function count(attributes: Attributes, names: readonly string[]): number | null {
  return names.map((name) => numberOf(attributes[name])).find((one) => one !== undefined) ?? null;
}
