import {
  groupToolResults,
  templateMessage,
  timelineMessage,
  type KeptMessage,
  type TimelineMessage,
} from './messages.ts';
import type { TemplateMessage } from './tokenizer.ts';

/** A message that an episode's requests have in common. */
interface SameMessage {
  readonly number: number;
  readonly role: string;
  readonly kept: KeptMessage;
  /** JSON of the tool calls. */
  readonly toolCalls: string | null;
  readonly template: TemplateMessage;
  /** The message in a timeline without merging. */
  readonly alone: TimelineMessage;
}

/** A request's messages as the chat template sees them, and as its timeline has them. */
export interface SameRequest {
  readonly messages: readonly TemplateMessage[];
  readonly timeline: readonly TimelineMessage[];
}

/** Gives equal messages of an episode one object, to cache results by. Compares with the previous request first. */
export class SameMessages {
  readonly #known = new Map<string, SameMessage>();
  #previous: readonly SameMessage[] = [];
  /** By the numbers of tool results in a row. */
  readonly #rows = new Map<string, TimelineMessage>();

  read(kept: readonly KeptMessage[]): SameRequest {
    const same = kept.map((message, index) => this.#same(message, this.#previous[index]));
    this.#previous = same;
    return {
      messages: same.map(({ template }) => template),
      timeline: groupToolResults(same).map((row) => this.#joined(row)),
    };
  }

  #same(kept: KeptMessage, previous: SameMessage | undefined): SameMessage {
    const toolCalls = kept.toolCalls && JSON.stringify(kept.toolCalls);
    if (previous !== undefined && isSame(previous, kept, toolCalls)) return previous;
    const key = JSON.stringify([kept.role, kept.text, kept.toolCallId, toolCalls]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { role } = kept;
    const number = this.#known.size;
    const same = {
      number,
      role,
      kept,
      toolCalls,
      template: templateMessage(kept),
      alone: timelineMessage(kept, []),
    };
    this.#known.set(key, same);
    return same;
  }

  #joined([first, ...more]: readonly [SameMessage, ...SameMessage[]]): TimelineMessage {
    if (more.length === 0) return first.alone;
    const key = [first, ...more].map(({ number }) => number).join(' ');
    const known =
      this.#rows.get(key) ??
      timelineMessage(
        first.kept,
        more.map(({ kept }) => kept),
      );
    this.#rows.set(key, known);
    return known;
  }
}

function isSame({ kept, toolCalls }: SameMessage, message: KeptMessage, calls: string | null): boolean {
  return (
    kept.role === message.role &&
    kept.text === message.text &&
    kept.toolCallId === message.toolCallId &&
    toolCalls === calls
  );
}
