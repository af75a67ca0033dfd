import { setTimeout as after } from 'node:timers/promises';
import * as z from 'zod/mini';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { WebSocket } from 'ws';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CodedError, messageOf } from '../../../../base/core/errors.ts';
import { rayJobInfo, type RayAnswer } from '../../../core/launch/rayWatch.ts';
import type { RayPackage } from './rayPackage.ts';

interface RayRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly milliseconds: number;
}

interface RayResponse {
  readonly status: number;
  readonly text: string;
}

const mostBytes = 16 * 1024 * 1024;

/** `fetch` sets headers for which Ray refuses changes (`Sec-Fetch-…`). Redirects would leak the token. */
function askRay(url: URL, { method, headers, body, milliseconds }: RayRequest): Promise<RayResponse> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(milliseconds);
    const request = start(url, { method, headers: { ...headers, ...length }, signal }, (response) => {
      readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    request.on('error', (error) =>
      reject(signal.aborted ? new Error(`no response in ${milliseconds} ms`) : error),
    );
    request.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBytes) throw new Error(`its response is larger than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

export interface RaySubmission {
  readonly id: string;
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const versionAnswer = z.object({ ray_version: z.string() });
/** The timeout of a request, a handshake and a heartbeat, in milliseconds. A loaded head can take seconds. */
const patience = 30_000;
/** The time to retry a submission, in milliseconds. A new head has no agent for jobs yet. */
const agentPatience = 60_000;
const noAgent = 'No available agent to submit job';

/** A client for the Jobs API of a Ray head (its dashboard, port 8265). Rejects with `host/ray`. */
export class RayJobs {
  readonly #head: URL;
  readonly #token: () => Promise<string | undefined>;
  readonly #pause: number;

  /**
   * @param token called for each request, because the token may change during a job. Undefined: none is known
   * @param pause milliseconds between two submissions to a new head
   */
  constructor(
    head: string,
    token = (): Promise<string | undefined> => Promise.resolve(undefined),
    pause = 1_000,
  ) {
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

  /** Uploads a package that Ray does not have yet. */
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
      return { kind: 'silent', why: messageOf(error) };
    }
  }

  /** Resolves at the end of the job or of the log. Rejects if the connection breaks or `signal` is aborted. */
  async tail(id: string, take: (text: string) => void, signal: AbortSignal): Promise<void> {
    const place = new URL(`${jobPlace(id)}/logs/tail`, this.#head);
    place.protocol = place.protocol === 'https:' ? 'wss:' : 'ws:';
    await tailRay(place, await this.#headers(), take, signal);
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
      const reason = messageOf(error);
      throw rayFailure(`Ray's head at ${this.#head.origin} does not respond: ${reason}.`, error);
    });
  }
}

function headAddress(head: string): URL {
  const url = URL.canParse(head) ? new URL(head.endsWith('/') ? head : `${head}/`) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '') return url;
  throw new CodedError({
    code: 'host/ray-address',
    message: `${JSON.stringify(head)} is not the address of a Ray head.`,
    hint: 'Write `http://HEAD:8265`. Put a token into RAY_AUTH_TOKEN or `~/.ray/auth_token`.',
  });
}

function jobPlace(id: string): string {
  return `api/jobs/${encodeURIComponent(id)}`;
}

function checked(response: RayResponse): RayResponse {
  if (response.status >= 200 && response.status < 300) return response;
  const last = response.text.trim().split('\n').at(-1) ?? '';
  if (response.status === 401 || response.status === 403) throw tokenRefused(last.slice(0, 500));
  throw rayFailure(`Ray rejected the request with status ${response.status}: ${last.slice(0, 500)}`);
}

function decoded<T>(decoder: z.ZodMiniType<T>, { text }: RayResponse): T {
  try {
    return decoder.parse(JSON.parse(text));
  } catch (error) {
    throw rayFailure(`The address does not respond like a Ray head: ${text.slice(0, 100)}`, error);
  }
}

function tokenRefused(answer: string): CodedError {
  return new CodedError({
    code: 'host/ray-token',
    message: `The Ray cluster needs a token and rejects that of this host: ${answer}`,
    hint: 'To get the token, run `ray get-auth-token` on the head. Put it into `~/.ray/auth_token` of the user of the host, or start the host with RAY_AUTH_TOKEN.',
  });
}

function rayFailure(message: string, cause?: unknown): CodedError {
  const hint = "Check the cluster's dashboard, and the address that the host was started with.";
  return new CodedError({ code: 'host/ray', message, hint, cause });
}

/** Redirects are not followed, as they would leak the token. The heartbeat detects a cluster that has gone silently. */
function tailRay(
  url: URL,
  headers: Readonly<Record<string, string>>,
  take: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = new WebSocket(url, { headers, handshakeTimeout: patience, perMessageDeflate: false });
    let isAnswered = true;
    const heartbeat = setInterval(() => {
      if (!isAnswered) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) {
        isAnswered = false;
        socket.ping();
      }
    }, patience);
    const leave = (): void => socket.terminate();
    signal.addEventListener('abort', leave);
    let failure: Error | undefined;
    socket.on('message', (data, isBinary) => {
      isAnswered = true;
      if (!isBinary) take(textOf(data));
    });
    socket.on('pong', () => (isAnswered = true));
    socket.on('error', (error) => (failure ??= error));
    socket.on('close', (code) => {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', leave);
      if (signal.aborted) reject(signal.reason as Error);
      else if (failure === undefined && code === 1000) resolve();
      else reject(failure ?? new Error(`the connection was closed with code ${code}`));
    });
  });
}

function textOf(data: WebSocket.RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');
}

/**
 * Returns the token of a Ray cluster, like the clients of Ray (2.53 and later): from `RAY_AUTH_TOKEN`, the file in
 * `RAY_AUTH_TOKEN_PATH`, or `~/.ray/auth_token`. Undefined: there is none, or `RAY_AUTH_MODE` disables tokens.
 */
export async function rayToken(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env['RAY_AUTH_MODE']?.toLowerCase() === 'disabled') return undefined;
  const given = env['RAY_AUTH_TOKEN']?.trim() ?? '';
  if (given !== '') return given;
  const file = env['RAY_AUTH_TOKEN_PATH'] ?? path.join(env['HOME'] ?? os.homedir(), '.ray/auth_token');
  const kept = await readFile(file, 'utf8').catch(() => '');
  return kept.trim() === '' ? undefined : kept.trim();
}
