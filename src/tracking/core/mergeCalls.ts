import type { TracedMessage, TracedTimeline } from './records/trace.ts';
import { Branches, sameItems } from './branches.ts';
import type { AddedMessage, MergeOptions } from './tracker.ts';
import { count } from './samples.ts';

/** Adds the numbers of tokens and trainable tokens. `messages` are without those that merging added. */
export function withTokens(
  { timelines, added }: MergedCalls,
  messages: readonly TracedMessage[],
): readonly TracedTimeline[] {
  const counts = new Array<Counts | undefined>(messages.length);
  const countsAt = (position: number): Counts =>
    (counts[position] ??= countsOf(messages[position] ?? added[position - messages.length]?.message));
  return timelines.map((timeline) => {
    let tokens = 0;
    let trainableTokens = 0;
    for (const position of timeline.messages) {
      const one = countsAt(position);
      tokens += one.tokens;
      trainableTokens += one.trainableTokens;
    }
    return { ...timeline, tokens, trainableTokens };
  });
}

type Counts = Pick<TracedTimeline, 'tokens' | 'trainableTokens'>;

function countsOf(message: TracedMessage | undefined): Counts {
  return { tokens: message?.tokenIds.length ?? 0, trainableTokens: count(message?.lossMask ?? nothing) };
}

const nothing = new Uint8Array();

/** The input of merging, such as a `TracedCall`. */
export interface MergeableCall {
  readonly call: number;
  /** Positions of the request's messages in the episode's list. */
  readonly messages: readonly number[];
  /** Null: the call makes no timeline. */
  readonly reply: number | null;
  /** Equal for equal tools. Compared only if the config requires it. */
  readonly tools: string | null;
}

export interface MergeSettings extends MergeOptions {
  /** Returns the new loss mask of a reply that another timeline took over. */
  lossMaskOf(reply: TracedMessage): Uint8Array;
}

export type MergedTimeline = Pick<TracedTimeline, 'calls' | 'messages'>;

export interface MergedCalls {
  /** In the order of the calls that absorbed the others. */
  readonly timelines: readonly MergedTimeline[];
  /** The messages that merging created, at positions after the existing ones. */
  readonly added: readonly AddedMessage[];
  /** The calls whose reply has another mask in the timeline that took it over. */
  readonly maskedAnew: readonly number[];
}

/** An answered call. Its timeline is its request and its reply, which is the only message of the model. */
export interface AnsweredCall extends MergeableCall {
  readonly reply: number;
}

/**
 * Merges the calls of an episode into timelines. As in AgentJet, a later call that starts with the messages of an
 * earlier one absorbs it. The later call keeps the tokens and logprobs of the earlier reply. It does not keep the loss mask
 * and the flag for truncation. So the end token counts in the loss even if the reply was truncated.
 *
 * Takes time linear in the number of messages of all calls.
 *
 * @param calls in the order of their ends
 * @param messages the messages of the episode
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

/** Returns for each timeline the latest one that starts with its messages; itself if there is no other. */
function findAbsorbers(
  timelines: readonly AnsweredCall[],
  branches: Branches,
  { ignoreTools }: MergeOptions,
): readonly number[] {
  const absorbers = new Array<number>(timelines.length);
  // In reverse order, so that each possible absorber is already known.
  for (const [index, timeline] of [...timelines.entries()].reverse()) {
    absorbers[index] = branches.follow(timeline, ignoreTools ? null : timeline.tools, index);
  }
  return absorbers;
}

class Joiner {
  readonly added: AddedMessage[] = [];
  readonly maskedAnew: number[] = [];
  readonly #messages: readonly TracedMessage[];
  readonly #settings: MergeSettings;
  readonly #masks = new Map<number, Uint8Array>();
  /** The created messages by their two source positions. */
  readonly #made = new Map<string, number>();

  constructor(messages: readonly TracedMessage[], settings: MergeSettings) {
    this.#messages = messages;
    this.#settings = settings;
  }

  /** @param group the merged timelines in order; the last one absorbs the others */
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

  /** True if equal except for what is taken over. Texts that were compared during merging are not read again. */
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
