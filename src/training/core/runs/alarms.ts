/** Detects problems of a training run. Each alarm is raised once, and again only after it has cleared. */
import * as z from 'zod/mini';
import { hasEvaluationMetrics, hasStepMetrics, type StepMetrics } from './metrics.ts';

const alarmNames = [
  'reward-flat',
  'no-advantage',
  'kl-jump',
  'logprob-difference',
  'out-of-memory',
  'no-progress',
] as const;
type AlarmName = (typeof alarmNames)[number];

export interface Alarm {
  readonly alarm: AlarmName;
  readonly text: string;
}

/** The state between steps, as a JSON value. */
export const alarmState = z.object({
  raised: z.array(z.enum(alarmNames)),
  /** The newest mean rewards, oldest first. */
  rewards: z.array(z.number()),
  /** Steps in a row in which all episodes of each group had the same reward. */
  equal: z.int(),
  kl: z.array(z.number()),
  /** The number of signs of progress: see `stallDetector.ts`. */
  signs: z.int(),
  /** The newest completed step by role; null if there is none yet. */
  steps: z.record(z.string(), z.nullable(z.int())),
  /** True if an evaluation has started whose metrics have not arrived. */
  evaluates: z.boolean(),
});
export type AlarmState = z.infer<typeof alarmState>;

export const noAlarms: AlarmState = {
  raised: [],
  rewards: [],
  equal: 0,
  kl: [],
  signs: 0,
  steps: {},
  evaluates: false,
};

const limits = {
  /** A reward is flat if it changes by less than `flatShare` of itself over this number of steps. */
  flatSteps: 20,
  flatShare: 0.001,
  /** A noisy reward must rise over this number of steps. With a {@link trendOf} of `rise`, 99 % of rises are real. */
  trendSteps: 150,
  rise: 0.128,
  equalSteps: 3,
  /** A KL jumps if it is this many times the median of those before, and at least `klLeast`. */
  klTimes: 10,
  klLeast: 0.1,
  klBefore: 5,
  klKept: 20,
  /** The mean difference of the trainer's log probabilities from those of the sampler. */
  logprobs: 0.05,
} as const;

export interface AlarmCheck {
  readonly state: AlarmState;
  readonly raised: readonly Alarm[];
}

/** @param reward the mean reward, if it is among the metrics */
export function checkMetrics(
  before: AlarmState,
  { role, step, values }: StepMetrics,
  reward: number | undefined,
): AlarmCheck {
  const isStep = hasStepMetrics(values);
  const rewards = reward === undefined ? before.rewards : kept(before.rewards, reward, limits.trendSteps);
  const equal = equalGroups(values);
  const equals = equal === undefined ? before.equal : equal ? before.equal + 1 : 0;
  const kl = values['actor/ppo_kl'] ?? values['actor/kl_loss'];
  const checks: readonly (readonly [AlarmName, string | undefined | null])[] = [
    // Null: these metrics do not include it, so the alarm stays as it is.
    ['reward-flat', reward === undefined ? null : flatReward(rewards)],
    ['no-advantage', equal === undefined ? null : withoutAdvantage(equals)],
    ['kl-jump', kl === undefined ? null : klJump(before.kl, kl)],
    ['logprob-difference', differing(values['training/logprob_diff_mean'])],
    ['out-of-memory', isStep ? undefined : null],
  ];
  const state = {
    ...noteProgress(before),
    steps: isStep ? { ...before.steps, [role]: Math.max(step, before.steps[role] ?? step) } : before.steps,
    evaluates: before.evaluates && !hasEvaluationMetrics(values),
    rewards,
    equal: equals,
    kl: kl === undefined ? before.kl : kept(before.kl, kl, limits.klKept),
  };
  return settled(state, checks);
}

export function outOfMemory(before: AlarmState, line: string): AlarmCheck {
  const text = `Out of memory: ${line.trim().slice(0, 300)}`;
  return settled(before, [['out-of-memory', text]]);
}

/** Records a sign of progress: a phase, metrics or a checkpoint. */
export function noteProgress(before: AlarmState): AlarmState {
  return {
    ...before,
    signs: before.signs + 1,
    raised: before.raised.filter((name) => name !== 'no-progress'),
  };
}

/** Records a log line that names a phase, for the first time or again. */
export function notePhase(before: AlarmState, phase: string): AlarmState {
  const role = stepping[phase];
  return {
    ...noteProgress(before),
    evaluates: before.evaluates || phase === 'evaluating',
    // This role exists from now on. Its first step has not ended yet.
    steps: role === undefined ? before.steps : { [role]: null, ...before.steps },
  };
}

