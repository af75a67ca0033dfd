/**
 * A Tinker server for tests. It speaks the real format over HTTP with the rules of one kind of server, and learns nothing:
 * `reply` makes the tokens, `logprobOf` their log probabilities, for sampler and trainer alike.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import type { SampledSequence } from '../../src/tinker/core/service.ts';
import { decodeMessage, dtypes, encodeMessage } from '../../src/tinker/core/wire/schema.ts';
import { bytesOf, float32sOf, int32sOf, int64sOf } from '../../src/tinker/core/wire/numbers.ts';

export type ServerKind = 'skyrl' | 'skyrl-json' | 'tuft' | 'service';

export interface ReplyRequest {
  readonly prompt: readonly number[];
  /** The position of the sample in its request. */
  readonly index: number;
  readonly maxTokens: number;
  readonly seed: number | undefined;
  readonly stop: readonly number[];
  readonly temperature: number;
  /** The number of steps before the snapshot that answers. */
  readonly steps: number;
  /** All passes since the model was made. */
  readonly passes: readonly SentPass[];
}

export interface SentDatum {
  readonly tokens: readonly number[];
  readonly inputs: Readonly<Record<string, readonly number[]>>;
}

export interface SentPass {
  readonly seqId: number;
  readonly loss: string;
  readonly config: Readonly<Record<string, number>>;
  readonly datums: readonly SentDatum[];
}

export interface TinkerServerOptions {
  readonly kind?: ServerKind;
  readonly models?: readonly string[];
  /** Returns the tokens of a sample. Default: as many as fit, then the stop token. */
  readonly reply?: (request: ReplyRequest) => readonly number[];
  readonly logprobOf?: (token: number, steps: number) => number;
  /** The only key that is accepted. */
  readonly key?: string;
  readonly maxModels?: number;
  readonly maxRank?: number;
  /** Whether keys are exchanged for tokens. */
  readonly usesTokens?: boolean;
  /** Returns what the server sends as the archive of weights. Default: their adapter. */
  readonly archive?: () => Promise<Uint8Array>;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** True: the response never ends. */
  readonly hangs?: boolean;
}

/** The fields of all JSON requests, as far as the server reads them. */
interface Body {
  readonly session_id: string;
  readonly model_id: string;
  readonly seq_id: number;
  readonly path?: string;
  readonly model_path?: string;
  readonly tinker_path?: string;
  readonly request_id: string;
  readonly sampling_session_id: string;
  readonly reason: { readonly type: string };
  readonly lora_config: { readonly rank: number };
  readonly adam_params: { readonly learning_rate: number };
  readonly num_samples: number;
  readonly prompt: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly prompt_logprobs: boolean;
  readonly sampling_params: {
    readonly max_tokens?: number;
    readonly seed?: number;
    readonly stop?: readonly number[];
    readonly temperature: number;
  };
  readonly forward_backward_input: {
    readonly loss_fn: string;
    readonly loss_fn_config?: Readonly<Record<string, number>>;
    readonly data: readonly {
      readonly model_input: Body['prompt'];
      readonly loss_fn_inputs: Readonly<Record<string, { readonly data: readonly number[] }>>;
    }[];
  };
  /** A pass that came as protobuf. */
  readonly pass?: SentPass;
}

/** `ForwardBackwardRequest` of the schema. */
interface PassMessage {
  readonly modelId: string;
  readonly seqId: number;
  readonly lossFn: string;
  readonly lossFnConfig: Readonly<Record<string, number>>;
  readonly data: readonly {
    readonly modelInput: readonly { readonly encodedText: { readonly tokens: Uint8Array } }[];
    readonly lossFnInputs: Readonly<
      Record<
        string,
        { readonly dense: Uint8Array; readonly dtype: number; readonly shape: readonly bigint[] }
      >
    >;
  }[];
}

interface Model {
  readonly id: string;
  readonly passes: SentPass[];
  readonly seen: Map<number, { readonly text: string; readonly answer: Answer }>;
  next: number;
  steps: number;
  hasGradients: boolean;
}

