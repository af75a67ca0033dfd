import type { Clock, Logger } from '../../base/ports.ts';
import { Call, type FinishedCall } from './call.ts';
import { cutCompletion } from './chunks.ts';
import { overflowCompletion } from './contextGuard.ts';
import type { Caller, Episode } from './episodes.ts';
import { failureReply, failures } from './failures.ts';
import { jsonReply, type HttpReply, type HttpRequest } from './http.ts';
import type { ChatCompletion, ChatModel, ChatRequest, ModelFailure, ModelReply } from './model.ts';
import { readChatRequest } from './requestSchema.ts';
import { isTrainable } from './routing.ts';
import { applySampling, callSeed, debugRequest, type Override, type Sampling } from './sampling.ts';
import { collect, failureFrom, streamReply } from './stream.ts';
import { askForLogprobs, detailsAskedFor, withoutUnasked } from './tokenDetails.ts';

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

  async chat(http: HttpRequest, caller: Caller): Promise<HttpReply> {
    const read = readChatRequest(http.body);
    if ('failure' in read) return failureReply(read.failure);
    const { episode, agentName, targetTag } = caller;
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
      asked: detailsAskedFor(read.request),
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
    return reply(call, given);
  }

  /** The debug model that answers; null: the model being trained does, for a target that is not to be trained too. */
  #route({ episode, targetTag }: Caller, { adapter }: HttpRequest): string | null {
    const debugModel = adapter?.debugModel ?? null;
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
    return askForLogprobs(request);
  }

  async #ask(call: Call, episode: Episode): Promise<ModelReply> {
    try {
      if (await overflows(call, episode)) {
        call.answerCanned('overflow_response');
        return { kind: 'completion', completion: overflowCompletion(this.#options.clock.now()) };
      }
      const { model, debugModel } = this.#options;
      const answering = call.debugModel === null ? model : await debugModel(call.debugModel);
      return await answering.respond(call.request, call.cancellation, call.identity);
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
