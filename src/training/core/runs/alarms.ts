/** What is seldom meant when a training does it. Each is told once, and again only after it had cleared. */
import * as z from 'zod/mini';
import { hasEvaluationMetrics, hasStepMetrics, type StepMetrics } from './metrics.ts';
import { trendOf } from './trend.ts';

const alarmNames = ['reward-flat', 'no-advantage', 'kl-jump', 'out-of-memory', 'no-progress'] as const;
type AlarmName = (typeof alarmNames)[number];

export interface Alarm {
  readonly alarm: AlarmName;
  readonly text: string;
}

/** All that is remembered from one step to the next: a JSON value. */
export const alarmState = z.object({
  raised: z.array(z.enum(alarmNames)),
  /** The newest mean rewards, oldest first. */
  rewards: z.array(z.number()),
  /** Steps in a row in which all episodes of each group had the same reward. */
  equal: z.int(),
  kl: z.array(z.number()),
  /** How often it has shown that it goes on: see `standstill.ts`. */
  signs: z.int(),
  /** By role, the newest step that has ended; null: none yet. */
  steps: z.record(z.string(), z.nullable(z.int())),
  /** Whether an evaluation has begun whose metrics have not come. */
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
  /** Steps over which a reward that does not move is flat, and by how much of itself it may. */
  flatSteps: 20,
  flatShare: 0.001,
  /** Steps over which a reward that wanders has to rise, and what {@link trendOf} tells of a rise that is sure. */
  trendSteps: 150,
  rise: 2.33,
  equalSteps: 3,
  /** A KL that is this many times the median of those before, and not small. */
  klTimes: 10,
  klLeast: 0.1,
  klBefore: 5,
  klKept: 20,
} as const;

export interface AlarmCheck {
  readonly state: AlarmState;
  /** Those that hold now and did not before. */
  readonly raised: readonly Alarm[];
}

/** Looks at the metrics of a step. @param reward the curve that the run is judged by, where it is among them */
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
    // Null: these metrics say nothing of it, so it stays as it is.
    ['reward-flat', reward === undefined ? null : flatReward(rewards)],
    ['no-advantage', equal === undefined ? null : withoutAdvantage(equals)],
    ['kl-jump', kl === undefined ? null : klJump(before.kl, kl)],
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

/** Memory ran out, says a line of a log. */
export function outOfMemory(before: AlarmState, line: string): AlarmCheck {
  const text = `Memory ran out: ${line.trim().slice(0, 300)}`;
  return settled(before, [['out-of-memory', text]]);
}

/** A phase began or was told of, metrics came or a checkpoint was written: it goes on. */
export function noteProgress(before: AlarmState): AlarmState {
  return {
    ...before,
    signs: before.signs + 1,
    raised: before.raised.filter((name) => name !== 'no-progress'),
  };
}

/** A line that tells of a phase, whether or not it is the first to tell of it. */
export function notePhase(before: AlarmState, phase: string): AlarmState {
  const role = stepping[phase];
  return {
    ...noteProgress(before),
    evaluates: before.evaluates || phase === 'evaluating',
    // There is such a role from now on, whose first step has yet to end.
    steps: role === undefined ? before.steps : { [role]: null, ...before.steps },
  };
}

const stepping: Readonly<Partial<Record<string, StepMetrics['role']>>> = {
  exploring: 'explorer',
  training: 'trainer',
};

/** With a stage the steps begin again: nothing of the one before is compared with it. */
export function noteStage({ signs }: AlarmState): AlarmState {
  return { ...noAlarms, signs: signs + 1 };
}

/** An alarm that was told, whoever told it. */
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
 * A reward that stays the same is flat after a few steps; one that wanders when {@link trendOf} finds that it rather falls
 * than rises over many. Half of all stretches of mere noise do, so it is soon found. One that rises by a standard deviation
 * of its noise in so many steps shows 3.4 on average, and falls below 0 in under 1 of 100 runs of 500 steps. A rise that is
 * sure to 1 in 100 clears the alarm; null: in between it stays as it is, so that it is not told again and again.
 */
function flatReward(rewards: readonly number[]): string | null | undefined {
  const newest = rewards.slice(-limits.flatSteps);
  const [low, high] = [Math.min(...newest), Math.max(...newest)];
  const size = Math.max(Math.abs(low), Math.abs(high), 1e-3);
  if (newest.length === limits.flatSteps && high - low <= size * limits.flatShare) {
    return `The mean reward has been ${shown(high)} for ${limits.flatSteps} steps: nothing is learnt from it.`;
  }
  if (rewards.length < limits.trendSteps) return undefined;
  const trend = trendOf(rewards);
  if (trend > 0) return trend < limits.rise ? null : undefined;
  const half = limits.trendSteps / 2;
  const [before, after] = [mean(rewards.slice(0, half)), mean(rewards.slice(half))];
  return `The mean reward has not risen for ${limits.trendSteps} steps: ${shown(before)} on average in their first half, ${shown(after)} in their second.`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whether the rewards in each group are all the same; undefined: these metrics do not tell. */
function equalGroups(values: Readonly<Record<string, number>>): boolean | undefined {
  const skipped = values['experience_pipeline/group_advantages/skipped_group_ratio'];
  if (skipped !== undefined) return skipped >= 1;
  const deviation = values['experience_pipeline/group_advantages/reward_std/max'];
  if (deviation !== undefined) return deviation === 0;
  const [high, low] = [values['critic/advantages/max'], values['critic/advantages/min']];
  return high === undefined || low === undefined ? undefined : high === 0 && low === 0;
}

function withoutAdvantage(steps: number): string | undefined {
  if (steps < limits.equalSteps) return undefined;
  return `For ${steps} steps all episodes of each group have had the same reward: no advantage, nothing to train on.`;
}

function klJump(before: readonly number[], kl: number): string | undefined {
  if (before.length < limits.klBefore || kl < limits.klLeast) return undefined;
  const usual = [...before].sort((a, b) => a - b)[Math.floor(before.length / 2)] ?? 0;
  if (kl <= usual * limits.klTimes) return undefined;
  return `The KL divergence jumped from about ${shown(usual)} to ${shown(kl)}: the policy has moved far in one step.`;
}

function kept(list: readonly number[], value: number, most: number): number[] {
  return [...list, value].slice(-most);
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}
