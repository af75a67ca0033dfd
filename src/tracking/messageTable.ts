import type { TracedMessage } from '../protocol/trace.ts';
import type { AddedMessage } from './tracker.ts';

/** An episode's messages: equal ones are one, at one position. */
export class MessageTable {
  readonly #messages: TracedMessage[] = [];
  readonly #positions = new Map<string, number>();
  #taken = 0;

  get size(): number {
    return this.#messages.length;
  }

  at(position: number): TracedMessage {
    const message = this.#messages[position];
    if (message === undefined) throw new RangeError(`No message at ${position}`);
    return message;
  }

  /** The message's position; one that is new gets the next. */
  put(message: TracedMessage): number {
    const key = keyOf(message);
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    const position = this.#messages.push(message) - 1;
    this.#positions.set(key, position);
    return position;
  }

  /** Messages that are new since this was last asked. */
  takeAdded(): readonly AddedMessage[] {
    const first = this.#taken;
    this.#taken = this.#messages.length;
    return this.#messages.slice(first).map((message, index) => ({ position: first + index, message }));
  }
}

function keyOf({ role, author, text, toolCalls, toolCallId, ...tokens }: TracedMessage): string {
  const numbers = [tokens.tokenIds, tokens.lossMask, tokens.logprobs ?? []].map((list) => list.join(' '));
  return JSON.stringify([role, author, text, toolCalls, toolCallId, ...numbers]);
}
