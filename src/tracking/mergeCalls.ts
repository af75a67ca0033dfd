import type { TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import { count } from './samples.ts';
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
interface Timeline extends MergeableCall {
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
  const timelines = calls.filter((call): call is Timeline => call.reply !== null);
  const messages = new KnownMessages(messageAt);
  const absorbers = findAbsorbers(timelines, new Branches(messages, settings.compareLevel), settings);
  const groups = timelines.map((): Timeline[] => []);
  timelines.forEach((timeline, index) => groups[absorbers[index] ?? index]?.push(timeline));
  const joiner = new Joiner(messages, settings);
  const merged = groups.filter((group) => group.length > 0).map((group) => joiner.join(group));
  return { timelines: merged, added: joiner.added, maskedAnew: joiner.maskedAnew };
}

/** Asks for each message once, and remembers what it made itself. Positions are dense, so lists serve as maps. */
class KnownMessages {
  readonly #messageAt: (position: number) => TracedMessage;
  readonly #messages: (TracedMessage | undefined)[] = [];
  /** By position, of the messages whose tokens were counted. */
  readonly #tokens: number[] = [];
  readonly #trainable: number[] = [];

  constructor(messageAt: (position: number) => TracedMessage) {
    this.#messageAt = messageAt;
  }

  at(position: number): TracedMessage {
    return (this.#messages[position] ??= this.#messageAt(position));
  }

  /** Of all the messages at these positions. */
  count(positions: readonly number[]): Pick<TracedTimeline, 'tokens' | 'trainableTokens'> {
    const [counted, trainable] = [this.#tokens, this.#trainable];
    let tokens = 0;
    let trainableTokens = 0;
    for (const position of positions) {
      tokens += counted[position] ?? this.#countAt(position);
      trainableTokens += trainable[position] ?? 0;
    }
    return { tokens, trainableTokens };
  }

  #countAt(position: number): number {
    const { tokenIds, lossMask } = this.at(position);
    this.#trainable[position] = count(lossMask);
    return (this.#tokens[position] = tokenIds.length);
  }

  add(position: number, message: TracedMessage): void {
    this.#messages[position] = message;
  }
}

/**
 * Timelines as paths of a tree: those that begin with the same messages share the beginning of their path. Most of a
 * timeline goes the way that the one before it went, so a branch is first compared with the branch taken last; what
 * hashing costs is paid only where ways part.
 */
class Branches {
  readonly #messages: KnownMessages;
  readonly #byText: boolean;
  readonly #roots = new Map<string | null, number>();
  /** By branch: the message it stands for, the next branch taken last, and the last timeline that came by. */
  readonly #message: number[] = [];
  readonly #taken: number[] = [];
  readonly #latest: number[] = [];
  /** By branch that has several: the next ones. */
  readonly #next = new Map<number, Map<string, number>>();
  readonly #keys: (string | undefined)[] = [];

  constructor(messages: KnownMessages, level: MergeOptions['compareLevel']) {
    this.#messages = messages;
    this.#byText = level === 'text';
  }

  /** @returns the branch where the timeline of this number ends */
  follow({ messages, reply }: Timeline, tools: string | null, timeline: number): number {
    let branch = this.#rootOf(tools);
    for (const position of messages) branch = this.#step(branch, position, timeline);
    return this.#step(branch, reply, timeline);
  }

  #step(branch: number, position: number, timeline: number): number {
    const taken = this.#taken[branch] ?? none;
    const isSame = taken !== none && this.#same(this.#message[taken] ?? none, position);
    const next = isSame ? taken : this.#turn(branch, taken, position);
    this.#latest[next] = timeline;
    return next;
  }

  #rootOf(tools: string | null): number {
    const root = this.#roots.get(tools) ?? this.#open(none);
    this.#roots.set(tools, root);
    return root;
  }

  latest(branch: number): number {
    return this.#latest[branch] ?? none;
  }

  /** The next branch where it is not the one taken last. */
  #turn(branch: number, taken: number, position: number): number {
    const found = taken === none ? undefined : this.#nextOf(branch, taken).get(this.#key(position));
    const next = found ?? this.#open(position);
    if (found === undefined && taken !== none) this.#nextOf(branch, taken).set(this.#key(position), next);
    this.#taken[branch] = next;
    return next;
  }

  #nextOf(branch: number, only: number): Map<string, number> {
    let next = this.#next.get(branch);
    if (next === undefined) {
      next = new Map([[this.#key(this.#message[only] ?? none), only]]);
      this.#next.set(branch, next);
    }
    return next;
  }

  #open(position: number): number {
    this.#taken.push(none);
    this.#latest.push(none);
    return this.#message.push(position) - 1;
  }

  #same(a: number, b: number): boolean {
    if (a === b) return true;
    const [first, second] = [this.#messages.at(a), this.#messages.at(b)];
    return this.#byText ? first.text === second.text : sameItems(first.tokenIds, second.tokenIds);
  }

  #key(position: number): string {
    const { text, tokenIds } = this.#messages.at(position);
    return this.#byText ? text : (this.#keys[position] ??= tokenIds.join(' '));
  }
}

const none = -1;

function sameItems<T extends Int32Array | Uint8Array>(a: T, b: T): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/**
 * For each timeline the one that absorbs it, itself where none does. That is the latest that begins with its
 * messages: anything which absorbed that one would begin with them too, and be later still.
 */
function findAbsorbers(
  timelines: readonly Timeline[],
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
  join(group: readonly Timeline[]): TracedTimeline {
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
