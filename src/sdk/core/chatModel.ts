import type OpenAI from 'openai';
import type {
  ChatCompletionMessage,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  /** The arguments. Broken JSON of the model is repaired. Empty if they are not an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A reply in AgentScope's form. */
export interface ChatResponse {
  readonly id: string;
  /** At most one text, then one block per tool call. */
  readonly content: readonly (TextBlock | ToolUseBlock)[];
  /** The values that `structuredModel` requests; null without one, or if the model did not return them. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The reply as chat completions have it. To append it as it is keeps the agent's calls one timeline. */
  readonly message: ChatCompletionMessage;
}

export interface ChatModelOptions {
  readonly tools?: readonly ChatCompletionTool[];
  /**
   * `auto`, `none`, `required`, or the name of one of `tools`. Reaches debug models only: AgentJet leaves the choice to
   * the model being trained.
   */
  readonly toolChoice?: string;
  /**
   * JSON Schema of an object. Its one tool replaces `tools` and `toolChoice`; the arguments of a call to it become
   * `metadata`. The model being trained is not made to call it: it may answer with text.
   */
  readonly structuredModel?: Readonly<Record<string, unknown>>;
}

/** The model as a function, as AgentScope's agents call theirs. */
export interface ChatModel {
  /** Rejects with what the model fails with. */
  (messages: readonly ChatCompletionMessageParam[], options?: ChatModelOptions): Promise<ChatResponse>;
  /** `ajet` of the model being trained; of a debug model, its name. */
  readonly modelName: string;
  /** The same model through the official `openai` client. */
  asOpenAIClient(): OpenAI;
}
