import type { TracedMessage } from './records/trace.ts';
import type { MergeOptions } from './tracker.ts';

/** A timeline as positions of messages, its reply last. */
export interface Path {
  readonly messages: readonly number[];
  readonly reply: number;
}

export interface KnownStart {
  /** The number of messages that an earlier timeline starts with, too. */
  readonly messages: number;
  /** Number of the last timeline that does. */
  readonly timeline: number;
}

/** The messages that timelines start with, up to one of them. */
class Start {
  /** The position of the last message. */
  readonly position: number;
  /** The highest number of a timeline that starts so. */
  latest = none;
  readonly next: Start[] = [];
  /** The entries of `next` by key, if there are many. */
  byKey: Map<string, Start> | undefined;

  constructor(position: number) {
    this.position = position;
  }
}

/** A tree of timelines by their messages. One on an existing path costs a comparison per message, and no memory. */
export class Branches {
  readonly #messages: readonly TracedMessage[];
  readonly #byText: boolean;
  readonly #roots = new Map<string | null, Start>();

  /** @param messages that the paths' positions are places in */
  constructor(messages: readonly TracedMessage[], level: MergeOptions['compareLevel']) {
    this.#messages = messages;
    this.#byText = level === 'text';
  }

  /** Returns the highest number of a timeline, this one included, that begins with its messages from `first` on. */
  follow({ messages, reply }: Path, root: string | null, timeline: number, first = 0): number {
    let start = this.#roots.get(root) ?? new Start(none);
    this.#roots.set(root, start);
    start.latest = Math.max(start.latest, timeline);
    for (let at = first; at <= messages.length; at++) {
      const position = messages[at] ?? reply;
      start = this.#nextOf(start, position) ?? this.#add(start, position);
      start.latest = Math.max(start.latest, timeline);
    }
    return start.latest;
  }

  /** Returns the start shared with earlier timelines, and the last of them. Undefined if none starts at the root. */
  known({ messages, reply }: Path, root: string | null, first = 0): KnownStart | undefined {
    let start = this.#roots.get(root);
    if (start === undefined) return undefined;
    for (let at = first; at <= messages.length; at++) {
      const next = this.#nextOf(start, messages[at] ?? reply);
      if (next === undefined) return { messages: at - first, timeline: start.latest };
      start = next;
    }
    return { messages: messages.length + 1 - first, timeline: start.latest };
  }

  #nextOf({ next, byKey }: Start, position: number): Start | undefined {
    if (byKey !== undefined) return byKey.get(this.#key(position));
    for (const one of next) if (this.#same(one.position, position)) return one;
    return undefined;
  }

  #add(start: Start, position: number): Start {
    const added = new Start(position);
    start.next.push(added);
    if (start.byKey !== undefined) start.byKey.set(this.#key(position), added);
    else if (start.next.length > fewMost)
      start.byKey = new Map(start.next.map((one) => [this.#key(one.position), one]));
    return added;
  }

  #same(one: number, other: number): boolean {
    if (one === other) return true;
    const a = this.#messages[one];
    const b = this.#messages[other];
    if (this.#byText) return a?.text === b?.text;
    return sameItems(a?.tokenIds ?? noTokens, b?.tokenIds ?? noTokens);
  }

  #key(position: number): string {
    const message = this.#messages[position];
    return (this.#byText ? message?.text : message?.tokenIds.join(' ')) ?? '';
  }
}

const none = -1;
const noTokens = new Int32Array();

/** Up to so many are compared one by one: most differ early, and a key takes the whole of a message. */
const fewMost = 16;

export function sameItems(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
