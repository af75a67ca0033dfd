import type { TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import { count } from './samples.ts';
import type { MergeOptions } from './tracker.ts';

/** Asks for each message once, and remembers what it made itself. Positions are dense, so lists serve as maps. */
export class KnownMessages {
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

/** A timeline as positions of messages, its reply last. */
export interface Path {
  readonly messages: readonly number[];
  readonly reply: number;
}

export interface KnownStart {
  /** Of the timeline, that an earlier one begins with too. */
  readonly messages: number;
  /** Number of the last timeline that does. */
  readonly timeline: number;
}

/**
 * Timelines as paths of a tree: those that begin with the same messages share the beginning of their path. Most of a
 * timeline goes the way that the one before it went, so a branch is first compared with the branch taken last; what
 * hashing costs is paid only where ways part.
 */
export class Branches {
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

  /**
   * @param first the message to begin with
   * @returns the branch where the timeline of this number ends
   */
  follow({ messages, reply }: Path, root: string | null, timeline: number, first = 0): number {
    let branch = this.#rootOf(root);
    this.#latest[branch] = timeline;
    for (let at = first; at < messages.length; at++) {
      branch = this.#step(branch, messages[at] ?? none, timeline);
    }
    return this.#step(branch, reply, timeline);
  }

  /** How far a timeline goes the way of earlier ones, and the last of those; undefined: none began at the root. */
  known({ messages, reply }: Path, root: string | null, first = 0): KnownStart | undefined {
    let branch = this.#roots.get(root);
    if (branch === undefined) return undefined;
    let at = first;
    for (; at <= messages.length; at++) {
      const next = this.#existing(branch, messages[at] ?? reply);
      if (next === none) break;
      branch = next;
    }
    return { messages: at - first, timeline: this.latest(branch) };
  }

  #existing(branch: number, position: number): number {
    const taken = this.#taken[branch] ?? none;
    if (taken === none || this.#same(this.#message[taken] ?? none, position)) return taken;
    return this.#next.get(branch)?.get(this.#key(position)) ?? none;
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

export function sameItems<T extends Int32Array | Uint8Array>(a: T, b: T): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