const stepping: Readonly<Partial<Record<string, StepMetrics['role']>>> = {
  exploring: 'explorer',
  training: 'trainer',
};

/** Resets the state for a new stage, whose steps begin again. */
export function noteStage({ signs }: AlarmState): AlarmState {
  return { ...noAlarms, signs: signs + 1 };
}

export function noteAlarm(before: AlarmState, alarm: string): AlarmState {
  const name = alarmNames.find((one) => one === alarm);
  if (name === undefined || before.raised.includes(name)) return before;
  return { ...before, raised: [...before.raised, name] };
}

function settled(
  state: AlarmState,
  checks: readonly (readonly [AlarmName, string | undefined | null])[],
): AlarmCheck {
  const raised = checks.flatMap(([alarm, text]) =>
    typeof text === 'string' && !state.raised.includes(alarm) ? [{ alarm, text }] : [],
  );
  const cleared = new Set(checks.filter(([, text]) => text === undefined).map(([alarm]) => alarm));
  const holding = state.raised.filter((alarm) => !cleared.has(alarm));
  return { state: { ...state, raised: [...holding, ...raised.map(({ alarm }) => alarm)] }, raised };
}

/**
 * Returns the alarm text if the reward is flat, undefined if it rises, and null if the alarm stays as it is. A
 * constant reward is flat after a few steps. A noisy one is flat if {@link trendOf} shows no rise over many steps.
 * Half of all stretches of pure noise do, so they are found soon.
 */
function flatReward(rewards: readonly number[]): string | null | undefined {
  const newest = rewards.slice(-limits.flatSteps);
  const [low, high] = [Math.min(...newest), Math.max(...newest)];
  const size = Math.max(Math.abs(low), Math.abs(high), 1e-3);
  if (newest.length === limits.flatSteps && high - low <= size * limits.flatShare) {
    return `The mean reward has been ${shown(high)} for ${limits.flatSteps} steps. The model learns nothing from a constant reward.`;
  }
  if (rewards.length < limits.trendSteps) return undefined;
  const trend = trendOf(rewards);
  if (trend > 0) return trend < limits.rise ? null : undefined;
  const half = limits.trendSteps / 2;
  const [before, after] = [mean(rewards.slice(0, half)), mean(rewards.slice(half))];
  return `The mean reward has not risen for ${limits.trendSteps} steps: ${shown(before)} on average in the first half, ${shown(after)} in the second half.`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns true if the rewards in each group are all the same, or undefined if these metrics do not include it. */
function equalGroups(values: Readonly<Record<string, number>>): boolean | undefined {
  const [groups, equal] = [values['groups/all'], values['groups/equal_rewards']];
  if (groups !== undefined && equal !== undefined) return groups > 0 && equal === groups;
  const skipped = values['experience_pipeline/group_advantages/skipped_group_ratio'];
  if (skipped !== undefined) return skipped >= 1;
  const deviation = values['experience_pipeline/group_advantages/reward_std/max'];
  if (deviation !== undefined) return deviation === 0;
  const [high, low] = [values['critic/advantages/max'], values['critic/advantages/min']];
  return high === undefined || low === undefined ? undefined : high === 0 && low === 0;
}

function withoutAdvantage(steps: number): string | undefined {
  if (steps < limits.equalSteps) return undefined;
  return `For ${steps} steps, all episodes of each group had the same reward. There is no advantage to train on.`;
}

function differing(difference: number | undefined): string | undefined | null {
  if (difference === undefined) return null;
  if (difference <= limits.logprobs) return undefined;
  return `The log probabilities of the trainer differ from those of the sampler by ${shown(difference)} on average.`;
}

function klJump(before: readonly number[], kl: number): string | undefined {
  if (before.length < limits.klBefore || kl < limits.klLeast) return undefined;
  const usual = [...before].sort((a, b) => a - b)[Math.floor(before.length / 2)] ?? 0;
  if (kl <= usual * limits.klTimes) return undefined;
  return `The KL divergence jumped from about ${shown(usual)} to ${shown(kl)}: the policy changed a lot in one step.`;
}

function kept(list: readonly number[], value: number, most: number): number[] {
  return [...list, value].slice(-most);
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/**
 * Returns the rank correlation of numbers with their order (Kendall's tau), from -1 to 1. It is the share of pairs that
 * rise minus the share that fall. Single values that are far off hardly change it.
 */
export function trendOf(values: readonly number[]): number {
  const rises = values.map((value, later) =>
    values.slice(0, later).reduce((sum, earlier) => sum + Math.sign(value - earlier), 0),
  );
  return (2 * rises.reduce((sum, one) => sum + one, 0)) / (values.length * (values.length - 1));
}
