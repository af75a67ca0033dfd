/** Requests for samples and their results. */
import * as z from 'zod/mini';
import { checked } from '../checked.ts';
import type { Result } from '../connection.ts';
import type { SampledSequence, SamplingOptions } from '../service.ts';
import { float32sOf, int32sOf } from './numbers.ts';
import { decodeMessage } from './schema.ts';

export interface Samples {
  readonly sequences: readonly SampledSequence[];
  /** Empty if they were not requested. NaN: the token has none. */
  readonly promptLogprobs: Float32Array;
}

export function sampleRequest(
  prompt: Int32Array,
  { samples, maxTokens, temperature, topP, topK, stop, seed }: SamplingOptions,
  scoresPrompt: boolean,
): object {
  return {
    num_samples: samples,
    prompt: { chunks: [{ type: 'encoded_text', tokens: [...prompt] }] },
    sampling_params: {
      ...{ max_tokens: maxTokens, temperature, top_p: topP, top_k: topK, stop },
      ...(seed !== undefined && { seed }),
    },
    prompt_logprobs: scoresPrompt,
    type: 'sample',
  };
}

const numbers = z.array(z.number());
const jsonSamples = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.enum(['stop', 'length']),
      tokens: numbers,
      logprobs: z.optional(z.nullable(numbers)),
    }),
  ),
  prompt_logprobs: z.optional(z.nullable(z.array(z.nullable(z.number())))),
});

const bytes = z.instanceof(Uint8Array);
const protobufSamples = z.object({
  sequences: z.array(z.object({ stopReason: z.number(), tokens: bytes, logprobs: bytes })),
  promptLogprobs: bytes,
});

/** Reads the result of {@link sampleRequest}. Throws an error with a reason if it is invalid. */
export function readSamples(result: Result, samples: number): Samples {
  const read = 'protobuf' in result ? ofProtobuf(result.protobuf) : ofJson(result.json);
  if (read.sequences.length !== samples)
    throw new Error(`${read.sequences.length} samples instead of ${samples}`);
  for (const { tokenIds, logprobs } of read.sequences) {
    if (tokenIds.length !== logprobs.length) {
      throw new Error(`${logprobs.length} log probabilities for ${tokenIds.length} sampled tokens`);
    }
  }
  return read;
}

function ofProtobuf(message: Uint8Array): Samples {
  const { sequences, promptLogprobs } = checked(protobufSamples, decodeMessage('SampleResponse', message));
  return {
    sequences: sequences.map(({ stopReason, tokens, logprobs }) => ({
      tokenIds: int32sOf(tokens),
      logprobs: float32sOf(logprobs),
      stopReason: stopReason === 1 ? 'length' : 'stop',
    })),
    promptLogprobs: float32sOf(promptLogprobs),
  };
}

function ofJson(json: unknown): Samples {
  const { sequences, prompt_logprobs: promptLogprobs } = checked(jsonSamples, json);
  return {
    sequences: sequences.map(({ stop_reason: stopReason, tokens, logprobs }) => ({
      tokenIds: Int32Array.from(tokens),
      logprobs: Float32Array.from(logprobs ?? []),
      stopReason,
    })),
    promptLogprobs: Float32Array.from(promptLogprobs ?? [], (value) => value ?? NaN),
  };
}
