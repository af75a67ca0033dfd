import OpenAI, { type ClientOptions } from 'openai';
import type { AgentOptions, AjetTuner, BaseUrlApiKey } from '../../workflow/index.ts';

/** How a tuner reaches the Model Tuner of its run. */
export interface TunerBinding {
  readonly baseUrl: string;
  /** Carries an in-process request; the same code answers it as answers the socket. */
  readonly fetch: NonNullable<ClientOptions['fetch']>;
  apiKeyFor(agent: Required<AgentOptions>): string;
}

/** The longest delay a timer can have: a request may be held at a breakpoint for as long as it takes. */
const longestTimeout = 2 ** 31 - 1;

/** The tuner of one episode. */
export function createTuner(binding: TunerBinding): AjetTuner {
  const asOaiBaseUrlApiKey = (agent: AgentOptions = {}): BaseUrlApiKey => ({
    baseUrl: binding.baseUrl,
    apiKey: binding.apiKeyFor({
      agentName: agent.agentName ?? 'default_agent_name',
      targetTag: agent.targetTag ?? 'default_target_tag',
    }),
    model: 'reserved_field',
  });
  return {
    asOaiBaseUrlApiKey,
    asOpenAIClient: (agent) => {
      const { baseUrl, apiKey } = asOaiBaseUrlApiKey(agent);
      return new OpenAI({
        baseURL: baseUrl,
        apiKey,
        fetch: binding.fetch,
        maxRetries: 0,
        timeout: longestTimeout,
        // Explicit, so that no OPENAI_* variable of the environment reaches a request.
        organization: null,
        project: null,
      });
    },
  };
}
