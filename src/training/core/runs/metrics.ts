/** Reads metrics from the output of training: Trinity's monitor, whatever its backend, and verl's console. */
import type { RunEvent } from '../protocol/runs.ts';

export type StepMetrics = Readonly<Pick<Extract<RunEvent, { type: 'metrics' }>, 'role' | 'step' | 'values'>>;

/** A metrics line of Trinity's log, with Ray's prefix of the actor. */
const trinityLine =
  /^(?:\((?<actor>[^)]*)\)\s*)?INFO .*?\[monitor\.py:\d+\] Step (?<step>\d{1,15}): (?<dict>\{.*\})/;
const verlLine = /^(?:\([^)]*\)\s*)?step:(?<step>\d{1,15}) - (?<values>\S.*)$/;

/** @param source `launcher`, or the stem of a file in the job's log folder */
export function metricsIn(text: string, source: string): StepMetrics | undefined {
  const trinity = trinityLine.exec(text)?.groups;
  if (trinity !== undefined) {
    const values = pythonNumbers(trinity['dict'] ?? '');
    const step = Number(trinity['step']);
    return { role: roleOf(source, trinity['actor'] ?? '', values), step, values };
  }
  const verl = verlLine.exec(text)?.groups;
  if (verl === undefined) return undefined;
  const values = consoleNumbers(verl['values'] ?? '');
  if (Object.keys(values).length === 0) return undefined;
  return { role: 'trainer', step: Number(verl['step']), values };
}

function roleOf(
  source: string,
  actor: string,
  values: Readonly<Record<string, number>>,
): StepMetrics['role'] {
  const names = Object.keys(values);
  if (names.some((name) => name.startsWith('bench/'))) return 'benchmark';
  for (const teller of [actor, source]) {
    if (/trainer/i.test(teller)) return 'trainer';
    if (/explorer/i.test(teller)) return 'explorer';
  }
  return names.some((name) => /^(?:actor|critic)\//.test(name)) ? 'trainer' : 'explorer';
}

/** A quoted name and its value: bare, or in a call such as `np.float64(0.5)`. */
const pair = /(['"])((?:\\.|(?!\1)[^\\])*)\1\s*:\s*([^,{}[\]'"()]*(?:\([^()]*\))?)/g;

function pythonNumbers(text: string): Record<string, number> {
  const pairs = Array.from(text.matchAll(pair), ([, , name = '', value = '']) => [name, value] as const);
  return finite(pairs);
}

/** Parses `name:value - name:value`. Names can contain colons, values cannot. */
function consoleNumbers(text: string): Record<string, number> {
  return finite(
    text.split(' - ').map((part) => {
      const colon = part.lastIndexOf(':');
      return [part.slice(0, Math.max(colon, 0)).trim(), part.slice(colon + 1)] as const;
    }),
  );
}

function finite(pairs: readonly (readonly [name: string, value: string])[]): Record<string, number> {
  const found = pairs.flatMap(([name, text]) => {
    const value = numberOf(text);
    return value === undefined || name === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

function numberOf(text: string): number | undefined {
  const inside = /^\s*[\w.]+\(\s*([^,()]*)[^()]*\)\s*$/.exec(text)?.[1] ?? text;
  if (!/^\s*[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(inside)) return undefined;
  const value = Number(inside.replaceAll('_', ''));
  return Number.isFinite(value) ? value : undefined;
}

/** Metrics of evaluations only: Trinity's evaluations and benchmarks, verl's validations, and their durations. */
const ofEvaluation = /^(?:(?:eval|bench|val|val-core|val-aux)\/|time\/eval$|timing_s\/testing$)/;

/** Metrics of AgentJet's own validation with verl, which have no section. */
const ofValidation =
  /^(?:eval_|(?:TGC|task_pass_rate)@|num_(?:all_success|pass_n)_tasks|(?:pass_n|total_tasks|mean_reward|std_reward)$)/;

/** Returns true if the metrics are of a completed step of exploring or training, not of an evaluation alone. */
export function hasStepMetrics(values: Readonly<Record<string, number>>): boolean {
  return Object.keys(values).some((name) => !isOfEvaluation(name));
}

export function hasEvaluationMetrics(values: Readonly<Record<string, number>>): boolean {
  return Object.keys(values).some(isOfEvaluation);
}

function isOfEvaluation(name: string): boolean {
  return ofEvaluation.test(name) || ofValidation.test(name);
}

/** Curves of the mean reward, best first. */
const rewardNames: readonly string[] = [
  'experience_pipeline/group_advantages/reward_mean/mean',
  'critic/rewards/mean',
  'critic/score/mean',
  'rollout/reward/mean',
];

/** Returns the mean reward of a step and the rank of its curve. A smaller rank is better. */
export function rewardIn(
  values: Readonly<Record<string, number>>,
): { readonly value: number; readonly rank: number } | undefined {
  for (const [rank, name] of rewardNames.entries()) {
    const value = values[name];
    if (value !== undefined) return { value, rank };
  }
  return undefined;
}
