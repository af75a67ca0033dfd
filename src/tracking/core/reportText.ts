import { hintOf } from './finding.ts';
import type { CommonFinding } from './findingTally.ts';
import type { TrainingReport } from './report.ts';
import type { EpisodeVerdict } from './verdicts.ts';

/** The report for a terminal: how many would train, then for each kind of finding what it is and what to do. */
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

/** Groups or episodes that a line of the report names before it only counts. */
const mostNamed = 3;

function whomOf({ episodes, groups }: CommonFinding, report: TrainingReport): string {
  if (groups.length > 0) {
    const names = new Map(report.groups.map(({ group, taskId }) => [group, `task ${nameOf(taskId)}`]));
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
  return `task ${nameOf(taskId)}, repeat ${repeat}`;
}

function nameOf(taskId: string): string {
  return taskId === '' ? '(no id)' : taskId;
}
