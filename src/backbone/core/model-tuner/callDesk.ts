import { hashText } from '../../../base/core/random.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import type { Api, ApiAnswer } from './apis/api.ts';
import { sourceOf } from './callSource.ts';
import { Call, type FinishedCall } from './call.ts';
import { cutCompletion } from './chunks.ts';
import { overflowCompletion } from './contextGuard.ts';
import type { Caller, Episode } from './episodes.ts';
import { failures } from './failures.ts';
import { jsonReply, type HttpReply, type HttpRequest } from './http.ts';
import type {
  ChatCompletion,
  ChatModel,
  ChatRequest,
  ChunkBatches,
  ModelFailure,
  ModelReply,
} from './model.ts';
import { parseBody } from './requestSchema.ts';
import { adapterOf, isTrainable } from './routing.ts';
import { applySampling, callSeed, debugRequest, type Override, type Sampling } from './sampling.ts';
import { collect, failureFrom, oneByOne, streamReply } from './stream.ts';
import { askForLogprobs } from './tokenDetails.ts';
import { toolsLeftOut, withoutToolCalls } from './toolCalls.ts';

/** Hears of calls; the full record of a run is made from it. */
export interface CallObserver {
  /** Once per call, when it is over: before its client has the whole answer. */
  onCall(call: FinishedCall): void;
}

export interface CallDeskOptions {
  readonly model: ChatModel;
  /** The model that answers in place of one that is not trained. Rejects with a {@link ModelFailureError}. */
  readonly debugModel: (name: string) => Promise<ChatModel>;
  readonly sampling: Sampling;
  /** `ajet.rollout.force_disable_toolcalls`. Default: false. */
  readonly toolCallsDisabled?: boolean;
  /** Seed of the run. */
  readonly seed: number;
  readonly observer: CallObserver;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Takes the calls of every episode to the model; as many at a time as come. */
export class CallDesk {
  readonly #options: CallDeskOptions;
  readonly #warned = new Set<string>();

  constructor(options: CallDeskOptions) {
    this.#options = options;
  }

  /** One model under the conventional name; a request may name any other. */
  listModels(): HttpReply {
    const created = Math.floor(this.#options.clock.now() / 1000);
    const model = { id: 'reserved_field', object: 'model', created, owned_by: 'agentjet' };
    return jsonReply(200, { object: 'list', data: [model] });
  }

  async answer(http: HttpRequest, caller: Caller, api: Api): Promise<HttpReply> {
    const { episode, agentName, targetTag } = caller;
    const body = parseBody(http.body);
    const read = 'failure' in body ? body : api.read(body.value, episode.memory, http.body);
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
        this.#tell(finished);
      },
    });
    // At once, whatever the model takes for it: an episode's end waits for none of its calls.
    const giving = call.cancellation.onCancelled(() => call.finish({ kind: 'cancelled' }));
    const given = await this.#ask(call, episode);
    giving.dispose();
    const id = answerId(caller, number);
    const createdAt = Math.floor(this.#options.clock.now() / 1000);
    return reply(call, given, { api, answer: read.answer({ id, createdAt, request }) });
  }

  /** The debug model that answers; null: the model being trained does, for a target that is not to be trained too. */
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
    if (this.#options.toolCallsDisabled === true) this.#warn(agentName, toolsLeftOut(asked));
    return askForLogprobs(request);
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
      return await answering.respond(request, call.cancellation, call.identity);
    } catch (error) {
      return { kind: 'error', ...failureFrom(error) };
    }
  }

  /** Once per option and run: the same agent asks again with every call. */
  #warn(agentName: string, overrides: readonly Override[]): void {
    for (const { option, told } of overrides) {
      if (this.#warned.has(option)) continue;
      this.#warned.add(option);
      this.#options.logger.log('warn', `Agent "${agentName}" ${told}.`);
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

/** A debug model's calls are not tracked, so nothing checks them. */
async function overflows(call: Call, episode: Episode): Promise<boolean> {
  const { guard } = episode.options;
  if (guard === undefined || call.debugModel !== null) return false;
  const { request, startedAt } = call;
  const check = await guard({ ...call.identity, request, startedAt });
  if (check.unsafe !== null) episode.notSafe();
  return check.overflows;
}

/** How the client is answered. */
interface Written {
  readonly api: Api;
  readonly answer: ApiAnswer;
}

async function reply(call: Call, given: ModelReply, written: Written): Promise<HttpReply> {
  if (call.cancellation.isCancelled) return cancelledReply(call, written);
  switch (given.kind) {
    case 'error':
      return failedReply(call, given, written);
    case 'completion': {
      if (call.request.stream !== true) return completionReply(call, given.completion, written);
      const chunks = oneByOne(cutCompletion(given.completion, { includeUsage: wantsUsage(call) }));
      return streamReply(call, chunks, written.answer);
    }
    case 'stream':
      if (call.request.stream === true) return streamReply(call, given.chunks, written.answer);
      return collectedReply(call, given.chunks, written);
  }
}

function wantsUsage(call: Call): boolean {
  return call.request.stream_options?.include_usage === true;
}

async function collectedReply(call: Call, chunks: ChunkBatches, written: Written): Promise<HttpReply> {
  const giving = call.cancellation.onCancelled(() => call.finish({ kind: 'cancelled' }));
  try {
    const completion = await collect(call, chunks);
    return call.cancellation.isCancelled
      ? cancelledReply(call, written)
      : completionReply(call, completion, written);
  } catch (error) {
    return call.cancellation.isCancelled
      ? cancelledReply(call, written)
      : failedReply(call, failureFrom(error), written);
  } finally {
    giving.dispose();
  }
}

function completionReply(call: Call, completion: ChatCompletion, written: Written): HttpReply {
  // A server may answer with what an API has no word for.
  const body = attempt(() => written.answer.whole(completion));
  if ('failure' in body) return failedReply(call, body.failure, written);
  call.finish({ kind: 'answered', completion });
  return jsonReply(200, body.value);
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly failure: ModelFailure } {
  try {
    return { value: work() };
  } catch (error) {
    return { failure: failureFrom(error) };
  }
}

function failedReply(call: Call, failure: ModelFailure, { api }: Written): HttpReply {
  call.finish({ kind: 'failed', failure });
  return refusal(failure, api);
}

function cancelledReply(call: Call, { api }: Written): HttpReply {
  call.finish({ kind: 'cancelled' });
  return refusal(failures.cancelled(), api);
}

function refusal(failure: ModelFailure, api: Api): HttpReply {
  return jsonReply(failure.status, api.failureBody(failure), failure.headers);
}

/** Tells nobody the episode's own, which is a secret. */
function answerId({ episode }: Caller, call: number): string {
  const hash = hashText(`${episode.options.episodeUuid} ${call}`).toString(16);
  return `${hash.padStart(14, '0')}${call.toString(16).padStart(6, '0')}`;
}
