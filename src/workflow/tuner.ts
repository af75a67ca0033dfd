import type OpenAI from 'openai';

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

/** Gives an episode's agents their access to the model being tuned. */
export interface AjetTuner {
  /**
   * The official `openai` client, bound to this episode, agent and target. It serves chat completions; the
   * `model` of a request is free, since there is but one.
   */
  asOpenAIClient(agent?: AgentOptions): OpenAI;

  /** For agents that bring their own client, in any language or process of this machine. */
  asOaiBaseUrlApiKey(agent?: AgentOptions): BaseUrlApiKey;
}