interface Snapshot {
  readonly steps: number;
  readonly passes: readonly SentPass[];
}

/** The files of the adapter of any weights. */
export const adapterFiles = {
  'adapter_config.json': JSON.stringify({ peft_type: 'LORA', r: 8 }),
  'adapter_model.safetensors': 'the weights',
} as const;

/** Returns a tar.gz, with the entry of the folder itself that Python writes. */
export async function tarOf(
  entries: readonly TarEntry[] = Object.entries(adapterFiles).map(([name, body]) => fileEntry(name, body)),
): Promise<Uint8Array> {
  const root: TarEntry = { header: { name: '/', type: 'directory', size: 0 } };
  return gzipSync(await packTar([root, ...entries]));
}

export function fileEntry(name: string, body: string): TarEntry {
  return { header: { name, size: Buffer.byteLength(body), type: 'file' }, body };
}

const refused = (status: number, detail: string): Answer => ({ status, body: { detail } });

class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, detail: string) {
    super(detail);
    this.answer = refused(status, detail);
  }
}

export class TinkerServer {
  readonly requests: SentRequest[] = [];
  readonly sessions = new Map<string, { over: boolean; outcome: string | undefined; beats: number }>();
  readonly models = new Map<string, Model>();
  /** Named weights by their `tinker://` path. */
  readonly weights = new Map<string, Snapshot>();
  /** The paths of weights that everyone can load. */
  readonly published = new Set<string>();
  readonly #options: Required<Omit<TinkerServerOptions, 'key'>> & Pick<TinkerServerOptions, 'key'>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #samplers = new Map<string, Snapshot>();
  readonly #futures = new Map<string, () => Promise<Answer>>();
  readonly #scripted = new Map<string, Answer[]>();
  readonly #held = new Map<string, Promise<void>>();
  readonly #delayed = new Map<string, Promise<void>>();
  readonly #onRequest = new Set<() => void>();
  #ids = 0;

