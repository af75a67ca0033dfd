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

/** An unbranched stretch of the tree: the messages of one timeline from an index up to another. */
class Run {
  readonly path: Path;
  readonly from: number;
  to: number;
  /** The highest number of a timeline that goes all of this way. */
  latest: number;
  next: Next = { few: [], many: undefined };

  constructor(path: Path, from: number, to: number, latest: number) {
    this.path = path;
    this.from = from;
    this.to = to;
    this.latest = latest;
  }
}

/** The runs that follow a run, with a key for each if there are many. */
interface Next {
  readonly few: Run[];
  many: Map<string, Run> | undefined;
}

/**
 * Timelines as paths of a radix tree. Timelines that start with the same messages share the start of their path. A
 * run is the message list of the first timeline. A timeline on an existing path costs one comparison per message and
 * no memory.
 */
export class Branches {
  readonly #messages: readonly TracedMessage[];
  readonly #byText: boolean;
  readonly #roots = new Map<string | null, Run>();

  /** @param messages that the paths' positions are places in */
  constructor(messages: readonly TracedMessage[], level: MergeOptions['compareLevel']) {
    this.#messages = messages;
    this.#byText = level === 'text';
  }

  /**
   * Cheapest for numbers that fall: a timeline that ends inside of a run cuts it only where its number is higher.
   *
   * @param first the message to begin with
   * @returns the highest number of a timeline, this one included, that begins with this one's messages
   */
  follow(path: Path, root: string | null, timeline: number, first = 0): number {
    const end = path.messages.length + 1;
    let run = this.#rootOf(root, path, first);
    let at = first;
    while (at < end) {
      run.latest = Math.max(run.latest, timeline);
      const next = this.#nextOf(run, positionAt(path, at));
      if (next === undefined) return this.#add(run.next, new Run(path, at, end, timeline));
      at = this.#partingOf(next, path, at + 1);
      if (at < next.to && (at < end || timeline > next.latest)) this.#cut(next, at);
      run = next;
    }
    return (run.latest = Math.max(run.latest, timeline));
  }

  /**
   * Returns the start that a timeline shares with earlier ones, and the last of them. Undefined if none starts at the
   * root.
   */
  known(path: Path, root: string | null, first = 0): KnownStart | undefined {
    let run = this.#roots.get(root);
    if (run === undefined) return undefined;
    let at = first;
    while (at <= path.messages.length) {
      const next = this.#nextOf(run, positionAt(path, at));
      if (next === undefined) break;
      at = this.#partingOf(next, path, at + 1);
      run = next;
      if (at < next.to) break;
    }
    return { messages: at - first, timeline: run.latest };
  }

  #rootOf(root: string | null, path: Path, first: number): Run {
    let run = this.#roots.get(root);
    if (run === undefined) {
      run = new Run(path, first, first, none);
      this.#roots.set(root, run);
    }
    return run;
  }

  #nextOf({ next: { few, many } }: Run, position: number): Run | undefined {
    if (many !== undefined) return many.get(this.#key(position));
    return few.find((one) => this.#same(positionAt(one.path, one.from), position));
  }

  /**
   * Returns the position at which the path leaves the run. Both are equal up to `at`. The result is at most the
   * shorter length.
   */
  #partingOf({ path: { messages: theirs, reply }, to }: Run, path: Path, at: number): number {
    const { messages } = path;
    const requests = Math.min(to, theirs.length, messages.length);
    if (this.#byText) at = partingByText(this.#messages, theirs, messages, at, requests);
    else while (at < requests && this.#same(theirs[at] ?? none, messages[at] ?? none)) at++;
    if (at < requests) return at;
    // Of what either has one reply is left, which may stand for a message of the other.
    const end = Math.min(to, messages.length + 1);
    for (; at < end; at++) {
      if (!this.#same(theirs[at] ?? reply, positionAt(path, at))) return at;
    }
    return at;
  }

  #add(next: Next, added: Run): number {
    next.few.push(added);
    if (next.many !== undefined) next.many.set(this.#keyOf(added), added);
    else if (next.few.length > fewMost) next.many = new Map(next.few.map((one) => [this.#keyOf(one), one]));
    return added.latest;
  }

  /** Splits a run at `at`. The second part becomes a new run. */
  #cut(run: Run, at: number): void {
    const rest = new Run(run.path, at, run.to, run.latest);
    rest.next = run.next;
    run.to = at;
    run.next = { few: [rest], many: undefined };
  }

  #same(one: number, other: number): boolean {
    if (one === other) return true;
    const a = this.#messages[one];
    const b = this.#messages[other];
    if (this.#byText) return a?.text === b?.text;
    return sameItems(a?.tokenIds ?? noTokens, b?.tokenIds ?? noTokens);
  }

  #keyOf({ path, from }: Run): string {
    return this.#key(positionAt(path, from));
  }

  #key(position: number): string {
    const message = this.#messages[position];
    return (this.#byText ? message?.text : message?.tokenIds.join(' ')) ?? '';
  }
}

/** Compares texts in a separate loop, because merging spends nearly all of its time here. */
function partingByText(
  list: readonly TracedMessage[],
  a: readonly number[],
  b: readonly number[],
  at: number,
  to: number,
): number {
  for (; at < to; at++) {
    const one = a[at] ?? none;
    const other = b[at] ?? none;
    if (one !== other && list[one]?.text !== list[other]?.text) return at;
  }
  return at;
}

function positionAt({ messages, reply }: Path, at: number): number {
  return messages[at] ?? reply;
}

const none = -1;
const noTokens = new Int32Array();

/** Up to so many are compared one by one: most differ early, and a key takes the whole of a message. */
const fewMost = 16;

export function sameItems<T extends Int32Array | Uint8Array>(a: T, b: T): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
