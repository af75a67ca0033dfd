import { type FinishedCall, Call, overflowCompletion, type ContextGuard } from './call.ts';
import { apis, failureReply, findRoute } from './apis/index.ts';
import {
  jsonReply,
  type HttpReply,
  type HttpRequest,
  type RequestHandler,
  type Api,
  type ApiAnswer,
  ApiMemory,
} from './apis/api.ts';
import type { ModelFailure, ChatModel, ChatRequest, ModelReply } from './model.ts';
import { type Sampling, applySampling, callSeed, debugRequest, type Override } from './sampling.ts';
import { failures } from './failures.ts';
import { messageOf, type CodedError } from '../../../base/core/errors.ts';
import { omit } from '../../../base/core/omit.ts';
import { hashText } from '../../../base/core/random.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import { sourceOf } from './callSource.ts';
import { cutCompletion } from './chunks.ts';
import { parseBody } from './requestSchema.ts';
import { adapterOf, isTrainable, RouteCounts, type Targets } from './routing.ts';
import { collect, failureFrom, oneByOne, streamReply } from './stream.ts';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import type { EpisodeRouting } from '../../../tracking/core/records/episodeResult.ts';
import type { AgentOptions } from '../../../sdk/core/index.ts';
import type { EpisodeProgress } from './tuner.ts';
import { decodeApiKey, encodeApiKey } from './apiKey.ts';

