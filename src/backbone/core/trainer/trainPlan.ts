/** The settings of a training on a Tinker server, from the config and the options of the run. */
import { CodedError } from '../../../base/core/errors.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { AdamOptions, LoraOptions, Loss, LossName } from '../../../tinker/core/service.ts';
import type { TrainRequest } from '../protocol/run.ts';
import type { KlEstimator } from './datums.ts';

export interface TrainPlan {
  /** Tasks per step. */
  readonly batchSize: number;
  /** Steps of the whole training. */
  readonly totalSteps: number;
  readonly stepsPerEpoch: number;
  /** Optimizer steps per batch: mini-batches × passes. */
  readonly miniBatches: number;
  readonly passes: number;
  readonly loss: Loss;
  /** Undefined: no comparison with the base model. */
  readonly kl: { readonly coefficient: number; readonly estimator: KlEstimator } | undefined;
  readonly lora: Omit<LoraOptions, 'baseModel'>;
  readonly adam: Omit<AdamOptions, 'learningRate'>;
  readonly schedule: Schedule;
  /** Steps between validations; undefined: none. */
  readonly testEvery: number | undefined;
  readonly validatesFirst: boolean;
  readonly saveEvery: number | undefined;
  /** Settings without an effect here, for a warning at their places. */
  readonly notes: readonly CodedError[];
}

export interface Schedule {
  readonly rate: number;
  /** The steps that the config asks for, of which a run can train the first ones only. */
  readonly steps: number;
  readonly warmupSteps: number;
  readonly kind: 'constant' | 'cosine';
  /** The least rate as a share of `rate`. */
  readonly least: number;
  /** Cycles of the cosine: 0.5 ends at the least rate. */
  readonly cycles: number;
}

const trainer = 'ajet.trainer_common';
const optim = `${trainer}.optim`;
const actor = 'actor_rollout_ref.actor';

/** Settings with which a tiny random model learns within a few steps. */
export const rehearsal = {
  batchSize: 4,
  steps: 10,
  rank: 8,
  rate: 0.01,
  /** The most tokens of a reply, and the least number of episodes of a task. */
  replyTokens: 32,
  repeat: 8,
} as const;

/**
 * Throws a CodedError `trainer/…` at the key that this backbone cannot follow.
 *
 * @param tasks the number of tasks in the data set
 * @param seed that of the adapter
 */
export function planTraining(request: TrainRequest, config: Config, tasks: number, seed: number): TrainPlan {
  if (request.rehearsal !== true) {
    return planned({ request, config, tasks, seed }, config.integer('ajet.data.train_batch_size'));
  }
  const { steps, rank, rate } = rehearsal;
  const asked = config.integer('ajet.data.train_batch_size');
  const batchSize = Math.min(asked, tasks, rehearsal.batchSize);
  const plan = planned({ request: { steps, rank, ...request }, config, tasks, seed }, batchSize);
  const schedule = {
    rate,
    steps: plan.totalSteps,
    warmupSteps: 0,
    kind: 'constant',
    least: 0,
    cycles: 0,
  } as const;
  return { ...plan, schedule, kl: undefined, adam: { ...plan.adam, weightDecay: 0 }, notes: [] };
}

interface Planned {
  readonly request: TrainRequest;
  readonly config: Config;
  readonly tasks: number;
  readonly seed: number;
}

