/** The budget of a training: what it has used, what it will use, and which limit ends it. */
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import { tokenKinds, type TokenCounts, type TokenKind } from '../../../tinker/core/service.ts';
import type { RunPlan } from '../launcher/runPlan.ts';
import { limitCode } from '../model-tuner/callBudget.ts';
import {
  trainingLimits,
  type TrainingEstimate,
  type TrainingLimits,
  type TrainingUsage,
  type TrainRequest,
} from '../protocol/run.ts';
import { RunningTime } from '../task-runner/runningTime.ts';
import type { TrainPlan } from './trainPlan.ts';
import type { TrainingState } from './trainerPorts.ts';

export interface BudgetParts {
  readonly limits: TrainingLimits;
  /** The prices of a million tokens; undefined: unknown. */
  readonly prices: TokenCounts | undefined;
  /** The state of a training that is resumed. */
  readonly before: Pick<TrainingState, 'usage' | 'stepUsage'> | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'every'>;
  readonly isHeld: () => boolean;
  /** Called once, when a limit is reached. */
  readonly onReached: (problem: CodedError, limit: LimitName) => void;
}

export type LimitName = keyof TrainingLimits;

/** Counts the time, tokens and money of a training. */
export class TrainingBudget implements Disposable {
  readonly #parts: BudgetParts;
  readonly #tokens: Record<TokenKind, number>;
  readonly #secondsBefore: number;
  readonly #time: RunningTime;
  #stepStart: TrainingUsage | undefined;
  #step: TrainingUsage | undefined;
  #reached: CodedError | undefined;

  constructor(parts: BudgetParts) {
    const { clock, isHeld, before } = parts;
    const { seconds = 0, ...tokens } = before?.usage ?? {};
    this.#parts = parts;
    this.#tokens = { prefill: 0, sample: 0, train: 0, ...tokens };
    this.#secondsBefore = seconds;
    this.#step = before?.stepUsage;
    this.#time = new RunningTime(clock, isHeld, () => this.#look());
  }

