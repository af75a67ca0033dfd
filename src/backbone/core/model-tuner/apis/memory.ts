import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import type { ChatRequest } from '../model.ts';

type Messages = ChatRequest['messages'];

/** What an episode's clients count on being remembered, since their API does not have them send it again. */
export class ApiMemory {
  readonly #conversations = new Map<string, Messages>();
  readonly #arguments = new Map<string, string>();

  /** The messages of a response and all before it; undefined: there is no such response. */
  conversation(responseId: string): Messages | undefined {
    return this.#conversations.get(responseId);
  }

  keepConversation(responseId: string, messages: Messages): void {
    this.#conversations.set(responseId, messages);
  }

  /**
   * The text that the model wrote as a tool call's arguments, where the API gives its client an object instead: the
   * client sends the object back, and another text would be another history than the model's.
   */
  argumentsOf(callId: string, input: unknown): string | undefined {
    return this.#arguments.get(argumentsKey(callId, input));
  }

  keepArguments(callId: string, input: unknown, text: string): void {
    this.#arguments.set(argumentsKey(callId, input), text);
  }

  clear(): void {
    this.#conversations.clear();
    this.#arguments.clear();
  }
}

function argumentsKey(callId: string, input: unknown): string {
  return `${callId}\n${canonicalJson(input)}`;
}
