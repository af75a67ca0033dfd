import { levelOf, type Finding } from './finding.ts';
import { SortedNumbers } from './sortedNumbers.ts';

/** Findings of one code and severity. Where their sentences differ, `message` is the first, marked as an example. */
export interface CommonFinding extends Finding {
  /** Of the episodes that it concerns; 0: it is about the run. */
  readonly count: number;
  readonly episodes: readonly number[];
  /** Positions of the groups that have it; none where it is not about groups. */
  readonly groups: readonly number[];
}

/** Findings of one code and severity in one group. */
export interface GroupFindings {
  readonly first: Finding;
  /** Place of the first among all findings of the group. */
  readonly at: number;
  readonly episodes: ReadonlySet<number>;
  readonly messages: readonly string[];
}

/** Findings of one code and severity in a run, counted by groups. */
export class FindingTally {
  readonly #groups = new SortedNumbers();
  readonly #found = new Map<number, GroupFindings>();
  /** How often each sentence was said. */
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

  /** Where it is found first: the group, and the place in it. */
  get place(): readonly [group: number, at: number] {
    const [group = Infinity] = this.#groups.all;
    return [group, this.#found.get(group)?.at ?? 0];
  }

  /** @param most how many episodes it names; it counts all. Undefined: there is none */
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
