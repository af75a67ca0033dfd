import type { EpisodeResult } from '../protocol/run.ts';
import { episodeFindings } from './episodeFindings.ts';
import { finding, levelOf, type Finding } from './finding.ts';
import { groupBy } from './groupBy.ts';
import { groupsOf, type Group } from './groups.ts';
import { runFindings, type RunFinding, type RunTerms } from './runFindings.ts';

export interface EpisodeVerdict {
  readonly episode: number;
  readonly taskId: string;
  readonly repeat: number;
  /** Whether no finding is an error. */
  readonly trains: boolean;
  /** Those of its group among them. */
  readonly findings: readonly Finding[];
  /** Null while its group is not whole, and where it makes no sample. */
  readonly advantage: number | null;
}

export interface GroupVerdict extends Group {
  readonly findings: readonly Finding[];
}

/** Findings of one code and severity. Where their sentences differ, `message` is the first, marked as an example. */
export interface CommonFinding extends Finding {
  /** Of the episodes that it concerns; 0: it is about the run. */
  readonly count: number;
  readonly episodes: readonly number[];
  /** Positions of the groups that have it; none where it is not about groups. */
  readonly groups: readonly number[];
}

export interface TrainingReport {
  readonly trains: number;
  readonly doesNotTrain: number;
  /** In the order of the episodes given. */
  readonly episodes: readonly EpisodeVerdict[];
  /** In the order of the tasks. */
  readonly groups: readonly GroupVerdict[];
  /** Errors first, then by how many episodes they concern; those of the run come last. */
  readonly findings: readonly CommonFinding[];
}

/**
 * Which episodes training would learn from, as group-relative advantages make it: an episode counts when it ended
 * with a reward, has tokens in the loss that nothing refuses, and its task's rewards are not all equal.
 *
 * @param results of the episodes that ended, in any order; results of one task are `repeat` consecutive episodes
 */
export function trainingReport(results: readonly EpisodeResult[], terms: RunTerms): TrainingReport {
  const groups = groupsOf(results, terms.repeat).map((group): GroupVerdict => {
    return { ...group, findings: groupFindings(group) };
  });
  const episodes = verdicts(results, groups);
  const trains = episodes.filter((verdict) => verdict.trains).length;
  return {
    trains,
    doesNotTrain: episodes.length - trains,
    episodes,
    groups,
    findings: [...commonFindings(episodes, groups), ...runFindings(results, groups, terms).map(ofRun)],
  };
}

/** Of whole groups only: episodes to come may change what the others are compared with. */
function groupFindings({ members, whole }: Group): readonly Finding[] {
  const compared = members.filter(({ stepReward }) => stepReward !== null);
  const [first] = compared;
  if (!whole || first === undefined) return [];
  const single = compared.length === 1;
  const alike = compared.every(({ stepReward }) => stepReward === first.stepReward);
  return [
    ...(single && first.stepReward !== 0 ? [singleEpisode(members.length)] : []),
    ...(alike && (!single || first.stepReward === 0) ? [equalRewards(single)] : []),
  ];
}

function equalRewards(single: boolean): Finding {
  const message = single
    ? 'The only episode of the task that counts has the reward 0, so its advantage is 0 and there is no gradient.'
    : 'All episodes of the task have the same reward, so every advantage is 0 and there is no gradient.';
  return finding('equal-rewards', message);
}

function singleEpisode(members: number): Finding {
  const of = members === 1 ? 'The task has one episode' : `Of the task’s ${members} episodes one counts`;
  return finding(
    'single-episode',
    `${of}, so its advantage is its reward: there is nothing to compare it with.`,
  );
}

function verdicts(
  results: readonly EpisodeResult[],
  groups: readonly GroupVerdict[],
): readonly EpisodeVerdict[] {
  const inGroup = new Map(
    groups
      .filter(({ whole }) => whole)
      .flatMap(({ members, findings }) =>
        members.flatMap(({ episode, advantage }) =>
          advantage === null ? [] : [[episode, { advantage, findings }] as const],
        ),
      ),
  );
  return results.map((result) => {
    const { episode, taskId, repeat } = result;
    const findings = [...episodeFindings(result), ...(inGroup.get(episode)?.findings ?? [])];
    const trains = findings.every(({ severity }) => severity !== 'error');
    return { episode, taskId, repeat, trains, findings, advantage: inGroup.get(episode)?.advantage ?? null };
  });
}

function commonFindings(
  episodes: readonly EpisodeVerdict[],
  groups: readonly GroupVerdict[],
): readonly CommonFinding[] {
  const found = episodes.flatMap(({ episode, findings }) => findings.map((one) => ({ episode, one })));
  const kinds = [...groupBy(found, ({ one }) => `${one.severity} ${one.code}`).values()];
  return kinds
    .flatMap((kind): CommonFinding[] => {
      const first = kind[0]?.one;
      if (first === undefined) return [];
      const alike = kind.every(({ one }) => one.message === first.message);
      const concerned = [...new Set(kind.map(({ episode }) => episode))];
      return [
        {
          ...first,
          message: alike ? first.message : `e.g. ${first.message}`,
          count: concerned.length,
          episodes: concerned,
          groups: groupsWith(first, groups),
        },
      ];
    })
    .sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

function groupsWith({ code }: Finding, groups: readonly GroupVerdict[]): readonly number[] {
  if (levelOf(code) !== 'group') return [];
  return groups.flatMap(({ group, findings }) => (findings.some((one) => one.code === code) ? [group] : []));
}

function ofRun(found: RunFinding): CommonFinding {
  return { ...found, count: found.episodes.length, groups: [] };
}

function rank({ severity }: Finding): number {
  return severity === 'error' ? 0 : 1;
}
