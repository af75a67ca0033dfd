/** Training samples as a Tinker server takes them, and the comparison of its log probabilities with the sampler's. */
import type { Datum, PassResult, ServerProfile } from '../../../tinker/core/service.ts';
import { isClipped, klOf } from '../../../tracking/core/policyShift.ts';
import type { ClipRange, TracedTraining } from '../../../tracking/core/records/trace.ts';
import type { TrainingSample } from '../../../tracking/core/samples.ts';

/** Estimators of the KL divergence per token, with d = log p − log p of the base model: d, |d|, d²/2, e⁻ᵈ + d − 1. */
export type KlEstimator = 'k1' | 'abs' | 'k2' | 'k3';

/** A sample with its advantage, the same for all of its tokens. */
export interface WeighedSample {
  readonly sample: TrainingSample;
  readonly advantage: number;
}

/**
 * Returns the sequence to train on: all tokens but the last, which predict all tokens but the first. Undefined for a sample
 * without a token that counts.
 */
export function datumOf({ sample, advantage }: WeighedSample): Datum | undefined {
  const { inputIds, lossMask, logprobs } = sample;
  const weights = Float32Array.from(lossMask.subarray(1));
  if (!weights.includes(1)) return undefined;
  return {
    inputIds: inputIds.subarray(0, -1),
    targetIds: inputIds.subarray(1),
    logprobs: logprobs.subarray(1).map((logprob, at) => (weights[at] === 1 ? logprob : 0)),
    advantages: weights.map((weight) => (weight === 0 ? 0 : advantage)),
    weights,
  };
}

/** The datum of a timeline. */
export interface TrainedSample {
  readonly episode: number;
  readonly timeline: number;
  readonly advantage: number;
  readonly datum: Datum;
}

/** Returns what a trace keeps of a sample. Its first token is never a target. */
export function tracedTraining(
  { datum: { weights }, ...sample }: TrainedSample,
  clip: ClipRange | undefined,
  logprobs: Float32Array,
  base: Float32Array | undefined,
): TracedTraining {
  const perToken = (targets: Float32Array): Float32Array => {
    const values = weights.map((weight, at) => (weight === 1 ? (targets[at] ?? NaN) : NaN));
    return Float32Array.from([NaN, ...values]);
  };
  return {
    ...sample,
    clip: clip ?? null,
    logprobs: perToken(logprobs),
    baseLogprobs: base === undefined ? null : perToken(base),
  };
}

/**
 * Adds the gradient of a KL term to the advantages. The samples are from the trained policy, whose ratio is 1, so an advantage of
 * A has the gradient of A × log p. The gradient of k3 is 1 − e⁻ᵈ times that of log p, for example.
 *
 * @param base log probabilities of the target tokens under the base model
 */
export function withKl(datum: Datum, base: Float32Array, coefficient: number, estimator: KlEstimator): Datum {
  const { logprobs, weights, advantages } = datum;
  return {
    ...datum,
    advantages: advantages.map((advantage, at) => {
      if (weights[at] === 0) return 0;
      const difference = (logprobs[at] ?? 0) - (base[at] ?? 0);
      return advantage - coefficient * slopes[estimator](difference);
    }),
  };
}

const slopes: Readonly<Record<KlEstimator, (difference: number) => number>> = {
  k1: () => 1,
  abs: Math.sign,
  k2: (difference) => difference,
  k3: (difference) => 1 - Math.exp(-difference),
};

/** The mean of k3 over the tokens that count: how far the policy is from the base model. */
export function meanKl(datums: readonly Datum[], bases: readonly Float32Array[]): number {
  return meanOf(datums, (datum, at, index) => {
    return klOf(datum.logprobs[at] ?? 0, bases[index]?.[at] ?? 0);
  });
}

/**
 * Scales advantages so that the loss of a step is the mean over all of its tokens, whatever the reduction of the server.
 * AgentJet's trainers count so (`token-mean`).
 */
export function scaled(datums: readonly Datum[], reduction: ServerProfile['reduction']): readonly Datum[] {
  const counts = datums.map(({ weights }) => weights.reduce((sum, weight) => sum + weight, 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return datums.map((datum, index) => {
    const factor = reduction === 'sum' ? 1 / total : (datums.length * (counts[index] ?? 0)) / total;
    return { ...datum, advantages: datum.advantages.map((advantage) => advantage * factor) };
  });
}

/** The differences between the log probabilities of trainer and sampler, over the tokens that count. */
export interface LogprobCheck {
  /** Mean of |log p trainer − log p sampler|. */
  readonly meanDifference: number;
  readonly mostDifference: number;
  /** Mean of p trainer / p sampler. */
  readonly meanRatio: number;
  /** The ratio farthest from 1. */
  readonly worstRatio: number;
  /** Share of tokens whose ratio is outside of the clip range. */
  readonly clipped: number;
  /** Mean of −log p: an estimate of the entropy. */
  readonly entropy: number;
  readonly tokens: number;
}

export function checkLogprobs(
  datums: readonly Datum[],
  { logprobs }: Pick<PassResult, 'logprobs'>,
  clip: ClipRange = { low: 0, high: Infinity },
): LogprobCheck {
  let mostDifference = 0;
  let worstRatio = 1;
  let tokens = 0;
  const difference = (datum: Datum, at: number, index: number): number =>
    (logprobs[index]?.[at] ?? NaN) - (datum.logprobs[at] ?? 0);
  const meanDifference = meanOf(datums, (datum, at, index) => {
    const own = difference(datum, at, index);
    tokens += 1;
    mostDifference = Math.max(mostDifference, Math.abs(own));
    const ratio = Math.exp(own);
    if (Math.abs(Math.log(ratio)) > Math.abs(Math.log(worstRatio))) worstRatio = ratio;
    return Math.abs(own);
  });
  const ratioOf = (datum: Datum, at: number, index: number): number => Math.exp(difference(datum, at, index));
  return {
    meanDifference,
    mostDifference,
    meanRatio: meanOf(datums, ratioOf),
    worstRatio,
    clipped: meanOf(datums, (datum, at, index) => (isClipped(ratioOf(datum, at, index), clip) ? 1 : 0)),
    entropy: meanOf(datums, (datum, at) => -(datum.logprobs[at] ?? 0)),
    tokens,
  };
}

/** The mean over the tokens that count; 0 without any. */
function meanOf(datums: readonly Datum[], of: (datum: Datum, at: number, index: number) => number): number {
  let sum = 0;
  let count = 0;
  datums.forEach((datum, index) => {
    datum.weights.forEach((weight, at) => {
      if (weight === 0) return;
      sum += of(datum, at, index);
      count += 1;
    });
  });
  return count === 0 ? 0 : sum / count;
}
