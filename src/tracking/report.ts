import type { EpisodeResult } from '../protocol/run.ts';
import { groupBy } from './groupBy.ts';

/** A reason why an episode does not train, or what to look at. */
export interface Finding {
  /** Stable, e.g. `equal-rewards`; the tracker's problems keep their codes. */
  readonly code: string;
  /** `error`: the episode adds nothing to training. */
  readonly severity: 'error' | 'warning';
  /** One sentence. */
  readonly message: string;
}

export interface EpisodeVerdict {
  readonly episode: number;
  readonly taskId: string;
  readonly repeat: number;
  /** Whether no finding is an error. */
  readonly trains: boolean;
  readonly findings: readonly Finding[];
}

/** Findings of one code and severity. Where their sentences differ, `message` is the first, marked as an example. */
export interface CommonFinding extends Finding {
  readonly count: number;
  readonly episodes: readonly number[];
}

export interface TrainingReport {
  readonly trains: number;
  readonly doesNotTrain: number;
  /** In the order of the episodes given. */
  readonly episodes: readonly EpisodeVerdict[];
  /** Errors first, then by how many episodes they concern. */
  readonly findings: readonly CommonFinding[];
  readonly approximate: boolean;
}

export interface ReportOptions {
  /** Episodes per task. */
  readonly repeat: number;
  /** Whether another tokenizer than the model's counted. */
  readonly approximate: boolean;
}

/**
 * Which episodes training would learn from, as group-relative advantages make it: an episode counts when it ended
 * with a reward, has tokens in the loss that nothing refuses, and its task's rewards are not all equal.
 *
 * @param results of the episodes that ended, in any order; results of one task are `repeat` consecutive episodes
 */
export function trainingReport(results: readonly EpisodeResult[], options: ReportOptions): TrainingReport {
  const equal = episodesOfEqualRewards(results, options.repeat);
  const episodes = results.map((result): EpisodeVerdict => {
    const findings = [...ownFindings(result), ...(equal.has(result) ? [equalRewards] : [])];
    const { episode, taskId, repeat } = result;
    const trains = findings.every(({ severity }) => severity !== 'error');
    return { episode, taskId, repeat, trains, findings };
  });
  const trains = episodes.filter((verdict) => verdict.trains).length;
  return {
    trains,
    doesNotTrain: episodes.length - trains,
    episodes,
    findings: commonFindings(episodes),
    approximate: options.approximate,
  };
}

/** The report for a terminal: how many would train, then a line for each kind of finding. */
export function formatTrainingReport(report: TrainingReport): string {
  const total = report.trains + report.doesNotTrain;
  const names = new Map(report.episodes.map((verdict) => [verdict.episode, nameOf(verdict)]));
  const lines = [`${report.trains} of ${total} episodes would train`];
  for (const finding of report.findings) {
    const named = finding.episodes.slice(0, mostNamed).map((episode) => names.get(episode) ?? '');
    const more = finding.count > named.length ? [`${finding.count - named.length} more`] : [];
    const count = `${finding.count} episode${finding.count === 1 ? '' : 's'}`;
    const who = [...named, ...more].join('; ');
    lines.push(`${finding.severity}: ${count} (${who}): ${finding.message} [${finding.code}]`);
  }
  if (report.approximate) {
    lines.push('tokenizer: embedded, approximate: token ids and lengths are not those of training');
  }
  return lines.join('\n');
}

/** Episodes that a line of the report names before it only counts. */
const mostNamed = 3;

const equalRewards: Finding = {
  code: 'equal-rewards',
  severity: 'error',
  message: 'All episodes of the task have the same reward, so every advantage is 0 and there is no gradient.',
};

function ownFindings(result: EpisodeResult): readonly Finding[] {
  const { tracking, error } = result;
  const problems = tracking?.problems ?? [];
  const injected = faultFinding(result);
  if (error !== null && injected !== undefined) return [injected, ...problems];
  if (error !== null) {
    const message = `The episode ended with an error: ${error.message.split('\n')[0] ?? ''}`;
    return [{ code: 'episode-error', severity: 'error', message }, ...problems];
  }
  if (tracking === undefined) {
    const message = 'Its calls were not tracked: the process ended before, or its tokenizer failed.';
    return [{ code: 'not-tracked', severity: 'error', message }];
  }
  if (tracking.timelines === 0) {
    const message =
      'No LLM call of the episode was answered through the tuner, so there is nothing to train on.';
    return [{ code: 'no-call', severity: 'error', message }, ...problems];
  }
  if (tracking.trainableTokens === 0) {
    const message = 'No token of the episode counts in the loss.';
    return [{ code: 'nothing-trainable', severity: 'error', message }, ...problems];
  }
  return injected === undefined ? problems : [injected, ...problems];
}

/** Training injects nothing, so what faults did to an episode says nothing of it. */
function faultFinding({ faults = [], error }: EpisodeResult): Finding | undefined {
  if (faults.length === 0) return undefined;
  const kinds = [...new Set(faults.map(({ kind }) => kind))].join(', ');
  return error === null
    ? {
        code: 'injected-fault',
        severity: 'warning',
        message: `Faults were injected into its calls (${kinds}), so its reward is not only the model's doing.`,
      }
    : {
        code: 'lost-to-injected-fault',
        severity: 'error',
        message: `The episode was lost after faults had been injected into its calls (${kinds}): ${error.message.split('\n')[0] ?? ''}`,
      };
}

/** The scored episodes of whole groups whose rewards are all equal. A single episode is its own baseline: it trains. */
function episodesOfEqualRewards(results: readonly EpisodeResult[], repeat: number): Set<EpisodeResult> {
  const size = Math.max(1, repeat);
  const groups = groupBy(results, ({ episode }) => Math.floor(episode / size));
  const equal = [...groups.values()]
    .filter((group) => group.length === size)
    .map(scored)
    .filter(allEqual);
  return new Set(equal.flat());
}

function scored(group: readonly EpisodeResult[]): readonly EpisodeResult[] {
  return group.filter(({ reward }) => reward !== null);
}

function allEqual(group: readonly EpisodeResult[]): boolean {
  const rewards = group.map(({ reward, tracking }) => tracking?.madnessReward ?? reward);
  return rewards.length >= 2 && rewards.every((reward) => reward === rewards[0]);
}

function commonFindings(episodes: readonly EpisodeVerdict[]): readonly CommonFinding[] {
  const found = episodes.flatMap(({ episode, findings }) =>
    findings.map((finding) => ({ episode, finding })),
  );
  const kinds = [...groupBy(found, ({ finding }) => `${finding.severity} ${finding.code}`).values()];
  return kinds
    .flatMap((kind): CommonFinding[] => {
      const first = kind[0]?.finding;
      if (first === undefined) return [];
      const alike = kind.every(({ finding }) => finding.message === first.message);
      const concerned = [...new Set(kind.map(({ episode }) => episode))];
      const message = alike ? first.message : `e.g. ${first.message}`;
      return [{ ...first, message, count: concerned.length, episodes: concerned }];
    })
    .sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

function rank({ severity }: Finding): number {
  return severity === 'error' ? 0 : 1;
}

function nameOf({ taskId, repeat }: EpisodeVerdict): string {
  return `task ${taskId === '' ? '(no id)' : taskId}, repeat ${repeat}`;
}
