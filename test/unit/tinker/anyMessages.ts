/** Any content of the protobuf messages. */
import fc from 'fast-check';
import {
  lossNames,
  type Datum,
  type PassResult,
  type SampledSequence,
} from '../../../src/tinker/core/service.ts';
import type { Samples } from '../../../src/tinker/core/wire/sampling.ts';

const id = fc.integer({ min: 0, max: 2 ** 31 - 1 });
/** JSON has no -0. */
const float = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const ids = (length: number) =>
  fc.array(id, { minLength: length, maxLength: length }).map((list) => Int32Array.from(list));
const floats = (length: number) =>
  fc.array(float, { minLength: length, maxLength: length }).map((list) => Float32Array.from(list));

const anyDatum: fc.Arbitrary<Datum> = fc.integer({ min: 1, max: 5 }).chain((length) =>
  fc.record({
    ...{ inputIds: ids(length), targetIds: ids(length), logprobs: floats(length) },
    ...{ advantages: floats(length), weights: floats(length) },
  }),
);

export const anyRequest = fc.record({
  modelId: fc.string({ minLength: 1, unit: 'grapheme' }),
  seqId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  datums: fc.array(anyDatum, { minLength: 1, maxLength: 4 }),
  loss: fc.record({
    name: fc.constantFrom(...lossNames),
    clip: fc.option(fc.record({ low: double, high: double }), { nil: undefined }),
  }),
  sendsWeights: fc.boolean(),
});

const anySequence: fc.Arbitrary<SampledSequence> = fc.nat({ max: 5 }).chain((length) =>
  fc.record({
    tokenIds: ids(length),
    logprobs: floats(length),
    stopReason: fc.constantFrom('stop' as const, 'length' as const),
  }),
);

export const anySamples: fc.Arbitrary<Samples> = fc.record({
  sequences: fc.array(anySequence, { minLength: 1, maxLength: 3 }),
  promptLogprobs: fc.nat({ max: 5 }).chain(floats),
});

export const anyPass: fc.Arbitrary<PassResult> = fc.record({
  logprobs: fc.array(fc.integer({ min: 1, max: 5 }).chain(floats), { minLength: 1, maxLength: 4 }),
  metrics: fc.dictionary(fc.string({ unit: 'grapheme' }), double),
});
