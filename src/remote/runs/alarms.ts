/** What is seldom meant when a training does it. Each is told once, and again only after it had cleared. */
import * as z from 'zod/mini';

const alarmNames = ['reward-flat', 'no-advantage', 'kl-jump', 'out-of-memory', 'no-progress'] as const;
type AlarmName = (typeof alarmNames)[number];

interface Alarm {
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
  /** When the newest sign of progress was, in milliseconds since the epoch, and how long steps took. */
  progressAt: z.nullable(z.number()),
  steps: z.array(z.number()),
});
export type AlarmState = z.infer<typeof alarmState>;

export const noAlarms: AlarmState = {
  raised: [],
  rewards: [],
  equal: 0,
  kl: [],
  progressAt: null,
  steps: [],
};

const limits = {
  /** Steps over which a reward that does not move is flat, and by how much of itself it may. */
  flatSteps: 20,
  flatShare: 0.001,
  equalSteps: 3,
  /** A KL that is this many times the median of those before, and not small. */
  klTimes: 10,
  klLeast: 0.1,
  klBefore: 5,
  klKept: 20,
  /** Milliseconds without a step: before the first, at least, and as a multiple of the longest of those before. */
  firstStep: 60 * 60_000,
  step: 15 * 60_000,
  stepTimes: 10,
  stepsKept: 10,
} as const;

export interface Checked {
  readonly state: AlarmState;
  /** Those that hold now and did not before. */
  readonly raised: readonly Alarm[];
}

/** Looks at the metrics of a step. @param reward the curve that the run is judged by, where it is among them */
export function checkMetrics(
  before: AlarmState,
  values: Readonly<Record<string, number>>,
  reward: number | undefined,
  at: number,
): Checked {
  const progressed = progress(before, at);
  const rewards = reward === undefined ? before.rewards : kept(before.rewards, reward, limits.flatSteps);
  const equal = equalGroups(values);
  const equals = equal === undefined ? before.equal : equal ? before.equal + 1 : 0;
  const kl = values['actor/ppo_kl'] ?? values['actor/kl_loss'];
  const checks: readonly (readonly [AlarmName, string | undefined | null])[] = [
    // Null: these metrics say nothing of it, so it stays as it is.
    ['reward-flat', reward === undefined ? null : flatReward(rewards)],
    ['no-advantage', equal === undefined ? null : withoutAdvantage(equals)],
    ['kl-jump', kl === undefined ? null : klJump(before.kl, kl)],
    ['out-of-memory', undefined],
    ['no-progress', undefined],
  ];
  const state = {
    ...progressed,
    rewards,
    equal: equals,
    kl: kl === undefined ? before.kl : kept(before.kl, kl, limits.klKept),
  };
  return settled(state, checks);
}

/** Memory ran out, says a line of a log. */
export function outOfMemory(before: AlarmState, line: string): Checked {
  const text = `Memory ran out: ${line.trim().slice(0, 300)}`;
  return settled(before, [['out-of-memory', text]]);
}

/** Whether a run that goes on has come to a standstill, by the clock. */
export function checkStandstill(before: AlarmState, startedAt: number, now: number): Checked {
  const isFirst = before.steps.length === 0;
  const longest = Math.max(0, ...before.steps);
  const allowed = isFirst ? limits.firstStep : Math.max(limits.step, longest * limits.stepTimes);
  const waited = now - (before.progressAt ?? startedAt);
  if (waited <= allowed) return { state: before, raised: [] };
  const minutes = Math.round(waited / 60_000);
  return settled(before, [
    ['no-progress', `Nothing has come of it for ${minutes} min; see what it prints, or cancel it.`],
  ]);
}

/** A step ended, a phase began or a checkpoint was written: it goes on. */
export function noteProgress(before: AlarmState, at: number): AlarmState {
  return { ...before, progressAt: at, raised: before.raised.filter((name) => name !== 'no-progress') };
}

/** An alarm that was told, whoever told it. */
export function noteAlarm(before: AlarmState, alarm: string): AlarmState {
  const name = alarmNames.find((one) => one === alarm);
  if (name === undefined || before.raised.includes(name)) return before;
  return { ...before, raised: [...before.raised, name] };
}

function progress(before: AlarmState, at: number): AlarmState {
  const since = before.progressAt;
  const steps = since === null ? before.steps : kept(before.steps, Math.max(0, at - since), limits.stepsKept);
  return { ...noteProgress(before, at), steps };
}

function settled(
  state: AlarmState,
  checks: readonly (readonly [AlarmName, string | undefined | null])[],
): Checked {
  const raised = checks.flatMap(([alarm, text]) =>
    typeof text === 'string' && !state.raised.includes(alarm) ? [{ alarm, text }] : [],
  );
  const cleared = new Set(checks.filter(([, text]) => text === undefined).map(([alarm]) => alarm));
  const holding = state.raised.filter((alarm) => !cleared.has(alarm));
  return { state: { ...state, raised: [...holding, ...raised.map(({ alarm }) => alarm)] }, raised };
}

function flatReward(rewards: readonly number[]): string | undefined {
  if (rewards.length < limits.flatSteps) return undefined;
  const [low, high] = [Math.min(...rewards), Math.max(...rewards)];
  const size = Math.max(Math.abs(low), Math.abs(high), 1e-3);
  if (high - low > size * limits.flatShare) return undefined;
  return `The mean reward has been ${shown(high)} for ${limits.flatSteps} steps: nothing is learnt from it.`;
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
