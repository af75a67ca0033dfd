/** Requests about the weights that a server has saved. They need no session. */
import * as z from 'zod/mini';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import { hasCode } from '../../base/core/errors.ts';
import type { Connection, Request } from './connection.ts';
import { tinkerErrors } from './errors.ts';
import type { Dialect } from './profile.ts';
import { parseWeightsPath, readWeightsPath, writeWeightsPath, type WeightsPath } from './weightsPath.ts';

/** Saved weights, as far as a server describes them. */
export interface SavedWeights {
  /** The `tinker://` path, always with the folder. */
  readonly path: string;
  readonly bytes?: number | undefined;
  /** True if everyone can load them. */
  readonly isPublic?: boolean | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number | undefined;
}

const listed = z.looseObject({
  checkpoints: z.array(
    z.looseObject({
      tinker_path: z.string(),
      size_bytes: z.optional(z.nullable(z.number())),
      public: z.optional(z.nullable(z.boolean())),
      expires_at: z.optional(z.nullable(z.string())),
    }),
  ),
  cursor: z.optional(z.nullable(z.looseObject({ total_count: z.number() }))),
});
const fileUrls = z.looseObject({ urls: z.record(z.string(), z.string()) });

/** Entries of a later page. */
const pageSize = 1000;

export class TinkerCheckpoints {
  readonly #connection: Connection;
  readonly #dialect: Dialect;

  constructor(connection: Connection, dialect: Dialect) {
    this.#connection = connection;
    this.#dialect = dialect;
  }

  /** The name of the server, for people. */
  get server(): string {
    return this.#dialect.name;
  }

  /** Lists the weights that a training run on the server has saved. */
  async list(run: string, cancellation: CancellationToken): Promise<readonly SavedWeights[]> {
    const found: SavedWeights[] = [];
    for (;;) {
      const query = found.length === 0 ? '' : `?limit=${pageSize}&offset=${found.length}`;
      const { checkpoints, cursor } = await this.#connection.json(listed, {
        ...{ task: 'list the checkpoints', method: 'GET', cancellation },
        path: `/api/v1/training_runs/${run}/checkpoints${query}`,
      });
      found.push(...checkpoints.map(savedWeights));
      if (checkpoints.length === 0 || found.length >= (cursor?.total_count ?? 0)) return found;
    }
  }

  async delete(path: string, cancellation: CancellationToken): Promise<void> {
    const task = 'delete the checkpoint';
    this.#require('delete', task);
    await this.#connection.send({
      task,
      method: 'DELETE',
      path: routeOf(readWeightsPath(path)),
      cancellation,
    });
  }

  /** Makes weights public, so that everyone can load them, or private again. */
  async setPublic(path: string, isPublic: boolean, cancellation: CancellationToken): Promise<void> {
    const task = isPublic ? 'publish the checkpoint' : 'make the checkpoint private';
    this.#require('publish', task);
    const method = isPublic ? 'POST' : 'DELETE';
    await this.#connection.send({
      ...{ task, method, path: `${routeOf(readWeightsPath(path))}/publish`, cancellation },
    });
  }

  /**
   * Resolves to the URL of an archive of weights, which can be relative to that of the server; undefined if the server sends
   * only exports.
   */
  async archiveUrl(path: string, cancellation: CancellationToken): Promise<string | undefined> {
    const { download, bareNames } = this.#dialect.checkpoints;
    if (download === 'export') return undefined;
    const request: Request = {
      ...{ task: 'download the checkpoint', method: 'GET', cancellation },
      path: `${routeOf(readWeightsPath(path), bareNames)}/archive`,
    };
    const url = await this.#connection.locate(request).catch((error: unknown) => {
      if (download === 'unknown' && hasCode(error, 'tinker/rejected')) return undefined;
      throw error;
    });
    if (url === undefined) return undefined;
    if (URL.canParse(url) && new URL(url).protocol === 'file:')
      throw tinkerErrors.filesOnServer(this.server, decodeURIComponent(new URL(url).pathname));
    return url;
  }

  /** Resolves to the URLs of the files of exported weights, by their names. */
  async fileUrls(path: string, cancellation: CancellationToken): Promise<Readonly<Record<string, string>>> {
    const { urls } = await this.#connection.json(fileUrls, {
      ...{ task: 'download the checkpoint', method: 'GET', cancellation },
      path: `${routeOf(readWeightsPath(path))}/external_weights_urls`,
    });
    return urls;
  }

  #require(operation: 'delete' | 'publish', task: Request['task']): void {
    const instead = this.#dialect.checkpoints.instead[operation];
    if (instead !== undefined) throw tinkerErrors.notOffered(task, this.server, instead);
  }
}

function routeOf({ run, folder, name }: WeightsPath, isBare = false): string {
  return `/api/v1/training_runs/${run}/checkpoints/${isBare ? name : `${folder}/${name}`}`;
}

function savedWeights(entry: z.infer<typeof listed>['checkpoints'][number]): SavedWeights {
  const { tinker_path: path, size_bytes: bytes, public: isPublic, expires_at: expiresAt } = entry;
  const parts = parseWeightsPath(path);
  return {
    path: parts === undefined ? path : writeWeightsPath(parts),
    ...(typeof bytes === 'number' && { bytes }),
    ...(typeof isPublic === 'boolean' && { isPublic }),
    ...(typeof expiresAt === 'string' && { expiresAt: Date.parse(expiresAt) }),
  };
}
