import type { CancellationToken } from '../../base/cancellation.ts';

export interface HelperMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * The large model beside the one being tuned, which judges, graders and data generation ask (upstream's external
 * LLM). Its calls belong to no episode and are not tracked.
 */
export interface HelperLlm {
  /** e.g. `qwen-plus at https://…`. */
  readonly description: string;
  /** The text of its reply. Rejects with a CodedError `helper-llm/…` once its attempts are used up. */
  ask(messages: readonly HelperMessage[], cancellation: CancellationToken): Promise<string>;
}
