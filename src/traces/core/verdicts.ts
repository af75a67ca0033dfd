import type { StoredRun } from '../../tracking/core/records/tracedRun.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import { groupBy } from '../../tracking/core/groupBy.ts';
import { groupOf } from '../../tracking/core/groups.ts';
import { judgedGroup } from '../../tracking/core/report.ts';
import type { RunTerms } from '../../tracking/core/reportTally.ts';
import type { EpisodeVerdict, JudgedGroup } from '../../tracking/core/verdicts.ts';
import type { TraceQueries } from './traceQueries.ts';

export type ReportRules = Pick<StoredRun, 'repeat' | 'tokenizer' | 'judge' | 'imported'>;

export interface Verdict extends EpisodeVerdict {
  /** True if episodes that have not ended may still change it. */
  readonly open: boolean;
}

export function verdictsOf(
  trace: TraceQueries,
  rules: ReportRules,
  episodes: readonly number[],
): ReadonlyMap<number, Verdict> {
  const size = sizeOf(rules);
  const wanted = new Set(episodes.map((episode) => groupOf(episode, size)));
  const results = groupBy(trace.resultsOfGroups([...wanted], size), ({ episode }) => groupOf(episode, size));
  return new Map(
    [...results].flatMap(([group, members]) => {
      const open = members.length < size;
      return judged(group, members, rules).episodes.map((one) => [one.episode, { ...one, open }] as const);
    }),
  );
}

/** Returns false for imports without tokens, loss masks or rewards: whether they would train is unknown. */
export function isJudgeable({ imported }: Pick<StoredRun, 'imported'>): boolean {
  const needed = ['tokens', 'lossMask', 'rewards'] as const;
  return imported === undefined || needed.every((one) => !imported.lacks.includes(one));
}

/** Episodes per task. */
export function sizeOf({ repeat }: Pick<StoredRun, 'repeat'>): number {
  return Number.isInteger(repeat) ? Math.max(1, repeat) : 1;
}

/** @param results the results of its ended episodes, in order */
export function judged(group: number, results: readonly EpisodeResult[], rules: ReportRules): JudgedGroup {
  const verdict = judgedGroup(group, results, sizeOf(rules));
  if (isJudgeable(rules)) return verdict;
  const isKnown = ({ code }: { readonly code: string }): boolean => code !== 'not-tracked';
  const episodes = verdict.episodes.map((one) => ({ ...one, findings: one.findings.filter(isKnown) }));
  return { ...verdict, episodes };
}

export function termsOf({ repeat, tokenizer, judge, imported }: ReportRules): RunTerms {
  return { repeat, approximate: !tokenizer.exact, judge, tasksComeAgain: imported !== undefined };
}
