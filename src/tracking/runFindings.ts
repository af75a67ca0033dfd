import type { EpisodeResult } from '../protocol/run.ts';
import { finding, type Finding } from './finding.ts';
import { groupBy } from './groupBy.ts';
import type { Group } from './groups.ts';

/** What a report must know of the run beside its results. */
export interface RunTerms {
  /** Episodes per task. */
  readonly repeat: number;
  /** Whether another tokenizer than the model's counted. */
  readonly approximate: boolean;
  /** As the config names it; undefined: it names none. */
  readonly judge: string | undefined;
}

export interface RunFinding extends Finding {
  /** Which it concerns; none: the run as a whole. */
  readonly episodes: readonly number[];
}

export function runFindings(
  results: readonly EpisodeResult[],
  groups: readonly Group[],
  terms: RunTerms,
): readonly RunFinding[] {
  if (results.length === 0) return [];
  return [
    ...collidingIds(groups),
    ...unusedJudge(results, terms.judge),
    ...(terms.approximate ? [approximateTokenizer] : []),
  ];
}

const approximateTokenizer: RunFinding = {
  ...finding(
    'approximate-tokenizer',
    'tokenizer: embedded, approximate: token ids and lengths are not those of training.',
  ),
  episodes: [],
};

function collidingIds(groups: readonly Group[]): readonly RunFinding[] {
  const shared = [...groupBy(groups, ({ taskId }) => taskId)].filter(([, tasks]) => tasks.length > 1);
  const [first] = shared;
  if (first === undefined) return [];
  const [id, tasks] = first;
  const others = shared.length - 1;
  const more = others === 0 ? '' : `, and ${others} more id${others === 1 ? ' is' : 's are'} shared`;
  const named = id === '' ? `${tasks.length} tasks have no id` : `${tasks.length} tasks have the id ${id}`;
  const message = `${named}${more}: in training they are one group, whose rewards are compared with each other.`;
  const episodes = shared.flatMap(([, alike]) => alike.flatMap(({ members }) => members));
  return [{ ...finding('colliding-ids', message), episodes: episodes.map(({ episode }) => episode) }];
}

function unusedJudge(results: readonly EpisodeResult[], judge: string | undefined): readonly RunFinding[] {
  const scored = results.filter(({ reward }) => reward !== null);
  const unused = scored.length > 0 && scored.every(({ scoredBy }) => scoredBy === 'workflow');
  if (judge === undefined || !unused) return [];
  const message = `The judge ${judge} was never asked: the workflow returned a reward in every episode that ended with one.`;
  return [{ ...finding('judge-unused', message), episodes: [] }];
}
