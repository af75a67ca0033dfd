import type { EpisodeResult } from './records/episodeResult.ts';
import { episodeFindings } from './episodeFindings.ts';
import { finding, type Finding, hintOf, preventsTraining } from './finding.ts';
import { groupBy } from './groupBy.ts';
import { groupOf, measuredGroup, type Group, type Member } from './groups.ts';
import { ReportTally, type CommonFinding, type RunTerms } from './reportTally.ts';
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
 * Returns which episodes training would learn from with group-relative advantages. An episode counts if it has a reward
 * and accepted tokens in the loss, and if the rewards of its task differ. `results` may be in any order.
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

/** Returns the verdicts of the ended episodes of a task. `size`: the number of episodes in the complete group. */
export function judgedGroup(group: number, results: readonly EpisodeResult[], size: number): JudgedGroup {
  const measured = measuredGroup(group, results, size);
  const verdict = { ...measured, findings: groupFindings(measured) };
  const episodes = results.map((result, index) => verdictOf(result, measured.members[index], verdict));
  return { group: verdict, episodes, results };
}

/** Compares only complete groups, since later episodes can change the baseline. */
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
    ? 'The only valid episode of the task has the reward 0, so the task gives no training signal.'
    : 'All repeats of the task have the same reward, so the task gives no training signal.';
  return finding('equal-rewards', message);
}

function singleEpisode(members: number): Finding {
  const of =
    members === 1 ? 'The task has one episode' : `Only one of the ${members} episodes of the task is valid`;
  return finding(
    'single-episode',
    `${of}, so there is nothing to compare it with and its advantage is its reward.`,
  );
}

function verdictOf(result: EpisodeResult, member: Member | undefined, group: GroupVerdict): EpisodeVerdict {
  const { episode, taskId, repeat } = result;
  const advantage = group.whole ? (member?.advantage ?? null) : null;
  const findings = [...episodeFindings(result), ...(advantage === null ? [] : group.findings)];
  const trains = !findings.some(preventsTraining);
  return { episode, taskId, repeat, trains, findings, advantage };
}

/** Formats the report for a terminal: the number of trained episodes, and each finding with its hint. */
export function formatTrainingReport(report: TrainingReport): string {
  const total = report.trains + report.doesNotTrain;
  const lines = [`${report.trains} of ${total} episodes would train`];
  for (const finding of report.findings) {
    const { severity, message, code } = finding;
    const whom = whomOf(finding, report);
    lines.push(`${severity}: ${whom === '' ? '' : `${whom}: `}${message} [${code}]`);
    const hint = hintOf(code);
    if (hint !== '') lines.push(`  ${hint}`);
  }
  return lines.join('\n');
}

/** The largest number of groups or episodes that a line lists. */
const mostNamed = 3;

function whomOf({ episodes, groups }: CommonFinding, report: TrainingReport): string {
  if (groups.length > 0) {
    const names = new Map(report.groups.map(({ group, taskId }) => [group, `task ${taskName(taskId)}`]));
    return counted(groups, names, 'group');
  }
  const names = new Map(report.episodes.map((verdict) => [verdict.episode, episodeName(verdict)]));
  return counted(episodes, names, 'episode');
}

function counted(concerned: readonly number[], names: ReadonlyMap<number, string>, what: string): string {
  const count = concerned.length;
  if (count === 0) return '';
  const named = concerned.slice(0, mostNamed).map((one) => names.get(one) ?? '');
  const more = count > named.length ? [`${count - named.length} more`] : [];
  return `${count} ${what}${count === 1 ? '' : 's'} (${[...named, ...more].join('; ')})`;
}

function episodeName({ taskId, repeat }: EpisodeVerdict): string {
  return `task ${taskName(taskId)}, repeat ${repeat}`;
}

/** Returns the id of a task, or a substitute if it has none. */
export function taskName(taskId: string): string {
  return taskId === '' ? '(no id)' : taskId;
}
