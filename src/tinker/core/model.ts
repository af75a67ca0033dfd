import * as z from 'zod/mini';
import { CancellationSource, neverCancelled, type CancellationToken } from '../../base/core/cancellation.ts';
import { readAnswer, type Connection, type Request, type Result } from './connection.ts';
import { tinkerErrors, type Task } from './errors.ts';
import type { Dialect } from './profile.ts';
import { TinkerSampler } from './sampler.ts';
import type { AdamOptions, Datum, Loss, PassResult, Sampler, TrainedModel } from './service.ts';
import {
  checkDatums,
  chunksOf,
  mergePasses,
  metricName,
  metrics,
  passJson,
  passMessage,
  readPass,
} from './wire/training.ts';

const stepResult = z.looseObject({ metrics: z.optional(z.nullable(metrics)) });
const samplerResult = z.looseObject({ sampling_session_id: z.string() });
const savedResult = z.looseObject({ path: z.string() });
const anyResult = z.unknown();

export interface ModelParts {
  readonly connection: Connection;
  readonly dialect: Dialect;
  readonly id: string;
  /** Returns the number of the next sampling session of the session. */
  readonly nextSampler: () => number;
}

export class TinkerModel implements TrainedModel {
  readonly id: string;
  readonly #parts: ModelParts;
  /** The number of the next request. The service counts them without gaps, so a rejected request has taken none. */
  #next = 1;
  #turn: Promise<unknown> = Promise.resolve();
  #steps = 0;
  #failedPass: { readonly error: unknown } | undefined;

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.id = parts.id;
  }

  async forwardBackward(
    datums: readonly Datum[],
    loss: Loss,
    cancellation: CancellationToken = neverCancelled,
  ): Promise<PassResult> {
    checkDatums(datums);
    const { connection, dialect } = this.#parts;
    const { sendsWeights, wire } = dialect;
    const task = 'compute the gradients';
    const passes = chunksOf(datums).map(async (chunk) => {
      const body = (seqId: number) => {
        const request = { modelId: this.id, seqId, datums: chunk, loss, sendsWeights };
        return wire === 'json' ? passJson(request) : passMessage(request);
      };
      const result = await this.#ask(
        { task, path: 'forward_backward', cancellation },
        body,
        wire === 'protobuf',
      );
      for (const { inputIds } of chunk) connection.countTokens('train', inputIds.length);
      return readAnswer(task, () => readPass(result, chunk));
    });
    return mergePasses(await Promise.all(passes));
  }

  async optimStep(
    options: AdamOptions,
    cancellation: CancellationToken = neverCancelled,
  ): Promise<Readonly<Record<string, number>>> {
    this.#steps += 1;
    const { learningRate, beta1, beta2, eps, weightDecay, gradClipNorm } = options;
    const result = await this.#askJson('update the weights', 'optim_step', stepResult, cancellation, {
      adam_params: {
        ...{ learning_rate: learningRate, beta1, beta2, eps },
        ...{ weight_decay: weightDecay, grad_clip_norm: gradClipNorm },
      },
    });
    return Object.fromEntries(
      Object.entries(result.metrics ?? {}).map(([name, value]) => [metricName(name), value]),
    );
  }

  async sampler(cancellation: CancellationToken = neverCancelled): Promise<Sampler> {
    const { connection, dialect, nextSampler } = this.#parts;
    const fields = { sampling_session_seq_id: nextSampler() };
    const path = 'save_weights_for_sampler';
    const made = await this.#askJson('save the weights', path, samplerResult, cancellation, fields);
    const steps = this.#steps;
    const isStale = () => !dialect.freezesSnapshots && this.#steps !== steps;
    return new TinkerSampler(connection, made.sampling_session_id, dialect.wire, isStale);
  }

  async save(name: string, cancellation: CancellationToken = neverCancelled): Promise<string> {
    const fields = { path: name };
    return (await this.#askJson('save the weights', 'save_weights', savedResult, cancellation, fields)).path;
  }

  async saveForSampling(name: string, cancellation: CancellationToken = neverCancelled): Promise<string> {
    const path = 'save_weights_for_sampler';
    return (await this.#askJson('save the weights', path, savedResult, cancellation, { path: name })).path;
  }

  async export(
    name: string,
    lifetime: number,
    cancellation: CancellationToken = neverCancelled,
  ): Promise<string> {
    const fields = { path: name, ttl_seconds: lifetime };
    const path = 'save_weights_external';
    return (await this.#askJson('download the checkpoint', path, savedResult, cancellation, fields)).path;
  }

  async load(path: string, cancellation: CancellationToken = neverCancelled): Promise<void> {
    await this.#askJson('load the weights', 'load_weights', anyResult, cancellation, {
      path,
      optimizer: true,
    });
  }

  async unload(): Promise<void> {
    await unloadModel(this.#parts.connection, this.id);
  }

  async #askJson<T>(
    task: Task,
    path: string,
    schema: z.ZodMiniType<T>,
    cancellation: CancellationToken,
    fields: object,
  ): Promise<T> {
    const body = (seqId: number) => ({ model_id: this.id, seq_id: seqId, ...fields, type: path });
    const result = await this.#ask({ task, path, cancellation }, body, false);
    return this.#parts.connection.readJson(schema, result, task);
  }

  /**
   * Sends a request in its turn, and waits for its result. Only the wait can be canceled. A request that is canceled while it is
   * sent may or may not have taken its number.
   */
  #ask(
    { task, path, cancellation }: Pick<Request, 'task' | 'path' | 'cancellation'>,
    body: (seqId: number) => object,
    protobuf: boolean,
  ): Promise<Result> {
    const { connection, dialect } = this.#parts;
    const sent = this.#turn.then(async () => {
      if (cancellation.isCancelled) throw tinkerErrors.cancelled(task);
      // Its gradients are incomplete.
      if (task === 'update the weights' && this.#failedPass !== undefined) throw this.#failedPass.error;
      const request = { task, path: `/api/v1/${path}`, body: body(this.#next) };
      const { requestId } = await connection.submit({ ...request, cancellation: neverCancelled });
      this.#next += 1;
      return requestId;
    });
    const done = sent.then((requestId) => connection.result(requestId, task, cancellation, protobuf));
    if (task === 'compute the gradients') done.catch((error: unknown) => (this.#failedPass ??= { error }));
    this.#turn = (dialect.waitsForResults ? done : sent).catch(() => undefined);
    return untilCancelled(done, task, cancellation);
  }
}

/** Rejects as soon as it is canceled, while the work continues. */
function untilCancelled<T>(work: Promise<T>, task: Task, cancellation: CancellationToken): Promise<T> {
  return new Promise((resolve, reject) => {
    const listener = cancellation.onCancelled(() => reject(tinkerErrors.cancelled(task)));
    void work.then(resolve, reject).finally(() => listener.dispose());
  });
}

/** Milliseconds in which a model is unloaded or a session ended. */
const farewellTime = 2_000;

/** Runs last requests for a short time, and ignores their failures. */
export async function farewell(
  connection: Connection,
  work: (cancellation: CancellationToken) => Promise<unknown>,
): Promise<void> {
  const source = new CancellationSource();
  const timer = connection.clock.after(farewellTime, () => source.cancel());
  await work(source.token).catch(() => undefined);
  timer.dispose();
}

/** Frees the place of a model. Does not reject. */
export async function unloadModel(connection: Connection, id: string): Promise<void> {
  await farewell(connection, (cancellation) =>
    connection.run(anyResult, {
      ...{ task: 'unload the model', path: '/api/v1/unload_model', cancellation },
      body: { model_id: id, type: 'unload_model' },
    }),
  );
}
