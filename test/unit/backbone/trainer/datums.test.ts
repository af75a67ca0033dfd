import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkLogprobs,
  datumOf,
  meanKl,
  scaled,
  tracedTraining,
  withKl,
} from '../../../../src/backbone/core/trainer/datums.ts';
import type { Datum } from '../../../../src/tinker/core/service.ts';
import type { TrainingSample } from '../../../../src/tracking/core/samples.ts';
import { fuzz } from '../../fuzz.ts';

function sample(
  ids: readonly number[],
  mask: readonly number[],
  logprobs: readonly number[],
): TrainingSample {
  return {
    inputIds: Int32Array.from(ids),
    lossMask: Uint8Array.from(mask),
    logprobs: Float32Array.from(logprobs),
    promptTokens: 1,
    cutTokens: 0,
    cutTrainable: 0,
    prefixTokens: 1,
    refusal: null,
  };
}

describe('a datum', () => {
  it('speaks of each token after the first', () => {
    const datum = datumOf({ sample: sample([7, 8, 9, 5], [0, 0, 1, 1], [0, 0, -0.5, -0.25]), advantage: 2 });
    expect(datum).toEqual({
      inputIds: Int32Array.from([7, 8, 9]),
      targetIds: Int32Array.from([8, 9, 5]),
      logprobs: Float32Array.from([0, -0.5, -0.25]),
      advantages: Float32Array.from([0, 2, 2]),
      weights: Float32Array.from([0, 1, 1]),
    });
  });

  it('is not made of a sample without a token that counts, or with only its first', () => {
    expect(datumOf({ sample: sample([7, 8], [0, 0], [0, 0]), advantage: 1 })).toBeUndefined();
    expect(datumOf({ sample: sample([7, 8], [1, 0], [-1, 0]), advantage: 1 })).toBeUndefined();
  });

  it('is in the trace with what the trainer said of the tokens that count', () => {
    const datum = datumOf({ sample: sample([7, 8, 9, 5], [0, 0, 1, 1], [0, 0, -0.5, -1]), advantage: 2 });
    if (datum === undefined) throw new Error('There is no datum.');
    const owner = { episode: 3, timeline: 1, advantage: 2 };
    // A server that answers too little leaves out the rest.
    const traced = tracedTraining({ ...owner, datum }, undefined, Float32Array.of(-9, -0.25), undefined);
    const logprobs = Float32Array.of(NaN, NaN, -0.25, NaN);
    expect(traced).toEqual({ ...owner, clip: null, logprobs, baseLogprobs: null });
    const clip = { low: 0.8, high: 1.2 };
    const base = tracedTraining(
      { ...owner, datum },
      clip,
      Float32Array.of(0, 0, 0),
      Float32Array.of(-9, -2, -3),
    );
    expect(base).toMatchObject({ clip, baseLogprobs: Float32Array.of(NaN, NaN, -2, -3) });
  });
});

/** Datums with at least one token that counts, of different lengths. */
const datums = fc.array(
  fc
    .array(
      fc.record({
        counts: fc.boolean(),
        logprob: fc.float({ min: -5, max: Math.fround(-0.01), noNaN: true }),
      }),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .map((tokens): Datum => {
      const weights = Float32Array.from(tokens, ({ counts }, at) => (counts || at === 0 ? 1 : 0));
      return {
        inputIds: new Int32Array(tokens.length),
        targetIds: new Int32Array(tokens.length),
        logprobs: Float32Array.from(tokens, ({ logprob }, at) => (weights[at] === 1 ? logprob : 0)),
        advantages: weights.map((weight, at) => weight * (1 + (at % 3))),
        weights,
      };
    }),
  { minLength: 1, maxLength: 6 },
);

describe('scaled advantages', () => {
  /** The loss as the two kinds of servers reduce it, at a ratio of 1. */
  const reduced = {
    sum: (all: readonly Datum[]) => all.reduce((sum, datum) => sum + total(datum.advantages), 0),
    'mean-of-datums': (all: readonly Datum[]) =>
      all.reduce((sum, { advantages, weights }) => sum + total(advantages) / total(weights), 0) / all.length,
  } as const;

  it('make the mean over all tokens of both reductions', () => {
    fc.assert(
      fc.property(datums, (all) => {
        const tokens = all.reduce((sum, { weights }) => sum + total(weights), 0);
        const wanted = reduced.sum(all) / tokens;
        for (const reduction of ['sum', 'mean-of-datums'] as const) {
          expect(reduced[reduction](scaled(all, reduction))).toBeCloseTo(wanted, 4);
        }
      }),
      fuzz(1, 300),
    );
  });
});

describe('the KL term', () => {
  const terms = {
    k1: (difference: number) => difference,
    abs: (difference: number) => Math.abs(difference),
    k2: (difference: number) => difference ** 2 / 2,
    k3: (difference: number) => Math.exp(-difference) + difference - 1,
  } as const;

  it.each(['k1', 'abs', 'k2', 'k3'] as const)('%s pulls as the slope of its estimator', (estimator) => {
    const base = Float32Array.of(-2.5);
    const datum: Datum = {
      inputIds: Int32Array.of(1),
      targetIds: Int32Array.of(2),
      logprobs: Float32Array.of(-1),
      advantages: Float32Array.of(0.5),
      weights: Float32Array.of(1),
    };
    const step = 1e-4;
    const slope = (terms[estimator](1.5 + step) - terms[estimator](1.5 - step)) / (2 * step);
    const [advantage] = withKl(datum, base, 0.1, estimator).advantages;
    expect(advantage).toBeCloseTo(0.5 - 0.1 * slope, 4);
  });

  it('leaves tokens that do not count, and measures the others', () => {
    const datum: Datum = {
      inputIds: Int32Array.of(1, 2),
      targetIds: Int32Array.of(2, 3),
      logprobs: Float32Array.of(0, -1),
      advantages: Float32Array.of(0, 1),
      weights: Float32Array.of(0, 1),
    };
    const bases = [Float32Array.of(-9, -1)];
    expect([...withKl(datum, bases[0] ?? new Float32Array(), 5, 'k3').advantages]).toEqual([0, 1]);
    expect(meanKl([datum], bases)).toBe(0);
  });
});

describe('the check of log probabilities', () => {
  it('finds no difference in what was sampled, and the size of one', () => {
    fc.assert(
      fc.property(datums, fc.float({ min: Math.fround(0.01), max: 1, noNaN: true }), (all, shift) => {
        const same = checkLogprobs(all, { logprobs: all.map(({ logprobs }) => logprobs) });
        expect(same).toMatchObject({
          meanDifference: 0,
          mostDifference: 0,
          meanRatio: 1,
          worstRatio: 1,
          clipped: 0,
        });
        const shifted = all.map(({ logprobs }) => logprobs.map((logprob) => logprob + shift));
        const found = checkLogprobs(all, { logprobs: shifted }, { low: 0.5, high: 1 });
        expect(found.meanDifference).toBeCloseTo(shift, 4);
        expect(found.worstRatio).toBeCloseTo(Math.exp(shift), 3);
        expect(found.clipped).toBe(1);
      }),
      fuzz(2, 200),
    );
  });

  it('is not passed by missing values', () => {
    const [datum] = fc.sample(datums, { seed: 3, numRuns: 1 }).flat();
    const check = checkLogprobs(datum === undefined ? [] : [datum], { logprobs: [] });
    expect(check.meanDifference).toBeNaN();
  });
});

function total(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
