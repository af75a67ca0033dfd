import { CancellationSource } from '../../base/cancellation.ts';
import type { CodedError } from '../../base/errors.ts';
import type { Clock, Logger } from '../../base/ports.ts';
import type { AgentOptions } from '../../workflow/index.ts';
import { decodeApiKey, encodeApiKey } from './apiKey.ts';
import { Call, type FinishedCall } from './call.ts';
import { cutCompletion } from './chunks.ts';
import { failureReply, failures } from './failures.ts';
import { refuseForeign } from './foreign.ts';
import { jsonReply, type HttpReply, type HttpRequest, type RequestHandler } from './http.ts';
import type { ChatCompletion, ChatModel, ModelFailure, ModelReply } from './model.ts';
import { readChatRequest } from './requestSchema.ts';
import { findRoute } from './routes.ts';
import { applySampling, callSeed, type Override, type Sampling } from './sampling.ts';
import { collect, failureFrom, streamReply } from './stream.ts';
import { askForLogprobs, detailsAskedFor, withoutUnasked } from './tokenDetails.ts';

export type { FinishedCall, Sampling };

/** Hears of calls; the full record of a run is made from it. */
export interface CallObserver {
  /** Once per call, when it is over: before its client has the whole answer. */
  onCall(call: FinishedCall): void;
}

export interface GatewayOptions {
  readonly model: ChatModel;
  readonly sampling: Sampling;
  /** Seed of the run. */
  readonly seed: number;
  readonly observer: CallObserver;
  readonly logger: Logger;
  readonly clock: Clock;
}

export interface EpisodeOptions {
  /** Must not be guessable: whoever knows it can make calls of the episode. */
  readonly episodeUuid: string;
  /** Position in the run, from 0. */
  readonly episode: number;
  /** Tells the episode's samples from those of others; equal seeds give equal samples. */
  readonly seed: number;
  /** For the key's `episode_address`: where the episode is served. */
  readonly address: string;
}

/** An episode's access to the model. */
export interface EpisodeHandle {
  /** Calls answered so far. */
  readonly llmCalls: number;
  /** What the last finished call failed with, told to the person who runs it; undefined when it was answered. */
  readonly failure: CodedError | undefined;
  apiKeyFor(agent: Required<AgentOptions>): string;
  /** From here on the episode's keys are refused; calls in flight are cancelled. */
  close(): void;
}

export interface Gateway {
  openEpisode(options: EpisodeOptions): EpisodeHandle;
  /** Answers one request; never rejects. */
  readonly handle: RequestHandler;
}

/** The OpenAI-compatible server in front of a model, without a socket: every door brings its requests to `handle`. */
export function createGateway(options: GatewayOptions): Gateway {
  const episodes = new Map<string, Episode>();
  const desk = new CallDesk(options);
  return {
    openEpisode: (episode) => {
      const opened = new Episode(episode);
      episodes.set(episode.episodeUuid, opened);
      return opened;
    },
    handle: (request) => handle(request, episodes, desk),
  };
}

async function handle(
  request: HttpRequest,
  episodes: ReadonlyMap<string, Episode>,
  desk: CallDesk,
): Promise<HttpReply> {
  const foreign = refuseForeign(request.headers);
  if (foreign !== undefined) return failureReply(foreign);
  const found = findRoute(request.method, request.path);
  if ('failure' in found) return failureReply(found.failure);
  if (found.route === 'health') return jsonReply(200, { status: 'ok' });
  const caller = authenticate(request.headers, episodes);
  if ('failure' in caller) return failureReply(caller.failure);
  return found.route === 'models' ? desk.listModels() : desk.chat(request, caller);
}

class Episode implements EpisodeHandle {
  readonly options: EpisodeOptions;
  readonly end = new CancellationSource();
  #begun = 0;
  #answered = 0;
  #failure: CodedError | undefined;

  constructor(options: EpisodeOptions) {
    this.options = options;
  }

  get llmCalls(): number {
    return this.#answered;
  }

  get failure(): CodedError | undefined {
    return this.#failure;
  }

  apiKeyFor(agent: Required<AgentOptions>): string {
    return encodeApiKey({
      agentName: agent.agentName,
      targetTag: agent.targetTag,
      episodeUuid: this.options.episodeUuid,
      episodeAddress: this.options.address,
    });
  }

  close(): void {
    this.end.cancel();
  }

  nextCall(): number {
    return this.#begun++;
  }

  finished(call: FinishedCall): void {
    if (call.failure === undefined) this.#answered++;
    this.#failure = call.failure?.report;
  }
}

/** Who makes a call. */
interface Caller {
  readonly episode: Episode;
  readonly agentName: string;
  readonly targetTag: string;
}

