import type { EpisodeResult, RunEvent } from '../protocol/run.ts';
import { formatTable } from '../protocol/runReport.ts';
import { summarise } from '../protocol/summary.ts';
import { formatTrainingReport, trainingReport, type TrainingReport } from '../tracking/report.ts';

type RunStarted = Extract<RunEvent, { type: 'run-started' }>;

/** The episodes of a run, in order. */
export function inOrder(results: readonly EpisodeResult[]): EpisodeResult[] {
  return [...results].sort((a, b) => a.episode - b.episode);
}

/** What a run has come to, as text: its episodes and groups, which of them would train, and where its trace is. */
export function formatResults(results: readonly EpisodeResult[], run: RunStarted): string {
  const sorted = inOrder(results);
  const table = formatTable(sorted, summarise(sorted, run.repeat));
  const report = formatTrainingReport(reportOf(sorted, run));
  const trace = typeof run.trace === 'string' ? `\ntrace: ${run.trace}` : '';
  return `${table}\n\n${report}${trace}`;
}

export function reportOf(results: readonly EpisodeResult[], run: RunStarted | undefined): TrainingReport {
  const approximate = run?.tokenizer?.exact === false;
  return trainingReport(results, { repeat: run?.repeat ?? 1, approximate });
}
