import { finding } from './finding.ts';
import { SortedNumbers, type CommonFinding } from './findingTally.ts';
import { groupBy } from './groupBy.ts';
import type { JudgedGroup } from './verdicts.ts';

/** The facts about a run that a report needs in addition to its results. */
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

interface Entry {
  readonly taskId: string;
  readonly episodes: readonly number[];
  /** The number of episodes that ended with a reward. */
  readonly scored: number;
  readonly byWorkflow: number;
}

/** Counts the findings about a run as a whole, by groups. */
export class RunTally {
  readonly #terms: RunTerms;
  readonly #groups = new Map<number, Entry>();
  readonly #byId = new Map<string, SortedNumbers>();
  /** Ids of more than one task. */
  readonly #shared = new Set<string>();
  #scored = 0;
  #byWorkflow = 0;

  constructor(terms: RunTerms) {
    this.#terms = terms;
  }

  put({ group: { group, taskId }, results }: JudgedGroup): void {
    this.#delete(group);
    const scored = results.filter(({ reward }) => reward !== null);
    const byWorkflow = scored.filter(({ scoredBy }) => scoredBy === 'workflow').length;
    const episodes = results.map(({ episode }) => episode);
    this.#groups.set(group, { taskId, episodes, scored: scored.length, byWorkflow });
    this.#scored += scored.length;
    this.#byWorkflow += byWorkflow;
    if (this.#terms.tasksComeAgain === true) return;
    const alike = this.#byId.get(taskId) ?? new SortedNumbers();
    this.#byId.set(taskId, alike);
    alike.add(group);
    if (alike.all.length > 1) this.#shared.add(taskId);
  }

  /** Episodes that have `duplicate-task-id` on account of these groups, of which some may have had it before. */
  colliding(groups: readonly number[]): readonly number[] {
    const put = new Set(groups);
    const ids = groupBy(groups, (group) => this.#groups.get(group)?.taskId ?? '');
    return [...ids].flatMap(([id, alike]) => {
      if (!this.#shared.has(id)) return [];
      // Where only one of the others has the id, the id was not shared before.
      const others = firstTwo(this.#byId.get(id)?.all ?? [], (group) => !put.has(group));
      const concerned = others.length === 1 ? [...alike, ...others] : alike;
      return concerned.flatMap((group) => this.#groups.get(group)?.episodes ?? []);
    });
  }

  /** @param most how many episodes each names */
  findings(most: number): readonly CommonFinding[] {
    if (this.#groups.size === 0) return [];
    return [
      ...this.#collidingIds(most),
      ...this.#unusedJudge(),
      ...(this.#terms.approximate ? [approximateTokenizer] : []),
    ];
  }

  #delete(group: number): void {
    const entry = this.#groups.get(group);
    if (entry === undefined) return;
    this.#scored -= entry.scored;
    this.#byWorkflow -= entry.byWorkflow;
    const alike = this.#byId.get(entry.taskId);
    alike?.delete(group);
    if ((alike?.all.length ?? 0) < 2) this.#shared.delete(entry.taskId);
  }

  #collidingIds(most: number): readonly CommonFinding[] {
    const shared = [...this.#shared].map((id) => ({ id, tasks: this.#byId.get(id)?.all ?? [] }));
    shared.sort((a, b) => (a.tasks[0] ?? 0) - (b.tasks[0] ?? 0));
    const [first] = shared;
    if (first === undefined) return [];
    const others = shared.length - 1;
    const more = others === 0 ? '' : `, and ${others} more id${others === 1 ? ' is' : 's are'} shared`;
    const { id, tasks } = first;
    const named = id === '' ? `${tasks.length} tasks have no id` : `${tasks.length} tasks have the id ${id}`;
    const message = `${named}${more}. In training they are one group, and their rewards are compared with each other.`;
    const groups = shared.flatMap((one) => one.tasks);
    const entries = groups.flatMap((group) => this.#groups.get(group) ?? []);
    const episodes: number[] = [];
    for (const entry of entries) {
      if (episodes.length >= most) break;
      episodes.push(...entry.episodes);
    }
    const count = entries.reduce((sum, entry) => sum + entry.episodes.length, 0);
    return [
      { ...finding('duplicate-task-id', message), count, episodes: episodes.slice(0, most), groups: [] },
    ];
  }

  #unusedJudge(): readonly CommonFinding[] {
    const { judge } = this.#terms;
    if (judge === undefined || this.#scored === 0 || this.#byWorkflow < this.#scored) return [];
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

function firstTwo(numbers: readonly number[], isWanted: (number: number) => boolean): readonly number[] {
  const found: number[] = [];
  for (const number of numbers) {
    if (isWanted(number)) found.push(number);
    if (found.length === 2) break;
  }
  return found;
}
