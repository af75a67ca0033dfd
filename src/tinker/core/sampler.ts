import type { CancellationToken } from '../../base/core/cancellation.ts';
import { hasCode, messageOf } from '../../base/core/errors.ts';
import type { Connection } from './connection.ts';
import { tinkerErrors } from './errors.ts';
import type { SampledSequence, Sampler, SamplingOptions } from './service.ts';
import { readSamples, sampleRequest, type Samples } from './wire/sampling.ts';

/** The number of times that a request is sent if the server loses its result. */
const attempts = 3;

export class TinkerSampler implements Sampler {
  readonly #connection: Connection;
  readonly #id: string;
  readonly #accept: 'protobuf' | 'json';
  #next = 0;

  constructor(connection: Connection, id: string, accept: 'protobuf' | 'json') {
    this.#connection = connection;
    this.#id = id;
    this.#accept = accept;
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
    const body = sampleRequest(prompt, options, scoresPrompt);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { requestId } = await this.#connection.submit({
          ...{ task: 'sample', path: '/api/v1/asample', cancellation },
          body: { sampling_session_id: this.#id, seq_id: this.#next++, ...body },
        });
        const isProtobuf = this.#accept === 'protobuf';
        const result = await this.#connection.result(requestId, 'sample', cancellation, isProtobuf);
        return readOrThrow(() => readSamples(result, options.samples));
      } catch (error) {
        if (!hasCode(error, 'tinker/future-lost') || attempt === attempts) throw error;
      }
    }
  }
}

function readOrThrow<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw tinkerErrors.badAnswer('sample', messageOf(error));
  }
}
