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

/** How a tuner reaches the Model Tuner of its run. */
export interface TunerBinding {
  readonly baseUrl: string;
  readonly targets: Targets;
  /** Names of the debug models that the run was given. */
  readonly debugModels: readonly string[];
  /** Carries an in-process request; the same code answers it as answers the socket. */
  fetchFor(route: AdapterRoute): NonNullable<ClientOptions['fetch']>;
  apiKeyFor(agent: Required<AgentOptions>): string;
  /** Whether a call so far was not safe. */
  contextOverflow(): boolean;
}

/** A tuner but for the config, which is the run's. */
export type ModelAccess = Omit<AjetTuner, 'config'>;

/** The longest delay a timer can have: a request may be held at a breakpoint for as long as it takes. */
const longestTimeout = 2 ** 31 - 1;

/** As upstream's adapter for AgentScope calls it. */
const trainedModelName = 'ajet';

/** What upstream asks where an agent's adapter names no other. */
const defaultDebugModel = 'gpt-4o';

/** Decided once, when the adapter is made, as upstream does. */
function routeOf({ targetTag, debugModel }: RoutedAgentOptions, targets: Targets): AdapterRoute {
  if (isTrainable(targets, targetTag ?? defaults.targetTag)) return { debugModel: null };
  return { debugModel: debugModel === undefined ? defaultDebugModel : debugModel };
}

const defaults = { agentName: 'default_agent_name', targetTag: 'default_target_tag' };

/** The target of what is asked of a debug model by its own name. */
const auxiliaryTarget = 'auxiliary';

/** How one episode reaches the models. */
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
      // Explicit, so that no OPENAI_* variable of the environment reaches a request.
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