export interface GatewayOptions {
  readonly model: ChatModel;
  /** Opens the model that answers for a target that is not trained. Rejects with a {@link ModelFailureError}. */
  readonly debugModel: (name: string) => Promise<ChatModel>;
  readonly sampling: Sampling;
  /** `ajet.rollout.force_disable_toolcalls`. Default: false. */
  readonly toolCallsDisabled?: boolean;
  readonly seed: number;
  /** `onCall` is called once per call when it ends, before the client has the whole answer. */
  readonly observer: { onCall(call: FinishedCall): void };
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Passes the calls of every episode to the model, without a limit on parallel calls. */
class ChatCompletionHandler {
  readonly #options: GatewayOptions;
  readonly #warned = new Set<string>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Lists one model under upstream's name. Requests may use any other name. */
  listModels(): HttpReply {
    const created = Math.floor(this.#options.clock.now() / 1000);
    const model = { id: 'reserved_field', object: 'model', created, owned_by: 'agentjet' };
    return jsonReply(200, { object: 'list', data: [model] });
  }

  async answer(http: HttpRequest, caller: Caller, api: Api): Promise<HttpReply> {
    const { episode, agentName, targetTag } = caller;
    const text = typeof http.body === 'string' ? http.body : await http.body();
    const body = typeof text === 'string' ? parseBody(text) : text;
    const read = 'failure' in body ? body : api.read(body.value, episode.memory);
    if ('failure' in read) return refusal(read.failure, api);
    this.#warn(agentName, read.notes);
    const debugModel = this.#route(caller, http);
    const number = episode.nextCall();
    const seed = callSeed(this.#options.seed, episode.options.seed, number);
    const request =
      debugModel === null
        ? this.#sampled(read.request, seed, agentName)
        : debugRequest(read.request, debugModel, seed);
    const call = new Call({
      identity: { episode: episode.options.episode, call: number, agentName, targetTag },
      episodeUuid: episode.options.episodeUuid,
      debugModel,
      request,
      source: sourceOf(http),
      clock: this.#options.clock,
      cancelledBy: [http.cancellation, episode.end.token],
      onFinished: (finished) => {
        episode.finished(finished);
        this.#notify(finished);
      },
    });
    // The end of an episode does not wait for its calls.
    const giving = call.cancellation.onCancelled(() => call.finish({ kind: 'cancelled' }));
    const given = await this.#ask(call, episode);
    giving.dispose();
    const id = answerId(caller, number);
    const createdAt = Math.floor(this.#options.clock.now() / 1000);
    return reply(call, given, api, read.answer({ id, createdAt, request }));
  }

  /** Returns the debug model that answers; null for the model being trained, which also answers for untrained targets. */
  #route({ episode, targetTag }: Caller, request: HttpRequest): string | null {
    const adapter = request.adapter ?? adapterOf(request.headers);
    const debugModel = adapter?.debugModel ?? null;
    if (adapter?.by === 'name') return debugModel;
    if (debugModel !== null) {
      episode.routes.debugModelAnswers(targetTag, debugModel);
    } else if (!isTrainable(episode.targets, targetTag)) {
      episode.routes.trainsAnyway(targetTag, adapter === undefined ? 'base-url' : 'no-debug-model');
    }
    return debugModel;
  }

  #sampled(asked: ChatRequest, seed: number, agentName: string): ChatRequest {
    const { request, overrides } = applySampling(asked, this.#options.sampling, seed);
    this.#warn(agentName, overrides);
    if (this.#options.toolCallsDisabled === true) this.#warn(agentName, removedTools(asked));
    return { ...request, logprobs: true }; // as in training
  }

  async #ask(call: Call, episode: Episode): Promise<ModelReply> {
    try {
      if (await overflows(call, episode)) {
        call.answerCanned('overflow_response');
        return { kind: 'completion', completion: overflowCompletion(this.#options.clock.now()) };
      }
      const { model, debugModel, toolCallsDisabled = false } = this.#options;
      const answering = call.debugModel === null ? model : await debugModel(call.debugModel);
      const isCut = toolCallsDisabled && call.debugModel === null;
      const request = isCut ? withoutToolCalls(call.request) : call.request;
      call.asksModel();
      const given = await answering.respond(request, call.cancellation, call.identity);
      if (given.kind !== 'stream' || request.stream === true) return given;
      return { kind: 'completion', completion: await collect(given.chunks, call) };
    } catch (error) {
      return { kind: 'error', ...failureFrom(error) };
    }
  }

  /** Warns once per option and run, since an agent repeats its options with every call. */
  #warn(agentName: string, overrides: readonly Override[]): void {
    for (const { option, message } of overrides) {
      if (this.#warned.has(option)) continue;
      this.#warned.add(option);
      this.#options.logger.log('warn', `Agent "${agentName}" ${message}.`);
    }
  }

  /** Logs an error of the observer. The call does not fail. */
  #notify(call: FinishedCall): void {
    try {
      this.#options.observer.onCall(call);
    } catch (error) {
      const reason = messageOf(error);
      this.#options.logger.log(
        'error',
        `Call ${call.call} of episode ${call.episode} was not recorded: ${reason}`,
      );
    }
  }
}

/** Calls to debug models are not tracked, so they are not checked. */
async function overflows(call: Call, episode: Episode): Promise<boolean> {
  const { guard } = episode.options;
  if (guard === undefined || call.debugModel !== null) return false;
  const { request, startedAt } = call;
  const check = await guard({ ...call.identity, request, startedAt });
  if (check.unsafe !== null) episode.contextOverflow = true;
  return check.overflows;
}

function reply(call: Call, given: ModelReply, api: Api, answer: ApiAnswer): HttpReply {
  if (call.cancellation.isCancelled) {
    call.finish({ kind: 'cancelled' });
    return refusal(failures.cancelled(), api);
  }
  if (given.kind === 'stream') return streamReply(call, given.chunks, answer);
  if (given.kind === 'error') return failedReply(call, given, api);
  const { completion } = given;
  const { stream, stream_options } = call.request;
  if (stream === true) {
    const includeUsage = stream_options?.include_usage === true;
    return streamReply(call, oneByOne(cutCompletion(completion, { includeUsage })), answer);
  }
  try {
    const body = answer.whole(completion);
    call.finish({ kind: 'answered', completion });
    return jsonReply(200, body);
  } catch (error) {
    return failedReply(call, failureFrom(error), api); // a part that the API cannot express
  }
}

function failedReply(call: Call, failure: ModelFailure, api: Api): HttpReply {
  call.finish({ kind: 'failed', failure });
  return refusal(failure, api);
}

function refusal(failure: ModelFailure, api: Api): HttpReply {
  return jsonReply(failure.status, api.failureBody(failure), failure.headers);
}

/** Returns the id of an answer. It is a hash, since the uuid of the episode is a secret. */
function answerId({ episode }: Caller, call: number): string {
  const hash = hashText(`${episode.options.episodeUuid} ${call}`).toString(16);
  return `${hash.padStart(14, '0')}${call.toString(16).padStart(6, '0')}`;
}

/**
 * Returns the request for `ajet.rollout.force_disable_toolcalls`, as in upstream: without tools and tool results. Messages
 * whose content is not plain text, such as tool calls, are removed too. Findings of the run report the lost messages.
 */
function withoutToolCalls(request: ChatRequest): ChatRequest {
  const messages = request.messages.filter(
    ({ role, content }) => role !== 'tool' && typeof content === 'string',
  );
  return { ...omit(request, 'tools'), messages };
}

function removedTools({ tools = [] }: ChatRequest): readonly Override[] {
  if (!Array.isArray(tools) || tools.length === 0) return [];
  const message =
    'offers tools, which are removed with their results: ajet.rollout.force_disable_toolcalls is set';
  return [{ option: 'tools', message }];
}

export type { EpisodeHandle, EpisodeOptions, FinishedCall, Sampling };

export interface Gateway {
  openEpisode(options: EpisodeOptions): EpisodeHandle;
  /** Answers one request. Rejects only if the body cannot be read. */
  readonly handle: RequestHandler;
}

/** Creates the gateway to a model, without a socket. Its function `handle` answers requests of all kinds of transport. */
export function createGateway(options: GatewayOptions): Gateway {
  const episodes = new Map<string, Episode>();
  const handler = new ChatCompletionHandler(options);
  return {
    openEpisode: (episode) => {
      const opened = new Episode(episode);
      episodes.set(episode.episodeUuid, opened);
      return opened;
    },
    handle: (request) => handle(request, episodes, handler),
  };
}

async function handle(
  request: HttpRequest,
  episodes: ReadonlyMap<string, Episode>,
  handler: ChatCompletionHandler,
): Promise<HttpReply> {
  const refuse = (failure: ModelFailure): HttpReply => failureReply(failure, request.path);
  const foreign = checkLoopbackOrigin(request.headers);
  if (foreign !== undefined) return refuse(foreign);
  const found = findRoute(request.method, request.path);
  if ('failure' in found) return refuse(found.failure);
  if (found.route === 'health') return jsonReply(200, { status: 'ok' });
  const caller = authenticate(request.headers, episodes);
  if ('failure' in caller) return refuse(caller.failure);
  return found.route === 'models' ? handler.listModels() : handler.answer(request, caller, apis[found.route]);
}

/**
 * Rejects requests of web pages. A page of another site can make its own name resolve to this machine (DNS rebinding).
 * Its requests still have that name in `Host`, and the page in `Origin`.
 */
function checkLoopbackOrigin(headers: Readonly<Record<string, string>>): ModelFailure | undefined {
  if (!isLoopback(headers['host'] ?? '')) return failures.foreignHost();
  const origin = headers['origin'];
  if (origin === undefined) return undefined;
  const authority = /^https?:\/\/([^/]*)$/i.exec(origin)?.[1] ?? '';
  return isLoopback(authority) ? undefined : failures.foreignOrigin();
}

/** @param authority host with an optional port */
function isLoopback(authority: string): boolean {
  return /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i.test(authority);
}

interface EpisodeOptions {
  /** Must not be guessable: it authorizes calls of the episode. */
  readonly episodeUuid: string;
  /** Position in the run, from 0. */
  readonly episode: number;
  /** Seed of the episode's samples. */
  readonly seed: number;
  /** The `episode_address` in the key. */
  readonly address: string;
  /** Checks each call to the model being trained. Without it, no call is checked. */
  readonly guard?: ContextGuard;
}

class Episode {
  readonly options: EpisodeOptions;
  readonly end = new CancellationSource();
  readonly routes = new RouteCounts();
  readonly memory = new ApiMemory();
  targets: Targets = null;
  /** Number of calls that the model being trained has answered. */
  llmCalls = 0;
  /** The failure of the last finished call, for the user; undefined if it was answered. */
  failure: CodedError | undefined;
  /** True if any call so far was unsafe: upstream's `context_overflow`. */
  contextOverflow = false;
  /** The answers of the model being trained, for a debugger. */
  progress: EpisodeProgress = { calls: 0, lastReply: null, tokens: 0 };
  #begun = 0;

  constructor(options: EpisodeOptions) {
    this.options = options;
  }

  /** Undefined if every call so far was for a trained target. */
  get routing(): EpisodeRouting | undefined {
    return this.routes.routing;
  }

  /** Sets the targets that the episode trains. Default: all. */
  trainOnly(targets: Targets): void {
    this.targets = targets;
  }

  apiKeyFor(agent: Required<AgentOptions>): string {
    const { episodeUuid, address } = this.options;
    return encodeApiKey({ ...agent, episodeUuid, episodeAddress: address });
  }

  /** Cancels the calls in flight. The keys of the episode are rejected from now on. */
  close(): void {
    this.end.cancel();
    this.memory.clear();
  }

  nextCall(): number {
    return this.#begun++;
  }

  finished(call: FinishedCall): void {
    const isModels = call.debugModel === null && call.canned === null;
    if (call.failure === undefined && isModels) {
      this.llmCalls++;
      const { usage, choices } = call.completion ?? { choices: [] };
      const { content = null } = choices[0]?.message ?? {};
      this.progress = {
        calls: this.llmCalls,
        lastReply: content,
        tokens: this.progress.tokens + (usage?.total_tokens ?? 0),
      };
    }
    this.failure = call.failure?.report;
  }
}

type EpisodeHandle = Readonly<
  Pick<
    Episode,
    'llmCalls' | 'failure' | 'routing' | 'contextOverflow' | 'progress' | 'trainOnly' | 'apiKeyFor' | 'close'
  >
>;

interface Caller {
  readonly episode: Episode;
  readonly agentName: string;
  readonly targetTag: string;
}

function authenticate(
  headers: Readonly<Record<string, string>>,
  episodes: ReadonlyMap<string, Episode>,
): Caller | { failure: ModelFailure } {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1];
  // Anthropic's clients send x-api-key. As in upstream, the bearer token wins.
  const keys = [bearer, headers['x-api-key']].filter((key) => key !== undefined);
  if (keys.length === 0) return { failure: failures.missingKey() };
  const content = keys.map(decodeApiKey).find((decoded) => decoded !== undefined);
  if (content === undefined) return { failure: failures.garbledKey() };
  const episode = episodes.get(content.episodeUuid);
  if (episode === undefined) return { failure: failures.unknownEpisode() };
  if (episode.end.token.isCancelled) return { failure: failures.closedEpisode() };
  return { episode, agentName: content.agentName, targetTag: content.targetTag };
}
