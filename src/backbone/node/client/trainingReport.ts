/** Formats a training as text for the terminal and the debug console. */
import { count, duration } from '../../../base/core/format.ts';
import type { TokenCounts } from '../../../tinker/core/service.ts';
import type { RunEvent, TrainingEstimate, TrainingUsage } from '../../core/protocol/run.ts';
import { rounded, tokensOf } from '../../core/trainer/trainingBudget.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export type TrainingEvent = EventOf<
  | 'training-started'
  | 'training-phase'
  | 'training-step'
  | 'training-validation'
  | 'training-checkpoint'
  | 'training-usage'
>;

export function isTrainingEvent(event: RunEvent): event is TrainingEvent {
  return event.type.startsWith('training-');
}

/** A training as far as it has come. */
export class TrainingProgress {
  started: EventOf<'training-started'> | undefined;
  phase: EventOf<'training-phase'> | undefined;
  readonly steps: EventOf<'training-step'>[] = [];
  readonly validations: EventOf<'training-validation'>[] = [];
  checkpoint: EventOf<'training-checkpoint'> | undefined;
  /** The newest one. */
  usage: EventOf<'training-usage'> | undefined;

  take(event: TrainingEvent): void {
    if (event.type === 'training-started') this.started = event;
    else if (event.type === 'training-phase') this.phase = event;
    else if (event.type === 'training-step') this.steps.push(event);
    else if (event.type === 'training-validation') this.validations.push(event);
    else if (event.type === 'training-usage') this.usage = event;
    else this.checkpoint = event;
  }
}

/** Returns the line of an event; undefined: it is not worth a line. */
export function formatTrainingEvent(
  event: TrainingEvent,
  { started, steps }: TrainingProgress,
): string | undefined {
  switch (event.type) {
    case 'training-started': {
      const { server, baseModel, step, totalSteps, batchSize } = event;
      const from = step === 1 ? '' : `, from step ${step}`;
      const length = `training ${baseModel} on ${server}: ${totalSteps} steps of ${batchSize} tasks${from}`;
      return `${length}\n${formatEstimate(event.estimate)}`;
    }
    case 'training-step':
      return `step ${event.step} of ${started?.totalSteps ?? '?'}: ${formatMetrics(event.metrics)}`;
    case 'training-validation': {
      const { 'val/reward/mean': reward, 'val/success_rate': rate = 0 } = event.metrics;
      return `validation after step ${event.step}: mean reward ${short(reward)}, success rate ${Math.round(100 * rate)} %`;
    }
    case 'training-checkpoint':
      return `checkpoint of step ${event.step}: ${event.sampler}`;
    case 'training-usage':
      // Once, when the first step shows what a step takes.
      return steps.length === 1 && event.expected !== undefined ? formatExpected(event.expected) : undefined;
    case 'training-phase':
      return undefined;
  }
}

function formatEstimate({ episodes, calls, prefill, sample, train, cost }: TrainingEstimate): string {
  const size = `${count(episodes)} episodes of at most ${calls === 1 ? '1 LLM call' : `${calls} LLM calls`}`;
  const tokens = formatTokens({ prefill, sample, train });
  return `upper bound for ${size}, without validations: ${tokens}${formatCost(cost)}`;
}

function formatExpected({
  steps,
  seconds,
  cost,
  ...tokens
}: TrainingUsage & { readonly steps: number }): string {
  const others = steps === 1 ? 'the last step takes' : `the other ${steps} steps take`;
  const use = `${duration(seconds)}, ${count(tokensOf(tokens))} tokens${formatCost(cost)}`;
  return `projection: if steps are like this one, ${others} ${use}`;
}

function formatUsage({ prefill, sample, train, seconds, cost }: TrainingUsage): string {
  return `${duration(seconds)}, ${formatTokens({ prefill, sample, train })}${formatCost(cost)}`;
}

function formatTokens({ prefill, sample, train }: TokenCounts): string {
  return `${count(prefill)} prompt tokens, ${count(sample)} sampled and ${count(train)} trained tokens`;
}

function formatCost(cost: number | undefined): string {
  return cost === undefined ? '' : `, a cost of ${rounded(cost)}`;
}

function formatMetrics(metrics: Readonly<Record<string, number>>): string {
  const { 'samples/trained': trained = 0, 'samples/all': samples = 0 } = metrics;
  const { 'groups/equal_rewards': equal = 0, 'groups/all': groups = 0 } = metrics;
  const failed = metrics['episodes/failed'] ?? 0;
  const difference = metrics['training/logprob_diff_mean'];
  return [
    `mean reward ${short(metrics['critic/rewards/mean'])}`,
    trained === 0 ? nothingTrained(metrics) : `${trained} of ${samples} samples trained`,
    ...(trained > 0 && equal > 0 ? [`${equal} of ${groups} groups with equal rewards`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(difference === undefined ? [] : [`log probabilities differ by ${difference.toExponential(1)}`]),
    `${(metrics['timing_s/step'] ?? 0).toFixed(1)} s`,
  ].join(', ');
}

function nothingTrained(metrics: Readonly<Record<string, number>>): string {
  const { 'groups/equal_rewards': equal = 0, 'groups/all': groups = 0 } = metrics;
  return equal === groups
    ? 'nothing trained, because all rewards of each task are equal'
    : 'nothing trained, because of findings of the episodes';
}

/** Returns the mean rewards of all steps and what to do next. */
export function formatTraining(training: TrainingProgress, folder: string, isOver: boolean): string {
  const rewards = training.steps.map(({ metrics }) => short(metrics['critic/rewards/mean']));
  const { started, checkpoint } = training;
  const steps = rewards.length === 1 ? '1 step' : `${rewards.length} steps`;
  const curve = rewards.length === 0 ? '' : `; mean reward by step: ${rewards.join(' ')}`;
  const lines = [`trained ${steps}${curve}`];
  if (training.usage !== undefined) lines.push(`used in all: ${formatUsage(training.usage.usage)}`);
  if (checkpoint !== undefined) lines.push(`weights after step ${checkpoint.step}: ${checkpoint.sampler}`);
  if (!isOver && started !== undefined && checkpoint !== undefined) {
    lines.push(`continue with: agentjet resume ${folder}`);
  }
  return lines.join('\n');
}

function short(value: number | undefined): string {
  return value === undefined ? '-' : String(Math.round(value * 1000) / 1000);
}
