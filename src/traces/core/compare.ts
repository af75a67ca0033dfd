import { commonPrefixLength } from '../../base/core/commonPrefix.ts';
import type { CompareSide, CompareRow, ComparedRange } from './protocol/tokenRpc.ts';
import { align, alignLimits, type Hunk } from './align.ts';

/** A message of one of two timelines. */
export interface ComparedMessage {
  readonly role: string;
  /** Equal for messages that say the same: role, text and tool calls. */
  readonly key: string;
  readonly tokenIds: Int32Array;
}

/** What of a trace's episode a comparison needs. */
export interface ComparableSide {
  readonly side: CompareSide;
  readonly messages: readonly ComparedMessage[];
  /** Numbers that make up its reward, or stand beside it, by name. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface Comparison {
  readonly rows: readonly CompareRow[];
  /** Position of the first token that differs, the same in both; null: none does. */
  readonly divergence: number | null;
  /** Whether something differs too much for a smallest difference. */
  readonly coarse: boolean;
}

/** Places where one message differs that are told, at most; one that differs in more is told as a whole. */
export const mostHunks = 20_000;

/**
 * Aligns two timelines by message, then the messages that differ by token. Messages that say the same are the same row;
 * of those between, the ones of one role stand against each other in order, and the others alone.
 */
export function compareMessages(
  left: readonly ComparedMessage[],
  right: readonly ComparedMessage[],
): Comparison {
  const rows = new Rows(left, right);
  const keys = new Numbers();
  const numbers = (side: readonly ComparedMessage[]): Int32Array =>
    Int32Array.from(side, ({ key }) => keys.of(key));
  const { hunks, coarse } = align(numbers(left), numbers(right));
  let at = { left: 0, right: 0 };
  for (const hunk of hunks) {
    rows.addPairs(at, hunk.left.from - at.left);
    rows.addHunk(hunk);
    at = { left: hunk.left.end, right: hunk.right.end };
  }
  rows.addPairs(at, left.length - at.left);
  return { rows: rows.rows, divergence: firstDifference(left, right), coarse: coarse || rows.coarse };
}

/** Small numbers for texts, the same for the same. */
class Numbers {
  readonly #known = new Map<string, number>();

  of(text: string): number {
    const known = this.#known.get(text) ?? this.#known.size;
    this.#known.set(text, known);
    return known;
  }
}

interface Places {
  readonly left: number;
  readonly right: number;
}

class Rows {
  readonly rows: CompareRow[] = [];
  coarse = false;
  readonly #left: readonly ComparedMessage[];
  readonly #right: readonly ComparedMessage[];
  readonly #first: { readonly left: Int32Array; readonly right: Int32Array };
  /** Work that is left for aligning tokens. */
  #steps = alignLimits.steps;

  constructor(left: readonly ComparedMessage[], right: readonly ComparedMessage[]) {
    this.#left = left;
    this.#right = right;
    this.#first = { left: firstTokens(left), right: firstTokens(right) };
  }

  /** Messages that say the same, as many from these places on. */
  addPairs({ left, right }: Places, length: number): void {
    for (let offset = 0; offset < length; offset++) this.#pair(left + offset, right + offset);
  }

  addHunk({ left, right }: Hunk): void {
    const roles = new Numbers();
    const of = (side: readonly ComparedMessage[], from: number, end: number): Int32Array =>
      Int32Array.from(side.slice(from, end), ({ role }) => roles.of(role));
    const { hunks } = align(of(this.#left, left.from, left.end), of(this.#right, right.from, right.end));
    let at = { left: left.from, right: right.from };
    for (const hunk of hunks) {
      const [leftFrom, rightFrom] = [left.from + hunk.left.from, right.from + hunk.right.from];
      this.addPairs(at, leftFrom - at.left);
      at = { left: left.from + hunk.left.end, right: right.from + hunk.right.end };
      for (let place = leftFrom; place < at.left; place++) this.#alone('left', place);
      for (let place = rightFrom; place < at.right; place++) this.#alone('right', place);
    }
    this.addPairs(at, left.end - at.left);
  }

  #alone(side: 'left' | 'right', place: number): void {
    const message = (side === 'left' ? this.#left : this.#right)[place];
    if (message === undefined) return;
    const range = this.#rangeOf(side, place, message);
    const none = { left: null, right: null };
    this.rows.push({ kind: side, role: message.role, ...none, [side]: range, sameText: false, hunks: [] });
  }

  #pair(left: number, right: number): void {
    const [one, other] = [this.#left[left], this.#right[right]];
    if (one === undefined || other === undefined) return;
    const sides = { left: this.#rangeOf('left', left, one), right: this.#rangeOf('right', right, other) };
    const start = commonPrefixLength(one.tokenIds, other.tokenIds);
    const same = start === one.tokenIds.length && start === other.tokenIds.length;
    const common = { role: one.role, ...sides, sameText: one.key === other.key };
    this.rows.push({
      kind: same ? 'same' : 'changed',
      ...common,
      hunks: same ? [] : this.#hunks(one, other),
    });
  }

  #rangeOf(side: 'left' | 'right', message: number, { tokenIds }: ComparedMessage): ComparedRange {
    return { message, firstToken: this.#first[side][message] ?? 0, tokens: tokenIds.length };
  }

  #hunks(one: ComparedMessage, other: ComparedMessage): CompareRow['hunks'] {
    const steps = Math.max(0, this.#steps);
    const found = align(one.tokenIds, other.tokenIds, { ...alignLimits, steps });
    this.#steps -= found.steps;
    if (found.coarse) this.coarse = true;
    const { hunks } = found;
    const [first, last] = [hunks[0], hunks.at(-1)];
    if (hunks.length <= mostHunks || first === undefined || last === undefined) return hunks.flatMap(flat);
    this.coarse = true;
    return flat({
      left: { from: first.left.from, end: last.left.end },
      right: { from: first.right.from, end: last.right.end },
    });
  }
}

function flat({ left, right }: Hunk): number[] {
  return [left.from, left.end, right.from, right.end];
}

function firstTokens(messages: readonly ComparedMessage[]): Int32Array {
  let first = 0;
  return Int32Array.from(messages, ({ tokenIds }) => {
    const own = first;
    first += tokenIds.length;
    return own;
  });
}

/** Where two timelines first have another token, whatever messages they are in; one that ends there differs, too. */
export function firstDifference(
  left: readonly ComparedMessage[],
  right: readonly ComparedMessage[],
): number | null {
  const [one, other] = [new Cursor(left), new Cursor(right)];
  let token = 0;
  for (;;) {
    const [rest, otherRest] = [one.rest(), other.rest()];
    if (rest === undefined && otherRest === undefined) return null;
    if (rest === undefined || otherRest === undefined) return token;
    const same = commonPrefixLength(rest, otherRest);
    token += same;
    if (same < rest.length && same < otherRest.length) return token;
    one.skip(same);
    other.skip(same);
  }
}

/** A place in the tokens of messages that stand one after the other. */
class Cursor {
  readonly #messages: readonly ComparedMessage[];
  #message = 0;
  #token = 0;

  constructor(messages: readonly ComparedMessage[]) {
    this.#messages = messages;
  }

  /** What is left of the message that it is in; undefined: it is at the end. */
  rest(): Int32Array | undefined {
    for (;;) {
      const tokenIds = this.#messages[this.#message]?.tokenIds;
      if (tokenIds === undefined) return undefined;
      if (this.#token < tokenIds.length) return tokenIds.subarray(this.#token);
      this.#message += 1;
      this.#token = 0;
    }
  }

  skip(tokens: number): void {
    this.#token += tokens;
  }
}
