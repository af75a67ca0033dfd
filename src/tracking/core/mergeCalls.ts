import type { TracedMessage, TracedTimeline } from './records/trace.ts';
import { Branches, sameItems } from './branches.ts';
import type { AddedMessage, MergeOptions } from './tracker.ts';

/** A call as merging sees it; a `TracedCall` is one. */
export interface MergeableCall {
  readonly call: number;
  /** Positions of the request's messages in the episode's list. */
  readonly messages: readonly number[];
  /** Null: the call makes no timeline. */
  readonly reply: number | null;
  /** Equal tools have equal texts; compared only where the config wants tools compared. */
  readonly tools: string | null;
}

export interface MergeSettings extends MergeOptions {
  /** Which tokens of a reply count once another timeline has taken it over: it is masked anew. */
  lossMaskOf(reply: TracedMessage): Uint8Array;
}

export type MergedTimeline = Pick<TracedTimeline, 'calls' | 'messages'>;

export interface MergedCalls {
  /** In the order of the calls that absorbed the others. */
  readonly timelines: readonly MergedTimeline[];
  /** What merging made, at positions after those that were there. */
  readonly added: readonly AddedMessage[];
  /** Calls whose reply counts otherwise in the timeline that took it over, e.g. with an end that it did not have. */
  readonly maskedAnew: readonly number[];
}

/** A call that was answered. Its timeline is its request and, last, its reply: the only message of the model's own. */
export interface AnsweredCall extends MergeableCall {
  readonly reply: number;
}

/**
 * The timelines that an episode's calls become. As upstream does, a later call absorbs an earlier one whose messages
 * it begins with, and takes over that call's reply with its tokens and logprobs. What it does not take over is which
 * of them count, nor the mark that a reply was cut by length: such a reply's end token counts in the loss from then on.
 *
 * Linear in the number of messages of all calls.
 *
 * @param calls in the order in which they ended
 * @param messages the episode's list: every position that a call names is there
 */
export function mergeCalls(
  calls: readonly MergeableCall[],
  messages: readonly TracedMessage[],
  settings: MergeSettings,
): MergedCalls {
  const timelines = calls.filter((call): call is AnsweredCall => call.reply !== null);
  const absorbers = findAbsorbers(timelines, new Branches(messages, settings.compareLevel), settings);
  const groups = timelines.map((): AnsweredCall[] => []);
  timelines.forEach((timeline, index) => groups[absorbers[index] ?? index]?.push(timeline));
  const joiner = new Joiner(messages, settings);
  const merged = groups.filter((group) => group.length > 0).map((group) => joiner.join(group));
  return { timelines: merged, added: joiner.added, maskedAnew: joiner.maskedAnew };
}

/**
 * For each timeline the one that absorbs it, itself where none does. That is the latest that begins with its
 * messages: anything which absorbed that one would begin with them too, and be later still.
 */
function findAbsorbers(
  timelines: readonly AnsweredCall[],
  branches: Branches,
  { ignoreTools }: MergeOptions,
): readonly number[] {
  const absorbers = new Array<number>(timelines.length);
  // From the last on: then every timeline that could absorb one is there already.
  for (const [index, timeline] of [...timelines.entries()].reverse()) {
    absorbers[index] = branches.follow(timeline, ignoreTools ? null : timeline.tools, index);
  }
  return absorbers;
}

/** Makes one timeline out of those that merge. */
class Joiner {
  readonly added: AddedMessage[] = [];
  readonly maskedAnew: number[] = [];
  readonly #messages: readonly TracedMessage[];
  readonly #settings: MergeSettings;
  readonly #masks = new Map<number, Uint8Array>();
  /** By the two positions that a taken-over message is made of. */
  readonly #made = new Map<string, number>();

  constructor(messages: readonly TracedMessage[], settings: MergeSettings) {
    this.#messages = messages;
    this.#settings = settings;
  }

  /** @param group what merges, in order; the last is the one that absorbs */
  join(group: readonly AnsweredCall[]): MergedTimeline {
    const absorber = group.at(-1);
    const positions = absorber === undefined ? [] : [...absorber.messages, absorber.reply];
    for (const { messages, reply, call } of group.toReversed()) {
      const own = positions[messages.length];
      if (own === undefined || this.#at(own).author === 'llm') continue;
      positions[messages.length] = this.#takeOver(own, reply, call);
    }
    return { calls: group.map(({ call }) => call), messages: positions };
  }

  /** Position of the absorber's own message with the author, tokens and logprobs of the reply. */
  #takeOver(own: number, reply: number, call: number): number {
    const [message, source] = [this.#at(own), this.#at(reply)];
    const lossMask = this.#maskOf(reply, source);
    if (lossMask !== source.lossMask) this.maskedAnew.push(call);
    if (lossMask === source.lossMask && this.#isSame(message, source)) return reply;
    const key = `${own} ${reply}`;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const position = this.#messages.length + this.added.length;
    const taken: TracedMessage = {
      ...message,
      author: 'llm',
      tokenIds: source.tokenIds,
      logprobs: source.logprobs,
      lossMask,
      ...(source.alternatives && { alternatives: source.alternatives }),
    };
    this.added.push({ position, message: taken });
    this.#made.set(key, position);
    return position;
  }

  /** Whether they are equal but for what is taken over. Texts that merging has compared are not read again. */
  #isSame(own: TracedMessage, reply: TracedMessage): boolean {
    return (
      own.role === reply.role &&
      own.toolCalls === reply.toolCalls &&
      own.toolCallId === reply.toolCallId &&
      (this.#settings.compareLevel === 'text' || own.text === reply.text)
    );
  }

  #at(position: number): TracedMessage {
    const message = this.#messages[position] ?? this.added[position - this.#messages.length]?.message;
    if (message === undefined) throw new RangeError(`No message at ${position}`);
    return message;
  }

  /** The reply's own mask where the new one is the same. */
  #maskOf(reply: number, source: TracedMessage): Uint8Array {
    let mask = this.#masks.get(reply);
    if (mask === undefined) {
      mask = this.#settings.lossMaskOf(source);
      if (sameItems(mask, source.lossMask)) mask = source.lossMask;
      this.#masks.set(reply, mask);
    }
    return mask;
  }
}
