import OpenAI, { type ClientOptions } from 'openai';
import type {
  AgentOptions,
  AjetTuner,
  BaseUrlApiKey,
  ChatModel,
  RoutedAgentOptions,
} from '../../../sdk/core/index.ts';
import { createChatModel } from './chatModel.ts';
import { isTrainable, type AdapterRoute, type Targets } from './routing.ts';

/** The connection of a tuner to the Model Tuner of its run. */
export interface TunerBinding {
  readonly baseUrl: string;
  readonly targets: Targets;
  readonly debugModels: readonly string[];
  /** Handles an in-process request, with the same code as a request over the socket. */
  fetchFor(route: AdapterRoute): NonNullable<ClientOptions['fetch']>;
  apiKeyFor(agent: Required<AgentOptions>): string;
  /** Returns whether any call so far was unsafe. */
  contextOverflow(): boolean;
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
  };
}
