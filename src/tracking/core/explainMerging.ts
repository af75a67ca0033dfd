import { commonPrefixLength, excerpt, excerptStart } from '../../base/core/commonPrefix.ts';
import type { TracedMessage } from './records/trace.ts';
import { Branches, type KnownStart } from './branches.ts';
import {
  mergeCalls,
  type AnsweredCall,
  type MergeableCall,
  type MergedCalls,
  type MergeSettings,
} from './mergeCalls.ts';
import type { MergeOptions } from './tracker.ts';

export interface ExplainableCall extends MergeableCall {
  readonly agent: string;
}

/**
 * The reason why a timeline is separate:
 * - `agents`: another agent or another system prompt, which is expected;
 * - `content`: a message was changed, removed or inserted;
 * - `reply`: the same request with another reply;
 * - `fields`: the same text with another role or other tool calls, which only tokens show;
 * - `tools`: other tools are offered;
 * - `retokenized`: the same text with other tokens;
 * - `shorter`: it is the start of the other timeline, and only a later call absorbs an earlier one.
 */
export type ForkCause = 'agents' | 'content' | 'reply' | 'fields' | 'tools' | 'retokenized' | 'shorter';

/** The first difference of two timelines. `before` is the earlier one. */
export interface Fork {
  /** The last call of the timeline. */
  readonly call: number;
  /** The last call of the earlier timeline with the longest shared start. */
  readonly earlier: number;
  readonly cause: ForkCause;
  /** Index of the first message that differs. */
  readonly message: number;
  /** The message of the earlier timeline, with its text cut to the difference. Null if it has no such message. */
  readonly before: ForkSide | null;
  readonly now: ForkSide | null;
  /** Index of the first token that differs in the message; null: none does. */
  readonly token: number | null;
}

export interface ForkSide {
  readonly role: string;
  readonly text: string;
  /** The first that differs; null: the message has ended. */
  readonly tokenId: number | null;
}

export interface OtherMerging extends MergeOptions {
  readonly timelines: number;
}

export interface MergingExplanation {
  /** One for each timeline but the first. */
  readonly forks: readonly Fork[];
  readonly timelines: number;
  /** Returns the result of the other settings of `timeline_merging_policy`. Merges again for each of them. */
  readonly others: () => readonly OtherMerging[];
}

/** Every setting of `timeline_merging_policy`. */
const policies: readonly MergeOptions[] = [
  { compareLevel: 'text', ignoreTools: true },
  { compareLevel: 'text', ignoreTools: false },
  { compareLevel: 'token', ignoreTools: true },
  { compareLevel: 'token', ignoreTools: false },
];

/**
 * Explains the timelines that `settings` give, in time linear in the number of messages of all calls. `calls` are in
 * the order in which they ended. `messages` has every position that a call names.
 */
export function explainMerging(
  calls: readonly ExplainableCall[],
  messages: readonly TracedMessage[],
  settings: MergeSettings,
  timelines: MergedCalls['timelines'],
): MergingExplanation {
  const countBy = (options: MergeOptions): number =>
    mergeCalls(calls, messages, { ...settings, ...options }).timelines.length;
  const { compareLevel, ignoreTools } = settings;
  const others = policies.filter(
    (one) => one.compareLevel !== compareLevel || one.ignoreTools !== ignoreTools,
  );
  const ends = new Set(timelines.map(({ calls: merged }) => merged.at(-1)));
  const starts = new Starts(messages, compareLevel);
  return {
    forks: calls.filter(isAnswered).flatMap((call) => (ends.has(call.call) ? (starts.add(call) ?? []) : [])),
    timelines: timelines.length,
    others: () => others.map((one) => ({ ...one, timelines: countBy(one) })),
  };
}

type Answered = AnsweredCall & ExplainableCall;

function isAnswered(call: ExplainableCall): call is Answered {
  return call.reply !== null;
}

interface Pair {
  readonly earlier: Answered;
  readonly call: Answered;
  /** True if the earlier timeline has a reply to the same request. */
  readonly isAskedAgain: boolean;
}

