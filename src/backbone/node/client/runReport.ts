/** Formats a run as text for the terminal and the debug console. */
import { formatReport, type ErrorReport } from '../../../base/core/errors.ts';
import type { EpisodeResult, EpisodeTracking } from '../../../tracking/core/records/episodeResult.ts';
import {
  formatTrainingReport,
  taskName,
  trainingReport,
  type TrainingReport,
} from '../../../tracking/core/report.ts';
import {
  formatValidation,
  validationMetrics,
  type ValidationMetrics,
} from '../../core/protocol/validation.ts';
import type { RunStarted } from './runProgress.ts';
import { measures, type Group } from '../../../tracking/core/groups.ts';

/** Returns the episodes of a run in order. */
export function inOrder(results: readonly EpisodeResult[]): EpisodeResult[] {
  return [...results].sort((a, b) => a.episode - b.episode);
}

/** Formats the results of a run: episodes, groups, training report and the path of its trace. */
export function formatResults(results: readonly EpisodeResult[], run: RunStarted): string {
  const sorted = inOrder(results);
  const report = reportOf(sorted, run);
  if (run.judged !== undefined) return `${formatJudged(sorted, report.groups)}\ntrace: ${run.judged}`;
  const trace = typeof run.trace === 'string' ? `\ntrace: ${run.trace}` : '';
  const metrics = metricsOf(sorted, run);
  const validation = metrics === undefined ? '' : `${formatValidation(metrics)}\n\n`;
  return `${formatTable(sorted, report.groups)}\n\n${validation}${formatTrainingReport(report)}${trace}`;
}

/** Returns the metrics of a validation run. */
export function metricsOf(
  results: readonly EpisodeResult[],
  run: RunStarted | undefined,
): ValidationMetrics | undefined {
  return run?.mode === 'validate' ? validationMetrics(results, run.repeat) : undefined;
}

export function reportOf(results: readonly EpisodeResult[], run: RunStarted | undefined): TrainingReport {
  const approximate = run?.tokenizer?.exact === false;
  return trainingReport(results, { repeat: run?.repeat ?? 1, approximate, judge: run?.judge });
}

/** Formats episodes that were scored again, as {@link formatTable} with recorded and new rewards. */
export function formatJudged(results: readonly EpisodeResult[], groups: readonly Group[]): string {
  const episodes = table(
    ['task', 'repeat', 'episode', 'recorded', 'reward', 'difference', 'success', 'time'],
    results.map((result) => [
      taskName(result.taskId),
      String(result.repeat),
      String(result.episode),
      formatReward(result.recorded?.reward ?? null),
      formatReward(result.reward),
      formatDifference(rewardDifference(result)),
      result.error === null ? yesNo(result.isSuccess) : 'error',
      `${result.seconds.toFixed(2)} s`,
    ]),
  );
  return `${episodes}\n\n${groupTable(results, groups)}`;
}

/** Returns the new reward minus the recorded one; null if one of them is missing. */
export function rewardDifference({ reward, recorded }: EpisodeResult): number | null {
  const before = recorded?.reward ?? null;
  return reward === null || before === null ? null : reward - before;
}

function formatDifference(difference: number | null): string {
  const text = formatReward(difference);
  return difference !== null && difference > 0 ? `+${text}` : text;
}

/** One line per episode, then the groups' and the run's means. */
export function formatTable(results: readonly EpisodeResult[], groups: readonly Group[]): string {
  const episodes = table(
    ['task', 'repeat', 'calls', 'timelines', 'tokens', 'trainable', 'reward', 'success', 'time'],
    results.map((result) => [
      taskName(result.taskId),
      String(result.repeat),
      String(result.llmCalls),
      ...trackingCells(result.tracking),
      formatReward(result.reward),
      result.error === null ? yesNo(result.isSuccess) : 'error',
      `${result.seconds.toFixed(2)} s`,
    ]),
  );
  return `${episodes}\n\n${groupTable(results, groups)}`;
}

function groupTable(results: readonly EpisodeResult[], groups: readonly Group[]): string {
  return table(
    ['group', 'episodes', 'failed', 'mean reward', 'deviation', 'success rate'],
    [
      ...groups.map((group) => ({ name: taskName(group.taskId), ...group })),
      { name: 'run', deviation: null, ...measures(results) },
    ].map((row) => [
      row.name,
      String(row.episodes),
      String(row.failed),
      formatReward(row.meanReward),
      formatReward(row.deviation),
      row.successRate === null ? '-' : `${Math.round(row.successRate * 100)} %`,
    ]),
  );
}

/** Returns the numbers of timelines, tokens and trainable tokens, or dashes if the process ended too early. */
function trackingCells(tracking: EpisodeTracking | undefined): readonly string[] {
  if (tracking === undefined) return ['-', '-', '-'];
  return [tracking.timelines, tracking.tokens, tracking.trainableTokens].map(String);
}

/** Each different error once, with how many episodes it ended and which was the first. */
export function formatEpisodeErrors(
  results: readonly EpisodeResult[],
  options: { verbose?: boolean } = {},
): string[] {
  const seen = new Map<string, { report: ErrorReport; first: EpisodeResult; count: number }>();
  for (const result of results) {
    if (result.error === null) continue;
    const key = formatReport(result.error);
    const entry = seen.get(key);
    if (entry === undefined) seen.set(key, { report: result.error, first: result, count: 1 });
    else entry.count += 1;
  }
  return [...seen.values()].map(({ report, first, count }) => {
    const which = `task ${taskName(first.taskId)}, repeat ${first.repeat}`;
    const head = count === 1 ? which : `${count} episodes, first ${which}`;
    return `${head}: ${formatReport(report, options)}`;
  });
}

/** e.g. `task train-3, repeat 1: reward 1, success, 2 calls, 0.03 s`. */
export function formatEpisode(result: EpisodeResult): string {
  const outcome =
    result.error === null
      ? `reward ${formatReward(result.reward)}, ${result.isSuccess ? 'success' : 'no success'}`
      : `error: ${inBrief(result.error.message)}`;
  if (result.recorded !== undefined) {
    return `task ${taskName(result.taskId)}, repeat ${result.repeat}: ${outcome}, recorded ${formatReward(result.recorded.reward)}`;
  }
  const calls = counted(result.llmCalls, 'call');
  return `task ${taskName(result.taskId)}, repeat ${result.repeat}: ${outcome}, ${calls}, ${result.seconds.toFixed(2)} s`;
}

/** Returns the first line without its final stop. */
function inBrief(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/[.:]$/, '');
}

function formatReward(reward: number | null): string {
  return reward === null ? '-' : String(Math.round(reward * 1000) / 1000);
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** The first column to the left, the others to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

/** Returns the count with its noun in the singular or plural. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
