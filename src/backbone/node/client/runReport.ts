/** Formats a run as text for the terminal and the debug console. */

import { formatReport, type ErrorReport } from '../../../base/core/errors.ts';
import {
  type EpisodeResult,
  type EpisodeTracking,
  type RunLocations,
  withSelection,
} from '../../../tracking/core/records/episodeResult.ts';
import {
  formatTrainingReport,
  taskName,
  trainingReport,
  type TrainingReport,
} from '../../../tracking/core/report.ts';
import { measures, type Group } from '../../../tracking/core/groups.ts';
import type { RunEvent } from '../../core/protocol/run.ts';
import { isTrainingEvent, TrainingProgress, type TrainingEvent } from './trainingReport.ts';

export function inOrder(results: readonly EpisodeResult[]): EpisodeResult[] {
  return [...results].sort((a, b) => a.episode - b.episode);
}

/**
 * Formats the results of a run: training report and the path of its trace, and before them the tables of episodes and
 * groups.
 */
export function formatResults(
  results: readonly EpisodeResult[],
  run: RunStarted,
  { tables = true }: { readonly tables?: boolean } = {},
): string {
  const sorted = inOrder(results);
  const report = reportOf(sorted, run);
  if (run.judged !== undefined) return `${formatJudged(sorted, report.groups)}\ntrace: ${run.judged}`;
  const trace = typeof run.trace === 'string' ? `\ntrace: ${run.trace}` : '';
  // A replayed episode is compared with its recording. Alone, it would never train.
  if (!tables && sorted.every(({ recorded }) => recorded !== undefined)) return trace.trimStart();
  const metrics = metricsOf(sorted, run);
  const validation = metrics === undefined ? '' : `${formatValidation(metrics)}\n\n`;
  const table = tables ? `${formatTable(sorted, report.groups)}\n\n` : '';
  return `${table}${validation}${formatTrainingReport(report)}${trace}`;
}

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

/** Returns the outcome of a run in one line, e.g. `2 of 16 episodes: mean reward 0.5, success rate 50 %, 1 failed`. */
export function formatOutcome(results: readonly EpisodeResult[], run: Pick<RunStarted, 'episodes'>): string {
  const { episodes, failed, meanReward, successRate } = measures(results);
  const count = episodes === run.episodes ? '' : `${episodes} of `;
  const rates =
    successRate === null
      ? []
      : [`mean reward ${formatReward(meanReward)}, success rate ${percent(successRate)}`];
  const all = [...rates, ...(failed > 0 ? [`${failed} failed`] : [])];
  return `${count}${counted(run.episodes, 'episode')}: ${all.join(', ')}`;
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
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
      row.successRate === null ? '-' : percent(row.successRate),
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
  const more =
    result.recorded === undefined
      ? `${counted(result.llmCalls, 'call')}, ${result.seconds.toFixed(2)} s`
      : `recorded ${formatReward(result.recorded.reward)}`;
  return `task ${taskName(result.taskId)}, repeat ${result.repeat}: ${outcome}, ${more}`;
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

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The metrics of a validation, by upstream's names. Rates are from 0 to 1. */
interface ValidationMetrics {
  readonly pass_n: number;
  readonly total_tasks: number;
  /** Tasks of which every pass succeeded. */
  readonly num_all_success_tasks: number;
  /** Tasks of which any pass succeeded: pass@n. */
  readonly num_pass_n_tasks: number;
  /** Successes over episodes. */
  readonly 'TGC@1': number;
  readonly 'TGC@n': number;
  readonly 'TGC@n-all-pass': number;
  /** Null where no episode gave a reward. */
  readonly mean_reward: number | null;
}

/** The least raw reward that validation counts as a success, whatever `isSuccess` is. */
const validationSuccess = 1;

/**
 * Returns the metrics of a validation, in which each task has `passes` consecutive episodes. A raw reward of 1 or more
 * is a success. An episode with an error is not a success; in training it fails the whole validation.
 */
export function validationMetrics(
  results: readonly EpisodeResult[],
  passes: number,
): ValidationMetrics | undefined {
  if (results.length === 0) return undefined;
  const size = Math.max(1, passes);
  const successes = new Map<number, number>();
  for (const { episode, reward } of results) {
    const task = Math.floor(episode / size);
    const won = reward !== null && reward >= validationSuccess ? 1 : 0;
    successes.set(task, (successes.get(task) ?? 0) + won);
  }
  const tasks = successes.size;
  const counts = [...successes.values()];
  const all = counts.filter((count) => count === size).length;
  const any = counts.filter((count) => count > 0).length;
  const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    pass_n: size,
    total_tasks: tasks,
    num_all_success_tasks: all,
    num_pass_n_tasks: any,
    'TGC@1': sum(counts) / (tasks * size),
    'TGC@n': any / tasks,
    'TGC@n-all-pass': all / tasks,
    mean_reward: rewards.length === 0 ? null : sum(rewards) / rewards.length,
  };
}

/** In one line, e.g. `validation (2 passes of 3 tasks): TGC@1 0.5, TGC@2 0.667, TGC@2-all-pass 0.333, mean reward 0.5`. */
export function formatValidation(metrics: ValidationMetrics): string {
  const { pass_n, total_tasks, mean_reward } = metrics;
  const figures = [
    `TGC@1 ${formatReward(metrics['TGC@1'])}`,
    `TGC@${pass_n} ${formatReward(metrics['TGC@n'])}`,
    `TGC@${pass_n}-all-pass ${formatReward(metrics['TGC@n-all-pass'])}`,
    `mean reward ${formatReward(mean_reward)}`,
  ];
  return `validation (${pass_n} pass${pass_n === 1 ? '' : 'es'} of ${total_tasks} task${total_tasks === 1 ? '' : 's'}): ${figures.join(', ')}`;
}

export type RunStarted = Extract<RunEvent, { type: 'run-started' }>;
export type RunEnded = Extract<RunEvent, { type: 'run-ended' }>;

/** The state of a run after its events, from which run clients build their output. */
export class RunProgress {
  started: RunStarted | undefined;
  ended: RunEnded | undefined;
  /** The locations in the user's files for findings; undefined if the run did not report them. */
  places: RunLocations | undefined;
  failed = 0;
  /** Undefined: the run does not train. */
  training: TrainingProgress | undefined;
  #results: EpisodeResult[] = [];

  /** The results in the order in which the episodes ended. In a training: those of the phase. */
  get results(): readonly EpisodeResult[] {
    return this.#results;
  }

  /** Takes an event. Call it before the event is shown. */
  take(event: RunEvent): void {
    if (event.type === 'run-started') this.started = event;
    else if (event.type === 'episode-ended') this.add(event.result);
    else if (event.type === 'selection') this.#results = [...withSelection(this.#results, event.episodes)];
    else if (event.type === 'places') this.places = event.places;
    else if (event.type === 'run-ended') this.ended = event;
    else if (isTrainingEvent(event)) this.#takeTraining(event);
  }

  #takeTraining(event: TrainingEvent): void {
    this.training ??= new TrainingProgress();
    this.training.take(event);
    if (event.type !== 'training-phase' || !['rollout', 'validation'].includes(event.phase)) return;
    this.#results = [];
    this.failed = 0;
  }

  add(result: EpisodeResult): void {
    this.#results.push(result);
    if (result.error !== null) this.failed += 1;
  }
}
