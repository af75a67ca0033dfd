import OpenAI, { type ClientOptions } from 'openai';
import type { AgentOptions, AjetTuner, BaseUrlApiKey, RoutedAgentOptions } from '../../workflow/index.ts';
import { isTrainable, type AdapterRoute, type Targets } from './routing.ts';

/** How a tuner reaches the Model Tuner of its run. */
export interface TunerBinding {
  readonly baseUrl: string;
  readonly targets: Targets;
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

/** What upstream asks where an agent's adapter names no other. */
const defaultDebugModel = 'gpt-4o';

/** Decided once, when the adapter is made, as upstream does. */
function routeOf({ targetTag, debugModel }: RoutedAgentOptions, targets: Targets): AdapterRoute {
  if (isTrainable(targets, targetTag ?? defaults.targetTag)) return { debugModel: null };
  return { debugModel: debugModel === undefined ? defaultDebugModel : debugModel };
}

const defaults = { agentName: 'default_agent_name', targetTag: 'default_target_tag' };

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
  return {
    asOaiBaseUrlApiKey,
    getContextTracker: () => ({
      get contextOverflow() {
        return binding.contextOverflow();
      },
    }),
    asOpenAIClient: (agent = {}) => {
      const { baseUrl, apiKey } = asOaiBaseUrlApiKey(agent);
      return new OpenAI({
        baseURL: baseUrl,
        apiKey,
        fetch: binding.fetchFor(routeOf(agent, binding.targets)),
        maxRetries: 0,
        timeout: longestTimeout,
        // Explicit, so that no OPENAI_* variable of the environment reaches a request.
        organization: null,
        project: null,
      });
    },
  };
}
