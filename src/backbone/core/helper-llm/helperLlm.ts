import type { CancellationToken } from '../../../base/core/cancellation.ts';

export interface HelperMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Returns the messages of a request with instructions and one text of the user. */
export function instructed(system: string, user: string): readonly HelperMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

export interface HelperOptions {
  /** The model that the config names; one that the user chose for the helper wins over it. */
  readonly model?: string | undefined;
  /** `max_completion_tokens`. */
  readonly maxTokens?: number | undefined;
  /** Laid over `n` 1, `max_completion_tokens` and `temperature` 0, as upstream does. */
  readonly sampling?: Readonly<Record<string, unknown>> | undefined;
  /**
   * JSON Schema of the answer. Only a model of this run's own is held to it: upstream asks its endpoint in words, and
   * not every server takes a schema.
   */
  readonly answer?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The large model that judges, graders and data generation call (upstream's external LLM). It is not the model being
 * trained. Its calls belong to no episode and are not tracked.
 */
export interface HelperLlm {
  /** e.g. `qwen-plus at https://…`. */
  readonly description: string;
  /** A model of this run's own answers, as none would in training. */
  readonly isStandIn?: boolean;
  /** The text of its reply. Rejects with a CodedError `helper-llm/…` once its attempts are used up. */
  ask(
    messages: readonly HelperMessage[],
    cancellation: CancellationToken,
    options?: HelperOptions,
  ): Promise<string>;
}
