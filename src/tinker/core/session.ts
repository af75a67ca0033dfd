import * as z from 'zod/mini';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import { hasCode } from '../../base/core/errors.ts';
import type { Connection } from './connection.ts';
import { tinkerErrors } from './errors.ts';
import { farewell, TinkerModel, unloadModel } from './model.ts';
import { sdkVersion, type Dialect } from './profile.ts';
import { TinkerSampler } from './sampler.ts';
import { readWeightsPath, writeWeightsPath } from './weightsPath.ts';
import type { LoraOptions, Sampler, ServerProfile, TinkerSession, TrainedModel } from './service.ts';

const opened = z.looseObject({
  session_id: z.string(),
  info_message: z.optional(z.nullable(z.string())),
  warning_message: z.optional(z.nullable(z.string())),
  error_message: z.optional(z.nullable(z.string())),
});
const created = z.looseObject({ model_id: z.string() });
const weightsInfo = z.looseObject({ base_model: z.string(), lora_rank: z.number() });
const samplerMade = z.looseObject({ sampling_session_id: z.string() });

export interface SessionParts {
  readonly connection: Connection;
  readonly dialect: Dialect;
  readonly models: ServerProfile['models'];
  /** Names for the user's own use in the console of the service. */
  readonly tags: readonly string[];
  readonly projectId: string | undefined;
  /** Sends heartbeats until disposed. Calls `onOver` if the server has ended the session. */
  readonly startHeartbeats: (sessionId: string, onOver: (why: string) => void) => Disposable;
}

/** Opens a session. Its first heartbeat is sent at once: some servers keep a session for ever that never had one. */
export async function openSession(
  parts: SessionParts,
  cancellation: CancellationToken,
): Promise<TinkerSession> {
  const { connection, tags, projectId } = parts;
  const session = await connection.json(opened, {
    ...{ task: 'open a session', path: '/api/v1/create_session', cancellation },
    body: {
      ...{ tags, user_metadata: null, sdk_version: sdkVersion, type: 'create_session' },
      ...(projectId !== undefined && { project_id: projectId }),
    },
  });
  for (const text of [session.info_message, session.warning_message, session.error_message]) {
    if (text) connection.notify({ kind: text === session.info_message ? 'info' : 'warning', text });
  }
  const id = session.session_id;
  const heartbeats = parts.startHeartbeats(id, (why) => connection.end(tinkerErrors.sessionOver(why)));
  return new Session(parts, id, heartbeats);
}

class Session implements TinkerSession {
  readonly server: ServerProfile;
  readonly #parts: SessionParts;
  readonly #id: string;
  readonly #heartbeats: Disposable;
  readonly #models = new Set<TrainedModel>();
  #nextModel = 0;
  #nextSampler = 0;

  constructor(parts: SessionParts, id: string, heartbeats: Disposable) {
    this.#parts = parts;
    this.#id = id;
    this.#heartbeats = heartbeats;
    const { kind, name, reduction, losses } = parts.dialect;
    this.server = { kind, name, reduction, losses, models: parts.models };
  }

  async createModel(options: LoraOptions, cancellation: CancellationToken): Promise<TrainedModel> {
    const { connection, dialect } = this.#parts;
    this.#checkModel(options.baseModel);
    const task = 'create the model';
    const { requestId, answer } = await connection.submit({
      ...{ task, path: '/api/v1/create_model', cancellation },
      body: {
        ...{ session_id: this.#id, model_seq_id: this.#nextModel++, base_model: options.baseModel },
        lora_config: {
          rank: options.rank,
          ...(options.seed !== undefined && { seed: options.seed }),
          ...{
            train_mlp: options.trainMlp,
            train_attn: options.trainAttn,
            train_unembed: options.trainUnembed,
          },
        },
        type: 'create_model',
      },
    });
    try {
      const result = await connection.result(requestId, task, cancellation);
      const { model_id: id } = connection.readJson(created, result, task);
      const model = new TinkerModel({ connection, dialect, id, nextSampler: () => this.#nextSampler++ });
      this.#models.add(model);
      return model;
    } catch (error) {
      // The server makes it anyhow, so it must not keep its place.
      const early = created.safeParse(answer);
      if (hasCode(error, 'tinker/cancelled') && early.success)
        await unloadModel(connection, early.data.model_id);
      throw error;
    }
  }

  async openSampler(
    source: { readonly baseModel: string } | { readonly path: string },
    cancellation: CancellationToken,
  ): Promise<Sampler> {
    const { connection, dialect } = this.#parts;
    if ('baseModel' in source) this.#checkModel(source.baseModel);
    else if (!dialect.freezesSnapshots)
      return (await this.openModel(source.path, cancellation)).sampler(cancellation);
    const made = await connection.json(samplerMade, {
      ...{ task: 'open the sampler', path: '/api/v1/create_sampling_session', cancellation },
      body: {
        ...{ session_id: this.#id, sampling_session_seq_id: this.#nextSampler++ },
        ...('path' in source ? { model_path: source.path } : { base_model: source.baseModel }),
        type: 'create_sampling_session',
      },
    });
    return new TinkerSampler(connection, made.sampling_session_id, dialect.wire);
  }

  async openModel(path: string, cancellation: CancellationToken): Promise<TrainedModel> {
    const weights = writeWeightsPath({ ...readWeightsPath(path), folder: 'weights' });
    const { base_model: baseModel, lora_rank: rank } = await this.#parts.connection
      .json(weightsInfo, {
        ...{ task: 'load the weights', path: '/api/v1/weights_info', cancellation },
        body: { tinker_path: weights },
      })
      .catch((error: unknown) => {
        // The server does not know the model that the weights are of.
        throw hasCode(error, 'tinker/model-lost') ? tinkerErrors.noWeights(path) : error;
      });
    const all = { trainMlp: true, trainAttn: true, trainUnembed: true };
    const model = await this.createModel({ baseModel, rank, ...all }, cancellation);
    await model.load(weights, cancellation);
    return model;
  }

  async close(outcome: 'success' | 'errored' | 'interrupted'): Promise<void> {
    const { connection, dialect } = this.#parts;
    await Promise.all([...this.#models].map((model) => model.unload()));
    if (dialect.endsSessions) {
      await farewell(connection, (cancellation) =>
        connection.send({
          ...{ task: 'end the session', path: `/api/v1/sessions/${this.#id}/finish`, cancellation },
          body: { reason: { type: outcome }, detail: null },
        }),
      );
    }
    this.#heartbeats.dispose();
    connection.end(tinkerErrors.sessionOver('it was closed'));
  }

  #checkModel(name: string): void {
    const served = this.#parts.models.map((model) => model.name);
    if (!served.includes(name)) throw tinkerErrors.notServed(this.#parts.connection.server, name, served);
  }
}