function planned({ request, config, tasks, seed }: Planned, batchSize: number): TrainPlan {
  if (batchSize < 1 || batchSize > tasks) throw batchTooLarge(config, batchSize, tasks);
  refuseUnsupported(config);
  const stepsPerEpoch = Math.floor(tasks / batchSize);
  const all =
    config.integerOrNull(`${trainer}.total_training_steps`) ??
    config.integer(`${trainer}.total_epochs`) * stepsPerEpoch;
  const totalSteps = Math.min(all, request.steps ?? Infinity);
  if (totalSteps < 1) throw noSteps(config);
  const test = config.integer(`${trainer}.test_freq`);
  const save = config.integer(`${trainer}.save_freq`);
  return {
    batchSize,
    totalSteps,
    stepsPerEpoch,
    miniBatches: Math.max(1, config.integerOrNull(`${trainer}.mini_batch_num`) ?? 1),
    passes: Math.max(1, config.integerOrNull(`${trainer}.ppo_epochs`) ?? 1),
    loss: lossOf(request.loss ?? 'ppo', config),
    kl: klOf(config),
    lora: {
      rank: request.rank ?? config.integerOrNull('model.tinker.rank') ?? 16,
      seed: config.integerOrNull('model.tinker.seed') ?? seed,
      trainMlp: config.booleanOrNull('model.tinker.train_mlp') ?? true,
      trainAttn: config.booleanOrNull('model.tinker.train_attn') ?? true,
      trainUnembed: config.booleanOrNull('model.tinker.train_unembed') ?? true,
    },
    adam: adamOf(config),
    schedule: scheduleOf(config, all),
    testEvery: test > 0 ? test : undefined,
    validatesFirst: config.booleanOrNull(`${trainer}.val_before_train`) ?? false,
    saveEvery: save > 0 ? save : undefined,
    notes: notesOf(config),
  };
}

/** Returns the learning rate of a step, from 1. The first step already has a rate. */
export function rateAt(step: number, schedule: Schedule): number {
  const { rate, steps, warmupSteps, kind, least, cycles } = schedule;
  if (step <= warmupSteps) return (rate * step) / warmupSteps;
  if (kind === 'constant') return rate;
  const progress = (step - 1 - warmupSteps) / Math.max(1, steps - warmupSteps);
  const wave = 0.5 * (1 + Math.cos(2 * Math.PI * cycles * progress));
  return rate * (least + (1 - least) * wave);
}

function lossOf(name: LossName, config: Config): Loss {
  if (name === 'importance_sampling') return { name };
  const both = config.numberOrNull(`${actor}.clip_ratio`) ?? 0.2;
  const low = config.numberOrNull(`${actor}.clip_ratio_low`) ?? both;
  const high = config.numberOrNull(`${actor}.clip_ratio_high`) ?? both;
  return { name, clip: { low: 1 - low, high: 1 + high } };
}

/** The KL term of the loss as verl names its estimators. */
const estimators: Readonly<Record<string, KlEstimator>> = {
  kl: 'k1',
  k1: 'k1',
  abs: 'abs',
  mse: 'k2',
  k2: 'k2',
  low_var_kl: 'k3',
  k3: 'k3',
};

function klOf(config: Config): TrainPlan['kl'] {
  const coefficient = config.numberOrNull(`${trainer}.kl_loss_coef`) ?? 0;
  if (config.booleanOrNull(`${trainer}.use_kl_loss`) !== true || coefficient === 0) return undefined;
  const key = `${trainer}.kl_loss_type`;
  const type = config.string(key);
  if (type === 'none') return undefined;
  const estimator = Object.hasOwn(estimators, type) ? estimators[type] : undefined;
  if (estimator === undefined) throw unknownValue(config, key, type, Object.keys(estimators));
  return { coefficient, estimator };
}

function adamOf(config: Config): TrainPlan['adam'] {
  const betas = config.at(`${optim}.betas`);
  const [beta1, beta2] =
    betas?.kind === 'sequence' && betas.items.length === 2
      ? [config.number(`${optim}.betas.0`), config.number(`${optim}.betas.1`)]
      : [0.9, 0.999];
  return {
    beta1,
    beta2,
    eps: 1e-8,
    weightDecay: config.numberOrNull(`${optim}.weight_decay`) ?? 0.01,
    gradClipNorm: config.numberOrNull(`${optim}.grad_clip`) ?? config.numberOrNull(`${actor}.grad_clip`) ?? 1,
  };
}