  constructor(options: TinkerServerOptions = {}) {
    this.#options = {
      ...{ kind: 'skyrl', models: ['tiny'], reply: fill, logprobOf: spread, usesTokens: false },
      archive: tarOf,
      ...{ maxModels: 4, maxRank: 32 },
      ...options,
    };
  }

  /** Starts on a free port of loopback. */
  static async start(options: TinkerServerOptions = {}): Promise<TinkerServer> {
    const server = new TinkerServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Forgets everything but its files, as after a restart. */
  restart({ keepsWeights = true } = {}): void {
    for (const map of [this.sessions, this.models, this.#samplers, this.#futures]) map.clear();
    if (!keepsWeights) this.weights.clear();
  }

  /** Makes the next requests of a path, without `/api/v1/`, get these answers. */
  script(path: string, ...answers: readonly Answer[]): void {
    this.#scripted.set(path, [...(this.#scripted.get(path) ?? []), ...answers]);
  }

  /** Keeps the results of requests of a path waiting until the returned function is called. */
  hold(path: string): () => void {
    return holdIn(this.#held, path);
  }

  /** Keeps the answers to requests of a path waiting, which the server has taken, until the returned function is called. */
  delay(path: string): () => void {
    return holdIn(this.#delayed, path);
  }

  sent(path: string): SentRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Resolves once as many requests of a path have come. */
  async received(path: string, count = 1): Promise<void> {
    while (this.sent(path).length < count) {
      await new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#onRequest.delete(listener);
          resolve();
        };
        this.#onRequest.add(listener);
      });
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request).catch(() => undefined);
    if (bytes === undefined) return;
    const url = new URL(request.url ?? '', 'http://server');
    const path = url.pathname.replace(/^\/api\/v1\//, '');
    const isProtobuf = request.headers['content-type'] === 'application/x-protobuf';
    const { method = '', headers } = request;
    const body = isProtobuf ? passOf(bytes) : (JSON.parse(bytes.toString() || '{}') as Body);
    this.requests.push({ method, path, headers, body });
    for (const listener of [...this.#onRequest]) listener();
    const answer =
      this.#scripted.get(path)?.shift() ?? (await this.#answer(method, path, headers, body, url));
    await this.#delayed.get(path);
    const isBytes = answer.body instanceof Uint8Array;
    response.writeHead(answer.status, {
      'content-type': isBytes ? 'application/x-protobuf' : 'application/json',
      ...answer.headers,
    });
    if (answer.hangs === true) response.write(answer.body);
    else response.end(isBytes ? answer.body : answer.body === undefined ? '' : JSON.stringify(answer.body));
  }

  async #answer(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body: Body,
    { searchParams }: URL,
  ): Promise<Answer> {
    const { key, kind, usesTokens } = this.#options;
    const isOpen = path === '/openapi.json' || path === 'healthz' || path.startsWith('/signed/');
    const expected = usesTokens && !/^(auth|client)/.test(path) ? this.token : key;
    if (expected !== undefined && !isOpen && headers['x-api-key'] !== expected) {
      const invalid = { 'www-authenticate': 'Bearer error="invalid_token"' };
      return { ...refused(401, 'Invalid API key'), ...(usesTokens && { headers: invalid }) };
    }
    try {
      const wantsProtobuf = kind === 'skyrl' || headers.accept === 'application/x-protobuf';
      const ofCheckpoint = await this.#checkpointRoute(method, path, searchParams);
      if (ofCheckpoint !== undefined) return ofCheckpoint;
      const found = await this.#route(path, body, wantsProtobuf && !this.#isJson);
      const isGood =
        kind === 'tuft' && found.status === 200 && method === 'POST' && path !== 'retrieve_future';
      return isGood ? { ...found, status: 'request_id' in (found.body as object) ? 202 : 201 } : found;
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  /** The token that is valid now. */
  token: string | undefined;

  async #route(path: string, body: Body, wantsProtobuf: boolean): Promise<Answer> {
    const finished = /^sessions\/(.+)\/finish$/.exec(path)?.[1];
    if (finished !== undefined && this.#options.kind === 'service') {
      Object.assign(this.#session(finished), { over: true, outcome: body.reason.type });
      return { status: 204 };
    }
    return (await this.#handlers[path]?.(body, wantsProtobuf)) ?? refused(404, 'Not Found');
  }

  /** Answers requests about saved weights, as each kind of server does. */
  async #checkpointRoute(method: string, path: string, query: URLSearchParams): Promise<Answer | undefined> {
    const { kind } = this.#options;
    const [, file] = /^\/signed\/(.+)$/.exec(path) ?? [];
    if (file !== undefined) return fileAnswer(Buffer.from(adapterFiles[file as keyof typeof adapterFiles]));
    const [, run = '', id, action] =
      /^training_runs\/([^/]+)\/checkpoints(?:\/(.+?)(?:\/(archive|download|publish|external_weights_urls))?)?$/.exec(
        path,
      ) ?? [];
    if (run === '') return undefined;
    if (id === undefined) return this.#listed(run, query);
    const isSkyrl = kind.startsWith('skyrl');
    const weights = `tinker://${run}/${isSkyrl && action !== undefined ? 'sampler_weights/' : ''}${id}`;
    const does = (verb: string, done: string | undefined): boolean => method === verb && action === done;
    if (does('DELETE', undefined) && kind !== 'skyrl-json') {
      this.#savedPath(weights);
      this.weights.delete(weights);
      return { status: 204 };
    }
    if (action === 'publish' && !isSkyrl) {
      const isPublic = this.published.has(this.#savedPath(weights));
      if (kind === 'service' && isPublic === (method === 'POST'))
        return refused(409, `Checkpoint is already ${isPublic ? 'public' : 'private'}`);
      if (method === 'POST') this.published.add(weights);
      else this.published.delete(weights);
      return { status: 204 };
    }
    if (does('GET', 'archive') && kind !== 'service') {
      this.#savedPath(weights);
      const location = isSkyrl
        ? `${this.url}/api/v1/training_runs/${run}/checkpoints/${id}/download`
        : `file:///srv/tuft/checkpoints/${run}/${id.replace(/^.*\//, '')}`;
      return { status: 302, headers: { location } };
    }
    if (does('GET', 'download') && isSkyrl) return fileAnswer(await this.#options.archive());
    if (does('GET', 'external_weights_urls') && kind === 'service') {
      this.#savedPath(weights);
      const names = Object.keys(adapterFiles);
      const urls = Object.fromEntries(names.map((name) => [name, `${this.url}/signed/${name}?signature=1`]));
      return ok({ urls, expires: '2026-11-27T12:00:00Z' });
    }
    return refused(405, 'Method Not Allowed');
  }

  /** TuFT and the service tell sizes and more, and list in pages. */
  #listed(run: string, query: URLSearchParams): Answer {
    const isShort = this.#options.kind.startsWith('skyrl');
    const all = [...this.weights.keys()].filter((path) => path.startsWith(`tinker://${run}/`));
    const entries = all.map((path) => ({
      ...{ checkpoint_id: path.replace(/^.*\//, ''), tinker_path: path, time: '2026-11-27T11:00:00Z' },
      checkpoint_type: path.includes('/weights/') ? 'training' : 'sampler',
      ...(!isShort && { size_bytes: 2_500_000, public: this.published.has(path), expires_at: null }),
    }));
    if (isShort) return ok({ checkpoints: entries });
    const [limit, offset] = [Number(query.get('limit') ?? 2), Number(query.get('offset') ?? 0)];
    const cursor = { offset, limit, total_count: entries.length };
    return ok({ checkpoints: entries.slice(offset, offset + limit), cursor });
  }

  #savedPath(path: string): string {
    this.#saved(path);
    return path;
  }

  readonly #handlers: Readonly<
    Record<string, (body: Body, wantsProtobuf: boolean) => Answer | Promise<Answer>>
  > = {
    '/openapi.json': () => this.#description(),
    'client/config': () =>
      this.#isJson ? refused(404, 'Not Found') : ok({ pjwt_auth_enabled: this.#options.usesTokens }),
    'auth/token': () => ok({ jwt: (this.token = this.#newToken()) }),
    get_server_capabilities: () =>
      ok({ supported_models: this.#options.models.map((model_name) => ({ model_name })) }),
    create_session: () => {
      const id = this.#id('session');
      this.sessions.set(id, { over: false, outcome: undefined, beats: 0 });
      return ok({ session_id: id });
    },
    session_heartbeat: (body) => {
      const session = this.#session(body.session_id);
      if (session.over) return refused(410, 'Session is over');
      session.beats += 1;
      return ok({ type: 'session_heartbeat' });
    },
    create_model: (body) => this.#createModel(body),
    unload_model: (body) =>
      this.#future('unload_model', () => {
        this.models.delete(this.#model(body.model_id).id);
        return ok({ model_id: body.model_id });
      }),
    forward_backward: (body, wantsProtobuf) => {
      if (this.#isJson)
        return body.pass ? { status: 500, body: 'Internal Server Error' } : this.#pass(body, false);
      return body.pass === undefined
        ? refused(415, 'forward_backward requires a application/x-protobuf body')
        : this.#pass(body, wantsProtobuf);
    },
    optim_step: (body) =>
      this.#inOrder('optim_step', body, (model) => {
        const norm = model.hasGradients ? 1 : 0;
        model.steps += 1;
        model.hasGradients = false;
        const rate = body.adam_params.learning_rate;
        return ok({ metrics: { 'skyrl.ai/grad_norm': norm, 'skyrl.ai/learning_rate': rate } });
      }),
    save_weights: (body) => this.#save('weights', body),
    save_weights_for_sampler: (body) =>
      body.path === undefined
        ? this.#inOrder('save_weights_for_sampler', body, (model) =>
            ok({ path: null, sampling_session_id: this.#sampler(snapshotOf(model)) }),
          )
        : this.#save('sampler_weights', body),
    save_weights_external: (body) =>
      this.#options.kind === 'service' ? this.#save('external_weights', body) : refused(404, 'Not Found'),
    weights_info: ({ tinker_path: path = '' }) =>
      this.weights.has(path)
        ? ok({ base_model: this.#options.models[0], is_lora: true, lora_rank: 8 })
        : refused(404, `Checkpoint not found: ${path}`),
    load_weights: (body) =>
      this.#inOrder('load_weights', body, (model) => {
        const saved = this.#saved(body.path);
        if (body.seq_id !== 1) return refused(400, `LoadWeights is not permitted with seq_id ${body.seq_id}`);
        model.steps = saved.steps;
        model.passes.push(...saved.passes);
        return ok({ type: 'load_weights' });
      }),
    create_sampling_session: (body) => {
      this.#session(body.session_id);
      const source = body.model_path === undefined ? { steps: 0, passes: [] } : this.#saved(body.model_path);
      return ok({ sampling_session_id: this.#sampler(source) });
    },
    asample: (body, wantsProtobuf) => this.#sample(body, wantsProtobuf),
    retrieve_future: (body) => this.#futures.get(body.request_id)?.() ?? refused(404, 'Future not found'),
  };

  get #isJson(): boolean {
    return this.#options.kind === 'skyrl-json';
  }

  #saved(path: string | undefined): Snapshot {
    const found = this.weights.get(path ?? '');
    if (found === undefined) throw new Refusal(404, 'Checkpoint not found');
    return found;
  }

  #description(): Answer {
    const { kind } = this.#options;
    if (kind === 'service') return refused(404, 'Not Found');
    const paths = kind === 'skyrl-json' ? { '/api/v1/forward': {} } : {};
    return ok({ info: { title: kind === 'tuft' ? 'TuFT' : 'Tinker API Mock' }, paths });
  }

  #newToken(): string {
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${encoded({})}.${encoded({ exp: Math.floor(Date.now() / 1000) + 3600, id: this.#ids++ })}.x`;
  }

  #id(name: string): string {
    return `${name}_${(this.#ids++).toString(16).padStart(8, '0')}`;
  }

  #session(id: string) {
    const found = this.sessions.get(id);
    if (found === undefined) throw new Refusal(404, 'Session not found');
    return found;
  }

  #model(id: string): Model {
    const found = this.models.get(id);
    if (found === undefined) throw new Refusal(404, 'Model not found');
    return found;
  }

  #sampler(snapshot: Snapshot): string {
    const id = this.#id('sampling');
    this.#samplers.set(id, snapshot);
    return id;
  }

  /** Answers with a future whose result is made now and given once the path is not held. */
  #future(path: string, make: () => Answer, fields: object = {}): Answer {
    const id = String(this.#ids++);
    let result: Answer;
    try {
      result = make();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      result = error.answer;
    }
    this.#futures.set(id, async () => {
      await this.#held.get(path);
      return result;
    });
    return ok({ request_id: id, ...fields });
  }

  #createModel(body: Body): Answer {
    this.#session(body.session_id);
    const { maxModels, maxRank, kind } = this.#options;
    const id = this.#id('model');
    const { rank } = body.lora_config;
    const make = (): Answer => {
      if (rank < 1 || rank > maxRank)
        return refused(400, `LoRA rank ${rank} must be between 1 and ${maxRank}`);
      if (this.models.size >= maxModels)
        return refused(400, `Maximum number of LoRA adapters (${maxModels + 1}) reached`);
      const state = { next: 1, steps: 0, hasGradients: false };
      this.models.set(id, { id, passes: [], seen: new Map(), ...state });
      return ok({ model_id: id, type: 'create_model' });
    };
    return this.#future('create_model', make, kind.startsWith('skyrl') ? { model_id: id } : {});
  }

  /** Runs a request of a model by the order rules of the kind of server. */
  #inOrder(path: string, body: Body, make: (model: Model) => Answer): Answer {
    const { model_id: id, seq_id: seqId, ...content } = body;
    const model = this.#model(id);
    const text = JSON.stringify([path, content]);
    if (this.#options.kind.startsWith('skyrl')) {
      const seen = model.seen.get(seqId);
      if (seen?.text === text) return seen.answer;
      if (seen !== undefined) return refused(409, 'Training request sequence number was reused');
    } else if (seqId !== model.next) {
      return refused(409, `Sequence conflict: expected ${model.next}, got ${seqId}`);
    }
    model.next = seqId + 1;
    const answer = this.#future(path, () => make(model));
    model.seen.set(seqId, { text, answer });
    return answer;
  }

  #pass(body: Body, protobuf: boolean): Answer {
    const { kind, logprobOf } = this.#options;
    const pass = body.pass ?? jsonPass(body);
    return this.#inOrder('forward_backward', body, (model) => {
      model.passes.push(pass);
      model.hasGradients = true;
      const logprobs = pass.datums.map(({ inputs }) =>
        Float32Array.from(inputs['target_tokens'] ?? [], (token) => logprobOf(token, model.steps)),
      );
      const metrics = kind.startsWith('skyrl') ? {} : { 'loss:sum': pass.datums.length };
      return ok(protobuf ? passResult(logprobs, metrics) : jsonPassResult(logprobs, metrics));
    });
  }

  #save(folder: string, body: Body): Answer {
    return this.#inOrder(`save_${folder}`, body, (model) => {
      const path = `tinker://${model.id}/${folder}/${body.path}`;
      const taken = `Checkpoint '${body.path}' already exists for model '${model.id}'`;
      if (this.weights.has(path)) return refused(409, taken);
      this.weights.set(path, snapshotOf(model));
      return ok({ path, type: 'save_weights' });
    });
  }

  #sample(body: Body, protobuf: boolean): Answer {
    const { max_tokens: maxTokens, seed, stop = [], temperature } = body.sampling_params;
    const snapshot = this.#samplers.get(body.sampling_session_id);
    if (snapshot === undefined) return refused(404, 'Sampling session not found');
    if (maxTokens === undefined) return refused(400, 'max_tokens is currently required');
    const { steps, passes } = snapshot;
    const { reply, logprobOf, kind } = this.#options;
    const prompt = body.prompt.chunks.flatMap(({ tokens }) => tokens);
    return this.#future('asample', () => {
      const sequences = Array.from({ length: body.num_samples }, (_, index) => {
        const request = { prompt, index, maxTokens, stop, temperature, steps, passes, seed };
        const tokenIds = Int32Array.from(reply(request).slice(0, maxTokens));
        const logprobs = Float32Array.from(tokenIds, (token) => logprobOf(token, steps));
        const stopReason = stop.includes(tokenIds.at(-1) ?? -1) ? 'stop' : 'length';
        return { tokenIds, logprobs, stopReason } as const;
      });
      const scores = Float32Array.from(prompt, (token, index) =>
        index === 0 ? NaN : logprobOf(token, steps),
      );
      // SkyRL has no entry for the first token.
      const shown = body.prompt_logprobs ? scores.slice(kind.startsWith('skyrl') ? 1 : 0) : undefined;
      return ok(protobuf ? sampleResult(sequences, shown) : jsonSampleResult(sequences, shown));
    });
  }
}

