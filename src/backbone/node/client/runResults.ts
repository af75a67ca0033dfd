import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import {
  formatValidation,
  validationMetrics,
  type ValidationMetrics,
} from '../../core/protocol/validation.ts';
import { trainingReport, type TrainingReport, formatTrainingReport } from '../../../tracking/core/report.ts';
import type { RunStarted } from './runProgress.ts';
import { formatJudged, formatTable } from './runReport.ts';

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
