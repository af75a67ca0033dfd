import type { CancellationToken } from '../../base/core/cancellation.ts';
import { hasCode } from '../../base/core/errors.ts';
import { readAnswer, type Connection } from './connection.ts';
import { tinkerErrors } from './errors.ts';
import type { Dialect } from './profile.ts';
import type { SampledSequence, Sampler, SamplingOptions } from './service.ts';
import { readSamples, sampleRequest, type Samples } from './wire/sampling.ts';

/** The number of times that a request is sent if the server loses its result. */
const attempts = 3;

export class TinkerSampler implements Sampler {
  readonly #connection: Connection;
  readonly #id: string;
  readonly #wire: Dialect['wire'];
  readonly #isStale: () => boolean;
  #next = 0;

  /** @param isStale returns whether the server no longer has these weights as they were */
  constructor(connection: Connection, id: string, wire: Dialect['wire'], isStale = () => false) {
    this.#connection = connection;
    this.#id = id;
    this.#wire = wire;
    this.#isStale = isStale;
  }

  async sample(
    prompt: Int32Array,
    options: SamplingOptions,
    cancellation: CancellationToken,
  ): Promise<readonly SampledSequence[]> {
    const { sequences } = await this.#sample(prompt, options, false, cancellation);
    return sequences;
  }

  async score(tokenIds: Int32Array, cancellation: CancellationToken): Promise<Float32Array> {
    const options = { samples: 1, maxTokens: 1, temperature: 1, topP: 1, topK: -1, stop: [] };
    const { promptLogprobs } = await this.#sample(tokenIds, options, true, cancellation);
    // Some servers have no entry for the first token.
    const missing = tokenIds.length - promptLogprobs.length;
    if (missing < 0 || missing > 1) {
      throw tinkerErrors.badAnswer(
        'sample',
        `${promptLogprobs.length} log probabilities for a prompt of ${tokenIds.length} tokens`,
      );
    }
    const scores = new Float32Array(tokenIds.length);
    scores.set(promptLogprobs, missing);
    scores[0] = NaN;
    return scores;
  }

  async #sample(
    prompt: Int32Array,
    options: SamplingOptions,
    scoresPrompt: boolean,
    cancellation: CancellationToken,
  ): Promise<Samples> {
    if (this.#isStale()) throw tinkerErrors.staleSampler();
    const body = sampleRequest(prompt, options, scoresPrompt);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { requestId } = await this.#connection.submit({
          ...{ task: 'sample', path: '/api/v1/asample', cancellation },
          // The service answers 429 then, where it would let the request wait unseen.
          headers: { 'x-tinker-sampling-backpressure': '1' },
          body: { sampling_session_id: this.#id, seq_id: this.#next++, ...body },
        });
        this.#connection.countTokens('prefill', prompt.length);
        const isProtobuf = this.#wire === 'protobuf';
        const result = await this.#connection.result(requestId, 'sample', cancellation, isProtobuf);
        const samples = readAnswer('sample', () => readSamples(result, options.samples));
        for (const { tokenIds } of samples.sequences) this.#connection.countTokens('sample', tokenIds.length);
        return samples;
      } catch (error) {
        if (!hasCode(error, 'tinker/future-lost') || attempt === attempts) throw error;
      }
    }
  }
}