/** Timelines, each compared with those before it when it is added. */
class Starts {
  readonly #messages: readonly TracedMessage[];
  readonly #byText: boolean;
  /** The branches of all agents from one root, and of each agent from a separate root. */
  readonly #whole: Branches;
  /** By agent, without the first message. */
  readonly #rest: Branches;
  readonly #timelines: Answered[] = [];

  constructor(messages: readonly TracedMessage[], level: MergeOptions['compareLevel']) {
    this.#messages = messages;
    this.#byText = level === 'text';
    this.#whole = new Branches(messages, level);
    this.#rest = new Branches(messages, level);
  }

  add(call: Answered): Fork | undefined {
    const fork = this.#fork(call);
    const number = this.#timelines.push(call) - 1;
    this.#whole.follow(call, null, number);
    this.#whole.follow(call, call.agent, number);
    this.#rest.follow(call, call.agent, number, 1);
    return fork;
  }

  #fork(call: Answered): Fork | undefined {
    const own = this.#whole.known(call, call.agent);
    if (own === undefined) return this.#forkAt(call, this.#whole.known(call, null), 'agents');
    if (own.messages > 0 || !this.#isSystem(call)) return this.#forkAt(call, own);
    const goesOn = this.#goesOn(call);
    return goesOn === undefined ? this.#forkAt(call, own, 'agents') : this.#forkAt(call, goesOn);
  }

  /** Returns the earlier timeline that this one would continue if it had the same system message. */
  #goesOn(call: Answered): KnownStart | undefined {
    const rest = this.#rest.known(call, call.agent, 1);
    const earlier = this.#timelines[rest?.timeline ?? -1];
    if (rest === undefined || earlier === undefined || !this.#isSystem(earlier)) return undefined;
    const isWhole = rest.messages > 1 && rest.messages === earlier.messages.length;
    const isLonger = call.messages.length > earlier.messages.length;
    return isWhole && isLonger ? { messages: 0, timeline: rest.timeline } : undefined;
  }

  #isSystem({ messages: [first] }: Answered): boolean {
    return first !== undefined && this.#messages[first]?.role === 'system';
  }

  #forkAt(call: Answered, shared: KnownStart | undefined, cause?: ForkCause): Fork | undefined {
    const earlier = this.#timelines[shared?.timeline ?? -1];
    if (shared === undefined || earlier === undefined) return undefined;
    const isGoneThrough = shared.messages > earlier.messages.length;
    const isOfTools = isGoneThrough && earlier.tools !== call.tools;
    const message = isOfTools ? 0 : shared.messages;
    const [before, now] = [this.#messageOf(earlier, message), this.#messageOf(call, message)];
    const isAskedAgain = message === call.messages.length && before?.role === 'assistant';
    return {
      call: call.call,
      earlier: earlier.call,
      cause: cause ?? (isOfTools ? 'tools' : this.#causeOf(before, now, { earlier, call, isAskedAgain })),
      message,
      ...sides(before, now),
    };
  }

  #messageOf({ messages, reply }: Answered, index: number): TracedMessage | undefined {
    const position = index === messages.length ? reply : messages[index];
    return position === undefined ? undefined : this.#messages[position];
  }

  #causeOf(
    before: TracedMessage | undefined,
    now: TracedMessage | undefined,
    { earlier, call, isAskedAgain }: Pair,
  ): ForkCause {
    if (before === undefined || now === undefined) return 'shorter';
    if (isAskedAgain) return 'reply';
    if (this.#byText || before.text !== now.text) return 'content';
    if (before.role !== now.role || before.toolCalls !== now.toolCalls) return 'fields';
    return earlier.tools === call.tools ? 'retokenized' : 'tools';
  }
}

function sides(
  before: TracedMessage | undefined,
  now: TracedMessage | undefined,
): Pick<Fork, 'before' | 'now' | 'token'> {
  const start = excerptStart(before?.text ?? '', now?.text ?? '');
  const [one, other] = [before?.tokenIds ?? [], now?.tokenIds ?? []];
  const same = commonPrefixLength(one, other);
  const side = (message: TracedMessage | undefined): ForkSide | null =>
    message === undefined
      ? null
      : { role: message.role, text: excerpt(message.text, start), tokenId: message.tokenIds[same] ?? null };
  const differs = same < Math.max(one.length, other.length);
  return { before: side(before), now: side(now), token: differs ? same : null };
}
