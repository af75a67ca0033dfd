import OpenAI, { type ClientOptions } from 'openai';

/** Whose call it is. Names only label and route; every tuner of an episode reaches the same model. */
export interface AgentOptions {
  /** Default `default_agent_name`. */
  readonly agentName?: string;
  /** Which trainable target the agent belongs to. Default `default_target_tag`. */
  readonly targetTag?: string;
}

export interface BaseUrlApiKey {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Names the episode, agent and target; good for nothing else. */
  readonly apiKey: string;
  /** Any value is accepted in a request; this one is conventional. */
  readonly model: string;
}

/** How a tuner reaches the Model Tuner of its run. */
export interface TunerBinding {
  readonly baseUrl: string;
  /** Carries an in-process request; the same code answers it as answers the socket. */
  readonly fetch: NonNullable<ClientOptions['fetch']>;
  apiKeyFor(agent: Required<AgentOptions>): string;
}

/** The longest delay a timer can have: a request may be held at a breakpoint for as long as it takes. */
const longestTimeout = 2 ** 31 - 1;

/** Gives an episode's agents their access to the model being tuned. Made by the Task Runner, one per episode. */
export class AjetTuner {
  readonly #binding: TunerBinding;

  constructor(binding: TunerBinding) {
    this.#binding = binding;
  }

  /** The official `openai` client, bound to this episode, agent and target. Its `model` parameter is free. */
  asOpenAIClient(agent: AgentOptions = {}): OpenAI {
    const { baseUrl, apiKey } = this.asOaiBaseUrlApiKey(agent);
    return new OpenAI({
      baseURL: baseUrl,
      apiKey,
      fetch: this.#binding.fetch,
      maxRetries: 0,
      timeout: longestTimeout,
      // Explicit, so that no OPENAI_* variable of the environment reaches a request.
      organization: null,
      project: null,
    });
  }

  /** For agents that bring their own client, in any language or process of this machine. */
  asOaiBaseUrlApiKey(agent: AgentOptions = {}): BaseUrlApiKey {
    return {
      baseUrl: this.#binding.baseUrl,
      apiKey: this.#binding.apiKeyFor({
        agentName: agent.agentName ?? 'default_agent_name',
        targetTag: agent.targetTag ?? 'default_target_tag',
      }),
      model: 'reserved_field',
    };
  }
}
