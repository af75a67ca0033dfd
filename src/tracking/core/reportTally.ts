import { finding, levelOf, preventsTraining, type Finding } from './finding.ts';
import type { JudgedGroup } from './verdicts.ts';

export interface RunTerms {
  /** Episodes per task. */
  readonly repeat: number;
  /** True if another tokenizer than the model's counted. */
  readonly approximate: boolean;
  /** The judge in the config. Undefined if there is none. */
  readonly judge: string | undefined;
  /** True if a task can have several groups, such as one in each training step. */
  readonly tasksComeAgain?: boolean;
}

/** All findings of one code and severity. If their messages differ, `message` is the first one, marked as an example. */
export interface CommonFinding extends Finding {
  /** The number of affected episodes. 0: it is about the run. */
  readonly count: number;
  readonly episodes: readonly number[];
  /** The positions of its groups; empty if it is not about groups. */
  readonly groups: readonly number[];
}

/** Findings of one code and severity, in one group or in the run. */
interface Kind {
  readonly first: Finding;
  readonly episodes: Set<number>;
  readonly messages: Set<string>;
}

interface GroupCounts {
  readonly taskId: string;
  readonly episodes: readonly number[];
  readonly trains: number;
  /** The number of episodes that ended with a reward, and of those whose workflow returned it. */
  readonly scored: number;
  readonly byWorkflow: number;
  /** By severity and code. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** Counts the numbers of a training report. A new result is counted with its group only. */
export class ReportTally {
  readonly #terms: RunTerms;
  readonly #groups = new Map<number, GroupCounts>();
  readonly #byTask = new Map<string, Set<number>>();

  constructor(terms: RunTerms) {
    this.#terms = terms;
  }

  /** Adds a group, or replaces what was counted for it before. */
  put(judged: JudgedGroup): void {
    const { group, taskId } = judged.group;
    const before = this.#groups.get(group);
    if (before !== undefined) this.#byTask.get(before.taskId)?.delete(group);
    this.#groups.set(group, countsOf(judged));
    if (this.#terms.tasksComeAgain === true) return;
    this.#byTask.set(taskId, (this.#byTask.get(taskId) ?? new Set()).add(group));
  }

  counts(): { readonly trains: number; readonly doesNotTrain: number } {
    const trains = this.#sum(({ trains: count }) => count);
    return { trains, doesNotTrain: this.#sum(({ episodes }) => episodes.length) - trains };
  }

  /**
   * Sorts those that prevent training first, then by number of episodes, then those of the run.
   *
   * @param most how many episodes each names
   */
  findings(most = Infinity): readonly CommonFinding[] {
    const common = this.#common(most).sort((a, b) => rank(a) - rank(b) || b.count - a.count);
    return [...common, ...this.#ofRun(most)];
  }

  has(group: number): boolean {
    return this.#groups.has(group);
  }

  /** Episodes that have `duplicate-task-id` on account of these groups, of which some may have had it before. */
  colliding(groups: readonly number[]): readonly number[] {
    const put = new Set(groups);
    const concerned = new Set<number>();
    for (const group of groups) {
      const alike = this.#byTask.get(this.#groups.get(group)?.taskId ?? '') ?? new Set();
      if (alike.size < 2) continue;
      concerned.add(group);
      const [other, ...more] = [...alike].filter((one) => !put.has(one));
      if (other !== undefined && more.length === 0) concerned.add(other);
    }
    return [...concerned].flatMap((group) => this.#groups.get(group)?.episodes ?? []);
  }

  #sum(count: (group: GroupCounts) => number): number {
    return [...this.#groups.values()].reduce((sum, group) => sum + count(group), 0);
  }

  #common(most: number): CommonFinding[] {
    const kinds = new Map<string, Kind & { readonly groups: number[] }>();
    for (const [group, { kinds: own }] of [...this.#groups].sort(([a], [b]) => a - b)) {
      for (const [key, { first, episodes, messages }] of own) {
        const kind = kinds.get(key) ?? { first, episodes: new Set(), messages: new Set(), groups: [] };
        kinds.set(key, kind);
        kind.groups.push(group);
        for (const episode of episodes) kind.episodes.add(episode);
        for (const message of messages) kind.messages.add(message);
      }
    }
    return [...kinds.values()].map(({ first, episodes, messages, groups }) => ({
      ...first,
      message: messages.size === 1 ? first.message : `e.g. ${first.message}`,
      count: episodes.size,
      episodes: [...episodes].slice(0, most),
      groups: levelOf(first.code) === 'group' ? groups : [],
    }));
  }

  #ofRun(most: number): readonly CommonFinding[] {
    if (this.#groups.size === 0) return [];
    return [
      ...this.#duplicateIds(most),
      ...this.#unusedJudge(),
      ...(this.#terms.approximate ? [approximateTokenizer] : []),
    ];
  }

  #duplicateIds(most: number): readonly CommonFinding[] {
    const shared = [...this.#byTask]
      .filter(([, groups]) => groups.size > 1)
      .map(([id, groups]) => ({ id, groups: [...groups].sort((a, b) => a - b) }))
      .sort((a, b) => (a.groups[0] ?? 0) - (b.groups[0] ?? 0));
    const [first] = shared;
    if (first === undefined) return [];
    const others = shared.length - 1;
    const more = others === 0 ? '' : `, and ${others} more id${others === 1 ? ' is' : 's are'} shared`;
    const tasks = first.groups.length;
    const named = first.id === '' ? `${tasks} tasks have no id` : `${tasks} tasks have the id ${first.id}`;
    const message = `${named}${more}. In training they are one group, and their rewards are compared with each other.`;
    const episodes = shared.flatMap(({ groups }) =>
      groups.flatMap((group) => this.#groups.get(group)?.episodes ?? []),
    );
    const count = episodes.length;
    return [
      { ...finding('duplicate-task-id', message), count, episodes: episodes.slice(0, most), groups: [] },
    ];
  }

  #unusedJudge(): readonly CommonFinding[] {
    const { judge } = this.#terms;
    const scored = this.#sum((group) => group.scored);
    const byWorkflow = this.#sum((group) => group.byWorkflow);
    if (judge === undefined || scored === 0 || byWorkflow < scored) return [];
    const message = `The judge ${judge} was never called, because the workflow returned all rewards.`;
    return [{ ...finding('judge-unused', message), ...ofTheRun }];
  }
}

const ofTheRun = { count: 0, episodes: [], groups: [] } as const;

const approximateTokenizer: CommonFinding = {
  ...finding(
    'approximate-tokenizer',
    'tokenizer: built-in, approximate: token ids and lengths differ from training.',
  ),
  ...ofTheRun,
};

function countsOf({ group: { taskId }, episodes, results }: JudgedGroup): GroupCounts {
  const kinds = new Map<string, Kind>();
  for (const { episode, findings } of episodes) {
    for (const one of findings) {
      const key = `${one.severity} ${one.code}`;
      const kind = kinds.get(key) ?? { first: one, episodes: new Set(), messages: new Set() };
      kinds.set(key, kind);
      kind.episodes.add(episode);
      kind.messages.add(one.message);
    }
  }
  const scored = results.filter(({ reward }) => reward !== null);
  return {
    taskId,
    episodes: results.map(({ episode }) => episode),
    trains: episodes.filter(({ trains }) => trains).length,
    scored: scored.length,
    byWorkflow: scored.filter(({ scoredBy }) => scoredBy === 'workflow').length,
    kinds,
  };
}

function rank(finding: Finding): number {
  return preventsTraining(finding) ? 0 : 1;
}
