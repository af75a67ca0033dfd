import type { TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import { count } from './samples.ts';
import type { MergeOptions } from './tracker.ts';

/** Asks for each message once, and remembers what it made itself. Positions are dense, so lists serve as maps. */
export class KnownMessages {
  readonly #messageAt: (position: number) => TracedMessage;
  readonly #messages: (TracedMessage | undefined)[];
  /** By position, of the messages whose tokens were counted. */
  readonly #tokens: number[];
  readonly #trainable: number[];

  /** @param size how many there are; lists that begin with that many places stay lists, wherever they are filled first */
  constructor(messageAt: (position: number) => TracedMessage, size: number) {
    this.#messageAt = messageAt;
    this.#messages = new Array<TracedMessage | undefined>(size);
    this.#tokens = new Array<number>(size);
    this.#trainable = new Array<number>(size);
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
  /** By branch: the message it stands for and what is compared of it. */
  readonly #message: number[] = [];
  readonly #content: Content[] = [];
  /** By branch: the next branch taken last, and the last timeline that came by. */
  readonly #taken: number[] = [];
  readonly #latest: number[] = [];
  /** By branch that has several: the next ones, and by what they are told apart where there are many. */
  readonly #next = new Map<number, { readonly few: number[]; many?: Map<string, number> }>();
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
    const taken = this.#taken;
    const message = this.#message;
    const latest = this.#latest;
    for (let at = first; at < messages.length; at++) {
      const position = messages[at] ?? none;
      const next = taken[branch] ?? none;
      if (next !== none && message[next] === position) {
        latest[next] = timeline;
        branch = next;
      } else branch = this.#step(branch, position, timeline);
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
    if (taken === none || this.#stands(taken, position)) return taken;
    return this.#other(branch, position);
  }

  #step(branch: number, position: number, timeline: number): number {
    const taken = this.#taken[branch] ?? none;
    const next =
      taken !== none && this.#stands(taken, position) ? taken : this.#turn(branch, taken, position);
    // The latest of equal messages stands for them: it is the very one that the next timeline has most often.
    this.#message[next] = position;
    this.#latest[next] = timeline;
    return next;
  }

  #rootOf(tools: string | null): number {
    const root = this.#roots.get(tools) ?? this.#open(none, '');
    this.#roots.set(tools, root);
    return root;
  }

  latest(branch: number): number {
    return this.#latest[branch] ?? none;
  }

  /** The next branch where it is not the one taken last. */
  #turn(branch: number, taken: number, position: number): number {
    const found = this.#other(branch, position);
    const next = found === none ? this.#open(position, this.#contentAt(position)) : found;
    if (found === none && taken !== none) this.#add(branch, taken, next);
    this.#taken[branch] = next;
    return next;
  }

  #other(branch: number, position: number): number {
    const next = this.#next.get(branch);
    if (next?.many !== undefined) return next.many.get(this.#key(position)) ?? none;
    return next?.few.find((one) => this.#stands(one, position)) ?? none;
  }

  #add(branch: number, only: number, added: number): void {
    const next = this.#next.get(branch) ?? { few: [only] };
    this.#next.set(branch, next);
    next.many?.set(this.#keyOf(added), added);
    if (next.many !== undefined) return;
    next.few.push(added);
    if (next.few.length > fewMost) next.many = new Map(next.few.map((one) => [this.#keyOf(one), one]));
  }

  #keyOf(branch: number): string {
    return this.#key(this.#message[branch] ?? none);
  }

  #open(position: number, content: Content): number {
    this.#taken.push(none);
    this.#latest.push(none);
    this.#content.push(content);
    return this.#message.push(position) - 1;
  }

  #stands(branch: number, position: number): boolean {
    if (this.#message[branch] === position) return true;
    const content = this.#content[branch];
    const other = this.#contentAt(position);
    if (typeof content !== 'object' || typeof other !== 'object') return content === other;
    return sameItems(content, other);
  }

  #contentAt(position: number): Content {
    const message = this.#messages.at(position);
    return this.#byText ? message.text : message.tokenIds;
  }

  #key(position: number): string {
    const { text, tokenIds } = this.#messages.at(position);
    return this.#byText ? text : (this.#keys[position] ??= tokenIds.join(' '));
  }
}

const none = -1;

/** Up to so many are compared one by one: most differ early, and a key takes the whole of a message. */
const fewMost = 16;

/** What of a message is compared: its text or its tokens. */
type Content = string | Int32Array;

export function sameItems<T extends Int32Array | Uint8Array>(a: T, b: T): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
