import OpenAI, { type ClientOptions } from 'openai';
import type {
  AgentOptions,
  AjetTuner,
  BaseUrlApiKey,
  ChatModel,
  RoutedAgentOptions,
  ChatModelOptions,
  ChatResponse,
  ToolUseBlock,
} from '../../../sdk/core/index.ts';
import { isTrainable, type AdapterRoute, type Targets } from './routing.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { jsonrepair } from 'jsonrepair';
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';

export interface TunerBinding {
  readonly baseUrl: string;
  readonly targets: Targets;
  readonly debugModels: readonly string[];
  /** Handles an in-process request, with the same code as a request over the socket. */
  fetchFor(route: AdapterRoute): NonNullable<ClientOptions['fetch']>;
  apiKeyFor(agent: Required<AgentOptions>): string;
  /** Returns whether any call so far was unsafe. */
  contextOverflow(): boolean;
  /** Returns what a debugger shows of the tuner. */
  readonly progress?: () => EpisodeProgress;
}

/** The answers that an episode got from the model being trained. */
export interface EpisodeProgress {
  readonly calls: number;
  /** Null if there is none, or if it has no text. */
  readonly lastReply: string | null;
  /** The tokens of the prompts and replies, as far as the model reports them. */
  readonly tokens: number;
}

export type ModelAccess = Omit<AjetTuner, 'config'>;

/** The longest possible timeout, since a request may wait at a breakpoint. */
const longestTimeout = 2 ** 31 - 1;

/** The name in upstream's adapter for AgentScope. */
const trainedModelName = 'ajet';

/** Upstream's default model name. */
const defaultDebugModel = 'gpt-4o';

/** Chooses the route once, when the adapter is created, as in upstream. */
function routeOf({ targetTag, debugModel }: RoutedAgentOptions, targets: Targets): AdapterRoute {
  if (isTrainable(targets, targetTag ?? defaults.targetTag)) return { debugModel: null };
  return { debugModel: debugModel === undefined ? defaultDebugModel : debugModel };
}

const defaults = { agentName: 'default_agent_name', targetTag: 'default_target_tag' };

/** The target of calls to a debug model by name. */
const auxiliaryTarget = 'auxiliary';

export function createTuner(binding: TunerBinding): ModelAccess {
  const asOaiBaseUrlApiKey = (agent: AgentOptions = {}): BaseUrlApiKey => ({
    baseUrl: binding.baseUrl,
    apiKey: binding.apiKeyFor({
      agentName: agent.agentName ?? defaults.agentName,
      targetTag: agent.targetTag ?? defaults.targetTag,
    }),
    model: 'reserved_field',
  });
  const openClient = (agent: AgentOptions, route: AdapterRoute): OpenAI => {
    const { baseUrl, apiKey } = asOaiBaseUrlApiKey(agent);
    return new OpenAI({
      baseURL: baseUrl,
      apiKey,
      fetch: binding.fetchFor(route),
      maxRetries: 0,
      timeout: longestTimeout,
      // Explicit, so that OPENAI_* environment variables have no effect.
      organization: null,
      project: null,
    });
  };
  const chatModel = (agent: AgentOptions, route: AdapterRoute): ChatModel =>
    createChatModel({
      modelName: route.debugModel ?? trainedModelName,
      obeysChoice: route.debugModel !== null,
      openClient: () => openClient(agent, route),
    });
  const auxiliary = binding.debugModels.map((name) => {
    const agent = { agentName: name, targetTag: auxiliaryTarget };
    return [name, chatModel(agent, { debugModel: name, by: 'name' })] as const;
  });
  return {
    asOaiBaseUrlApiKey,
    getContextTracker: () => ({
      get contextOverflow() {
        return binding.contextOverflow();
      },
    }),
    asOpenAIClient: (agent = {}) => openClient(agent, routeOf(agent, binding.targets)),
    asChatModel: (agent = {}) => {
      const { debugModel = null } = agent;
      return chatModel(agent, routeOf({ ...agent, debugModel }, binding.targets));
    },
    auxiliaryModels: Object.fromEntries(auxiliary),
    ...(binding.progress && describedBy(binding.progress)),
  };
}

/** Returns the method with which an object describes itself to the JavaScript debugger. */
function describedBy(progress: () => EpisodeProgress): object {
  const describeIt = (): string => {
    const { calls, tokens, lastReply } = progress();
    const last = lastReply === null ? '' : `, lastReply: ${JSON.stringify(lastReply)}`;
    return `AjetTuner {calls: ${calls}, tokens: ${tokens}${last}}`;
  };
  return { [Symbol.for('debug.description')]: describeIt };
}

interface ChatModelParts {
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
