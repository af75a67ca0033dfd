import type { FinishedCall } from './call.ts';
import {
  ChatCompletionHandler,
  type ChatCompletionHandlerOptions,
  type CallObserver,
} from './chatCompletionHandler.ts';
import { authenticate, Episode, type EpisodeHandle, type EpisodeOptions } from './episodes.ts';
import { apis, failureReply } from './apis/index.ts';
import { jsonReply, type HttpReply, type HttpRequest, type RequestHandler } from './http.ts';
import { findRoute } from './routes.ts';
import type { ModelFailure } from './model.ts';
import type { Sampling } from './sampling.ts';
import { failures } from './failures.ts';

export type { CallObserver, EpisodeHandle, EpisodeOptions, FinishedCall, Sampling };
export type GatewayOptions = ChatCompletionHandlerOptions;

export interface Gateway {
  openEpisode(options: EpisodeOptions): EpisodeHandle;
  /** Answers one request; never rejects. */
  readonly handle: RequestHandler;
}

/**
 * Creates the server in front of a model, without a socket: every transport passes its requests to `handle`. It supports
 * OpenAI's chat completions and Responses API, and Anthropic's Messages API.
 */
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