function authenticate(
  headers: Readonly<Record<string, string>>,
  episodes: ReadonlyMap<string, Episode>,
): Caller | { failure: ModelFailure } {
  const key = /^Bearer\s+(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1];
  if (key === undefined) return { failure: failures.missingKey() };
  const content = decodeApiKey(key);
  if (content === undefined) return { failure: failures.garbledKey() };
  const episode = episodes.get(content.episodeUuid);
  if (episode === undefined) return { failure: failures.unknownEpisode() };
  if (episode.end.token.isCancelled) return { failure: failures.closedEpisode() };
  return { episode, agentName: content.agentName, targetTag: content.targetTag };
}

/** Takes the calls of every episode to the model; as many at a time as come. */
class CallDesk {
  readonly #options: GatewayOptions;
  readonly #warned = new Set<string>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** One model under the conventional name; a request may name any other. */
  listModels(): HttpReply {
    const created = Math.floor(this.#options.clock.now() / 1000);
    const model = { id: 'reserved_field', object: 'model', created, owned_by: 'agentjet' };
    return jsonReply(200, { object: 'list', data: [model] });
  }

  async chat(http: HttpRequest, caller: Caller): Promise<HttpReply> {
    const read = readChatRequest(http.body);
    if ('failure' in read) return failureReply(read.failure);
    const { episode, agentName, targetTag } = caller;
    const number = episode.nextCall();
    const seed = callSeed(this.#options.seed, episode.options.seed, number);
    const { request, overrides } = applySampling(read.request, this.#options.sampling, seed);
    this.#warn(agentName, overrides);
    const call = new Call({
      identity: { episode: episode.options.episode, call: number, agentName, targetTag },
      episodeUuid: episode.options.episodeUuid,
      request: askForLogprobs(request),
      asked: detailsAskedFor(request),
      clock: this.#options.clock,
      cancelledBy: [http.cancellation, episode.end.token],
      onFinished: (finished) => {
        episode.finished(finished);
        this.#tell(finished);
      },
    });
    // At once, whatever the model takes for it: an episode's end waits for none of its calls.
    const giving = call.cancellation.onCancelled(() => call.finish({ kind: 'cancelled' }));
    const given = await this.#ask(call);
    giving.dispose();
    return reply(call, given);
  }

  async #ask(call: Call): Promise<ModelReply> {
    try {
      return await this.#options.model.respond(call.request, call.cancellation, call.identity);
    } catch (error) {
      return { kind: 'error', ...failureFrom(error) };
    }
  }

  /** Once per option and run: the same agent asks again with every call. */
  #warn(agentName: string, overrides: readonly Override[]): void {
    for (const { option, asked, used, key } of overrides) {
      if (this.#warned.has(option)) continue;
      this.#warned.add(option);
      this.#options.logger.log(
        'warn',
        `Agent "${agentName}" asked for ${option} ${asked}; ${used} is used, as in training (${key}).`,
      );
    }
  }

  /** A failing observer is no reason to fail a call. */
  #tell(call: FinishedCall): void {
    try {
      this.#options.observer.onCall(call);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.logger.log(
        'error',
        `Call ${call.call} of episode ${call.episode} went unrecorded: ${reason}`,
      );
    }
  }
}

async function reply(call: Call, given: ModelReply): Promise<HttpReply> {
  if (call.cancellation.isCancelled) return cancelledReply(call);
  switch (given.kind) {
    case 'error':
      return failedReply(call, given);
    case 'completion':
      if (call.request.stream !== true) return completionReply(call, given.completion);
      return streamReply(call, cutCompletion(given.completion, { includeUsage: wantsUsage(call) }));
    case 'stream':
      if (call.request.stream === true) return streamReply(call, given.chunks);
      return collectedReply(call, given.chunks);
  }
}

function wantsUsage(call: Call): boolean {
  return call.request.stream_options?.include_usage === true;
}

async function collectedReply(
  call: Call,
  chunks: Extract<ModelReply, { kind: 'stream' }>['chunks'],
): Promise<HttpReply> {
  const giving = call.cancellation.onCancelled(() => call.finish({ kind: 'cancelled' }));
  try {
    const completion = await collect(call, chunks);
    return call.cancellation.isCancelled ? cancelledReply(call) : completionReply(call, completion);
  } catch (error) {
    return call.cancellation.isCancelled ? cancelledReply(call) : failedReply(call, failureFrom(error));
  } finally {
    giving.dispose();
  }
}

function completionReply(call: Call, completion: ChatCompletion): HttpReply {
  call.finish({ kind: 'answered', completion });
  return jsonReply(200, withoutUnasked(completion, call.asked));
}

function failedReply(call: Call, failure: ModelFailure): HttpReply {
  call.finish({ kind: 'failed', failure });
  return failureReply(failure);
}

function cancelledReply(call: Call): HttpReply {
  call.finish({ kind: 'cancelled' });
  return failureReply(failures.cancelled());
}
