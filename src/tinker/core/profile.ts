/** The kinds of Tinker servers: how to recognize one, and what differs between them. */
import * as z from 'zod/mini';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import { hasCode } from '../../base/core/errors.ts';
import type { Connection } from './connection.ts';
import { tinkerErrors } from './errors.ts';
import { lossNames, type ServerProfile } from './service.ts';

/** The differences between kinds of servers. */
export interface Dialect extends Omit<ServerProfile, 'models'> {
  /** `json`: the API before SDK 0.25. */
  readonly wire: 'protobuf' | 'json';
  /** Datums carry `weights`: the mask and the denominator of the loss. Other servers may refuse them. */
  readonly sendsWeights: boolean;
  /** Each request of a model waits for the result of the previous one, since the server may reorder them. */
  readonly waitsForResults: boolean;
  /**
   * A sampler keeps its weights while the model is trained. Elsewhere there is one state of weights by model, and saved weights
   * answer only if a model has loaded them.
   */
  readonly freezesSnapshots: boolean;
  /** A request ends a session. */
  readonly endsSessions: boolean;
  /** The server checks API keys. */
  readonly checksKeys: boolean;
  readonly checkpoints: CheckpointAbilities;
}

/** The operations on saved weights that a kind of server has. */
export interface CheckpointAbilities {
  /**
   * `archive`: a tar.gz of the weights for sampling. `export`: files that the server makes on request. `unknown`: an export,
   * if the server refuses an archive.
   */
  readonly download: 'archive' | 'export' | 'unknown';
  /** An archive is requested by the name alone, without the folder of the path. */
  readonly bareNames: boolean;
  /** For each operation that the server does not have: the action that replaces it, as a hint for the user. */
  readonly instead: Readonly<Partial<Record<'delete' | 'publish', string>>>;
}

const service = {
  ...{ kind: 'tinker', name: 'Tinker', reduction: 'sum', losses: lossNames, wire: 'protobuf' },
  ...{
    sendsWeights: false,
    waitsForResults: false,
    freezesSnapshots: true,
    endsSessions: true,
    checksKeys: true,
    checkpoints: { download: 'export', bareNames: false, instead: {} },
  },
} as const satisfies Dialect;

const noPublishing = 'Download the checkpoint, and share its files.';

/** Its JAX backend takes the mean over datums, its GPU backends the sum. No request shows which it is. */
const skyrl = {
  ...{ kind: 'skyrl', name: 'SkyRL 0.4', reduction: 'mean-of-datums', losses: lossNames, wire: 'protobuf' },
  ...{
    sendsWeights: true,
    waitsForResults: true,
    freezesSnapshots: false,
    endsSessions: false,
    checksKeys: false,
    checkpoints: { download: 'archive', bareNames: true, instead: { publish: noPublishing } },
  },
} as const satisfies Dialect;

/** Deleting came with SkyRL 0.4. */
const skyrlJson = {
  ...{ ...skyrl, name: 'SkyRL 0.3', wire: 'json' },
  checkpoints: {
    ...skyrl.checkpoints,
    instead: {
      publish: noPublishing,
      delete: 'Delete its files on the machine of the server, in the folder that --checkpoints-base names.',
    },
  },
} as const satisfies Dialect;

const dialects = {
  service,
  skyrl,
  skyrlJson,
  tuft: {
    ...{ ...service, kind: 'tuft', name: 'TuFT', endsSessions: false },
    checkpoints: { ...service.checkpoints, download: 'archive' },
  },
  other: {
    ...{ ...service, kind: 'other', name: 'a Tinker server' },
    checkpoints: { ...service.checkpoints, download: 'unknown' },
  },
} as const satisfies Record<string, Dialect>;

const openApi = z.object({ info: z.object({ title: z.string() }), paths: z.record(z.string(), z.unknown()) });

const capabilities = z.object({
  supported_models: z.array(
    z.object({
      model_name: z.nullable(z.string()),
      max_context_length: z.optional(z.nullable(z.number())),
    }),
  ),
});

/** The host of the service. Its keys have a known form. */
export function isService(baseUrl: URL): boolean {
  return /(^|\.)thinkingmachines\.(dev|ai)$/.test(baseUrl.hostname);
}

/** Recognizes a server by its own description, which the service does not publish. Rejects with `tinker/no-server`. */
export async function findDialect(
  connection: Connection,
  baseUrl: URL,
  cancellation: CancellationToken,
): Promise<Dialect> {
  if (isService(baseUrl)) return dialects.service;
  try {
    const description = await connection.json(openApi, {
      ...{ task: 'reach the server', method: 'GET', path: '/openapi.json', cancellation, isFirst: true },
    });
    const { title } = description.info;
    if (title === 'TuFT') return dialects.tuft;
    if (title !== 'Tinker API Mock') return { ...dialects.other, name: title };
    return '/api/v1/forward' in description.paths ? dialects.skyrlJson : dialects.skyrl;
  } catch (error) {
    if (hasCode(error, 'tinker/no-server', 'tinker/cancelled')) throw error;
    return dialects.other;
  }
}

/** Reads the models of a server. */
export async function readModels(
  connection: Connection,
  cancellation: CancellationToken,
): Promise<ServerProfile['models']> {
  const request = { task: 'reach the server', method: 'GET', cancellation, isFirst: true } as const;
  const answer = await connection
    .json(capabilities, { ...request, path: '/api/v1/get_server_capabilities' })
    .catch((error: unknown) => {
      if (!hasCode(error, 'tinker/rejected', 'tinker/bad-answer')) throw error;
      throw tinkerErrors.notTinker(connection.server, 'it does not list its models');
    });
  return answer.supported_models.flatMap(({ model_name: name, max_context_length: context }) =>
    name === null ? [] : [{ name, ...(typeof context === 'number' && { maxContextLength: context }) }],
  );
}

/** Returns whether the server wants short-lived tokens in place of keys. Servers without this request do not. */
export async function wantsTokens(connection: Connection, cancellation: CancellationToken): Promise<boolean> {
  const request = {
    task: 'reach the server',
    cancellation,
    isFirst: true,
    body: { sdk_version: sdkVersion },
  } as const;
  try {
    const config = await connection.json(clientConfig, { ...request, path: '/api/v1/client/config' });
    return config.pjwt_auth_enabled === true;
  } catch (error) {
    if (hasCode(error, 'tinker/rejected', 'tinker/bad-answer')) return false;
    throw error;
  }
}

/** The version of the official SDK whose requests these are. */
export const sdkVersion = '0.25.0';

const clientConfig = z.object({ pjwt_auth_enabled: z.optional(z.boolean()) });
