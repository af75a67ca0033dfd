import type { TracedMessage, Author } from './records/trace.ts';
import { sameItems } from './branches.ts';
import type { AddedMessage } from './tracker.ts';
import type { TimelineMessage } from './messages.ts';

/** An episode's messages: equal ones are one, at one position. */
export class MessageTable {
  readonly #messages: TracedMessage[] = [];
  /** By all of a message but its tokens. */
  readonly #positions = new Map<string, number[]>();
  #taken = 0;

  /** By position. */
  get all(): readonly TracedMessage[] {
    return this.#messages;
  }

  at(position: number): TracedMessage {
    const message = this.#messages[position];
    if (message === undefined) throw new RangeError(`No message at ${position}`);
    return message;
  }

  /** The message's position; one that is new gets the next. */
  put(message: TracedMessage): number {
    const key = keyOf(message);
    const alike = this.#positions.get(key) ?? [];
    const known = alike.find((position) => sameTokens(this.at(position), message));
    if (known !== undefined) return known;
    const position = this.#messages.push(message) - 1;
    this.#positions.set(key, [...alike, position]);
    return position;
  }

  /** Messages that are new since this was last asked. */
  takeAdded(): readonly AddedMessage[] {
    const first = this.#taken;
    this.#taken = this.#messages.length;
    return this.#messages.slice(first).map((message, index) => ({ position: first + index, message }));
  }
}

function keyOf({ role, author, text, toolCalls, toolCallId, tokenIds, logprobs }: TracedMessage): string {
  const digests = [digest(tokenIds), digest(bitsOf(logprobs))];
  return JSON.stringify([role, author, text, toolCalls, toolCallId, ...digests]);
}

/** Returns a hash of the list. */
function digest(words: Int32Array): number {
  let sum = words.length;
  for (const word of words) sum = (Math.imul(sum, 31) + word) | 0;
  return sum;
}

function sameTokens(a: TracedMessage, b: TracedMessage): boolean {
  return (
    sameItems(a.tokenIds, b.tokenIds) &&
    sameItems(a.lossMask, b.lossMask) &&
    sameItems(bitsOf(a.logprobs), bitsOf(b.logprobs))
  );
}

/** Returns the bits of log probabilities. Missing values are all equal. */
function bitsOf(logprobs: Float32Array | null): Int32Array {
  return logprobs === null ? nothing : new Int32Array(logprobs.buffer, logprobs.byteOffset, logprobs.length);
}

const nothing = new Int32Array();

/** Returns a message with its tokens in the form of the trace. */
export function tracedMessage(
  message: Pick<TimelineMessage, 'role' | 'text' | 'toolCalls' | 'toolCallId'>,
  author: Author,
  tokenIds: readonly number[],
  logprobs: Float32Array | null,
  lossMask: Uint8Array,
): TracedMessage {
  const { role, text, toolCalls, toolCallId } = message;
  return {
    role,
    author,
    text,
    toolCalls: toolCalls === null ? null : JSON.stringify(toolCalls),
    toolCallId,
    tokenIds: Int32Array.from(tokenIds),
    logprobs,
    lossMask,
  };
}