  get usage(): TrainingUsage {
    const { prefill, sample, train } = this.#tokens;
    return this.#priced({
      ...{ prefill, sample, train },
      seconds: this.#secondsBefore + this.#time.seconds,
    });
  }

  /** The use of the last step; undefined: no step is complete. */
  get stepUsage(): TrainingUsage | undefined {
    return this.#step;
  }

  count(kind: TokenKind, tokens: number): void {
    this.#tokens[kind] += tokens;
    this.#look();
  }

  /** Throws the reason if a limit is reached. */
  check(): void {
    if (this.#reached !== undefined) throw this.#reached;
  }

  /** Throws the reason if a limit is reached, or if a step like the last one would exceed it. */
  beginStep(): void {
    this.#look();
    this.check();
    const { limits } = this.#parts;
    const { usage } = this;
    const step = this.#step ?? noUsage;
    const limit = exceeded(limits, sum(usage, step));
    if (limit !== undefined) throw stepTooLarge(limit, limits, usage, step);
    this.#stepStart = usage;
  }

  endStep(): void {
    if (this.#stepStart !== undefined) this.#step = this.#priced(sum(this.usage, this.#stepStart, -1));
  }

  /** Returns what further steps will use, if they are like the last one. */
  expected(steps: number): TrainingUsage | undefined {
    return this.#step && this.#priced(sum(noUsage, this.#step, steps));
  }

  dispose(): void {
    this.#time.dispose();
  }

  #look(): void {
    if (this.#reached !== undefined) return;
    const { limits, onReached } = this.#parts;
    const { usage } = this;
    const limit = exceeded(limits, usage);
    if (limit === undefined) return;
    this.#reached = limitReached(limit, limits, usage);
    onReached(this.#reached, limit);
  }

  #priced(usage: TrainingUsage): TrainingUsage {
    const { prices } = this.#parts;
    return prices === undefined ? usage : { ...usage, cost: costOf(usage, prices) };
  }
}

/** Returns the limits of a training, which its state keeps among its options. */
export function limitsOf({ options }: Pick<TrainingState, 'options'>): TrainingLimits {
  return trainingLimits.safeParse(options).data ?? {};
}

/** Returns the limit that ended a training; undefined: none of its limits did. */
export function limitThatEnded({
  usage = noUsage,
  stepUsage = noUsage,
  ...state
}: Pick<TrainingState, 'usage' | 'stepUsage' | 'options'>): LimitName | undefined {
  return exceeded(limitsOf(state), sum(usage, stepUsage));
}

/** Returns the use of a whole training if its other steps are like the last one. */
export function expectedInAll({
  usage,
  stepUsage,
  step,
  totalSteps,
}: Pick<TrainingState, 'usage' | 'stepUsage' | 'step' | 'totalSteps'>): TrainingUsage | undefined {
  return usage && stepUsage && sum(usage, stepUsage, totalSteps - step);
}

const noUsage: TrainingUsage = { prefill: 0, sample: 0, train: 0, seconds: 0 };

function sum(one: TrainingUsage, other: TrainingUsage, times = 1): TrainingUsage {
  const add = (name: TokenKind | 'seconds'): number => one[name] + times * other[name];
  const cost = one.cost !== undefined && other.cost !== undefined ? one.cost + times * other.cost : undefined;
  const tokens = { prefill: add('prefill'), sample: add('sample'), train: add('train') };
  return { ...tokens, seconds: add('seconds'), ...(cost !== undefined && { cost }) };
}

function costOf(tokens: TokenCounts, prices: TokenCounts): number {
  return tokenKinds.reduce((cost, kind) => cost + (tokens[kind] * prices[kind]) / 1e6, 0);
}

export function tokensOf({ prefill, sample, train }: TokenCounts): number {
  return prefill + sample + train;
}

/** Returns the limit that a use reaches. */
function exceeded(limits: TrainingLimits, usage: TrainingUsage): LimitName | undefined {
  const { maxHours = Infinity, maxTokens = Infinity, maxCost = Infinity } = limits;
  if (usage.seconds >= maxHours * secondsPerHour) return 'maxHours';
  if (tokensOf(usage) >= maxTokens) return 'maxTokens';
  return (usage.cost ?? 0) >= maxCost ? 'maxCost' : undefined;
}

export const secondsPerHour = 3_600;

/** Returns the prices of a model. Throws `trainer/no-price` if the cost has a limit and the model has no price. */
export function pricesOf(
  { prices = {}, maxCost }: Pick<TrainRequest, 'prices' | 'maxCost'>,
  baseModel: string,
): TokenCounts | undefined {
  const found = Object.hasOwn(prices, baseModel) ? prices[baseModel] : undefined;
  if (found !== undefined || maxCost === undefined) return found;
  const names = Object.keys(prices);
  const others = names.length === 0 ? 'there are no prices' : `the prices are of ${names.join(', ')}`;
  throw new CodedError({
    code: 'trainer/no-price',
    message: `The cost of the training has a limit, but the price of ${baseModel} is unknown: ${others}.`,
    hint: `Add the prices of a million tokens with --price ${baseModel}=PREFILL,SAMPLE,TRAIN (launch.json: prices).`,
  });
}

/** Returns the most that the steps of a training can use. Validations and repeated attempts are not included. */
export function estimateOf(
  config: Config,
  plan: Pick<RunPlan, 'repeat' | 'sampling' | 'tracking' | 'samplesPerEpisode'>,
  { batchSize, passes, kl }: Pick<TrainPlan, 'batchSize' | 'passes' | 'kl'>,
  { steps, prices }: { readonly steps: number; readonly prices: TokenCounts | undefined },
): TrainingEstimate {
  const { modelLength, promptLength, responseLength } = plan.tracking.limits;
  const episodes = steps * batchSize * plan.repeat;
  const calls = config.integerOrNull('ajet.rollout.multi_turn.max_steps') ?? 1;
  // A sample has at least one call.
  const samples = episodes * Math.min(plan.samplesPerEpisode, calls);
  const inSamples = samples * Math.min(modelLength, promptLength + responseLength);
  const tokens = {
    prefill: episodes * calls * modelLength + (kl === undefined ? 0 : inSamples),
    sample: episodes * calls * plan.sampling.maxTokens,
    train: inSamples * passes,
  };
  return { episodes, calls, ...tokens, ...(prices && { cost: costOf(tokens, prices) }) };
}

interface LimitWords {
  readonly text: (limit: number) => string;
  readonly used: (usage: TrainingUsage) => number;
  /** The option that raises it. */
  readonly option: string;
}

export const limitWords: Readonly<Record<LimitName, LimitWords>> = {
  maxHours: {
    text: (hours) => `${rounded(hours)} h`,
    used: ({ seconds }) => rounded(seconds / secondsPerHour),
    option: '--max-hours (launch.json: maxHours)',
  },
  maxTokens: {
    text: (tokens) => `${tokens} tokens`,
    used: tokensOf,
    option: '--max-tokens (launch.json: maxTokens)',
  },
  maxCost: {
    text: (cost) => `a cost of ${cost}`,
    used: ({ cost = 0 }) => rounded(cost),
    option: '--max-cost (launch.json: maxCost)',
  },
};

/** Rounds to three digits, and to two after the point. */
export function rounded(value: number): number {
  return Number(value < 100 ? value.toPrecision(3) : value.toFixed(2));
}

function limitReached(limit: LimitName, limits: TrainingLimits, usage: TrainingUsage): CodedError {
  const { text, used } = limitWords[limit];
  const message = `The training reached its limit of ${text(limits[limit] ?? 0)} (used: ${used(usage)}).`;
  return new CodedError({ code: limitCode, message, hint: raise(limit) });
}

function stepTooLarge(
  limit: LimitName,
  limits: TrainingLimits,
  usage: TrainingUsage,
  step: TrainingUsage,
): CodedError {
  const { text, used } = limitWords[limit];
  const counts = `used: ${used(usage)}, in the last step: ${used(step)}`;
  return new CodedError({
    code: limitCode,
    message: `The next step would exceed the limit of ${text(limits[limit] ?? 0)} (${counts}).`,
    hint: raise(limit),
  });
}

const raise = (limit: LimitName): string =>
  `To continue, raise ${limitWords[limit].option} and resume the training.`;
