import { isRecord } from '../../../base/core/isRecord.ts';
import { jsonrepair } from 'jsonrepair';
import type OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type { ChatModel, ChatModelOptions, ChatResponse, ToolUseBlock } from '../../../sdk/core/index.ts';

export interface ChatModelParts {
  readonly modelName: string;
  /** Asked for once, with the first call. */
  openClient(): OpenAI;
  /** True if a choice of tools reaches the model. AgentJet removes it for the model being trained. */
  readonly obeysChoice: boolean;
}

/** Upstream's, word for word: it is a part of the prompt. */
const structuredTool = {
  name: 'generate_structured_output',
  description: 'Generate the required structured output with this function',
};

/** A model as AgentScope's agents call theirs, answering as AgentJet's adapter for them does. */
export function createChatModel(parts: ChatModelParts): ChatModel {
  let client: OpenAI | undefined;
  const asOpenAIClient = (): OpenAI => (client ??= parts.openClient());
  const call = async (
    messages: Parameters<ChatModel>[0],
    options: ChatModelOptions = {},
  ): Promise<ChatResponse> => {
    const completion = await asOpenAIClient().chat.completions.create({
      model: parts.modelName,
      messages: [...messages],
      ...toolsOf(options, parts),
    });
    const message = completion.choices[0]?.message ?? { role: 'assistant', content: null, refusal: null };
    const calls = (message.tool_calls ?? []).map(toolUse);
    const text = message.content ?? '';
    return {
      id: completion.id,
      content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls],
      metadata: options.structuredModel === undefined ? null : (calls.at(-1)?.input ?? null),
      message,
    };
  };
  return Object.assign(call, { modelName: parts.modelName, asOpenAIClient });
}

type ToolOptions = Pick<ChatCompletionCreateParamsNonStreaming, 'tools' | 'tool_choice'>;

/** Throws an Error where the choice names a tool that is not there, as upstream does. */
function toolsOf(
  { tools = [], toolChoice, structuredModel }: ChatModelOptions,
  { obeysChoice }: ChatModelParts,
): ToolOptions {
  const choice = toolChoice === undefined ? undefined : choiceOf(toolChoice, tools);
  if (structuredModel !== undefined) {
    const { name } = structuredTool;
    return {
      tools: [{ type: 'function', function: { ...structuredTool, parameters: { ...structuredModel } } }],
      ...(obeysChoice && { tool_choice: { type: 'function', function: { name } } }),
    };
  }
  if (tools.length === 0) return {};
  return { tools: [...tools], ...(choice !== undefined && { tool_choice: choice }) };
}

const modes = ['auto', 'none', 'required'] as const;

function choiceOf(choice: string, tools: readonly ChatCompletionTool[]): ChatCompletionToolChoiceOption {
  const mode = modes.find((one) => one === choice);
  if (mode !== undefined) return mode;
  const names = tools.flatMap((tool) => (tool.type === 'function' ? [tool.function.name] : []));
  if (names.includes(choice)) return { type: 'function', function: { name: choice } };
  throw new Error(
    `toolChoice ${JSON.stringify(choice)} is not a tool of this call. Choose from ${[...modes, ...names].join(', ')}.`,
  );
}

function toolUse(call: ChatCompletionMessageToolCall): ToolUseBlock {
  const { name, text } =
    call.type === 'function'
      ? { name: call.function.name, text: call.function.arguments }
      : { name: call.custom.name, text: call.custom.input };
  return { type: 'tool_use', id: call.id, name, input: readArguments(text) };
}

/** Parses the arguments of a tool call. Invalid JSON counts as no arguments, as in AgentScope since 1.0.9. */
function readArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(jsonrepair(text === '' ? '{}' : text));
    return isRecord(value) ? { ...value } : {};
  } catch {
    return {}; // the agent calls the tool without arguments, and the tool reports those that are missing
  }
}
