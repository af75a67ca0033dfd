import { setTimeout as after } from 'node:timers/promises';
import * as z from 'zod/mini';
import { CodedError } from '../../../../base/core/errors.ts';
import { rayJobInfo, type RayAnswer } from '../../../core/launch/rayWatch.ts';
import type { RayPackage } from './rayPackage.ts';
import { askRay, type RayResponse } from './rayRequest.ts';
import { tailRay } from './rayTail.ts';

export interface RaySubmission {
  readonly id: string;
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const versionAnswer = z.object({ ray_version: z.string() });

/** Milliseconds for one request; a head under load can take seconds. */
const patience = 30_000;

/** Milliseconds: a head that was just started has nobody to run jobs at first, and asks to be asked again. */
const agentPatience = 60_000;
const noAgent = 'No available agent to submit job';

/** Undefined: the cluster is not known to ask for one. */
export type RayToken = () => Promise<string | undefined>;

const noToken: RayToken = () => Promise.resolve(undefined);

/** The Jobs API of a Ray head (its dashboard, port 8265). Rejects with `host/ray`. */
export class RayJobs {
  readonly #head: URL;
  readonly #token: RayToken;
  readonly #pause: number;

  /**
   * @param token asked for each request: it may be changed while a job runs
   * @param pause milliseconds before a head that was just started is asked again
   */
  constructor(head: string, token: RayToken = noToken, pause = 1_000) {
    this.#head = headAddress(head);
    this.#token = token;
    this.#pause = pause;
  }

  async #headers(): Promise<Readonly<Record<string, string>>> {
    const token = await this.#token();
    return token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  async version(): Promise<string> {
    return decoded(versionAnswer, await this.#asked('GET', 'api/version')).ray_version;
  }

  /** Unless Ray has the package already. */
  async upload({ uri, bytes }: RayPackage): Promise<void> {
    const place = `api/packages/${uri.replace('://', '/')}`;
    if ((await this.#request('GET', place)).status === 200) return;
    await this.#asked('PUT', place, bytes, 10 * patience);
  }

  async submit({ id, entrypoint, env, workingDir, metadata }: RaySubmission): Promise<void> {
    const runtime = { working_dir: workingDir, env_vars: env };
    const job = { entrypoint, submission_id: id, runtime_env: runtime, metadata };
    const start = performance.now();
    for (;;) {
      const response = await this.#request('POST', 'api/jobs/', JSON.stringify(job));
      const waits = response.status === 500 && response.text.includes(noAgent);
      if (!waits || performance.now() - start >= agentPatience) {
        checked(response);
        return;
      }
      await after(this.#pause);
    }
  }

  /** Never rejects. */
  async status(id: string): Promise<RayAnswer> {
    try {
      const response = await this.#request('GET', jobPlace(id));
      if (response.status === 404) return { kind: 'unknown' };
      return { kind: 'job', info: decoded(rayJobInfo, checked(response)) };
    } catch (error) {
      return { kind: 'silent', why: error instanceof Error ? error.message : String(error) };
    }
  }

  /**
   * Hands over everything that the job has printed and prints, from its start. Resolves at the end of the job, or where the
   * cluster lost who reads its log; rejects when the connection breaks or `signal` is aborted, with its reason.
   */
  async tail(id: string, take: (text: string) => void, signal: AbortSignal): Promise<void> {
    const place = new URL(`${jobPlace(id)}/logs/tail`, this.#head);
    place.protocol = place.protocol === 'https:' ? 'wss:' : 'ws:';
    await tailRay(place, { headers: await this.#headers(), patience, take, signal });
  }

  async stop(id: string): Promise<void> {
    await this.#asked('POST', `${jobPlace(id)}/stop`);
  }

  async #asked(
    method: string,
    place: string,
    body?: string | Uint8Array,
    milliseconds?: number,
  ): Promise<RayResponse> {
    return checked(await this.#request(method, place, body, milliseconds));
  }

  async #request(
    method: string,
    place: string,
    body?: string | Uint8Array,
    milliseconds = patience,
  ): Promise<RayResponse> {
    const headers = {
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
      ...(await this.#headers()),
    };
    const request = { method, headers, milliseconds, ...(body !== undefined && { body }) };
    return askRay(new URL(place, this.#head), request).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw rayFailure(`Ray's head at ${this.#head.origin} does not answer: ${reason}.`, error);
    });
  }
}

function headAddress(head: string): URL {
  const url = URL.canParse(head) ? new URL(head.endsWith('/') ? head : `${head}/`) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '') return url;
  throw new CodedError({
    code: 'host/ray-address',
    message: `${JSON.stringify(head)} is no address of a Ray head.`,
    hint: 'Write `http://HEAD:8265`; a token goes into RAY_AUTH_TOKEN or `~/.ray/auth_token`.',
  });
}

function jobPlace(id: string): string {
  return `api/jobs/${encodeURIComponent(id)}`;
}

function checked(response: RayResponse): RayResponse {
  if (response.status >= 200 && response.status < 300) return response;
  const last = response.text.trim().split('\n').at(-1) ?? '';
  if (response.status === 401 || response.status === 403) throw tokenRefused(last.slice(0, 500));
  throw rayFailure(`Ray refused with status ${response.status}: ${last.slice(0, 500)}`);
}

function decoded<T>(decoder: z.ZodMiniType<T>, { text }: RayResponse): T {
  try {
    return decoder.parse(JSON.parse(text));
  } catch (error) {
    throw rayFailure(`What answers is no Ray head, or one of another kind: ${text.slice(0, 100)}`, error);
  }
}

function tokenRefused(answer: string): CodedError {
  return new CodedError({
    code: 'host/ray-token',
    message: `The Ray cluster wants a token, and does not take what this host has: ${answer}`,
    hint: 'See it with `ray get-auth-token` on the head, and put it into `~/.ray/auth_token` of the user that the host runs as, or start the host with RAY_AUTH_TOKEN.',
  });
}

function rayFailure(message: string, cause?: unknown): CodedError {
  const hint = "Look at the cluster's dashboard, and at the address that the host was started with.";
  return new CodedError({ code: 'host/ray', message, hint }, { cause });
}
