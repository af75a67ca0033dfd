/** The checkpoints of a training in a folder of this machine. Their weights are on its Tinker server. */
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { neverCancelled } from '../../../base/core/cancellation.ts';
import { hasCode } from '../../../base/core/errors.ts';
import { pathExists } from '../../../base/node/files.ts';
import type { TrainingState } from '../../../backbone/core/trainer/trainerPorts.ts';
import { forgetCheckpoint } from '../../../backbone/node/trainer/trainingFolder.ts';
import type { SavedWeights, TinkerCheckpoints } from '../../../tinker/core/checkpoints.ts';
import { parseWeightsPath, writeWeightsPath } from '../../../tinker/core/weightsPath.ts';
import { withAdapterFiles } from '../../../tinker/node/adapterFiles.ts';
import { openCheckpoints, type TinkerOptions } from '../../../tinker/node/openTinker.ts';
import { checkpointErrors } from '../../core/checkpoints/failures.ts';
import { syncErrors } from '../../core/sync/failures.ts';
import { FolderReader } from '../folderReader.ts';
import { saveAdapter, type OnBytes } from './saveAdapter.ts';

type Checkpoint = TrainingState['checkpoints'][number];

/** Weights of a checkpoint: with the optimizer (`training`), or only for sampling (`sampler`). */
export interface CheckpointWeights extends Partial<SavedWeights> {
  readonly step: number;
  readonly kind: 'training' | 'sampler';
  readonly path: string;
  /** Milliseconds since the Unix epoch. */
  readonly savedAt: number;
  /** False if the server no longer has them; undefined if it did not answer. */
  readonly isOnServer?: boolean;
}

export class TrainingCheckpoints {
  readonly #folder: string;
  readonly #options: TinkerOptions;

  /**
   * @param folder absolute
   * @param options of the connection. Without a URL, the server is that of the training.
   */
  constructor(folder: string, options: TinkerOptions = {}) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Lists what the folder and the server know. `problem` is the reason why the server did not answer. */
  async list(): Promise<{ readonly weights: readonly CheckpointWeights[]; readonly problem?: unknown }> {
    const { state } = await this.#read();
    const weights = state.checkpoints.flatMap(({ step, savedAt, path: training, sampler }) => [
      { step, kind: 'training' as const, path: training, savedAt },
      { step, kind: 'sampler' as const, path: sampler, savedAt },
    ]);
    if (weights.length === 0) return { weights };
    try {
      const found = await this.#onServer(state, weights);
      return {
        weights: weights.map((one) => {
          const { path: _, ...facts } = found.get(keyOf(one.path)) ?? { path: '' };
          return { ...one, ...facts, isOnServer: found.has(keyOf(one.path)) };
        }),
      };
    } catch (problem) {
      if (this.#cancellation.isCancelled) throw problem;
      return { weights, problem };
    }
  }

  /**
   * Downloads the adapter of a checkpoint into a new folder, which appears when it is complete. Rejects with `sync/target-taken`,
   * `checkpoint/…` and `tinker/…`.
   */
  async download(checkpoint: Checkpoint, target: string, onProgress?: OnBytes): Promise<void> {
    const { state } = await this.#read();
    if (await pathExists(target)) throw syncErrors.targetTaken(target);
    const part = `${target}.part`;
    try {
      await withAdapterFiles(this.#connection(state), checkpoint.sampler, async (files) => {
        await rm(part, { recursive: true, force: true });
        await mkdir(part, { recursive: true });
        await saveAdapter(files, part, { onProgress });
        await rename(part, target);
      });
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  }

  /** Deletes checkpoints on the server and in the folder. Those that the server no longer has are forgotten too. */
  async delete(checkpoints: readonly Checkpoint[]): Promise<void> {
    const { state, isAlive } = await this.#read();
    // Its process would write the checkpoint into the folder again.
    if (state.status === 'running' && isAlive) throw checkpointErrors.active(path.basename(this.#folder));
    const server = await this.#open(state);
    for (const { step, path: training, sampler } of checkpoints) {
      for (const weights of [training, sampler]) {
        await server.delete(weights, this.#cancellation).catch((error: unknown) => {
          if (!hasCode(error, 'tinker/no-weights', 'tinker/model-lost')) throw error;
        });
      }
      await forgetCheckpoint(this.#folder, step);
    }
  }

  /** Makes the weights of a checkpoint public or private, if they are not. */
  async setPublic({ path: training, sampler }: Checkpoint, isPublic: boolean): Promise<void> {
    const { state } = await this.#read();
    const server = await this.#open(state);
    const found = await this.#onServer(state, [{ path: training }, { path: sampler }], server);
    for (const weights of [training, sampler]) {
      if (found.get(keyOf(weights))?.isPublic === isPublic) continue;
      await server.setPublic(weights, isPublic, this.#cancellation);
    }
  }

  /** Returns the checkpoint of a step, by default the newest. Rejects with `checkpoint/not-found`. */
  async find(step?: number): Promise<Checkpoint> {
    const { state } = await this.#read();
    const { checkpoints } = state;
    const found = step === undefined ? checkpoints.at(-1) : checkpoints.find((one) => one.step === step);
    if (found === undefined) throw checkpointErrors.noCheckpoint(path.basename(this.#folder), step, state);
    return found;
  }

  get #cancellation() {
    return this.#options.cancellation ?? neverCancelled;
  }

  #read() {
    return new FolderReader(this.#folder).read();
  }

  /** Throws `checkpoint/on-host` if only a tunnel leads to the server. */
  #connection({ baseUrl, tinkerHost, baseModel }: TrainingState): TinkerOptions {
    const url = this.#options.baseUrl ?? baseUrl;
    if (url === undefined && tinkerHost !== undefined)
      throw checkpointErrors.onHost(path.basename(this.#folder), tinkerHost, baseModel);
    return { ...this.#options, baseUrl: url };
  }

  async #open(state: TrainingState): Promise<TinkerCheckpoints> {
    return (await openCheckpoints(this.#connection(state))).checkpoints;
  }

  /** A training that was resumed has weights of several runs of the server. */
  async #onServer(
    state: TrainingState,
    weights: readonly { readonly path: string }[],
    opened?: TinkerCheckpoints,
  ): Promise<ReadonlyMap<string, SavedWeights>> {
    const server = opened ?? (await this.#open(state));
    const runs = new Set(weights.flatMap(({ path: one }) => parseWeightsPath(one)?.run ?? []));
    const found = new Map<string, SavedWeights>();
    for (const run of runs) {
      for (const one of await server.list(run, this.#cancellation)) found.set(one.path, one);
    }
    return found;
  }
}

/** SkyRL writes the path of weights for sampling in two forms. */
function keyOf(weights: string): string {
  const parts = parseWeightsPath(weights);
  return parts === undefined ? weights : writeWeightsPath(parts);
}
