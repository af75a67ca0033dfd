/** Lists the models of OpenAI-compatible servers, and finds the servers that run on this machine. */
import {
  CancellationSource,
  neverCancelled,
  type CancellationToken,
} from '../../../base/core/cancellation.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { postTarget, readWhole } from '../../../base/node/http.ts';
import { explainTransport } from '../../../base/node/httpErrors.ts';
import { endpointHeaders, endpointUrl, type Endpoint } from './modelEndpointFailures.ts';
import { post } from './outsideCalls.ts';

export type ModelList =
  | { readonly kind: 'models'; readonly models: readonly string[]; readonly owner: string | undefined }
  /** The server requires an API key, or rejects the one sent. */
  | { readonly kind: 'unauthorized' }
  /** `responded`: the server exists, but does not list its models. `reason` has no final stop. */
  | { readonly kind: 'failed'; readonly responded: boolean; readonly reason: string };

export interface ListOptions {
  /** Milliseconds until the request fails. */
  readonly limit?: number;
  readonly cancellation?: CancellationToken;
}

/** Requests the list of models of a server. Throws `model/bad-endpoint-url`. */
export async function listModels(
  { baseUrl, apiKey }: Pick<Endpoint, 'baseUrl' | 'apiKey'>,
  { limit = 10_000, cancellation = neverCancelled }: ListOptions = {},
): Promise<ModelList> {
  const { request, options } = postTarget(endpointUrl(baseUrl, 'models'), endpointHeaders(apiKey));
  const target = { request, options: { ...options, method: 'GET' } };
  const source = new CancellationSource(cancellation);
  const timer = setTimeout(() => source.cancel(), limit);
  try {
    const response = await post({ target, body: '' }, source.token);
    return readList(response.statusCode ?? 0, await readWhole(response));
  } catch (error) {
    const isLate = source.token.isCancelled && !cancellation.isCancelled;
    const reason = isLate ? `no response within ${limit / 1000} s` : explainTransport(error);
    return { kind: 'failed', responded: false, reason };
  } finally {
    clearTimeout(timer);
  }
}

function readList(status: number, body: string): ModelList {
  if (status === 401 || status === 403) return { kind: 'unauthorized' };
  const value = parseJson(body);
  const data = isRecord(value) ? value['data'] : value;
  if (status !== 200 || !Array.isArray(data)) {
    const reason = status === 200 ? 'its response is not a list of models' : `status ${status}`;
    return { kind: 'failed', responded: true, reason };
  }
  const entries = data.filter((entry) => isRecord(entry) && typeof entry['id'] === 'string') as {
    readonly id: string;
    readonly owned_by?: unknown;
  }[];
  const owner = entries[0]?.owned_by;
  return {
    kind: 'models',
    models: entries.map(({ id }) => id),
    owner: typeof owner === 'string' ? owner : undefined,
  };
}

/** Servers of language models, with the ports that they use by default. */
export const localServers: readonly LocalServer[] = [
  { name: 'Ollama', port: 11_434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'vLLM', port: 8000, owner: 'vllm' },
  { name: 'llama.cpp', port: 8080, owner: 'llamacpp' },
  { name: 'SGLang', port: 30_000, owner: 'sglang' },
];

interface LocalServer {
  readonly name: string;
  readonly port: number;
  /** The owner that the server gives to its models, which identifies it on any port. */
  readonly owner?: string;
}

export interface FoundServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly list: Exclude<ModelList, { kind: 'failed' }>;
}

/** Milliseconds that a server on this machine has to list its models. */
const probeLimit = 1500;

/** Asks each of the ports for its models. Calls `found` for each server as soon as it responds. */
export async function findLocalServers(
  found: (server: FoundServer) => void,
  cancellation: CancellationToken,
  servers: readonly Pick<LocalServer, 'name' | 'port'>[] = localServers,
): Promise<void> {
  await Promise.all(
    servers.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const list = await listModels({ baseUrl }, { limit: probeLimit, cancellation });
      if (list.kind === 'failed' || cancellation.isCancelled) return;
      const owner = list.kind === 'models' ? list.owner : undefined;
      const known = localServers.find((server) => server.owner !== undefined && server.owner === owner);
      found({ name: known?.name ?? name, baseUrl, list });
    }),
  );
}
