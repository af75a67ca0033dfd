import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import type { ChatRequest } from '../model.ts';

type Messages = ChatRequest['messages'];

/** Stores values of an episode that the clients of stateful APIs do not send again. */
export class ApiMemory {
  readonly #conversations = new Map<string, Messages>();
  readonly #arguments = new Map<string, string>();

  /** Returns the messages of a response and all before it; undefined for an unknown response. */
  conversation(responseId: string): Messages | undefined {
    return this.#conversations.get(responseId);
  }

  keepConversation(responseId: string, messages: Messages): void {
    this.#conversations.set(responseId, messages);
  }

  /**
   * Returns the original text of a tool call's arguments. The API converts it to an object, and the client sends the
   * object back. Another text for it would change the model's history.
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