/** The message of samples. */
export function sampleResult(
  sequences: readonly SampledSequence[],
  scores: Float32Array | undefined,
): Uint8Array {
  return encodeMessage('SampleResponse', {
    sequences: sequences.map(({ tokenIds, stopReason, logprobs }) => ({
      ...{
        stopReason: stopReason === 'stop' ? 0 : 1,
        tokens: bytesOf(tokenIds),
        logprobs: bytesOf(logprobs),
      },
    })),
    ...(scores && { promptLogprobs: bytesOf(scores) }),
  });
}

function jsonSampleResult(sequences: readonly SampledSequence[], scores: Float32Array | undefined): object {
  return {
    sequences: sequences.map(({ tokenIds, stopReason, logprobs }) => ({
      ...{ stop_reason: stopReason, tokens: [...tokenIds], logprobs: [...logprobs] },
    })),
    prompt_logprobs: scores ? [...scores].map((score) => (Number.isNaN(score) ? null : score)) : null,
  };
}

function holdIn(held: Map<string, Promise<void>>, path: string): () => void {
  let release = (): void => undefined;
  held.set(path, new Promise<void>((resolve) => (release = resolve)));
  return () => {
    held.delete(path);
    release();
  };
}

function fileAnswer(body: Uint8Array): Answer {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
  return { status: 200, body, headers };
}

