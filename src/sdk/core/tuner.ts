import type OpenAI from 'openai';
import type { ChatModel } from './chatModel.ts';
import type { AuxiliaryModels } from './functions.ts';

/** The agent that makes a call. */
export interface AgentOptions {
  /** Default `default_agent_name`. */
  readonly agentName?: string;
  /** Which trainable target the agent belongs to. Default `default_target_tag`. */
  readonly targetTag?: string;
}

export interface RoutedAgentOptions extends AgentOptions {
  /**
   * The model that answers, untracked, where the workflow’s `trainableTargets` leave this target out: a name that the
   * run’s debug models have. Default `gpt-4o`; null: the model being trained answers all the same, and is trained.
   */
  readonly debugModel?: string | null;
}

export interface BaseUrlApiKey {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Names the episode, agent and target; good for nothing else. */
  readonly apiKey: string;
  /** Any value is accepted in a request; this one is conventional. */
  readonly model: string;
}

/** The view of a workflow on the Context Tracker of its episode. */
export interface ContextTracker {
  /**
   * True if a call of the episode was not safe when it began. It then stays true. Like upstream's `context_overflow`, it
   * is true in three cases:
   *
   * - The prompt leaves no room for the longest reply. The model does not receive the call, and nothing is recorded. The
   *   response is `ajet_proxy: Exceeded max model context length.`
   * - An earlier reply was degenerate (`agent_madness_termination`).
   * - The episode must stop (`observationWindow.stop`). The model responds, but the call is not trained.
   *
   * In all cases the episode cannot gain anything more, so a workflow should end soon.
   */
  readonly contextOverflow: boolean;
}

/** Gives an episode's agents their access to the model being tuned. */
export interface AjetTuner {
  /**
   * The effective configuration as plain data, including the user's own sections next to `ajet:`. Upstream's `tuner.config`.
   * It is frozen, since all episodes share it.
   */
  readonly config: Readonly<Record<string, unknown>>;

  /**
   * The official `openai` client, bound to this episode, agent and target. It serves chat completions and
   * responses; the `model` of a request is free. Messages and tools reach the model being trained, other options do not.
   */
  asOpenAIClient(agent?: RoutedAgentOptions): OpenAI;

  /**
   * Returns the base URL and key for agents with their own client, in any language or process of this machine. The client
   * may be OpenAI's (chat completions and responses) or Anthropic's. The model being trained always answers these calls,
   * and they are always trained, whatever their target.
   */
  asOaiBaseUrlApiKey(agent?: AgentOptions): BaseUrlApiKey;

  /** The episode's Context Tracker. Upstream's `tuner.get_context_tracker()`. */
  getContextTracker(): ContextTracker;

  /**
   * The model as a function of messages, which the function form of a workflow is given. Upstream's
   * `as_agentscope_model`: here `debugModel` is null unless given.
   */
  asChatModel(agent?: RoutedAgentOptions): ChatModel;

  /** The debug models that the run was given (`--debug-model`, launch.json: `debugModels`), by name; never trained. */
  readonly auxiliaryModels: AuxiliaryModels;
}
