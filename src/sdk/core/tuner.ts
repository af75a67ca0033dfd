import type OpenAI from 'openai';
import type { ChatModel } from './chatModel.ts';
import type { AuxiliaryModels } from './functions.ts';

/** Whose call it is. */
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

/** What a workflow sees of the Context Tracker of its episode. */
export interface ContextTracker {
  /**
   * Whether a call of the episode was not safe when it began; once true, it stays so. Upstream's `context_overflow`,
   * and like it true in three cases:
   *
   * - the prompt leaves no room for the longest reply: the model was not asked, the call was answered with `ajet_proxy:
   *   Exceeded max model context length.`, and nothing of it was recorded;
   * - an earlier reply was degenerate (`agent_madness_termination`), or
   * - the episode has been told to stop (`observationWindow.stop`): the model answered, but the call is not trained.
   *
   * In each there is nothing more to gain, so a workflow does well to end soon.
   */
  readonly contextOverflow: boolean;
}

/** Gives an episode's agents their access to the model being tuned. */
export interface AjetTuner {
  /**
   * The effective configuration, as plain data: sections of the user's own beside `ajet:` included. Upstream's
   * `tuner.config`. Frozen, since all episodes share it.
   */
  readonly config: Readonly<Record<string, unknown>>;

  /**
   * The official `openai` client, bound to this episode, agent and target. It serves chat completions and
   * responses; the `model` of a request is free. Messages and tools reach the model being trained, other options do not.
   */
  asOpenAIClient(agent?: RoutedAgentOptions): OpenAI;

  /**
   * For agents that bring their own client, in any language or process of this machine: OpenAI's, chat completions and
   * responses, or Anthropic's, which takes the same base URL and key. What comes this way is always
   * answered by the model being trained, and trained, whatever its target.
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
