/** The metrics that the page draws, by their names in the monitors of Trinity and verl. */
import * as l10n from '@vscode/l10n';
import type { MetricSeries } from './metricSeries.ts';
import type { RunData } from './runData.ts';
import { duration, percent } from '../../../base/core/format.ts';
import { number } from '../text.ts';

export type ChartId = 'reward' | 'success' | 'validation' | 'kl' | 'logprobs' | 'entropy' | 'length' | 'time';

/** The metrics of each chart, by preference. The first existing one is drawn. */
const candidates: Readonly<Record<ChartId, readonly (string | RegExp)[]>> = {
  reward: [
    'experience_pipeline/group_advantages/reward_mean/mean',
    'critic/rewards/mean',
    'critic/score/mean',
    'rollout/reward/mean',
    'critic/real_reward',
  ],
  success: [
    'rollout/success_rate/mean',
    'rollout/accuracy/mean',
    'critic/real_success_rate',
    'critic/success_rate',
    /^(?:eval|bench)\/.+\/(?:success_rate|accuracy)\/mean(?:@\d+)?$/,
  ],
  validation: ['val/reward/mean'],
  kl: ['actor/ppo_kl', 'actor/kl_loss', 'actor/kl', 'advantage/kl', 'critic/kl', 'actor/reward_kl_penalty'],
  logprobs: ['training/logprob_diff_mean'],
  entropy: ['actor/entropy_loss', 'actor/entropy'],
  length: ['response_length/mean', 'rollout/response_length/mean'],
  time: ['time/step', 'timing_s/step', 'perf/time_per_step', 'time/train_step', 'time/wait_explore_step'],
};
const chartIds = Object.keys(candidates) as ChartId[];

export interface ChartMetrics {
  readonly id: ChartId | 'added';
  readonly key: string;
  /** The metric of each run, in order. Undefined if the run has none. */
  readonly names: readonly (string | undefined)[];
}

/** Returns the charts for which runs have metrics, and then those that the user added. */
export function chartsOf(runs: readonly RunData[], added: readonly string[]): ChartMetrics[] {
  const own = chartIds.flatMap((id) => {
    const names = namesFor(runs, candidates[id]);
    return names.some((name) => name !== undefined) ? [{ id, key: id, names }] : [];
  });
  const more = added.map((name) => {
    const names = runs.map(({ metrics }) => (metrics.has(name) ? name : undefined));
    return { id: 'added' as const, key: `added ${name}`, names };
  });
  return [...own, ...more];
}

export function otherMetrics(runs: readonly RunData[], charts: readonly ChartMetrics[]): string[] {
  const shown = new Set(charts.flatMap(({ names }) => names));
  const all = new Set(runs.flatMap(({ metrics }) => [...metrics.keys()]));
  return [...all].filter((name) => !shown.has(name)).sort();
}

export function seriesOf(run: RunData, name: string | undefined): MetricSeries | undefined {
  return name === undefined ? undefined : run.metrics.get(name);
}

/** Returns the metric for each run: one that all runs have, or else the first that each run has. */
function namesFor(runs: readonly RunData[], wanted: readonly (string | RegExp)[]): (string | undefined)[] {
  const withAny = runs.filter(({ metrics }) => metrics.size > 0);
  const found = runs.map((run) => wanted.flatMap((one) => namesIn(run, one)));
  const common = found[0]?.concat(...found.slice(1)).find((name) => {
    return withAny.every(({ metrics }) => metrics.has(name));
  });
  return runs.map((run, index) => {
    return common !== undefined && run.metrics.has(common) ? common : found[index]?.[0];
  });
}

function namesIn({ metrics }: RunData, wanted: string | RegExp): string[] {
  if (typeof wanted === 'string') return metrics.has(wanted) ? [wanted] : [];
  return [...metrics.keys()].filter((name) => wanted.test(name)).sort();
}

export interface ChartKind {
  readonly title: string;
  readonly valueText: (value: number | undefined) => string;
}

export function kindOf({ id, names }: ChartMetrics): ChartKind {
  const kinds: Readonly<Record<ChartMetrics['id'], ChartKind>> = {
    reward: { title: l10n.t('Mean reward'), valueText: number },
    success: { title: l10n.t('Success'), valueText: share },
    validation: { title: l10n.t('Validation reward'), valueText: number },
    kl: { title: l10n.t('KL divergence'), valueText: number },
    logprobs: { title: l10n.t('Log probability difference'), valueText: number },
    entropy: { title: l10n.t('Entropy'), valueText: number },
    length: { title: l10n.t('Response length'), valueText: number },
    time: { title: l10n.t('Time per step'), valueText: (value) => duration(value ?? null) },
    added: { title: names.find((name) => name !== undefined) ?? '', valueText: number },
  };
  return kinds[id];
}

/** Formats a share as a percentage. Values outside 0 to 1 are formatted as numbers. */
function share(value: number | undefined): string {
  return value === undefined || (value >= 0 && value <= 1) ? percent(value ?? null) : number(value);
}
