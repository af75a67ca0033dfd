import type { TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import { Branches, KnownMessages, sameItems } from './branches.ts';
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
  /** The first position that is free for messages that merging makes. */
  readonly nextPosition: number;
}

export interface MergedCalls {
  /** In the order of the calls that absorbed the others. */
  readonly timelines: readonly TracedTimeline[];
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
 * @param messageAt the message at a position of the episode's list; asked once for each position
 */
export function mergeCalls(
  calls: readonly MergeableCall[],
  messageAt: (position: number) => TracedMessage,
  settings: MergeSettings,
): MergedCalls {
  const timelines = calls.filter((call): call is AnsweredCall => call.reply !== null);
  const messages = new KnownMessages(messageAt, settings.nextPosition);
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
  const ends = timelines.map((timeline, index) =>
    branches.follow(timeline, ignoreTools ? null : timeline.tools, index),
  );
  return ends.map((branch) => branches.latest(branch));
}

/** Makes one timeline out of those that merge. */
class Joiner {
  readonly added: AddedMessage[] = [];
  readonly maskedAnew: number[] = [];
  readonly #messages: KnownMessages;
  readonly #settings: MergeSettings;
  readonly #masks = new Map<number, Uint8Array>();
  #nextPosition: number;
  /** By the two positions that a taken-over message is made of. */
  readonly #made = new Map<string, number>();

  constructor(messages: KnownMessages, settings: MergeSettings) {
    this.#messages = messages;
    this.#settings = settings;
    this.#nextPosition = settings.nextPosition;
  }

  /** @param group what merges, in order; the last is the one that absorbs */
  join(group: readonly AnsweredCall[]): TracedTimeline {
    const absorber = group.at(-1);
    const positions = absorber === undefined ? [] : [...absorber.messages, absorber.reply];
    for (const { messages, reply, call } of group.toReversed()) {
      const own = positions[messages.length];
      if (own === undefined || this.#messages.at(own).author === 'llm') continue;
      positions[messages.length] = this.#takeOver(own, reply, call);
    }
    return { calls: group.map(({ call }) => call), messages: positions, ...this.#messages.count(positions) };
  }

  /** Position of the absorber's own message with the author, tokens and logprobs of the reply. */
  #takeOver(own: number, reply: number, call: number): number {
    const [message, source] = [this.#messages.at(own), this.#messages.at(reply)];
    const lossMask = this.#maskOf(reply, source);
    if (lossMask !== source.lossMask) this.maskedAnew.push(call);
    if (lossMask === source.lossMask && sameFields(message, source)) return reply;
    const key = `${own} ${reply}`;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const position = this.#nextPosition++;
    const taken: TracedMessage = {
      ...message,
      author: 'llm',
      tokenIds: source.tokenIds,
      logprobs: source.logprobs,
      lossMask,
    };
    this.#messages.add(position, taken);
    this.added.push({ position, message: taken });
    this.#made.set(key, position);
    return position;
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

function sameFields(a: TracedMessage, b: TracedMessage): boolean {
  return (
    a.role === b.role && a.text === b.text && a.toolCalls === b.toolCalls && a.toolCallId === b.toolCallId
  );
}
