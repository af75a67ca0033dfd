import type { TracedMessage, TracedTimeline } from '../protocol/trace.ts';
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
  /** Whether a token is one of the template's: how the end of a reply is found. */
  isSpecial(id: number): boolean;
  /** The first position that is free for messages that merging makes. */
  readonly nextPosition: number;
}

export interface MergedCalls {
  /** In the order of the calls that absorbed the others. */
  readonly timelines: readonly TracedTimeline[];
  readonly added: readonly AddedMessage[];
  /** Calls whose reply was cut by length, and whose end token merging brought into the loss all the same. */
  readonly endsTrained: readonly number[];
}

/** A call that was answered. Its timeline is its request and, last, its reply: the only message of the model's own. */
interface Timeline {
  readonly call: MergeableCall;
  readonly messages: readonly number[];
}

/**
 * The timelines that an episode's calls become. As upstream does, a later call absorbs an earlier one whose messages
 * it begins with, and takes over that call's reply with its tokens and logprobs; what it does not take over is the
 * mark that a reply was cut by length, so such a reply's end token counts in the loss from then on.
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
  const timelines = calls.flatMap((call): Timeline[] =>
    call.reply === null ? [] : [{ call, messages: [...call.messages, call.reply] }],
  );
  const messages = new KnownMessages(messageAt);
  const absorbers = findAbsorbers(timelines, new MessageKinds(messages, settings.compareLevel), settings);
  const groups = timelines.map((): Timeline[] => []);
  timelines.forEach((timeline, index) => groups[absorbers[index] ?? index]?.push(timeline));
  const joiner = new Joiner(messages, settings);
  const merged = groups.filter((group) => group.length > 0).map((group) => joiner.join(group));
  return { timelines: merged, added: joiner.added, endsTrained: joiner.endsTrained };
}

/** Asks for each message once, and remembers what it made itself. */
class KnownMessages {
  readonly #messageAt: (position: number) => TracedMessage;
  readonly #known = new Map<number, { readonly message: TracedMessage; readonly trainable: number }>();

  constructor(messageAt: (position: number) => TracedMessage) {
    this.#messageAt = messageAt;
  }

  at(position: number): TracedMessage {
    return this.#entry(position).message;
  }

  trainable(position: number): number {
    return this.#entry(position).trainable;
  }

  add(
    position: number,
    message: TracedMessage,
  ): { readonly message: TracedMessage; readonly trainable: number } {
    const entry = { message, trainable: message.lossMask.reduce((sum, counts) => sum + counts, 0) };
    this.#known.set(position, entry);
    return entry;
  }

  #entry(position: number): { readonly message: TracedMessage; readonly trainable: number } {
    return this.#known.get(position) ?? this.add(position, this.#messageAt(position));
  }
}

/** Numbers for messages, equal where merging takes the messages for the same. */
class MessageKinds {
  readonly #messages: KnownMessages;
  readonly #level: MergeOptions['compareLevel'];
  readonly #byPosition = new Map<number, number>();
  readonly #byContent = new Map<string, number>();

  constructor(messages: KnownMessages, level: MergeOptions['compareLevel']) {
    this.#messages = messages;
    this.#level = level;
  }

  of(position: number): number {
    let kind = this.#byPosition.get(position);
    if (kind !== undefined) return kind;
    const { text, tokenIds } = this.#messages.at(position);
    kind = numberOf(this.#byContent, this.#level === 'text' ? text : tokenIds.join(' '));
    this.#byPosition.set(position, kind);
    return kind;
  }
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

/** Where timelines that begin with the same messages are; `latest` is the last of them. */
interface Branch {
  readonly next: Map<number, Branch>;
  latest: number;
}

/**
 * For each timeline the one that absorbs it, itself where none does. That is the latest that begins with its
 * messages: anything which absorbed that one would begin with them too, and be later still.
 */
function findAbsorbers(
  timelines: readonly Timeline[],
  kinds: MessageKinds,
  { ignoreTools }: MergeOptions,
): readonly number[] {
  const roots = new Map<string | null, Branch>();
  const ends = timelines.map(({ call, messages }, index) => {
    const tools = ignoreTools ? null : call.tools;
    let branch = entryOf(roots, tools, index);
    for (const position of messages) branch = entryOf(branch.next, kinds.of(position), index);
    return branch;
  });
  return ends.map(({ latest }) => latest);
}

function entryOf<K>(branches: Map<K, Branch>, key: K, index: number): Branch {
  const known = branches.get(key);
  if (known === undefined) {
    const branch: Branch = { next: new Map(), latest: index };
    branches.set(key, branch);
    return branch;
  }
  known.latest = index;
  return known;
}

/** Makes one timeline out of those that merge. */
class Joiner {
  readonly added: AddedMessage[] = [];
  readonly endsTrained: number[] = [];
  readonly #messages: KnownMessages;
  readonly #isSpecial: (id: number) => boolean;
  #nextPosition: number;
  /** By the two positions that a taken-over message is made of. */
  readonly #made = new Map<string, number>();

  constructor(messages: KnownMessages, settings: MergeSettings) {
    this.#messages = messages;
    this.#isSpecial = (id) => settings.isSpecial(id);
    this.#nextPosition = settings.nextPosition;
  }

  /** @param group what merges, in order; the last is the one that absorbs */
  join(group: readonly Timeline[]): TracedTimeline {
    const positions = [...(group.at(-1)?.messages ?? [])];
    for (const absorbed of group.toReversed()) {
      const place = absorbed.messages.length - 1;
      const [own, reply] = [positions[place], absorbed.messages[place]];
      if (own === undefined || reply === undefined || this.#messages.at(own).author === 'llm') continue;
      positions[place] = this.#takeOver(own, reply, absorbed.call.call);
    }
    return {
      calls: group.map(({ call }) => call.call),
      messages: positions,
      tokens: positions.reduce((sum, position) => sum + this.#messages.at(position).tokenIds.length, 0),
      trainableTokens: positions.reduce((sum, position) => sum + this.#messages.trainable(position), 0),
    };
  }

  /** Position of the absorber's own message with the author, tokens and logprobs of the reply. */
  #takeOver(own: number, reply: number, call: number): number {
    const [message, source] = [this.#messages.at(own), this.#messages.at(reply)];
    const cut = cutEnd(source, this.#isSpecial);
    if (cut !== undefined) this.endsTrained.push(call);
    if (cut === undefined && sameFields(message, source)) return reply;
    const key = `${own} ${reply}`;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const position = this.#nextPosition++;
    const taken: TracedMessage = {
      ...message,
      author: 'llm',
      tokenIds: source.tokenIds,
      logprobs: source.logprobs,
      lossMask: cut === undefined ? source.lossMask : source.lossMask.with(cut, 1),
    };
    this.#messages.add(position, taken);
    this.added.push({ position, message: taken });
    this.#made.set(key, position);
    return position;
  }
}

/** Where the end token of a reply is that was cut by length; undefined: the model ended it itself. */
function cutEnd(
  { tokenIds, lossMask }: TracedMessage,
  isSpecial: (id: number) => boolean,
): number | undefined {
  const end = tokenIds.findLastIndex(isSpecial);
  return end >= 0 && lossMask[end] === 0 ? end : undefined;
}

function sameFields(a: TracedMessage, b: TracedMessage): boolean {
  return (
    a.role === b.role && a.text === b.text && a.toolCalls === b.toolCalls && a.toolCallId === b.toolCallId
  );
}
