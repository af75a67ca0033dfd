import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { readAnswer, type Result } from '../../../src/tinker/core/connection.ts';
import type { Datum } from '../../../src/tinker/core/service.ts';
import { readSamples } from '../../../src/tinker/core/wire/sampling.ts';
import { passMessage, readPass } from '../../../src/tinker/core/wire/training.ts';
import { shownMessage, shownRequest } from '../../tools/tinkerConversations/conversation.ts';
import { passResult, sampleResult } from '../../tools/tinkerServer.ts';
import { fuzz } from '../fuzz.ts';
import { anyPass, anyRequest, anySamples } from './anyMessages.ts';

it('a request for gradients is read as it was written', () => {
  const property = fc.property(anyRequest, (request) => {
    const { shown } = shownMessage('ForwardBackwardRequest', passMessage(request));
    expect(shown).toEqual(shownRequest(request));
  });
  fc.assert(property, fuzz(2211, 2_000));
});

it('samples are read as they were written', () => {
  const property = fc.property(anySamples, (samples) => {
    const protobuf = sampleResult(samples.sequences, samples.promptLogprobs);
    expect(readSamples({ protobuf }, samples.sequences.length)).toEqual(samples);
  });
  fc.assert(property, fuzz(2212, 2_000));
});

/** Datums of the lengths that a result has. */
const datumsOf = (lengths: readonly number[]): readonly Datum[] =>
  lengths.map((length) => ({ inputIds: new Int32Array(length) }) as unknown as Datum);

it('log probabilities of the trainer are read as they were written', () => {
  const property = fc.property(anyPass, (pass) => {
    const protobuf = passResult(pass.logprobs, pass.metrics);
    expect(readPass({ protobuf }, datumsOf(pass.logprobs.map(({ length }) => length)))).toEqual(pass);
  });
  fc.assert(property, fuzz(2213, 2_000));
});

/** Bytes of a message that are cut off, changed in some places, or no message at all. */
const damaged = (message: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc.tuple(message, fc.nat()).map(([bytes, at]) => bytes.slice(0, at % (bytes.length + 1))),
    fc.tuple(message, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 })).map(([bytes, changes]) => {
      const changed = bytes.slice();
      for (const [at, byte] of changes) changed[at % changed.length] = byte;
      return changed;
    }),
  );
const anyResult = (message: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Result> =>
  fc.oneof(
    damaged(message).map((protobuf) => ({ protobuf })),
    fc.jsonValue().map((json) => ({ json })),
  );

/** Returns the value, or undefined for an answer that is refused with its code. */
function readOrRefuse<T>(read: () => T): T | undefined {
  try {
    return readAnswer('sample', read);
  } catch (error) {
    expect(error).toBeInstanceOf(CodedError);
    expect(error).toMatchObject({ code: 'tinker/bad-answer' });
    return undefined;
  }
}

it('damaged samples are refused, or have a log probability for each token', () => {
  const written = anySamples.map(({ sequences, promptLogprobs }) => sampleResult(sequences, promptLogprobs));
  const property = fc.property(anyResult(written), fc.integer({ min: 1, max: 3 }), (result, count) => {
    const samples = readOrRefuse(() => readSamples(result, count));
    if (samples === undefined) return;
    expect(samples.sequences).toHaveLength(count);
    for (const { tokenIds, logprobs } of samples.sequences) expect(tokenIds).toHaveLength(logprobs.length);
  });
  fc.assert(property, fuzz(2214, 20_000));
});

it('damaged log probabilities of the trainer are refused, or have the lengths of the request', () => {
  const written = anyPass.map(({ logprobs, metrics }) => passResult(logprobs, metrics));
  const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
  const property = fc.property(anyResult(written), lengths, (result, wanted) => {
    const pass = readOrRefuse(() => readPass(result, datumsOf(wanted)));
    if (pass !== undefined) expect(pass.logprobs.map(({ length }) => length)).toEqual(wanted);
  });
  fc.assert(property, fuzz(2215, 20_000));
});

it('log probabilities whose places are not in order, or outside of the data, are refused', () => {
  const [one, two] = [Float32Array.of(-1, -2), Float32Array.of(-3, -4)];
  const bytes = passResult([one, two], {});
  const offsets = BigInt64Array.of(0n, 8n, 16n);
  const at = Buffer.from(bytes).indexOf(Buffer.from(offsets.buffer));
  const withOffsets = (...list: readonly bigint[]): Uint8Array => {
    const changed = bytes.slice();
    changed.set(Buffer.from(BigInt64Array.from(list).buffer), at);
    return changed;
  };
  const read = (protobuf: Uint8Array) => readPass({ protobuf }, datumsOf([2, 2]));
  expect(read(withOffsets(0n, 8n, 16n)).logprobs).toEqual([one, two]);
  for (const wrong of [
    [-16n, -8n, 16n],
    [8n, 16n, 24n],
    [0n, 8n, 2n ** 62n],
  ]) {
    expect(() => read(withOffsets(...wrong))).toThrow('offsets');
  }
});