function scheduleOf(config: Config, steps: number): Schedule {
  const given = config.integerOrNull(`${optim}.lr_warmup_steps`) ?? -1;
  const share = config.numberOrNull(`${optim}.lr_warmup_steps_ratio`) ?? 0;
  const key = `${optim}.lr_scheduler_type`;
  const kind = config.stringOrNull(key) ?? 'constant';
  if (kind !== 'constant' && kind !== 'cosine') throw unknownValue(config, key, kind, ['constant', 'cosine']);
  return {
    rate: config.number(`${optim}.lr`),
    steps,
    warmupSteps: given >= 0 ? given : Math.floor(share * steps),
    kind,
    least: config.numberOrNull(`${optim}.min_lr_ratio`) ?? 0,
    cycles: config.numberOrNull(`${optim}.num_cycles`) ?? 0.5,
  };
}

function refuseUnsupported(config: Config): void {
  const estimator = `${trainer}.algorithm.adv_estimator`;
  const name = config.stringOrNull(estimator) ?? 'grpo';
  if (name !== 'grpo') throw unsupported(config, estimator, `\`${name}\``, 'Set it to grpo.');
  for (const key of [`${trainer}.use_kl_in_reward`, `${trainer}.algorithm.use_kl_in_reward`]) {
    if (config.booleanOrNull(key) !== true) continue;
    throw unsupported(config, key, 'A KL penalty in the reward', 'Set it to false, and use_kl_loss to true.');
  }
  const entropy = `${actor}.entropy_coeff`;
  if ((config.numberOrNull(entropy) ?? 0) !== 0) {
    throw unsupported(
      config,
      entropy,
      'An entropy term',
      'Set it to 0: a server knows only the sampled tokens.',
    );
  }
}

/** Above it, full fine-tuning diverges; below it, an adapter hardly learns. */
const leastRate = 5e-6;

function notesOf(config: Config): readonly CodedError[] {
  const notes: CodedError[] = [];
  const rate = config.number(`${optim}.lr`);
  if (rate < leastRate) {
    notes.push(
      new CodedError({
        code: 'trainer/low-rate',
        message: `The learning rate ${rate} is one for full fine-tuning. This backbone trains an adapter, which hardly learns with it.`,
        location: config.locate(`${optim}.lr`),
        hint: 'Multiply it by 10 to 40, for example 1e-5 to 4e-5.',
      }),
    );
  }
  const temperature = config.number('ajet.rollout.temperature');
  if (temperature !== 1) {
    notes.push(
      new CodedError({
        code: 'trainer/temperature',
        message: `Log probabilities of a server are those of temperature 1, but replies are sampled with ${temperature}.`,
        location: config.locate('ajet.rollout.temperature'),
        hint: 'Set it to 1.0, so that the samples are from the policy that is trained.',
      }),
    );
  }
  return notes;
}

function batchTooLarge(config: Config, batchSize: number, tasks: number): CodedError {
  return new CodedError({
    code: 'trainer/batch-size',
    message: `A step takes ${batchSize} tasks, but the data set has ${tasks}.`,
    location: config.locate('ajet.data.train_batch_size'),
    hint: `Set it to a number from 1 to ${tasks}.`,
  });
}

function noSteps(config: Config): CodedError {
  return new CodedError({
    code: 'trainer/no-steps',
    message: 'There is no step to train.',
    location: config.locate(`${trainer}.total_epochs`),
    hint: 'Set total_epochs to 1 or more.',
  });
}

function unknownValue(config: Config, key: string, value: string, known: readonly string[]): CodedError {
  return new CodedError({
    code: 'trainer/unknown-value',
    message: `\`${key}\` has an unknown value: ${JSON.stringify(value)}.`,
    location: config.locate(key),
    hint: `Choose from ${known.join(', ')}.`,
  });
}

function unsupported(config: Config, key: string, what: string, hint: string): CodedError {
  return new CodedError({
    code: 'trainer/unsupported',
    message: `${what} cannot be trained through the Tinker API (\`${key}\`).`,
    location: config.locate(key),
    hint,
  });
}
