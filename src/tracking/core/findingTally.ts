import { levelOf, type Finding } from './finding.ts';

/** All findings of one code and severity. If their messages differ, `message` is the first one, marked as an example. */
export interface CommonFinding extends Finding {
  /** The number of affected episodes. 0: it is about the run. */
  readonly count: number;
  readonly episodes: readonly number[];
  /** The positions of its groups; empty if it is not about groups. */
  readonly groups: readonly number[];
}

/** Findings of one code and severity in one group. */
export interface GroupFindings {
  readonly first: Finding;
  /** The position of the first one in the findings of the group. */
  readonly at: number;
  readonly episodes: ReadonlySet<number>;
  readonly messages: readonly string[];
}

/** Findings of one code and severity in a run, counted by groups. */
export class FindingTally {
  readonly #groups = new SortedNumbers();
  readonly #found = new Map<number, GroupFindings>();
  /** The number of occurrences by message. */
  readonly #messages = new Map<string, number>();
  #count = 0;

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  add(group: number, found: GroupFindings): void {
    this.#groups.add(group);
    this.#found.set(group, found);
    this.#count += found.episodes.size;
    for (const message of found.messages) {
      this.#messages.set(message, (this.#messages.get(message) ?? 0) + 1);
    }
  }

  delete(group: number): void {
    const found = this.#found.get(group);
    if (found === undefined) return;
    this.#groups.delete(group);
    this.#found.delete(group);
    this.#count -= found.episodes.size;
    for (const message of found.messages) {
      const left = (this.#messages.get(message) ?? 0) - 1;
      if (left > 0) this.#messages.set(message, left);
      else this.#messages.delete(message);
    }
  }

  /** The position of the first one: the group, and the index in it. */
  get place(): readonly [group: number, at: number] {
    const [group = Infinity] = this.#groups.all;
    return [group, this.#found.get(group)?.at ?? 0];
  }

  /**
   * Returns the finding for the whole run; undefined if there is none.
   *
   * @param most the largest number of listed episodes; all are counted
   */
  common(most: number): CommonFinding | undefined {
    const first = this.#found.get(this.place[0])?.first;
    if (first === undefined) return undefined;
    return {
      ...first,
      message: this.#messages.size === 1 ? first.message : `e.g. ${first.message}`,
      count: this.#count,
      episodes: this.#episodes(most),
      groups: levelOf(first.code) === 'group' ? this.#groups.all : [],
    };
  }

  #episodes(most: number): readonly number[] {
    const episodes: number[] = [];
    for (const group of this.#groups.all) {
      if (episodes.length >= most) break;
      episodes.push(...(this.#found.get(group)?.episodes ?? []));
    }
    return episodes.slice(0, most);
  }
}

/** A sorted set of numbers. */
export class SortedNumbers {
  readonly #numbers: number[] = [];

  get all(): readonly number[] {
    return this.#numbers;
  }

  add(number: number): void {
    const at = this.#placeOf(number);
    if (this.#numbers[at] !== number) this.#numbers.splice(at, 0, number);
  }

  delete(number: number): void {
    const at = this.#placeOf(number);
    if (this.#numbers[at] === number) this.#numbers.splice(at, 1);
  }

  #placeOf(number: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
