import { largestWindow, type ReportView } from '../protocol/traceRpc.ts';
import type { EpisodeResult } from '../protocol/run.ts';
import { hintOf, levelOf } from '../tracking/finding.ts';
import { withSelection, type Selection } from '../protocol/selection.ts';
import { groupBy } from '../tracking/groupBy.ts';
import { trainingReport, type EpisodeVerdict } from '../tracking/report.ts';
import type { RunTerms } from '../tracking/runFindings.ts';
import type { StoredRun } from './records.ts';
import type { StoredTrace } from './stored.ts';

type ReportRules = Pick<StoredRun, 'repeat' | 'tokenizer' | 'judge'>;

/** The training report over all results of a trace, which are read once. */
export class RunReport {
  readonly #trace: StoredTrace;
  readonly #results: EpisodeResult[] = [];
  #sequence = 0;
  #selection: readonly Selection[] | undefined;
  #report: ReportView | undefined;

  constructor(trace: StoredTrace) {
    this.#trace = trace;
  }

  view(rules: ReportRules): ReportView {
    const added = this.#trace.resultsAfter(this.#sequence);
    // It is told with the run's end, after all results.
    const selection = this.#selection === undefined ? this.#trace.end()?.selection : undefined;
    if (added.length === 0 && selection === undefined && this.#report !== undefined) return this.#report;
    this.#selection ??= selection;
    this.#results.push(...added.map(({ result }) => result));
    this.#sequence = added.at(-1)?.sequence ?? this.#sequence;
    this.#report = reportView(withSelection(this.#results, this.#selection), rules);
    return this.#report;
  }
}

function reportView(results: readonly EpisodeResult[], rules: ReportRules): ReportView {
  const ordered = results.toSorted((a, b) => a.episode - b.episode);
  const { trains, doesNotTrain, findings } = trainingReport(ordered, termsOf(rules));
  return {
    trains,
    doesNotTrain,
    findings: findings.map(({ code, episodes, groups, ...found }) => ({
      ...found,
      code,
      level: levelOf(code),
      hint: hintOf(code),
      episodes: episodes.slice(0, largestWindow.episodes),
      groups: groups.length,
    })),
  };
}

export interface Verdict extends EpisodeVerdict {
  /** Whether episodes that have not ended may still change it. */
  readonly open: boolean;
}

/** What the report says of the episodes `first` … `last`; it depends on no more than the groups that they belong to. */
export function verdictsBetween(
  trace: StoredTrace,
  rules: ReportRules,
  first: number,
  last: number,
): ReadonlyMap<number, Verdict> {
  const size = Math.max(1, rules.repeat);
  const groupOf = (episode: number): number => Math.floor(episode / size);
  const results = trace.resultsBetween(groupOf(first) * size, (groupOf(last) + 1) * size - 1);
  const ended = groupBy(results, ({ episode }) => groupOf(episode));
  const { episodes } = trainingReport(results, termsOf(rules));
  return new Map(
    episodes.map((verdict) => {
      const open = (ended.get(groupOf(verdict.episode))?.length ?? 0) < size;
      return [verdict.episode, { ...verdict, open }];
    }),
  );
}

function termsOf({ repeat, tokenizer, judge }: ReportRules): RunTerms {
  return { repeat, approximate: !tokenizer.exact, judge };
}
