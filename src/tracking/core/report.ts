import type { EpisodeResult } from './records/episodeResult.ts';
import { episodeFindings } from './episodeFindings.ts';
import { finding, type Finding } from './finding.ts';
import { groupBy } from './groupBy.ts';
import { groupOf } from './groupOf.ts';
import { measuredGroup, type Group, type Member } from './groups.ts';
import type { CommonFinding } from './findingTally.ts';
import { ReportTally } from './reportTally.ts';
import type { RunTerms } from './runTally.ts';
import type { EpisodeVerdict, GroupVerdict, JudgedGroup } from './verdicts.ts';

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
 * @param results of the episodes that ended, in any order; those of one task are `repeat` consecutive ones
 */
export function trainingReport(results: readonly EpisodeResult[], terms: RunTerms): TrainingReport {
  const size = Math.max(1, terms.repeat);
  const byGroup = [...groupBy(results, ({ episode }) => groupOf(episode, size))].sort(([a], [b]) => a - b);
  const tally = new ReportTally(terms);
  const verdicts = new Map<EpisodeResult, EpisodeVerdict>();
  const groups = byGroup.map(([group, members]) => {
    const judged = judgedGroup(group, members, size);
    tally.put(judged);
    judged.episodes.forEach((verdict, index) => {
      const result = members[index];
      if (result !== undefined) verdicts.set(result, verdict);
    });
    return judged.group;
  });
  const episodes = results.flatMap((result) => verdicts.get(result) ?? []);
  return { ...tally.counts(), episodes, groups, findings: tally.findings() };
}

/**
 * What is said of the episodes of a task that ended, which depends on no other task's.
 *
 * @param group position of the task in the run
 * @param size how many episodes it is to have
 */
export function judgedGroup(group: number, results: readonly EpisodeResult[], size: number): JudgedGroup {
  const measured = measuredGroup(group, results, size);
  const verdict = { ...measured, findings: groupFindings(measured) };
  const episodes = results.map((result, index) => verdictOf(result, measured.members[index], verdict));
  return { group: verdict, episodes, results };
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

function verdictOf(result: EpisodeResult, member: Member | undefined, group: GroupVerdict): EpisodeVerdict {
  const { episode, taskId, repeat } = result;
  const advantage = group.whole ? (member?.advantage ?? null) : null;
  const findings = [...episodeFindings(result), ...(advantage === null ? [] : group.findings)];
  const trains = findings.every(({ severity }) => severity !== 'error');
  return { episode, taskId, repeat, trains, findings, advantage };
}