const ok = (body: unknown): Answer => ({ status: 200, body });

const snapshotOf = ({ steps, passes }: Model): Snapshot => ({ steps, passes: [...passes] });

/** Tokens from 1, then the stop token. */
function fill({ maxTokens, index, stop }: ReplyRequest): readonly number[] {
  const tokens = Array.from({ length: Math.max(0, maxTokens - 1) }, (_, at) => 1 + ((at + index) % 7));
  return [...tokens, stop[0] ?? 1];
}

/** Exact in 32 bits. */
const spread = (token: number): number => -((token % 13) + 1) / 8;

function passOf(bytes: Uint8Array): Body {
  const message = decodeMessage('ForwardBackwardRequest', bytes) as PassMessage;
  const { modelId, seqId, lossFn: loss, lossFnConfig: config } = message;
  const datums = message.data.map((datum) => ({
    tokens: datum.modelInput.flatMap(({ encodedText }) => [...int32sOf(encodedText.tokens)]),
    inputs: Object.fromEntries(
      Object.entries(datum.lossFnInputs).map(([name, { dense, dtype, shape }]) => {
        const list = dtype === dtypes.int64 ? int64sOf(dense) : [...float32sOf(dense)];
        if (Number(shape[0]) !== list.length) throw new Error(`The shape of ${name} is wrong.`);
        return [name, list];
      }),
    ),
  }));
  return { model_id: modelId, seq_id: seqId, pass: { seqId, loss, config, datums } } as unknown as Body;
}

function jsonPass({ seq_id: seqId, forward_backward_input: input }: Body): SentPass {
  return {
    ...{ seqId, loss: input.loss_fn, config: input.loss_fn_config ?? {} },
    datums: input.data.map((datum) => ({
      tokens: datum.model_input.chunks.flatMap(({ tokens }) => tokens),
      inputs: Object.fromEntries(
        Object.entries(datum.loss_fn_inputs).map(([name, { data }]) => [name, data]),
      ),
    })),
  };
}

/** The message of a pass. */
export function passResult(logprobs: readonly Float32Array[], metrics: object): Uint8Array {
  const ends = logprobs.reduce<number[]>(
    (all, { byteLength }) => [...all, (all.at(-1) ?? 0) + byteLength],
    [0],
  );
  return encodeMessage('ForwardBackwardOutput', {
    lossFnOutputType: 'TensorData',
    lossFnOutputs: [
      {
        fields: {
          logprobs: {
            data: Buffer.concat(logprobs.map(bytesOf)),
            offsets: bytesOf(BigInt64Array.from(ends, BigInt)),
            dtype: dtypes.float32,
          },
        },
        numDatums: BigInt(logprobs.length),
      },
    ],
    metrics,
  });
}

function jsonPassResult(logprobs: readonly Float32Array[], metrics: object): object {
  const outputs = logprobs.map((list) => ({
    logprobs: { data: [...list], dtype: 'float32', shape: [list.length] },
  }));
  return { loss_fn_output_type: 'TensorData', loss_fn_outputs: outputs, metrics };
}
